// One iterator for several consumers: each gets every n-th element.

#include <condition_variable>
#include <deque>

#include "devices/cpu/kernels/dataset/iterator_handles.h"
#include "devices/cpu/kernels/dataset/iterator_threads.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/random_scope.h"

namespace troupe {
namespace {

/// A position that MultiDeviceIteratorInit sets. What is next for others while somebody asks is kept for them, however
/// much it is: elements are made only when they are asked for. Thread-safe.
class MultiDeviceIterator final : public Resource {
 public:
  static constexpr const char* kTypeName = "tensorflow::data::MultiDeviceIterator";

  MultiDeviceIterator(std::vector<DataType> types, std::vector<PartialShape> shapes, size_t shards)
      : types_(std::move(types)), shapes_(std::move(shapes)), shards_(shards) {}
  static absl::StatusOr<std::shared_ptr<MultiDeviceIterator>> make(const AttrMap& attrs) {
    TROUPE_ASSIGN_OR_RETURN(auto types, attrs.get<std::vector<DataType>>("output_types"));
    TROUPE_ASSIGN_OR_RETURN(auto shapes, attrs.get<std::vector<PartialShape>>("output_shapes"));
    TROUPE_ASSIGN_OR_RETURN(const auto devices, attrs.get<std::vector<std::string>>("devices"));
    if (devices.empty()) return invalid("`devices` must name at least one device");
    return std::make_shared<MultiDeviceIterator>(std::move(types), std::move(shapes), devices.size());
  }
  std::string type_name() const override { return kTypeName; }
  const std::vector<DataType>& types() const { return types_; }
  const std::vector<PartialShape>& shapes() const { return shapes_; }

  /// Begins with the dataset. The number of this round, from 1.
  absl::StatusOr<int64_t> start(const DatasetPtr& dataset) {
    TROUPE_RETURN_IF_ERROR(check_components(types_, shapes_, dataset->types, dataset->shapes));
    std::lock_guard lock(mu_);
    random_.begin_anew();
    round_ = std::make_shared<Round>();
    round_->dataset = dataset;
    round_->iterator = dataset->iterate("Iterator::Root");
    round_->kept.resize(shards_);
    came_.notify_all();
    return ++incarnation_;
  }

  /// The next element for `shard`; waits for it.
  NextElement next(int64_t shard, int64_t incarnation, ElementContext step) {
    step.random_scope = random_.id();
    const auto hears = step.cancellation->register_callback([this] {
      std::lock_guard lock(mu_);
      came_.notify_all();
    });
    if (!hears.has_value()) return step.check();
    NextElement element = wait_for(shard, incarnation, step);
    step.cancellation->deregister(*hears);
    return element;
  }

 private:
  struct Round {
    DatasetPtr dataset;
    IteratorPtr iterator;  // used by whoever is busy
    // Guarded by the iterator's mu_.
    bool busy = false;
    bool ended = false;
    size_t turn = 0;
    std::vector<std::deque<NextElement>> kept;
  };

  NextElement wait_for(int64_t shard, int64_t incarnation, const ElementContext& step) {
    std::unique_lock lock(mu_);
    while (true) {
      TROUPE_RETURN_IF_ERROR(step.check());
      if (round_ == nullptr) {
        return absl::FailedPreconditionError("The MultiDeviceIterator has not been initialized");
      }
      if (incarnation != incarnation_) {
        return invalid("Invalid incarnation id. Provided: ", incarnation, "; Expected: ", incarnation_);
      }
      if (shard < 0 || shard >= static_cast<int64_t>(shards_)) {
        return invalid("shard_num must be in [0, ", shards_, "), but is ", shard);
      }
      auto& kept = round_->kept[static_cast<size_t>(shard)];
      if (!kept.empty()) {
        NextElement element = std::move(kept.front());
        kept.pop_front();
        return element;
      }
      if (round_->ended) return std::nullopt;
      if (round_->busy) {
        came_.wait(lock);
      } else {
        TROUPE_RETURN_IF_ERROR(make_one(lock, step));
      }
    }
  }

  /// Makes the next element, whoever it is for, without the lock. An error unless it was the element's own.
  absl::Status make_one(std::unique_lock<std::mutex>& lock, const ElementContext& step) {
    const std::shared_ptr<Round> round = round_;
    round->busy = true;
    lock.unlock();
    NextElement element = round->iterator->next(step);
    lock.lock();
    round->busy = false;
    came_.notify_all();
    TROUPE_RETURN_IF_ERROR(step.check());
    if (element.ok() && !element->has_value()) {
      round->ended = true;
      return absl::OkStatus();
    }
    round->kept[round->turn].push_back(std::move(element));
    round->turn = (round->turn + 1) % shards_;
    return absl::OkStatus();
  }

