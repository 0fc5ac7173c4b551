// Datasets of what stands in files: lines, records, and the names of files.

#include <algorithm>

#include "devices/checkpoint/file.h"
#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/lmdb_file.h"
#include "devices/cpu/kernels/shared/record_formats.h"

namespace troupe {
namespace {

/// The strings of a scalar or vector.
absl::StatusOr<std::vector<std::string>> input_texts(const KernelContext& context, int i, const char* name) {
  const Tensor& t = context.input(i);
  if (t.rank() > 1) return invalid("`", name, "` must be a scalar or a vector.");
  std::vector<std::string> texts;
  for (const TString& text : t.flat<TString>()) texts.push_back(text.str());
  return texts;
}

/// Makes the format for file i.
using FormatMaker = std::function<absl::StatusOr<std::unique_ptr<RecordFormat>>(size_t i)>;

/// The records of one file after the other. After an error in a file the next one is read.
class RecordFiles {
 public:
  RecordFiles(std::vector<std::string> paths, FormatMaker make)
      : paths_(std::move(paths)), make_(std::move(make)) {}

  NextElement next(const ElementContext& step) {
    while (true) {
      TROUPE_RETURN_IF_ERROR(step.check());
      if (format_ == nullptr) {
        if (file_ == paths_.size()) return std::nullopt;
        // A file that does not open is tried again.
        TROUPE_ASSIGN_OR_RETURN(auto format, make_(file_));
        TROUPE_RETURN_IF_ERROR(format->start(paths_[file_]));
        format_ = std::move(format);
        ++file_;
      }
      RecordFormat::Record record;
      const auto outcome = format_->next(&record);
      if (!outcome.ok() || *outcome == RecordFormat::Outcome::kEnd) format_ = nullptr;
      TROUPE_RETURN_IF_ERROR(outcome.status());
      if (*outcome != RecordFormat::Outcome::kEnd) return Element{Tensor::string_scalar(record.value)};
    }
  }

 private:
  const std::vector<std::string> paths_;
  const FormatMaker make_;
  size_t file_ = 0;
  std::unique_ptr<RecordFormat> format_;
};

absl::Status output_records(KernelContext& context, const char* label, std::vector<std::string> paths,
                            FormatMaker make) {
  auto dataset = make_dataset(label, {}, [paths, make](const std::string&) {
    auto files = std::make_unique<RecordFiles>(paths, make);
    return iterator_of([files = std::move(files)](const ElementContext& step) { return files->next(step); });
  });
  dataset->types = {DataType::kString};
  dataset->shapes = {PartialShape(std::vector<int64_t>())};
  return output_dataset(context, std::move(dataset));
}

absl::StatusOr<ReaderFile::Compression> input_compression(const KernelContext& context, int i) {
  TROUPE_ASSIGN_OR_RETURN(const std::string name, input_text(context, i, "compression_type"));
  auto compression = compression_named(name);
  if (!compression.ok()) return invalid("Unsupported compression_type: ", name, ".");
  return compression;
}

absl::Status make_lines(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto paths, input_texts(context, 0, "filenames"));
  TROUPE_ASSIGN_OR_RETURN(const auto compression, input_compression(context, 1));
  TROUPE_ASSIGN_OR_RETURN(const int64_t buffer, input_count(context, 2, "buffer_size"));
  if (buffer < 0) return invalid("`buffer_size` must be >= 0 (0 == default)");
  return output_records(context, "TextLine", std::move(paths),
                        [compression](size_t) { return line_format(compression); });
}

absl::Status make_tf_records(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto paths, input_texts(context, 0, "filenames"));
  TROUPE_ASSIGN_OR_RETURN(const auto compression, input_compression(context, 1));
  TROUPE_ASSIGN_OR_RETURN(const int64_t buffer, input_count(context, 2, "buffer_size"));
  // -1 leaves the choice.
  if (buffer < -1) return invalid("`buffer_size` must be >= 0 (0 == no buffering)");
  std::vector<int64_t> offsets;
  if (context.num_inputs() > 3) {
    const Tensor& t = context.input(3);
    if (t.rank() > 1) return invalid("`byte_offsets` must be a scalar or a vector.");
    for (int64_t i = 0; i < t.num_elements(); ++i) offsets.push_back(int_at(t, i));
    if (offsets.size() != paths.size()) return invalid("`byte_offsets` must be of same size as `filenames`");
    for (const int64_t offset : offsets) {
      if (offset < 0) return invalid("`byte_offsets` must not be negative");
    }
  }
  return output_records(context, "TFRecord", std::move(paths), [compression, offsets](size_t i) {
    return tf_record_format(compression, offsets.empty() ? 0 : offsets[i]);
  });
}

/// Records of one length between a header and a footer.
class FixedLengthRecords final : public RecordFormat {
 public:
  FixedLengthRecords(int64_t header, int64_t record, int64_t footer, ReaderFile::Compression compression)
      : header_(header), record_(record), footer_(footer), compression_(compression) {}

