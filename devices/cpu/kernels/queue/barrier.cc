// Barriers: tuples whose components arrive one by one under a key, and leave when they are complete.

#include <algorithm>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "devices/cpu/kernels/queue/tuple_queue.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/handle_signature.h"
#include "devices/common/variable/resource_access.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Keeps incomplete tuples by key; complete ones wait in a priority queue as (number of insertion, key,
/// components). Thread-safe.
class Barrier final : public Resource {
 public:
  static constexpr const char* kTypeName = "tensorflow::barrier::Barrier";

  Barrier(std::string name, std::vector<DataType> types, std::shared_ptr<Queue> ready)
      : name_(std::move(name)), types_(std::move(types)), ready_(std::move(ready)) {}
  std::string type_name() const override { return kTypeName; }
  const std::string& name() const { return name_; }
  const std::vector<DataType>& types() const { return types_; }
  Queue& ready() const { return *ready_; }

  absl::Status insert_many(const Tensor& keys, size_t component, const Tensor& values);
  void take_many(CancellationToken& token, int32_t count, bool allow_small, Queue::DoneWithTuple done);
  absl::Status close(bool cancel_pending);
  int64_t incomplete_size() const {
    std::lock_guard lock(mu_);
    return static_cast<int64_t>(incomplete_.size());
  }

 private:
  /// The tuples under construction have uninitialised tensors where a component is missing.
  absl::Status insert_locked(const TString& key, size_t component, Tensor value,
                             std::vector<Queue::Tuple>* complete);
  absl::Status check_open_for(const Tensor& keys) const;
  absl::Status check_new_key(absl::string_view key, int64_t index) const;
  void close_ready() {
    ready_->close(never_, /*cancel_pending_enqueues=*/false, [](absl::Status) {});
  }

  const std::string name_;
  const std::vector<DataType> types_;
  const std::shared_ptr<Queue> ready_;
  /// Never trips.
  CancellationToken never_;
  mutable std::mutex mu_;
  // Guarded by mu_.
  absl::flat_hash_map<std::string, Queue::Tuple> incomplete_;
  /// Counts insertions that brought new keys: the priority of their tuples.
  int64_t next_index_ = std::numeric_limits<int64_t>::min();
  bool closed_ = false;
  bool cancelled_ = false;
};

absl::Status Barrier::check_open_for(const Tensor& keys) const {
  if (!closed_ || (!cancelled_ && (keys.num_elements() == 0 || !incomplete_.empty())))
    return absl::OkStatus();
  return absl::CancelledError(absl::StrCat("Barrier ", name_, " is closed.  Pending enqueues cancelled: ",
                                           cancelled_, ".  Number of new insertions: ", keys.num_elements(),
                                           ".  Number of incomplete keys: ", incomplete_.size(), "."));
}

absl::Status Barrier::check_new_key(absl::string_view key, int64_t index) const {
  if (!closed_ || incomplete_.contains(key)) return absl::OkStatus();
  return absl::CancelledError(
      absl::StrCat("Barrier ", name_, " is closed, but attempted to insert a brand new key: ", key,
                   ".  Pending enqueues cancelled: ", cancelled_, ".  Insertion index: ", index,
                   ".  Number of incomplete keys: ", incomplete_.size(), "."));
}

absl::Status Barrier::insert_locked(const TString& key, size_t component, Tensor value,
                                    std::vector<Queue::Tuple>* complete) {
  Queue::Tuple& tuple = incomplete_[key.str()];
  if (tuple.empty()) {
    tuple.resize(types_.size() + 2);
    tuple[0] = Tensor::scalar<int64_t>(next_index_);
    tuple[1] = Tensor::string_scalar(key.view());
  }
  if (tuple[component + 2].initialized()) {
    return invalid("Key ", key.view(), " already has a value for component ", component, " in barrier ",
                   name_);
  }
  tuple[component + 2] = std::move(value);
  for (const Tensor& t : tuple) {
    if (!t.initialized()) return absl::OkStatus();
  }
  complete->push_back(std::move(tuple));
  incomplete_.erase(key.str());
  return absl::OkStatus();
}

