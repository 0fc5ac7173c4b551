// Records of comma-separated values (RFC 4180) in files.

#include <algorithm>

#include "absl/strings/numbers.h"
#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/parse_number.h"
#include "devices/cpu/kernels/shared/record_formats.h"

namespace troupe {
namespace {

struct CsvPlan {
  std::vector<std::string> paths;
  ReaderFile::Compression compression = ReaderFile::Compression::kNone;
  bool header = false;
  char delimiter = ',';
  bool quotes = true;
  std::string na_value;
  std::vector<int64_t> selected;
  std::vector<int64_t> excluded;
  Element defaults;
  std::vector<DataType> types;
};

/// The characters of a file, read in chunks.
class CharFile {
 public:
  static constexpr int kEnd = -1;

  absl::Status open(const std::string& path, ReaderFile::Compression compression) {
    offset_ = 0;
    chunk_.clear();
    used_ = 0;
    return file_.open(path, compression);
  }
  /// The character at the front, or kEnd.
  absl::StatusOr<int> peek() {
    if (used_ == chunk_.size()) {
      TROUPE_RETURN_IF_ERROR(file_.read(offset_, kChunkBytes, &chunk_));
      offset_ += static_cast<int64_t>(chunk_.size());
      used_ = 0;
      if (chunk_.empty()) return kEnd;
    }
    return static_cast<unsigned char>(chunk_[used_]);
  }
  /// Behind a character that was peeked at.
  void advance() { ++used_; }

 private:
  static constexpr int64_t kChunkBytes = 256 << 10;
  ReaderFile file_;
  int64_t offset_ = 0;
  std::string chunk_;
  size_t used_ = 0;
};

/// The records of one file after the other.
class CsvFiles {
 public:
  explicit CsvFiles(std::shared_ptr<const CsvPlan> plan) : plan_(std::move(plan)) {}

  NextElement next(const ElementContext& step) {
    while (true) {
      TROUPE_RETURN_IF_ERROR(step.check());
      if (!open_) {
        if (path_ == plan_->paths.size()) return std::nullopt;
        TROUPE_RETURN_IF_ERROR(file_.open(plan_->paths[path_], plan_->compression));
        ++path_;
        open_ = true;
        if (plan_->header) TROUPE_RETURN_IF_ERROR(skip_line());
      }
      TROUPE_ASSIGN_OR_RETURN(const int first, file_.peek());
      if (first == CharFile::kEnd) {
        open_ = false;
        continue;
      }
      TROUPE_ASSIGN_OR_RETURN(const std::vector<std::string> fields, read_record());
      return convert(fields);
    }
  }

 private:
  static bool ends_line(int c) { return c == '\n' || c == '\r' || c == CharFile::kEnd; }

  absl::Status skip_line() {
    while (true) {
      TROUPE_ASSIGN_OR_RETURN(const int c, file_.peek());
      if (ends_line(c)) return end_line();
      file_.advance();
    }
  }
  /// Past "\n", "\r" or "\r\n".
  absl::Status end_line() {
    TROUPE_ASSIGN_OR_RETURN(int c, file_.peek());
    if (c == '\r') {
      file_.advance();
      TROUPE_ASSIGN_OR_RETURN(c, file_.peek());
    }
    if (c == '\n') file_.advance();
    return absl::OkStatus();
  }

