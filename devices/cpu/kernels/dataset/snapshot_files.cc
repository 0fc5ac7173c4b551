#include "devices/cpu/kernels/dataset/snapshot_files.h"

#include <sys/time.h>

#include <random>

#include "absl/strings/str_format.h"
#include "devices/checkpoint/coding.h"
#include "devices/checkpoint/file.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/encoded_tensor.h"
#include "graph/tensor/tensor_proto.h"
#include "proto/tensor.pb.h"

namespace troupe {
namespace {

constexpr char kMetadataFile[] = "/snapshot.metadata";

/// Numbers of the message's fields.
constexpr uint64_t kGraphHash = 1, kRun = 2, kTime = 3, kVersion = 4, kTypes = 5, kCount = 6,
                   kFinalized = 1000;

/// Elements of files, one file after the other. Used by one thread at a time.
class Files {
 public:
  Files(std::vector<std::string> files, ReaderFile::Compression compression, std::vector<DataType> types)
      : files_(std::move(files)), compression_(compression), types_(std::move(types)) {}

  NextElement next(const ElementContext& step) {
    Element element;
    while (element.size() < types_.size()) {
      TROUPE_RETURN_IF_ERROR(step.check());
      if (format_ == nullptr) {
        if (at_ == files_.size()) return std::nullopt;
        auto format = tf_record_format(compression_, 0);
        TROUPE_RETURN_IF_ERROR(format->start(files_[at_]));
        format_ = std::move(format);
      }
      RecordFormat::Record record;
      TROUPE_ASSIGN_OR_RETURN(const auto outcome, format_->next(&record));
      if (outcome == RecordFormat::Outcome::kEnd) {
        format_ = nullptr;
        const std::string& file = files_[at_++];
        if (element.empty()) continue;
        return absl::DataLossError(absl::StrCat("The last element in ", file, " has ", element.size(),
                                                " components, not ", types_.size()));
      }
      TROUPE_ASSIGN_OR_RETURN(Tensor component, decode(record.value, element.size()));
      element.push_back(std::move(component));
    }
    return element;
  }

 private:
  absl::StatusOr<Tensor> decode(const std::string& bytes, size_t component) const {
    pb::TensorProto proto;
    if (!proto.ParseFromString(bytes)) {
      return absl::DataLossError(absl::StrCat("A record in ", files_[at_], " holds no tensor"));
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor tensor, from_proto(proto));
    if (tensor.dtype() == types_[component]) return tensor;
    return invalid("Data type mismatch at component ", component, ": expected ",
                   dtype_name(types_[component]), " but got ", dtype_name(tensor.dtype()), ".");
  }