  const std::vector<DataType> types_;
  const std::vector<PartialShape> shapes_;
  const size_t shards_;
  RandomScope random_;
  std::mutex mu_;
  std::condition_variable came_;
  // Guarded by mu_.
  int64_t incarnation_ = 0;
  std::shared_ptr<Round> round_;
};

class MultiDeviceIteratorKernel final : public ResourceKernel<MultiDeviceIterator> {
 public:
  MultiDeviceIteratorKernel(const KernelConstruction& c, ResourceName name)
      : ResourceKernel(c, std::move(name)), attrs_(c.node().attrs) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(ResourceName name, resolve_resource_name(c, UnnamedResource::kPrivate));
    return std::make_unique<MultiDeviceIteratorKernel>(c, std::move(name));
  }

 protected:
  absl::StatusOr<std::shared_ptr<MultiDeviceIterator>> make(Allocator*) override {
    return MultiDeviceIterator::make(attrs_);
  }
  absl::Status verify(const MultiDeviceIterator& found) const override {
    TROUPE_ASSIGN_OR_RETURN(const auto types, attrs_.get<std::vector<DataType>>("output_types"));
    TROUPE_ASSIGN_OR_RETURN(const auto shapes, attrs_.get<std::vector<PartialShape>>("output_shapes"));
    return check_components(types, shapes, found.types(), found.shapes());
  }

 private:
  const AttrMap attrs_;
};

/// One that only its handle keeps; the first version has a second output, which once deleted it.
absl::Status make_anonymous(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto iterator, MultiDeviceIterator::make(context.node().attrs));
  ResourceHandle handle =
      make_handle<MultiDeviceIterator>(*context.device(), "", "AnonymousMultiDeviceIterator");
  handle.anonymous = std::shared_ptr<Resource>(std::move(iterator));
  context.set_output(0, handle_tensor(std::move(handle)));
  if (context.num_outputs() > 1) context.set_output(1, Tensor(DataType::kVariant, Shape()));
  return absl::OkStatus();
}

absl::Status init(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const DatasetPtr dataset, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const auto iterator, lookup_resource<MultiDeviceIterator>(context, 1));
  TROUPE_RETURN_IF_ERROR(input_count(context, 2, "max_buffer_size").status());
  TROUPE_ASSIGN_OR_RETURN(const int64_t incarnation, iterator->start(dataset));
  context.set_output(0, Tensor::scalar<int64_t>(incarnation));
  return absl::OkStatus();
}

absl::Status next_from_shard(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const auto iterator, lookup_resource<MultiDeviceIterator>(context, 0));
  if (!is_scalar(context.input(1))) return invalid("shard_num must be a scalar");
  const int64_t shard = context.input(1).value<int32_t>();
  TROUPE_ASSIGN_OR_RETURN(const int64_t incarnation, input_count(context, 2, "incarnation_id"));
  TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element,
                          iterator->next(shard, incarnation, element_context(context)));
  if (!element.has_value()) return absl::OutOfRangeError("End of sequence");
  return output_components(context, *std::move(element));
}

absl::Status delete_iterator(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const ResourceHandle* handle, input_handle(context, 0));
  // An anonymous one goes with its last handle.
  if (handle->anonymous != nullptr) return absl::OkStatus();
  TROUPE_RETURN_IF_ERROR(lookup_resource<MultiDeviceIterator>(context, 0).status());
  return context.resources().remove(*handle);
}

}  // namespace

void register_dataset_multi_device_iterator(KernelRegistry* registry) {
  registry->add(KernelDef("MultiDeviceIterator").kernel<MultiDeviceIteratorKernel>());
  for (const char* op : {"AnonymousMultiDeviceIterator", "AnonymousMultiDeviceIteratorV3"}) {
    registry->add(KernelDef(op).fn(make_anonymous, /*cheap=*/true));
  }
  registry->add(KernelDef("MultiDeviceIteratorInit").fn(init));
  add_waiting_kernel(registry, "MultiDeviceIteratorGetNextFromShard", next_from_shard);
  registry->add(KernelDef("MultiDeviceIteratorToStringHandle").fn(iterator_to_string<MultiDeviceIterator>));
  registry->add(
      KernelDef("MultiDeviceIteratorFromStringHandle").fn(iterator_from_string<MultiDeviceIterator>));
  registry->add(KernelDef("DeleteMultiDeviceIterator").fn(delete_iterator, /*cheap=*/true));
}

}  // namespace troupe