  absl::Status start(const std::string& path) override {
    TROUPE_RETURN_IF_ERROR(file_.open(path, compression_));
    offset_ = header_;
    end_ = file_.size() - footer_;
    const int64_t body = end_ - header_;
    if (body < 0 || body % record_ != 0) {
      return invalid("Excluding the header (", header_, " bytes) and footer (", footer_,
                     " bytes), input file \"", path, "\" has body length ", body,
                     " bytes, which is not an exact multiple of the record length (", record_, " bytes).");
    }
    return absl::OkStatus();
  }
  absl::StatusOr<Outcome> next(Record* record) override {
    if (offset_ >= end_) return Outcome::kEnd;
    TROUPE_RETURN_IF_ERROR(file_.read(offset_, record_, &record->value));
    offset_ += record_;
    return Outcome::kRecord;
  }

 private:
  const int64_t header_;
  const int64_t record_;
  const int64_t footer_;
  const ReaderFile::Compression compression_;
  ReaderFile file_;
  int64_t offset_ = 0;
  int64_t end_ = 0;
};

/// V2 names a compression behind the sizes.
absl::Status make_fixed_length(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto paths, input_texts(context, 0, "filenames"));
  TROUPE_ASSIGN_OR_RETURN(const int64_t header, input_count(context, 1, "header_bytes"));
  TROUPE_ASSIGN_OR_RETURN(const int64_t record, input_count(context, 2, "record_bytes"));
  TROUPE_ASSIGN_OR_RETURN(const int64_t footer, input_count(context, 3, "footer_bytes"));
  TROUPE_ASSIGN_OR_RETURN(const int64_t buffer, input_count(context, 4, "buffer_size"));
  if (header < 0) return invalid("`header_bytes` must be >= 0");
  if (record <= 0) return invalid("`record_bytes` must be > 0");
  if (footer < 0) return invalid("`footer_bytes` must be >= 0");
  if (buffer < 0) return invalid("`buffer_size` must be >= 0 (0 == default)");
  auto compression = ReaderFile::Compression::kNone;
  if (context.num_inputs() > 5) {
    TROUPE_ASSIGN_OR_RETURN(compression, input_compression(context, 5));
  }
  return output_records(context, "FixedLengthRecord", std::move(paths), [=](size_t) {
    return std::make_unique<FixedLengthRecords>(header, record, footer, compression);
  });
}

/// The files that match any of the patterns, in order of their names.
absl::Status make_matching_files(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto patterns, input_texts(context, 0, "patterns"));
  auto dataset = make_dataset("MatchingFiles", {}, [patterns](const std::string&) {
    return iterator_of([patterns, listed = false, at = size_t{0},
                        paths = std::vector<std::string>()](const ElementContext&) mutable -> NextElement {
      if (!listed) {
        for (const std::string& pattern : patterns) {
          TROUPE_ASSIGN_OR_RETURN(const auto found, match_files(pattern));
          paths.insert(paths.end(), found.begin(), found.end());
        }
        std::sort(paths.begin(), paths.end());
        listed = true;
      }
      if (at == paths.size()) return std::nullopt;
      return Element{Tensor::string_scalar(paths[at++])};
    });
  });
  dataset->types = {DataType::kString};
  dataset->shapes = {PartialShape(std::vector<int64_t>())};
  return output_dataset(context, std::move(dataset));
}

/// LMDBDataset: keys and values of one database after the other.
absl::Status make_lmdb(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const std::vector<std::string> paths, input_texts(context, 0, "filenames"));
  auto dataset = make_dataset("LMDB", {}, [paths](const std::string&) {
    return iterator_of([paths, file = size_t{0}, current = std::unique_ptr<LmdbFile>()](
                           const ElementContext& step) mutable -> NextElement {
      while (file < paths.size()) {
        TROUPE_RETURN_IF_ERROR(step.check());
        if (current == nullptr) {
          auto opened = std::make_unique<LmdbFile>();
          TROUPE_RETURN_IF_ERROR(opened->open(paths[file]));
          current = std::move(opened);
        }
        auto pair = current->next();
        if (pair.ok() && pair->has_value()) {
          return Element{Tensor::string_scalar((*pair)->first), Tensor::string_scalar((*pair)->second)};
        }
        // After an error the next file is read.
        current = nullptr;
        ++file;
        TROUPE_RETURN_IF_ERROR(pair.status());
      }
      return std::nullopt;
    });
  });
  dataset->blocks = true;
  return output_dataset(context, std::move(dataset));
}

}  // namespace

void register_dataset_files(KernelRegistry* registry) {
  const auto add = [registry](std::initializer_list<const char*> ops, KernelFn fn) {
    for (const char* op : ops) registry->add(KernelDef(op).fn(fn, /*cheap=*/true));
  };
  add({"TextLineDataset"}, make_lines);
  add({"TFRecordDataset", "TFRecordDatasetV2"}, make_tf_records);
  add({"FixedLengthRecordDataset", "FixedLengthRecordDatasetV2"}, make_fixed_length);
  add({"MatchingFilesDataset", "ExperimentalMatchingFilesDataset"}, make_matching_files);
  for (const char* op : {"LMDBDataset", "ExperimentalLMDBDataset"})
    registry->add(KernelDef(op).fn(make_lmdb, /*cheap=*/true));
}

}  // namespace troupe