  const std::vector<std::string> files_;
  const ReaderFile::Compression compression_;
  const std::vector<DataType> types_;
  size_t at_ = 0;
  std::unique_ptr<RecordFormat> format_;
};

std::shared_ptr<Dataset> reader_dataset(Dataset::Make make, std::vector<DataType> types,
                                        std::vector<PartialShape> shapes) {
  auto dataset = make_dataset("SnapshotDatasetReader", {}, std::move(make));
  dataset->blocks = true;
  dataset->types = std::move(types);
  dataset->shapes = std::move(shapes);
  return dataset;
}

}  // namespace

std::string SnapshotMetadata::encode() const {
  std::string out;
  const auto number = [&out](uint64_t field, uint64_t value) {
    put_varint64(&out, field << 3);
    put_varint64(&out, value);
  };
  const auto bytes = [&out](uint64_t field, absl::string_view value) {
    put_varint64(&out, field << 3 | 2);
    put_varint64(&out, value.size());
    out.append(value.data(), value.size());
  };
  if (!graph_hash.empty()) bytes(kGraphHash, graph_hash);
  bytes(kRun, run);
  number(kTime, created_us);
  number(kVersion, version);
  std::string packed;
  for (const DataType type : types) put_varint64(&packed, static_cast<uint64_t>(type));
  bytes(kTypes, packed);
  if (count > 0) number(kCount, count);
  if (finalized) number(kFinalized, 1);
  return out;
}

bool SnapshotMetadata::decode(absl::string_view in) {
  *this = SnapshotMetadata();
  version = 0;
  while (!in.empty()) {
    uint64_t tag = 0, value = 0;
    if (!take_varint64(&in, &tag)) return false;
    const uint64_t kind = tag & 7;
    if ((kind != 0 && kind != 2) || !take_varint64(&in, &value)) return false;
    if (kind == 0) {
      if (tag >> 3 == kVersion) version = value;
      if (tag >> 3 == kTime) created_us = value;
      if (tag >> 3 == kCount) count = value;
      if (tag >> 3 == kFinalized) finalized = value != 0;
      continue;
    }
    if (value > in.size()) return false;
    if (tag >> 3 == kRun) run = std::string(in.substr(0, value));
    if (tag >> 3 == kGraphHash) graph_hash = std::string(in.substr(0, value));
    in.remove_prefix(value);
  }
  return true;
}

absl::StatusOr<std::optional<SnapshotMetadata>> read_snapshot_metadata(const std::string& folder) {
  const auto bytes = read_whole_file(folder + kMetadataFile);
  if (absl::IsNotFound(bytes.status())) return std::nullopt;
  TROUPE_RETURN_IF_ERROR(bytes.status());
  SnapshotMetadata metadata;
  if (!metadata.decode(*bytes)) {
    return absl::DataLossError(absl::StrCat(folder, kMetadataFile, " is malformed"));
  }
  if (metadata.version != kSnapshotVersion) {
    return absl::UnimplementedError(absl::StrCat("Saved datasets of version ", metadata.version,
                                                 " are not supported, but of version ", kSnapshotVersion));
  }
  return metadata;
}

absl::Status write_snapshot_metadata(const std::string& folder, SnapshotMetadata* metadata) {
  timeval now = {};
  gettimeofday(&now, nullptr);
  metadata->created_us = static_cast<uint64_t>(now.tv_sec) * 1'000'000 + static_cast<uint64_t>(now.tv_usec);
  TROUPE_RETURN_IF_ERROR(make_folders(folder));
  return write_whole_file(folder + kMetadataFile, metadata->encode());
}

std::string new_snapshot_run() {
  std::random_device random;
  return absl::StrCat((uint64_t{random()} << 32) | random());
}

ReaderFile::Compression snapshot_compression(const KernelContext& context) {
  const auto name = context.node().attrs.get_or<std::string>("compression", "");
  if (name == "GZIP") return ReaderFile::Compression::kGzip;
  if (name == "SNAPPY" || name == "AUTO") return ReaderFile::Compression::kSnappy;
  return ReaderFile::Compression::kNone;
}

absl::Status SnapshotFile::open(const std::string& path, ReaderFile::Compression compression) {
  TROUPE_RETURN_IF_ERROR(make_folders(folder_of(path)));
  return writer_.open(path, compression);
}

absl::Status SnapshotFile::add(const Element& element) {
  for (const Tensor& component : element) {
    TROUPE_ASSIGN_OR_RETURN(const std::string bytes, encode_tensor(component));
    TROUPE_RETURN_IF_ERROR(writer_.write(bytes));
    bytes_ += static_cast<int64_t>(bytes.size());
  }
  return absl::OkStatus();
}

absl::Status SnapshotRun::add(int64_t shard, const Element& element) {
  if (shard < 0) return invalid("`shard_func` must not return a negative number, but did: ", shard);
  std::unique_ptr<SnapshotFile>& file = shards_[shard];
  if (file == nullptr) {
    file = std::make_unique<SnapshotFile>();
    TROUPE_RETURN_IF_ERROR(file->open(
        absl::StrCat(folder_, absl::StrFormat("/%08d.shard", shard), "/00000000.snapshot"), compression_));
  }
  return file->add(element);
}

absl::Status SnapshotRun::commit() {
  for (auto& [shard, file] : shards_) TROUPE_RETURN_IF_ERROR(file->commit());
  return absl::OkStatus();
}

DatasetPtr snapshot_files_dataset(std::vector<std::string> files, ReaderFile::Compression compression,
                                  std::vector<DataType> types, std::vector<PartialShape> shapes) {
  auto make = [files = std::move(files), compression, types](const std::string&) {
    auto all = std::make_unique<Files>(files, compression, types);
    return iterator_of([all = std::move(all)](const ElementContext& step) { return all->next(step); });
  };
  return reader_dataset(std::move(make), std::move(types), std::move(shapes));
}

DatasetPtr snapshot_shard_dataset(const std::string& folder, int64_t skip,
                                  ReaderFile::Compression compression, std::vector<DataType> types,
                                  std::vector<PartialShape> shapes) {
  auto make = [folder, skip, compression, types](const std::string&) {
    return iterator_of(
        [=, skip = skip, all = std::unique_ptr<Files>()](const ElementContext& step) mutable -> NextElement {
          if (all == nullptr) {
            TROUPE_ASSIGN_OR_RETURN(auto files, match_files(folder + "/*.snapshot"));
            all = std::make_unique<Files>(std::move(files), compression, types);
          }
          for (; skip > 0; --skip) {
            TROUPE_ASSIGN_OR_RETURN(const std::optional<Element> passed, all->next(step));
            if (!passed.has_value()) return std::nullopt;
          }
          return all->next(step);
        });
  };
  return reader_dataset(std::move(make), std::move(types), std::move(shapes));
}

absl::StatusOr<DatasetPtr> snapshot_shards(const std::string& run_folder, ReaderFile::Compression compression,
                                           const std::vector<DataType>& types,
                                           const std::vector<PartialShape>& shapes) {
  TROUPE_ASSIGN_OR_RETURN(const auto folders, match_files(run_folder + "/*.shard"));
  std::vector<Element> shards;
  for (const std::string& folder : folders) {
    shards.push_back({dataset_tensor(snapshot_shard_dataset(folder, 0, compression, types, shapes))});
  }
  return make_list_dataset("SnapshotNestedDatasetReader", std::move(shards), {DataType::kVariant},
                           {PartialShape(std::vector<int64_t>())});
}

}  // namespace troupe
