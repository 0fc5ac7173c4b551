// Snapshots: datasets that write their elements into files the first time, and read them from there afterwards.
// PATH/FINGERPRINT/snapshot.metadata names the run that counts, PATH/FINGERPRINT/RUN holds its files.

#include <algorithm>
#include <chrono>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "devices/checkpoint/file.h"
#include "devices/cpu/kernels/dataset/call.h"
#include "devices/cpu/kernels/dataset/graph.h"
#include "devices/cpu/kernels/dataset/seeds.h"
#include "devices/cpu/kernels/dataset/snapshot_files.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

/// Writes its input into a run, and ends the run with it. Used by one thread at a time.
class SnapshotWriter {
 public:
  /// Puts an element where it belongs.
  using Add = std::function<absl::Status(const ElementContext&, const Element&)>;

  SnapshotWriter(IteratorPtr input, std::string folder, SnapshotMetadata metadata, Add add,
                 std::function<absl::Status()> commit)
      : input_(std::move(input)), folder_(std::move(folder)), metadata_(std::move(metadata)),
        add_(std::move(add)), commit_(std::move(commit)) {}

  NextElement next(const ElementContext& step) {
    if (done_) return std::nullopt;
    if (!begun_) TROUPE_RETURN_IF_ERROR(write_snapshot_metadata(folder_, &metadata_));
    begun_ = true;
    TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, input_->next(step));
    if (element.has_value()) {
      TROUPE_RETURN_IF_ERROR(add_(step, *element));
      return element;
    }
    done_ = true;
    TROUPE_RETURN_IF_ERROR(commit_());
    metadata_.finalized = true;
    TROUPE_RETURN_IF_ERROR(write_snapshot_metadata(folder_, &metadata_));
    return std::nullopt;
  }

 private:
  const IteratorPtr input_;
  const std::string folder_;
  SnapshotMetadata metadata_;
  const Add add_;
  const std::function<absl::Status()> commit_;
  bool begun_ = false;
  bool done_ = false;
};

IteratorPtr write_snapshot(IteratorPtr input, const std::string& folder, SnapshotMetadata metadata,
                           SnapshotWriter::Add add, std::function<absl::Status()> commit) {
  auto writer = std::make_unique<SnapshotWriter>(std::move(input), folder, std::move(metadata),
                                                 std::move(add), std::move(commit));
  return iterator_of([writer = std::move(writer)](const ElementContext& step) { return writer->next(step); });
}

/// An iterator that finds out at its first element what it is.
IteratorPtr decide_later(std::function<absl::StatusOr<IteratorPtr>(const ElementContext&)> decide) {
  return iterator_of([decide = std::move(decide),
                      chosen = IteratorPtr()](const ElementContext& step) mutable -> NextElement {
    if (chosen == nullptr) {
      TROUPE_ASSIGN_OR_RETURN(chosen, decide(step));
    }
    return chosen->next(step);
  });
}

absl::StatusOr<uint64_t> fingerprint_of_input(const KernelContext& context, const Dataset& input) {
  TROUPE_ASSIGN_OR_RETURN(const auto library, functions_of_step(context.step().functions));
  TROUPE_ASSIGN_OR_RETURN(const Graph graph, graph_of_dataset(input, library));
  return fingerprint_of(graph);
}

// --- SnapshotDatasetV2 ---

struct Snapshot {
  DatasetPtr input;
  /// Of this input's snapshots.
  std::string folder;
  std::string fingerprint;
  ReaderFile::Compression compression = ReaderFile::Compression::kNone;
  BoundFunction reader;
  BoundFunction shard;

  absl::StatusOr<IteratorPtr> begin(const ElementContext& step, const std::string& name) const {
    TROUPE_ASSIGN_OR_RETURN(const auto metadata, read_snapshot_metadata(folder));
    if (metadata.has_value() && metadata->finalized) return read(step, name, metadata->run);
    return write(name);
  }

 private:
  absl::StatusOr<IteratorPtr> read(const ElementContext& step, const std::string& name,
                                   const std::string& run) const {
    TROUPE_ASSIGN_OR_RETURN(DatasetPtr shards, snapshot_shards(absl::StrCat(folder, "/", run), compression,
                                                               input->types, input->shapes));
    TROUPE_ASSIGN_OR_RETURN(const Element results, reader.call(step, {dataset_tensor(std::move(shards))}));
    if (results.size() != 1) return invalid("reader_func returns more than one argument.");
    TROUPE_ASSIGN_OR_RETURN(const DatasetPtr all, only_dataset(results));
    return all->iterate(name);
  }
  IteratorPtr write(const std::string& name) const {
    SnapshotMetadata metadata;
    metadata.graph_hash = fingerprint;
    metadata.run = new_snapshot_run();
    metadata.types = input->types;
    auto run = std::make_shared<SnapshotRun>(absl::StrCat(folder, "/", metadata.run), compression);
    auto add = [run, shard = shard](const ElementContext& step, const Element& element) -> absl::Status {
      TROUPE_ASSIGN_OR_RETURN(const Element results, shard.call(step, element));
      TROUPE_ASSIGN_OR_RETURN(const int64_t index,
                              only_scalar<int64_t>(results, "`shard_func` must return a scalar int64."));
      return run->add(index, element);
    };
    return write_snapshot(input->iterate(name + "::WriterIterator"), folder, std::move(metadata),
                          std::move(add), [run] { return run->commit(); });
  }
};

