// Datasets saved in files and loaded again, in TensorFlow's format: PATH/snapshot.metadata names a run, and
// PATH/RUN/00000000.shard/00000000.snapshot and its like hold records, one tensor message each.

#include "devices/cpu/kernels/dataset/call.h"
#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/dataset/iterator_threads.h"
#include "devices/cpu/kernels/dataset/snapshot_files.h"
#include "devices/cpu/kernels/dataset/walk.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

/// One run of saving a dataset. Used by one thread at a time.
class Saver {
 public:
  Saver(std::string path, ReaderFile::Compression compression, std::vector<DataType> types)
      : path_(std::move(path)), metadata_(metadata_of(std::move(types))),
        run_(absl::StrCat(path_, "/", metadata_.run), compression) {}

  absl::Status begin() { return write_snapshot_metadata(path_, &metadata_); }
  absl::Status add(int64_t shard, const Element& element) {
    ++metadata_.count;
    return run_.add(shard, element);
  }
  absl::Status finish() {
    TROUPE_RETURN_IF_ERROR(run_.commit());
    metadata_.finalized = true;
    return write_snapshot_metadata(path_, &metadata_);
  }

 private:
  static SnapshotMetadata metadata_of(std::vector<DataType> types) {
    SnapshotMetadata metadata;
    metadata.run = new_snapshot_run();
    metadata.types = std::move(types);
    return metadata;
  }

  const std::string path_;
  SnapshotMetadata metadata_;
  SnapshotRun run_;
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
    plan.compression = snapshot_compression(context);
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

/// LoadDataset: what the reader function makes of the shards.
absl::Status make_load(KernelContext& context) {
  const AttrMap& attrs = context.node().attrs;
  TROUPE_ASSIGN_OR_RETURN(const std::string path, input_text(context, 0, "path"));
  const auto compression = snapshot_compression(context);
  TROUPE_ASSIGN_OR_RETURN(const auto types, attrs.get<std::vector<DataType>>("output_types"));
  TROUPE_ASSIGN_OR_RETURN(const auto shapes, attrs.get<std::vector<PartialShape>>("output_shapes"));
  TROUPE_ASSIGN_OR_RETURN(BoundFunction read,
                          bound_function(context, "reader_func", 1, context.num_inputs()));
  TROUPE_ASSIGN_OR_RETURN(const auto metadata, read_snapshot_metadata(path));
  if (!metadata.has_value()) {
    return absl::NotFoundError(absl::StrCat("Could not find metadata file [", path, "]"));
  }
  const std::string run = absl::StrCat(path, "/", metadata->run);
  auto dataset = make_dataset("Load", {}, [=](const std::string& name) {
    return iterator_of([=, current = IteratorPtr()](const ElementContext& step) mutable -> NextElement {
      if (current == nullptr) {
        TROUPE_ASSIGN_OR_RETURN(DatasetPtr shards, snapshot_shards(run, compression, types, shapes));
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
