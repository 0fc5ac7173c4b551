// Iterators over datasets, as resources that steps share.

#include <condition_variable>
#include <deque>
#include <thread>

#include "devices/cpu/kernels/array_util.h"
#include "devices/cpu/kernels/dataset.h"
#include "devices/cpu/kernels/resource_access.h"
#include "devices/function_runner.h"
#include "graph/tensor/tensor_proto.h"
#include "proto/tensor.pb.h"

namespace troupe {
namespace {

/// A thread that may wait for functions: steps, whose threads run these functions, may not. It ends with its owner,
/// once nothing is left to do; it may be the one that drops the owner.
class Waiter {
 public:
  ~Waiter() {
    if (shared_ == nullptr) return;
    std::lock_guard lock(shared_->mu);
    shared_->over = true;
    shared_->came.notify_all();
  }
  /// Under the owner's lock.
  void run(std::function<void()> job) {
    if (shared_ == nullptr) {
      shared_ = std::make_shared<Shared>();
      std::thread([shared = shared_] { work(*shared); }).detach();
    }
    std::lock_guard lock(shared_->mu);
    shared_->jobs.push_back(std::move(job));
    shared_->came.notify_all();
  }

 private:
  struct Shared {
    std::mutex mu;
    std::condition_variable came;
    std::deque<std::function<void()>> jobs;
    bool over = false;
  };
  static void work(Shared& shared) {
    std::unique_lock lock(shared.mu);
    while (true) {
      shared.came.wait(lock, [&] { return shared.over || !shared.jobs.empty(); });
      if (shared.jobs.empty()) return;
      std::function<void()> job = std::move(shared.jobs.front());
      shared.jobs.pop_front();
      lock.unlock();
      job();
      job = nullptr;
      lock.lock();
    }
  }
  std::shared_ptr<Shared> shared_;
};

/// A position that MakeIterator sets and IteratorGetNext moves.
class IteratorResource final : public Resource, public std::enable_shared_from_this<IteratorResource> {
 public:
  static constexpr const char* kTypeName = "tensorflow::data::IteratorResource";
  using Done = std::function<void(absl::StatusOr<std::optional<Element>>)>;

  IteratorResource(std::vector<DataType> types, std::vector<PartialShape> shapes)
      : types_(std::move(types)), shapes_(std::move(shapes)) {}
  std::string type_name() const override { return kTypeName; }
  const std::vector<DataType>& types() const { return types_; }

  /// InvalidArgument when the dataset's elements are not what this iterator gives.
  absl::Status start(DatasetPtr dataset) {
    TROUPE_RETURN_IF_ERROR(check(*dataset));
    const bool ahead = dataset->name() == "Prefetch";
    auto iterator = dataset->iterate(ahead ? "Iterator::Root" : "Iterator::Root::Prefetch");
    std::lock_guard lock(mu_);
    position_ = std::make_shared<Position>();
    position_->dataset = std::move(dataset);
    position_->iterator = std::move(iterator);
    return absl::OkStatus();
  }

  /// `done` gets the next element, on this thread unless the dataset calls functions.
  void next(ElementContext context, Done done) {
    std::unique_lock lock(mu_);
    const std::shared_ptr<Position> position = position_;
    if (position == nullptr) {
      lock.unlock();
      return done(absl::FailedPreconditionError(
          "GetNext() failed because the iterator has not been initialized. Ensure that you have run the "
          "initializer operation for this iterator before getting the next element."));
    }
    if (position->dataset->calls_functions()) {
      waiter_.run([self = shared_from_this(), position, context = std::move(context),
                   done = std::move(done)] { done(position->next(context)); });
      return;
    }
    lock.unlock();
    done(position->next(context));
  }

 private:
  struct Position {
    DatasetPtr dataset;
    std::mutex mu;
    std::unique_ptr<DatasetIterator> iterator;  // guarded by mu

    absl::StatusOr<std::optional<Element>> next(const ElementContext& context) {
      std::lock_guard lock(mu);
      return iterator->next(context);
    }
  };