absl::Status make_snapshot(KernelContext& context) {
  const AttrMap& attrs = context.node().attrs;
  auto snapshot = std::make_shared<Snapshot>();
  TROUPE_ASSIGN_OR_RETURN(snapshot->input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const std::string path, input_text(context, 1, "path"));
  TROUPE_ASSIGN_OR_RETURN(const int width, list_length(context, "Treader_func_args"));
  TROUPE_ASSIGN_OR_RETURN(snapshot->reader, bound_function(context, "reader_func", 2, 2 + width));
  TROUPE_ASSIGN_OR_RETURN(snapshot->shard,
                          bound_function(context, "shard_func", 2 + width, context.num_inputs()));
  snapshot->compression = snapshot_compression(context);
  auto fingerprint = static_cast<uint64_t>(attrs.get_or<int64_t>("hash", 0));
  if (!attrs.get_or("hash_valid", false)) {
    TROUPE_ASSIGN_OR_RETURN(fingerprint, fingerprint_of_input(context, *snapshot->input));
  }
  snapshot->fingerprint = absl::StrCat(fingerprint);
  snapshot->folder = absl::StrCat(path, "/", snapshot->fingerprint);
  auto dataset = make_dataset("Snapshot", {snapshot->input}, [snapshot](const std::string& name) {
    return decide_later([snapshot, name](const ElementContext& step) { return snapshot->begin(step, name); });
  });
  dataset->blocks = true;
  dataset->cardinality = snapshot->input->cardinality;
  return output_dataset(context, std::move(dataset));
}

// --- SnapshotDataset, the older one ---

/// Elements in files RUN/00000000.snapshot, RUN/00000001.snapshot, ..., each begun when the one before is full.
class FileSeries {
 public:
  FileSeries(std::string folder, ReaderFile::Compression compression, int64_t file_bytes)
      : folder_(std::move(folder)), compression_(compression), file_bytes_(file_bytes) {}

  absl::Status add(const Element& element) {
    if (file_ != nullptr && file_->bytes() >= file_bytes_) TROUPE_RETURN_IF_ERROR(commit());
    if (file_ == nullptr) {
      file_ = std::make_unique<SnapshotFile>();
      TROUPE_RETURN_IF_ERROR(
          file_->open(absl::StrCat(folder_, absl::StrFormat("/%08d.snapshot", count_++)), compression_));
    }
    return file_->add(element);
  }
  absl::Status commit() {
    if (file_ != nullptr) TROUPE_RETURN_IF_ERROR(file_->commit());
    file_ = nullptr;
    return absl::OkStatus();
  }

 private:
  const std::string folder_;
  const ReaderFile::Compression compression_;
  const int64_t file_bytes_;
  int64_t count_ = 0;
  std::unique_ptr<SnapshotFile> file_;
};

struct LegacySnapshot {
  DatasetPtr input;
  std::string path;
  std::string fingerprint;
  ReaderFile::Compression compression = ReaderFile::Compression::kNone;
  std::string reader_prefix, writer_prefix, mode, name;
  int64_t file_bytes = 0;
  int64_t expiry_seconds = 0;
  /// Null: files are read in the order of their names.
  std::shared_ptr<PassSeeds> shuffle;