  /// All fields of a line, to its end also when one is wrong.
  absl::StatusOr<std::vector<std::string>> read_record() {
    std::vector<std::string> fields;
    absl::Status wrong;
    while (true) {
      std::string field;
      TROUPE_ASSIGN_OR_RETURN(const int first, file_.peek());
      absl::Status status = plan_->quotes && first == '"' ? read_quoted(&field) : read_plain(&field);
      wrong.Update(std::move(status));
      fields.push_back(std::move(field));
      TROUPE_ASSIGN_OR_RETURN(const int c, file_.peek());
      if (ends_line(c)) {
        TROUPE_RETURN_IF_ERROR(end_line());
        TROUPE_RETURN_IF_ERROR(wrong);
        return fields;
      }
      file_.advance();  // The delimiter.
    }
  }
  absl::Status read_plain(std::string* field) {
    bool quoted = false;
    while (true) {
      TROUPE_ASSIGN_OR_RETURN(const int c, file_.peek());
      if (ends_line(c) || c == static_cast<unsigned char>(plan_->delimiter)) break;
      quoted = quoted || (plan_->quotes && c == '"');
      field->push_back(static_cast<char>(c));
      file_.advance();
    }
    return quoted ? invalid("Unquoted fields cannot have quotes inside") : absl::OkStatus();
  }
  absl::Status read_quoted(std::string* field) {
    file_.advance();
    while (true) {
      TROUPE_ASSIGN_OR_RETURN(const int c, file_.peek());
      if (c == CharFile::kEnd) return invalid("Reached end of file without closing quoted field in record");
      file_.advance();
      if (c != '"') {
        field->push_back(static_cast<char>(c));
        continue;
      }
      TROUPE_ASSIGN_OR_RETURN(const int after, file_.peek());
      if (ends_line(after) || after == static_cast<unsigned char>(plan_->delimiter)) return absl::OkStatus();
      if (after != '"') {
        std::string rest;
        (void)read_plain(&rest);
        return invalid("Quote inside a string has to be escaped by another quote");
      }
      field->push_back('"');
      file_.advance();
    }
  }

  NextElement convert(const std::vector<std::string>& fields) const {
    std::vector<const std::string*> wanted;
    const CsvPlan& p = *plan_;
    for (size_t i = 0; i < fields.size(); ++i) {
      const auto column = static_cast<int64_t>(i);
      const bool in = p.selected.empty() ? !std::binary_search(p.excluded.begin(), p.excluded.end(), column)
                                         : std::binary_search(p.selected.begin(), p.selected.end(), column);
      if (in) wanted.push_back(&fields[i]);
    }
    if (wanted.size() > p.types.size()) {
      return invalid("Expect ", p.types.size(), " fields but have more in record");
    }
    if (wanted.size() < p.types.size()) {
      return invalid("Expect ", p.types.size(), " fields but have ", wanted.size(), " in record");
    }
    Element element;
    for (size_t i = 0; i < wanted.size(); ++i) {
      TROUPE_ASSIGN_OR_RETURN(Tensor value, value_of(*wanted[i], i));
      element.push_back(std::move(value));
    }
    return element;
  }
  absl::StatusOr<Tensor> value_of(const std::string& field, size_t i) const {
    const Tensor& fallback = plan_->defaults[i];
    if (field.empty() || field == plan_->na_value) {
      if (fallback.num_elements() == 0) return invalid("Field ", i, " is required but missing in record!");
      return fallback.reshaped(Shape());
    }
    const char* kind = "";
    switch (plan_->types[i]) {
      case DataType::kString: return Tensor::string_scalar(field);
      case DataType::kInt32:
        if (int32_t v = 0; absl::SimpleAtoi(field, &v)) return Tensor::scalar<int32_t>(v);
        kind = "int32";
        break;
      case DataType::kInt64:
        if (int64_t v = 0; absl::SimpleAtoi(field, &v)) return Tensor::scalar<int64_t>(v);
        kind = "int64";
        break;
      case DataType::kFloat:
        if (float v = 0; parse_float(field, &v)) return Tensor::scalar<float>(v);
        kind = "float";
        break;
      case DataType::kDouble:
        if (double v = 0; parse_double(field, &v)) return Tensor::scalar<double>(v);
        kind = "double";
        break;
      default: return invalid("csv: data type ", dtype_name(plan_->types[i]), " not supported in field ", i);
    }
    return invalid("Field ", i, " in record is not a valid ", kind, ": ", field);
  }