  absl::Status check(const Dataset& dataset) const {
    if (dataset.types.size() != types_.size() || dataset.shapes.size() != shapes_.size()) {
      return invalid("Number of components does not match: expected ", types_.size(), " types but got ",
                     dataset.types.size(), ".");
    }
    for (size_t i = 0; i < types_.size(); ++i) {
      if (dataset.types[i] != types_[i]) {
        return invalid("Data type mismatch at component ", i, ": expected ", dtype_name(types_[i]),
                       " but got ", dtype_name(dataset.types[i]), ".");
      }
      if (!shapes_[i].compatible_with(dataset.shapes[i])) {
        return invalid("Incompatible shapes at component ", i, ": expected ", shapes_[i].to_string(),
                       " but got ", dataset.shapes[i].to_string(), ".");
      }
    }
    return absl::OkStatus();
  }

  const std::vector<DataType> types_;
  const std::vector<PartialShape> shapes_;
  std::mutex mu_;
  // Guarded by mu_.
  std::shared_ptr<Position> position_;
  Waiter waiter_;
};

absl::StatusOr<std::shared_ptr<IteratorResource>> make_iterator_resource(const AttrMap& attrs) {
  TROUPE_ASSIGN_OR_RETURN(auto types, attrs.get<std::vector<DataType>>("output_types"));
  TROUPE_ASSIGN_OR_RETURN(auto shapes, attrs.get<std::vector<PartialShape>>("output_shapes"));
  return std::make_shared<IteratorResource>(std::move(types), std::move(shapes));
}

/// Iterator, IteratorV2.
class IteratorKernel final : public ResourceKernel<IteratorResource> {
 public:
  IteratorKernel(const KernelConstruction& c, ResourceName name)
      : ResourceKernel(c, std::move(name)), attrs_(c.node().attrs) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(ResourceName name, resolve_resource_name(c, UnnamedResource::kPrivate));
    return std::make_unique<IteratorKernel>(c, std::move(name));
  }

 protected:
  absl::StatusOr<std::shared_ptr<IteratorResource>> make(Allocator*) override {
    return make_iterator_resource(attrs_);
  }

 private:
  const AttrMap attrs_;
};

absl::Status start_iterator(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr dataset, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<IteratorResource> iterator,
                          lookup_resource<IteratorResource>(context, 1));
  return iterator->start(std::move(dataset));
}

/// Sets the outputs to an element's components.
absl::Status output_element(KernelContext& context, const absl::StatusOr<std::optional<Element>>& element) {
  TROUPE_RETURN_IF_ERROR(element.status());
  if (!element->has_value()) return absl::OutOfRangeError("End of sequence");
  const Element& components = **element;
  if (static_cast<int>(components.size()) != context.num_outputs()) {
    return invalid("Number of components does not match: expected ", context.num_outputs(), " but got ",
                   components.size(), ".");
  }
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, components[static_cast<size_t>(i)]);
  return absl::OkStatus();
}

class GetNextKernel final : public AsyncKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction&) {
    return std::make_unique<GetNextKernel>();
  }
  void compute_async(KernelContext& context, Done done) override {
    const auto iterator = lookup_resource<IteratorResource>(context, 0);
    if (!iterator.ok()) return done(iterator.status());
    ElementContext surroundings{context.step().functions, &context.cancellation(), context.allocator(),
                                context.device()->name()};
    (*iterator)->next(std::move(surroundings), [&context, done = std::move(done)](
                                                   const absl::StatusOr<std::optional<Element>>& element) {
      done(output_element(context, element));
    });
  }
};