absl::Status Barrier::insert_many(const Tensor& keys, size_t component, const Tensor& values) {
  if (!is_vector(keys))
    return invalid("Keys must be a vector, but received shape ", keys.shape().to_string());
  if (values.rank() < 1 || values.dim(0) != keys.num_elements()) {
    return invalid("Shape mismatch: there must be as many values as keys, ", keys.num_elements(),
                   ", but got shape ", values.shape().to_string());
  }
  if (keys.num_elements() > 0 && values.num_elements() == 0) {
    return invalid("Tensors with no elements are not supported ", name_, ": received shape ",
                   values.shape().to_string());
  }
  Shape element = values.shape();
  element.remove_dim(0);
  std::vector<Queue::Tuple> complete;
  bool last = false;
  absl::Status status;
  {
    std::lock_guard lock(mu_);
    TROUPE_RETURN_IF_ERROR(check_open_for(keys));
    bool new_keys = false;
    for (int64_t i = 0; status.ok() && i < keys.num_elements(); ++i) {
      const TString& key = keys.flat<TString>()[i];
      TROUPE_ASSIGN_OR_RETURN(Tensor value, Tensor::make(values.dtype(), element));
      copy_elements(values, i * element.num_elements(), value, 0, element.num_elements());
      new_keys = new_keys || !incomplete_.contains(key.str());
      status = check_new_key(key.view(), i);
      if (status.ok()) status = insert_locked(key, component, std::move(value), &complete);
    }
    if (new_keys) ++next_index_;
    last = closed_ && incomplete_.empty();
  }
  // Whoever waits for them runs on from here, so the lock is free again. Without a bound, the queue takes a
  // tuple or refuses it at once.
  for (Queue::Tuple& tuple : complete) {
    ready_->enqueue(never_, std::move(tuple), [&status](absl::Status s) { status.Update(s); });
  }
  if (last) close_ready();
  return status;
}

void Barrier::take_many(CancellationToken& token, int32_t count, bool allow_small,
                        Queue::DoneWithTuple done) {
  absl::Status status;
  {
    std::lock_guard lock(mu_);
    if (closed_) {
      int64_t available = ready_->size();
      if (allow_small) {
        count = static_cast<int32_t>(std::min<int64_t>(count, available));
      } else {
        // Those under construction may still be waited for.
        available += static_cast<int64_t>(incomplete_.size());
      }
      if (available < std::max(count, 1)) {
        status = absl::OutOfRangeError(absl::StrCat("Barrier '", name_,
                                                    "' is closed and has insufficient elements (requested ",
                                                    count, ", total size ", available, ")"));
      }
    }
  }
  if (!status.ok()) return done(std::move(status), {});
  ready_->dequeue_many(token, count, allow_small, std::move(done));
}

absl::Status Barrier::close(bool cancel_pending) {
  {
    std::lock_guard lock(mu_);
    // A second close may add the cancellation.
    if (closed_ && (cancelled_ || !cancel_pending)) {
      return absl::CancelledError(absl::StrCat("Barrier '", name_, "' is already closed."));
    }
    closed_ = true;
    cancelled_ = cancel_pending;
    if (cancel_pending) incomplete_.clear();
    if (!incomplete_.empty()) return absl::OkStatus();
  }
  close_ready();
  return absl::OkStatus();
}

/// Without the number of insertion and the key.
std::vector<PartialShape> of_components(const std::vector<PartialShape>& ready) {
  return {ready.begin() + 2, ready.end()};
}

class MakeBarrierKernel final : public ResourceKernel<Barrier> {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    const AttrMap& attrs = c.node().attrs;
    if (attrs.get_or<int64_t>("capacity", -1) != -1) {
      return invalid(
          "Barrier only accepts capacity=-1.  Feed the inputs to your Barrier through a queue to enforce a "
          "limited capacity.");
    }
    Queue::Options o;
    o.kind = QueueKind::kPriority;
    TROUPE_ASSIGN_OR_RETURN(std::vector<DataType> types, c.attr<std::vector<DataType>>("component_types"));
    o.types = types;
    o.types.insert(o.types.begin(), {DataType::kInt64, DataType::kString});
    o.shapes = whole_shapes(attrs.get_or<std::vector<PartialShape>>("shapes", {}));
    if (o.shapes.size() != types.size()) return invalid("All of the component shapes must be specified");
    o.shapes.insert(o.shapes.begin(), 2, PartialShape(Shape()));
    TROUPE_ASSIGN_OR_RETURN(ResourceName name, resolve_resource_name(c, UnnamedResource::kPrivate));
    TROUPE_RETURN_IF_ERROR(Queue::make(name.name, o).status());
    return std::make_unique<MakeBarrierKernel>(c, std::move(name), std::move(types), std::move(o));
  }
  MakeBarrierKernel(const KernelConstruction& c, ResourceName name, std::vector<DataType> types,
                    Queue::Options ready)
      : ResourceKernel(c, std::move(name)), types_(std::move(types)), ready_(std::move(ready)) {}

 protected:
  absl::StatusOr<std::shared_ptr<Barrier>> make(Allocator*) override {
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Queue> ready, Queue::make(name_.name, ready_));
    return std::make_shared<Barrier>(name_.name, types_, std::move(ready));
  }
  absl::Status verify(const Barrier& found) const override {
    if (found.types() != types_) {
      return invalid("Shared barrier '", name_.name, "' has component types ", type_list(found.types()),
                     " but requested component types were ", type_list(types_));
    }
    const auto& shapes = found.ready().options().shapes;
    if (shapes == ready_.shapes) return absl::OkStatus();
    return invalid("Shared barrier '", name_.name, "' has component shapes ",
                   shape_list(of_components(shapes)), " but requested component shapes were ",
                   shape_list(of_components(ready_.shapes)));
  }

 private:
  const std::vector<DataType> types_;
  const Queue::Options ready_;
};

class InsertManyKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("component_index", &component_); }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Barrier> barrier, lookup_resource<Barrier>(context, 0));
    const int64_t components = static_cast<int64_t>(barrier->types().size());
    if (component_ < 0 || component_ >= components) {
      return invalid("The component ID is out of range ", component_, " > num_components (= ", components,
                     ")");
    }
    const size_t component = static_cast<size_t>(component_);
    TROUPE_RETURN_IF_ERROR(
        check_handle_signature(context, {DataType::kString, barrier->types()[component]}, {}));
    return barrier->insert_many(context.input(1), component, context.input(2));
  }

 private:
  int64_t component_ = 0;
};

class TakeManyKernel final : public AsyncKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_RETURN_IF_ERROR(check_no_timeout(c));
    auto kernel = std::make_unique<TakeManyKernel>();
    kernel->allow_small_ = c.node().attrs.get_or<bool>("allow_small_batch", false);
    return kernel;
  }
  void compute_async(KernelContext& context, Done done) override {
    auto barrier = lookup_resource<Barrier>(context, 0);
    if (!barrier.ok()) return done(barrier.status());
    const Tensor& count = context.input(1);
    if (!is_scalar(count))
      return done(invalid("num_elements must be a scalar, but has shape ", count.shape().to_string()));
    const int32_t n = count.value<int32_t>();
    if (n < 0) return done(invalid("num_elements must not be negative, but is ", n));
    absl::Status s = check_handle_signature(context, {DataType::kInt32}, (*barrier)->ready().options().types);
    if (!s.ok()) return done(std::move(s));
    (*barrier)->take_many(context.cancellation(), n, allow_small_,
                          [&context, done = std::move(done)](absl::Status status, Queue::Tuple tuple) {
                            if (status.ok()) {
                              int i = 0;
                              for (Tensor& t : tuple) context.set_output(i++, std::move(t));
                            }
                            done(std::move(status));
                          });
  }

 private:
  bool allow_small_ = false;
};

class CloseKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    cancel_pending_ = c.node().attrs.get_or<bool>("cancel_pending_enqueues", false);
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Barrier> barrier, lookup_resource<Barrier>(context, 0));
    return barrier->close(cancel_pending_);
  }

 private:
  bool cancel_pending_ = false;
};

template <bool kReady>
absl::Status barrier_size(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Barrier> barrier, lookup_resource<Barrier>(context, 0));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape()));
  out->flat<int32_t>()[0] =
      static_cast<int32_t>(kReady ? barrier->ready().size() : barrier->incomplete_size());
  return absl::OkStatus();
}

}  // namespace

void register_queue_barrier(KernelRegistry* registry) {
  registry->add(KernelDef("Barrier").kernel<MakeBarrierKernel>());
  registry->add(KernelDef("BarrierInsertMany").types("T", every_type()).kernel<InsertManyKernel>());
  registry->add(KernelDef("BarrierTakeMany").kernel<TakeManyKernel>());
  registry->add(KernelDef("BarrierClose").kernel<CloseKernel>());
  registry->add(KernelDef("BarrierReadySize").fn(barrier_size<true>));
  registry->add(KernelDef("BarrierIncompleteSize").fn(barrier_size<false>));
}

}  // namespace troupe