  const std::shared_ptr<const CsvPlan> plan_;
  CharFile file_;
  size_t path_ = 0;
  bool open_ = false;
};

absl::StatusOr<std::vector<int64_t>> input_columns(const KernelContext& context, int i, const char* name) {
  const Tensor& t = context.input(i);
  if (!is_vector(t)) return invalid("`", name, "` must be a vector.");
  std::vector<int64_t> columns;
  for (int64_t k = 0; k < t.num_elements(); ++k) {
    columns.push_back(int_at(t, k));
    if (columns.back() < 0) return invalid(name, " should be non-negative indices");
    if (k > 0 && columns[columns.size() - 2] >= columns.back()) {
      return invalid(name, " should be strictly increasing indices");
    }
  }
  return columns;
}

absl::Status read_defaults(const KernelContext& context, CsvPlan* plan) {
  TROUPE_ASSIGN_OR_RETURN(plan->types, context.node().attrs.get<std::vector<DataType>>("output_types"));
  for (size_t i = 0; i < plan->types.size(); ++i) {
    const Tensor& t = context.input(8 + static_cast<int>(i));
    if (t.rank() > 1) return invalid("Each record default should be at most rank 1");
    if (t.num_elements() >= 2) {
      return invalid("There should only be 1 default per field but field ", i, " has ", t.num_elements());
    }
    plan->defaults.push_back(t);
  }
  return absl::OkStatus();
}

/// V2 has columns to leave out behind the defaults.
absl::Status make_csv(KernelContext& context) {
  auto plan = std::make_shared<CsvPlan>();
  const Tensor& paths = context.input(0);
  if (paths.rank() > 1) return invalid("`filenames` must be a scalar or a vector.");
  for (const TString& path : paths.flat<TString>()) plan->paths.push_back(path.str());
  TROUPE_ASSIGN_OR_RETURN(const std::string compression, input_text(context, 1, "compression_type"));
  auto known = compression_named(compression);
  if (!known.ok()) return invalid("Unsupported compression_type: ", compression, ".");
  plan->compression = *known;
  TROUPE_ASSIGN_OR_RETURN(const int64_t buffer, input_count(context, 2, "buffer_size"));
  if (buffer <= 0) return invalid("buffer_size should be positive");
  TROUPE_ASSIGN_OR_RETURN(plan->header, input_flag(context, 3, "header"));
  TROUPE_ASSIGN_OR_RETURN(const std::string delimiter, input_text(context, 4, "field_delim"));
  if (delimiter.size() != 1) return invalid("field_delim should be only 1 char");
  plan->delimiter = delimiter[0];
  TROUPE_ASSIGN_OR_RETURN(plan->quotes, input_flag(context, 5, "use_quote_delim"));
  TROUPE_ASSIGN_OR_RETURN(plan->na_value, input_text(context, 6, "na_value"));
  TROUPE_ASSIGN_OR_RETURN(plan->selected, input_columns(context, 7, "select_cols"));
  TROUPE_RETURN_IF_ERROR(read_defaults(context, plan.get()));
  if (!plan->selected.empty() && plan->selected.size() != plan->types.size()) {
    return invalid("select_cols should match output size");
  }
  const int last = 8 + static_cast<int>(plan->types.size());
  if (context.num_inputs() > last) {
    TROUPE_ASSIGN_OR_RETURN(plan->excluded, input_columns(context, last, "exclude_cols"));
    if (!plan->selected.empty() && !plan->excluded.empty()) {
      return invalid("Either select_cols or exclude_cols should be empty");
    }
  }
  return output_dataset(context, make_dataset("CSV", {}, [plan](const std::string&) {
                          auto files = std::make_unique<CsvFiles>(plan);
                          return iterator_of([files = std::move(files)](const ElementContext& step) {
                            return files->next(step);
                          });
                        }));
}

}  // namespace

void register_dataset_csv(KernelRegistry* registry) {
  for (const char* op : {"CSVDataset", "CSVDatasetV2", "ExperimentalCSVDataset"}) {
    registry->add(KernelDef(op).fn(make_csv, /*cheap=*/true));
  }
}

}  // namespace troupe
