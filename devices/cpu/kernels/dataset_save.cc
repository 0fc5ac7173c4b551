// Datasets saved in files and loaded again, in TensorFlow's format: PATH/snapshot.metadata names a run, and
// PATH/RUN/00000000.shard/00000000.snapshot and its like hold records, one tensor message each.

#include <sys/time.h>

#include <algorithm>
#include <map>
#include <random>

#include "absl/strings/str_format.h"
#include "devices/checkpoint/coding.h"
#include "devices/cpu/kernels/array_util.h"
#include "devices/cpu/kernels/dataset.h"
#include "devices/cpu/kernels/dataset_call.h"
#include "devices/cpu/kernels/dataset_walk.h"
#include "devices/cpu/kernels/encoded_tensor.h"
#include "devices/cpu/kernels/iterator_threads.h"
#include "devices/cpu/kernels/record_writer.h"
#include "graph/tensor/tensor_proto.h"
#include "proto/tensor.pb.h"

namespace troupe {
namespace {

constexpr uint64_t kFormatVersion = 2;
constexpr char kMetadataFile[] = "/snapshot.metadata";

/// What stands in snapshot.metadata, a message.
struct Metadata {
  // Numbers of the message's fields.
  static constexpr uint64_t kRun = 2, kTime = 3, kVersion = 4, kTypes = 5, kCount = 6, kFinalized = 1000;

  std::string run;
  std::vector<DataType> types;
  uint64_t count = 0;
  uint64_t version = kFormatVersion;

  std::string encode(bool finalized) const {
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
    bytes(kRun, run);
    timeval now = {};
    gettimeofday(&now, nullptr);
    number(kTime, static_cast<uint64_t>(now.tv_sec) * 1'000'000 + static_cast<uint64_t>(now.tv_usec));
    number(kVersion, version);
    std::string packed;
    for (const DataType type : types) put_varint64(&packed, static_cast<uint64_t>(type));
    bytes(kTypes, packed);
    if (count > 0) number(kCount, count);
    if (finalized) number(kFinalized, 1);
    return out;
  }

  /// False when the bytes are no such message. Types are not read: the records say what they are.
  bool decode(absl::string_view in) {
    version = 0;
    while (!in.empty()) {
      uint64_t tag = 0, value = 0;
      if (!take_varint64(&in, &tag)) return false;
      const uint64_t kind = tag & 7;
      if ((kind != 0 && kind != 2) || !take_varint64(&in, &value)) return false;
      if (kind == 0) {
        if (tag >> 3 == kVersion) version = value;
        continue;
      }
      if (value > in.size()) return false;
      if (tag >> 3 == kRun) run = std::string(in.substr(0, value));
      in.remove_prefix(value);
    }
    return true;
  }
};

absl::StatusOr<ReaderFile::Compression> compression_of(const KernelContext& context) {
  const auto name = context.node().attrs.get_or<std::string>("compression", "");
  if (name == "GZIP") return ReaderFile::Compression::kGzip;
  if (name == "SNAPPY" || name == "AUTO") {
    return absl::UnimplementedError("Datasets are saved without compression or with GZIP, not with " + name);
  }
  // As in TensorFlow, what is no compression's name asks for none.
  return ReaderFile::Compression::kNone;
}

/// One run of saving a dataset. Used by one thread at a time.
class Saver {
 public:
  Saver(std::string path, ReaderFile::Compression compression, std::vector<DataType> types)
      : path_(std::move(path)), compression_(compression) {
    std::random_device random;
    metadata_.run = absl::StrCat((uint64_t{random()} << 32) | random());
    metadata_.types = std::move(types);
  }

  absl::Status begin() {
    TROUPE_RETURN_IF_ERROR(make_folders(path_));
    return write_whole_file(path_ + kMetadataFile, metadata_.encode(/*finalized=*/false));
  }
  absl::Status add(int64_t shard, const Element& element) {
    std::unique_ptr<RecordWriter>& writer = shards_[shard];
    if (writer == nullptr) {
      const std::string folder =
          absl::StrCat(path_, "/", metadata_.run, absl::StrFormat("/%08d.shard", shard));
      TROUPE_RETURN_IF_ERROR(make_folders(folder));
      writer = std::make_unique<RecordWriter>();
      TROUPE_RETURN_IF_ERROR(writer->open(folder + "/00000000.snapshot", compression_));
    }
    for (const Tensor& component : element) {
      TROUPE_ASSIGN_OR_RETURN(const std::string bytes, encode_tensor(component));
      TROUPE_RETURN_IF_ERROR(writer->write(bytes));
    }
    ++metadata_.count;
    return absl::OkStatus();
  }
  absl::Status finish() {
    for (auto& [shard, writer] : shards_) TROUPE_RETURN_IF_ERROR(writer->commit());
    return write_whole_file(path_ + kMetadataFile, metadata_.encode(/*finalized=*/true));
  }