/// An iterator over the dataset that a function makes, once.
class OneShotIteratorKernel final : public AsyncKernel {
 public:
  OneShotIteratorKernel(const KernelConstruction& c, ResourceName name)
      : device_(c.device()), name_(std::move(name)) {}
  ~OneShotIteratorKernel() override {
    if (name_.is_private && ready_) {
      (void)device_->resources().remove<IteratorResource>(name_.container, name_.name);
    }
  }
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(ResourceName name, resolve_resource_name(c, UnnamedResource::kPrivate));
    return std::make_unique<OneShotIteratorKernel>(c, std::move(name));
  }

  void compute_async(KernelContext& context, Done done) override {
    bool ready = false;
    {
      std::lock_guard lock(mu_);
      ready = ready_;
      if (!ready) {
        waiting_.emplace_back(&context, std::move(done));
        if (waiting_.size() > 1) return;  // Somebody is making it.
      }
    }
    if (ready) return finish(context, absl::OkStatus(), done);
    const absl::StatusOr<FunctionRef> factory = context.node().attrs.get<FunctionRef>("dataset_factory");
    if (!factory.ok()) return made(factory.status());
    if (context.step().functions == nullptr) {
      return made(absl::FailedPreconditionError("OneShotIterator needs a session, which runs functions"));
    }
    context.step().functions->call(
        *factory, context.device()->name(), {},
        [this, attrs = &context.node().attrs](absl::Status status, Element results) {
          if (status.ok()) status = keep(*attrs, results);
          made(status);
        });
  }

 private:
  absl::Status keep(const AttrMap& attrs, const Element& results) {
    const DatasetPtr dataset = results.size() == 1 ? dataset_of(results[0]) : nullptr;
    if (dataset == nullptr) {
      return invalid("The `dataset_factory` function must return a single scalar of dtype DT_VARIANT.");
    }
    TROUPE_ASSIGN_OR_RETURN(auto iterator,
                            device_->resources().lookup_or_create<IteratorResource>(
                                name_.container, name_.name, [&] { return make_iterator_resource(attrs); }));
    TROUPE_RETURN_IF_ERROR(iterator->start(dataset));
    std::lock_guard lock(mu_);
    ready_ = true;
    return absl::OkStatus();
  }
  void made(const absl::Status& status) {
    std::vector<std::pair<KernelContext*, Done>> waiting;
    {
      std::lock_guard lock(mu_);
      waiting.swap(waiting_);
    }
    for (auto& [context, done] : waiting) finish(*context, status, done);
  }
  void finish(KernelContext& context, const absl::Status& status, const Done& done) {
    if (status.ok()) {
      context.set_output(0,
                         handle_tensor(make_handle<IteratorResource>(*device_, name_.container, name_.name)));
    }
    done(status);
  }

  Device* const device_;
  const ResourceName name_;
  std::mutex mu_;
  // Guarded by mu_.
  bool ready_ = false;
  std::vector<std::pair<KernelContext*, Done>> waiting_;
};

absl::Status to_string_handle(KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(lookup_resource<IteratorResource>(context, 0).status());
  TROUPE_ASSIGN_OR_RETURN(const ResourceHandle* handle, input_handle(context, 0));
  pb::ResourceHandleProto proto;
  to_proto(*handle, &proto);
  context.set_output(0, Tensor::string_scalar(proto.SerializeAsString()));
  return absl::OkStatus();
}

absl::Status from_string_handle(KernelContext& context) {
  const Tensor& text = context.input(0);
  if (!is_scalar(text)) return invalid("string_handle must be a scalar");
  pb::ResourceHandleProto proto;
  const absl::string_view bytes = text.value<TString>().view();
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return invalid("Could not parse string_handle as a valid ResourceHandle");
  }
  TROUPE_ASSIGN_OR_RETURN(ResourceHandle handle, from_proto(proto));
  if (handle.device != context.device()->name()) {
    return invalid("Attempted create an iterator on device \"", context.device()->name(),
                   "\" from handle defined on device \"", handle.device, "\"");
  }
  TROUPE_ASSIGN_OR_RETURN(auto iterator, lookup_handle<IteratorResource>(context, handle));
  const auto types = context.node().attrs.get_or("output_types", std::vector<DataType>());
  if (!types.empty() && types != iterator->types()) {
    return invalid("The iterator of the handle gives elements of other types");
  }
  context.set_output(0, handle_tensor(std::move(handle)));
  return absl::OkStatus();
}

}  // namespace

void register_dataset_iterators(KernelRegistry* registry) {
  for (const char* op : {"Iterator", "IteratorV2"}) registry->add(KernelDef(op).kernel<IteratorKernel>());
  registry->add(KernelDef("OneShotIterator").kernel<OneShotIteratorKernel>());
  registry->add(KernelDef("MakeIterator").fn(start_iterator, /*cheap=*/true));
  for (const char* op : {"IteratorGetNext", "IteratorGetNextSync"}) {
    registry->add(KernelDef(op).kernel<GetNextKernel>());
  }
  registry->add(KernelDef("IteratorToStringHandle").fn(to_string_handle));
  for (const char* op : {"IteratorFromStringHandle", "IteratorFromStringHandleV2"}) {
    registry->add(KernelDef(op).fn(from_string_handle));
  }
}

}  // namespace troupe