  absl::StatusOr<IteratorPtr> begin(const std::string& prefix) const {
    const std::string folder = absl::StrCat(reader_prefix, path, "/", fingerprint);
    if (mode == "passthrough") return input->iterate(prefix);
    if (mode == "write") return write(prefix);
    TROUPE_ASSIGN_OR_RETURN(const auto metadata, read_snapshot_metadata(folder));
    if (mode == "read" && !metadata.has_value()) {
      return absl::NotFoundError(absl::StrCat("Metadata file does not exist in ", folder));
    }
    if (mode == "read" || (metadata.has_value() && metadata->finalized)) {
      return read(prefix, absl::StrCat(folder, "/", name.empty() ? metadata->run : name));
    }
    const auto now = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                               std::chrono::system_clock::now().time_since_epoch())
                                               .count());
    // Somebody may be writing it.
    const auto expiry_us = static_cast<uint64_t>(expiry_seconds) * 1'000'000;
    if (metadata.has_value() && metadata->created_us + expiry_us >= now) return input->iterate(prefix);
    return write(prefix);
  }

 private:
  absl::StatusOr<IteratorPtr> read(const std::string& prefix, const std::string& run) const {
    TROUPE_ASSIGN_OR_RETURN(std::vector<std::string> files, match_files(run + "/*.snapshot"));
    if (shuffle != nullptr) {
      Numbers numbers = shuffle->next();
      for (size_t i = files.size(); i > 1; --i) std::swap(files[i - 1], files[numbers.next() % i]);
    }
    return snapshot_files_dataset(std::move(files), compression, input->types, input->shapes)
        ->iterate(prefix);
  }
  IteratorPtr write(const std::string& prefix) const {
    const std::string folder = absl::StrCat(writer_prefix, path, "/", fingerprint);
    SnapshotMetadata metadata;
    metadata.graph_hash = fingerprint;
    metadata.run = mode == "write" && !name.empty() ? name : new_snapshot_run();
    metadata.types = input->types;
    auto files =
        std::make_shared<FileSeries>(absl::StrCat(folder, "/", metadata.run), compression, file_bytes);
    return write_snapshot(
        input->iterate(prefix), folder, std::move(metadata),
        [files](const ElementContext&, const Element& element) { return files->add(element); },
        [files] { return files->commit(); });
  }
};

absl::Status check_legacy(const AttrMap& attrs) {
  const auto compression = attrs.get_or<std::string>("compression", "");
  if (compression != "" && compression != "GZIP" && compression != "SNAPPY" && compression != "AUTO") {
    return invalid("compression must be either '', 'GZIP' or 'SNAPPY'.");
  }
  if (attrs.get_or<int64_t>("pending_snapshot_expiry_seconds", 1) < 1) {
    return invalid("pending_snapshot_expiry_seconds must be at least 1 second.");
  }
  const auto mode = attrs.get_or<std::string>("mode", "auto");
  if (mode != "auto" && mode != "write" && mode != "read" && mode != "passthrough") {
    return invalid("mode must be either 'auto', 'write', 'read' or 'passthrough'.");
  }
  return absl::OkStatus();
}