 private:
  const std::string path_;
  const ReaderFile::Compression compression_;
  Metadata metadata_;
  std::map<int64_t, std::unique_ptr<RecordWriter>> shards_;
};

/// Saves elements where the function says.
struct SavePlan {
  DatasetPtr input;
  std::string path;
  ReaderFile::Compression compression = ReaderFile::Compression::kNone;
  /// Nothing: all in one shard.
  std::optional<BoundFunction> shard_of;

  static absl::StatusOr<SavePlan> read(const KernelContext& context) {
    SavePlan plan;
    TROUPE_ASSIGN_OR_RETURN(plan.input, input_dataset(context, 0));
    TROUPE_ASSIGN_OR_RETURN(plan.path, input_text(context, 1, "path"));
    TROUPE_ASSIGN_OR_RETURN(plan.compression, compression_of(context));
    if (context.node().attrs.get_or("use_shard_func", true)) {
      TROUPE_ASSIGN_OR_RETURN(plan.shard_of, bound_function(context, "shard_func", 2, context.num_inputs()));
    }
    return plan;
  }
  std::unique_ptr<Saver> saver() const { return std::make_unique<Saver>(path, compression, input->types); }
  absl::Status save(const ElementContext& step, const Element& element, Saver* saver) const {
    int64_t shard = 0;
    if (shard_of.has_value()) {
      TROUPE_ASSIGN_OR_RETURN(const Element results, shard_of->call(step, element));
      TROUPE_ASSIGN_OR_RETURN(shard,
                              only_scalar<int64_t>(results, "`shard_func` must return a scalar int64."));
    }
    if (shard < 0) return invalid("`shard_func` must not return a negative number, but did: ", shard);
    return saver->add(shard, element);
  }
};

absl::Status save_dataset(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const SavePlan plan, SavePlan::read(context));
  const DatasetWalk walk(context);
  const ElementContext& step = walk.step;
  const std::unique_ptr<Saver> saver = plan.saver();
  TROUPE_RETURN_IF_ERROR(saver->begin());
  const IteratorPtr iterator = plan.input->iterate("SaveIterator");
  while (true) {
    TROUPE_RETURN_IF_ERROR(step.check());
    TROUPE_ASSIGN_OR_RETURN(const std::optional<Element> element, iterator->next(step));
    if (!element.has_value()) return saver->finish();
    TROUPE_RETURN_IF_ERROR(plan.save(step, *element, saver.get()));
  }
}

/// SaveDatasetV2: the input, which is saved as it is walked, each time anew.
absl::Status make_save(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(SavePlan read, SavePlan::read(context));
  auto plan = std::make_shared<const SavePlan>(std::move(read));
  auto dataset = make_dataset("SaveV2", {plan->input}, [plan](const std::string& name) {
    return iterator_of([plan, in = plan->input->iterate(name), saver = plan->saver(), begun = false,
                        done = false](const ElementContext& step) mutable -> NextElement {
      if (done) return std::nullopt;
      if (!begun) TROUPE_RETURN_IF_ERROR(saver->begin());
      begun = true;
      TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, in->next(step));
      if (element.has_value()) {
        TROUPE_RETURN_IF_ERROR(plan->save(step, *element, saver.get()));
        return element;
      }
      TROUPE_RETURN_IF_ERROR(saver->finish());
      done = true;
      return std::nullopt;
    });
  });
  // It waits for files, and for its function.
  dataset->blocks = true;
  dataset->cardinality = plan->input->cardinality;
  return output_dataset(context, std::move(dataset));
}

/// The elements in the files of one shard, in the order of the files' names.
class ShardFiles {
 public:
  ShardFiles(std::string folder, ReaderFile::Compression compression, std::vector<DataType> types)
      : folder_(std::move(folder)), compression_(compression), types_(std::move(types)) {}

  NextElement next(const ElementContext& step) {
    if (!listed_) {
      TROUPE_ASSIGN_OR_RETURN(files_, match_files(folder_ + "/*.snapshot"));
      listed_ = true;
    }
    Element element;
    while (element.size() < types_.size()) {
      TROUPE_RETURN_IF_ERROR(step.check());
      if (format_ == nullptr) {
        if (at_ == files_.size()) return end_behind(element);
        auto format = tf_record_format(compression_, 0);
        TROUPE_RETURN_IF_ERROR(format->start(files_[at_]));
        format_ = std::move(format);
        ++at_;
      }
      RecordFormat::Record record;
      TROUPE_ASSIGN_OR_RETURN(const auto outcome, format_->next(&record));
      if (outcome == RecordFormat::Outcome::kEnd) {
        format_ = nullptr;
        continue;
      }
      TROUPE_ASSIGN_OR_RETURN(Tensor component, decode(record.value, element.size()));
      element.push_back(std::move(component));
    }
    return element;
  }

 private:
  NextElement end_behind(const Element& element) const {
    if (element.empty()) return std::nullopt;
    return absl::DataLossError(absl::StrCat("The last element in ", folder_, " has ", element.size(),
                                            " components, not ", types_.size()));
  }
  absl::StatusOr<Tensor> decode(const std::string& bytes, size_t component) const {
    pb::TensorProto proto;
    if (!proto.ParseFromString(bytes)) {
      return absl::DataLossError(absl::StrCat("A record in ", folder_, " holds no tensor"));
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor tensor, from_proto(proto));
    if (tensor.dtype() == types_[component]) return tensor;
    return invalid("Data type mismatch at component ", component, ": expected ",
                   dtype_name(types_[component]), " but got ", dtype_name(tensor.dtype()), ".");
  }

  const std::string folder_;
  const ReaderFile::Compression compression_;
  const std::vector<DataType> types_;
  bool listed_ = false;
  std::vector<std::string> files_;
  size_t at_ = 0;
  std::unique_ptr<RecordFormat> format_;
};

/// The datasets of all shards of a run, as elements.
absl::StatusOr<DatasetPtr> shards_of(const std::string& run, ReaderFile::Compression compression,
                                     const std::vector<DataType>& types,
                                     const std::vector<PartialShape>& shapes) {
  TROUPE_ASSIGN_OR_RETURN(const auto folders, match_files(run + "/*.shard"));
  std::vector<Element> shards;
  for (const std::string& folder : folders) {
    auto shard = make_dataset("SnapshotReader", {}, [folder, compression, types](const std::string&) {
      auto files = std::make_unique<ShardFiles>(folder, compression, types);
      return iterator_of(
          [files = std::move(files)](const ElementContext& step) { return files->next(step); });
    });
    shard->types = types;
    shard->shapes = shapes;
    shards.push_back({dataset_tensor(std::move(shard))});
  }
  return make_list_dataset("NestedDatasetReader", std::move(shards), {DataType::kVariant},
                           {PartialShape(std::vector<int64_t>())});
}

/// LoadDataset: what the reader function makes of the shards.
absl::Status make_load(KernelContext& context) {
  const AttrMap& attrs = context.node().attrs;
  TROUPE_ASSIGN_OR_RETURN(const std::string path, input_text(context, 0, "path"));
  TROUPE_ASSIGN_OR_RETURN(const auto compression, compression_of(context));
  TROUPE_ASSIGN_OR_RETURN(const auto types, attrs.get<std::vector<DataType>>("output_types"));
  TROUPE_ASSIGN_OR_RETURN(const auto shapes, attrs.get<std::vector<PartialShape>>("output_shapes"));
  TROUPE_ASSIGN_OR_RETURN(BoundFunction read,
                          bound_function(context, "reader_func", 1, context.num_inputs()));
  const auto bytes = read_whole_file(path + kMetadataFile);
  if (absl::IsNotFound(bytes.status())) {
    return absl::NotFoundError(absl::StrCat("Could not find metadata file [", path, "]"));
  }
  TROUPE_RETURN_IF_ERROR(bytes.status());
  Metadata metadata;
  if (!metadata.decode(*bytes)) {
    return absl::DataLossError(absl::StrCat(path, kMetadataFile, " is malformed"));
  }
  if (metadata.version != kFormatVersion) {
    return absl::UnimplementedError(absl::StrCat("Saved datasets of version ", metadata.version,
                                                 " are not supported, but of version ", kFormatVersion));
  }
  const std::string run = absl::StrCat(path, "/", metadata.run);
  auto dataset = make_dataset("Load", {}, [=](const std::string& name) {
    return iterator_of([=, current = IteratorPtr()](const ElementContext& step) mutable -> NextElement {
      if (current == nullptr) {
        TROUPE_ASSIGN_OR_RETURN(DatasetPtr shards, shards_of(run, compression, types, shapes));
        TROUPE_ASSIGN_OR_RETURN(const Element results, read.call(step, {dataset_tensor(std::move(shards))}));
        TROUPE_ASSIGN_OR_RETURN(const DatasetPtr all, only_dataset(results));
        current = all->iterate(name);
      }
      return current->next(step);
    });
  });
  dataset->blocks = true;
  return output_dataset(context, std::move(dataset));
}

}  // namespace

void register_dataset_save(KernelRegistry* registry) {
  add_waiting_kernel(registry, "SaveDataset", save_dataset);
  registry->add(KernelDef("SaveDatasetV2").fn(make_save));
  registry->add(KernelDef("LoadDataset").fn(make_load));
}

}  // namespace troupe