absl::Status make_legacy_snapshot(KernelContext& context) {
  const AttrMap& attrs = context.node().attrs;
  TROUPE_RETURN_IF_ERROR(check_legacy(attrs));
  auto snapshot = std::make_shared<LegacySnapshot>();
  TROUPE_ASSIGN_OR_RETURN(snapshot->input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(snapshot->path, input_text(context, 1, "path"));
  TROUPE_ASSIGN_OR_RETURN(const uint64_t fingerprint, fingerprint_of_input(context, *snapshot->input));
  snapshot->fingerprint = absl::StrCat(fingerprint);
  snapshot->compression = snapshot_compression(context);
  snapshot->reader_prefix = attrs.get_or<std::string>("reader_path_prefix", "");
  snapshot->writer_prefix = attrs.get_or<std::string>("writer_path_prefix", "");
  snapshot->mode = attrs.get_or<std::string>("mode", "auto");
  snapshot->name = attrs.get_or<std::string>("snapshot_name", "");
  snapshot->file_bytes = attrs.get_or<int64_t>("shard_size_bytes", int64_t{10} << 30);
  constexpr int64_t kCentury = int64_t{100} * 366 * 24 * 3600;
  snapshot->expiry_seconds =
      std::min(attrs.get_or<int64_t>("pending_snapshot_expiry_seconds", 86400), kCentury);
  if (attrs.get_or("shuffle_on_read", false)) {
    snapshot->shuffle =
        PassSeeds::make(attrs.get_or<int64_t>("seed", 0), attrs.get_or<int64_t>("seed2", 0), false);
  }
  auto dataset = make_dataset("Snapshot", {snapshot->input}, [snapshot](const std::string& name) {
    return decide_later([snapshot, name](const ElementContext&) { return snapshot->begin(name); });
  });
  if (snapshot->shuffle != nullptr) dataset->orders.push_back(snapshot->shuffle);
  dataset->blocks = true;
  dataset->cardinality = snapshot->input->cardinality;
  return output_dataset(context, std::move(dataset));
}

// --- what reads single files ---

absl::Status make_shard_reader(KernelContext& context) {
  const AttrMap& attrs = context.node().attrs;
  TROUPE_ASSIGN_OR_RETURN(const std::string folder, input_text(context, 0, "shard_dir"));
  TROUPE_ASSIGN_OR_RETURN(const int64_t start, input_count(context, 1, "start_index"));
  const auto version = attrs.get_or<int64_t>("version", 0);
  if (version != static_cast<int64_t>(kSnapshotVersion)) {
    return absl::UnimplementedError(
        absl::StrCat("Snapshots of version ", version, " are not read, but of version ", kSnapshotVersion));
  }
  TROUPE_ASSIGN_OR_RETURN(auto types, attrs.get<std::vector<DataType>>("output_types"));
  TROUPE_ASSIGN_OR_RETURN(auto shapes, attrs.get<std::vector<PartialShape>>("output_shapes"));
  const DatasetPtr reader = snapshot_shard_dataset(folder, start, snapshot_compression(context),
                                                   std::move(types), std::move(shapes));
  return output_dataset(context, std::make_shared<Dataset>(*reader));
}

absl::Status make_chunk_reader(KernelContext& context) {
  const AttrMap& attrs = context.node().attrs;
  TROUPE_ASSIGN_OR_RETURN(const std::string file, input_text(context, 0, "chunk_file"));
  TROUPE_ASSIGN_OR_RETURN(auto types, attrs.get<std::vector<DataType>>("output_types"));
  TROUPE_ASSIGN_OR_RETURN(auto shapes, attrs.get<std::vector<PartialShape>>("output_shapes"));
  const DatasetPtr reader =
      snapshot_files_dataset({file}, snapshot_compression(context), std::move(types), std::move(shapes));
  return output_dataset(context, std::make_shared<Dataset>(*reader));
}

absl::Status make_nested_reader(KernelContext& context) {
  std::vector<Element> elements;
  for (int i = 0; i < context.num_inputs(); ++i) {
    TROUPE_RETURN_IF_ERROR(input_dataset(context, i).status());
    elements.push_back({context.input(i)});
  }
  return output_dataset(context,
                        make_list_dataset("SnapshotNestedDatasetReader", std::move(elements), {}, {}));
}

/// A chunk's place in its snapshot: "chunk_STREAM_NUMBER_COUNT" is the NUMBER-th of its stream.
std::pair<int64_t, int64_t> place_of(const std::string& chunk) {
  const std::vector<absl::string_view> parts = absl::StrSplit(chunk.substr(chunk.rfind('/') + 1), '_');
  int64_t stream = 0, number = 0;
  if (parts.size() < 3 || !absl::SimpleAtoi(parts[1], &stream) || !absl::SimpleAtoi(parts[2], &number)) {
    return {0, 0};
  }
  return {number, stream};
}

/// The names of a distributed snapshot's chunks. Waits until the snapshot is written.
absl::Status make_chunk_list(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const std::string path, input_text(context, 0, "snapshot_path"));
  auto dataset = make_dataset("ListSnapshotChunksDataset", {}, [path](const std::string&) {
    return iterator_of([path, listed = false, at = size_t{0}, files = std::vector<std::string>()](
                           const ElementContext& step) mutable -> NextElement {
      // Nobody tells when the last chunk is there.
      constexpr std::chrono::milliseconds kLookAgain{50};
      while (!listed && !file_exists_at(path + "/DONE")) {
        TROUPE_RETURN_IF_ERROR(step.check());
        if (file_exists_at(path + "/ERROR")) {
          TROUPE_ASSIGN_OR_RETURN(const std::string what, read_whole_file(path + "/ERROR"));
          return absl::InternalError(absl::StrCat("The snapshot at ", path, " failed: ", what));
        }
        std::this_thread::sleep_for(kLookAgain);
      }
      if (!listed) {
        TROUPE_ASSIGN_OR_RETURN(files, match_files(path + "/chunks/*"));
        std::stable_sort(files.begin(), files.end(),
                         [](const auto& a, const auto& b) { return place_of(a) < place_of(b); });
        listed = true;
      }
      if (at == files.size()) return std::nullopt;
      return Element{Tensor::string_scalar(files[at++])};
    });
  });
  dataset->blocks = true;
  return output_dataset(context, std::move(dataset));
}

}  // namespace

void register_dataset_snapshot(KernelRegistry* registry) {
  registry->add(KernelDef("SnapshotDataset").fn(make_legacy_snapshot));
  registry->add(KernelDef("SnapshotDatasetV2").fn(make_snapshot));
  registry->add(KernelDef("SnapshotDatasetReader").fn(make_shard_reader));
  registry->add(KernelDef("SnapshotChunkDataset").fn(make_chunk_reader));
  registry->add(KernelDef("SnapshotNestedDatasetReader").fn(make_nested_reader));
  registry->add(KernelDef("ListSnapshotChunksDataset").fn(make_chunk_list));
}

}  // namespace troupe
