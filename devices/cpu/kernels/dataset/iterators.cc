// Iterators over datasets, as resources that steps share.

#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/dataset/iterator_handles.h"
#include "devices/cpu/kernels/dataset/iterator_resource.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/optional_value.h"
#include "devices/common/variable/resource_access.h"
#include "devices/function_runner.h"
#include "devices/kernel_registry.h"
#include "graph/thrown.h"

namespace troupe {
namespace {

absl::StatusOr<std::shared_ptr<IteratorResource>> make_iterator_resource(const AttrMap& attrs) {
  TROUPE_ASSIGN_OR_RETURN(auto types, attrs.get<std::vector<DataType>>("output_types"));
  TROUPE_ASSIGN_OR_RETURN(auto shapes, attrs.get<std::vector<PartialShape>>("output_shapes"));
  return std::make_shared<IteratorResource>(std::move(types), std::move(shapes));
}

/// What a node takes from an iterator.
struct Components {
  std::vector<DataType> types;
  std::vector<PartialShape> shapes;

  static absl::StatusOr<Components> of(const AttrMap& attrs) {
    Components c;
    TROUPE_ASSIGN_OR_RETURN(c.types, attrs.get<std::vector<DataType>>("output_types"));
    TROUPE_ASSIGN_OR_RETURN(c.shapes, attrs.get<std::vector<PartialShape>>("output_shapes"));
    return c;
  }
  /// InvalidArgument when the iterator gives something else.
  absl::Status check(const IteratorResource& iterator) const {
    return check_components(types, shapes, iterator.types(), iterator.shapes());
  }
};

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
  absl::Status verify(const IteratorResource& found) const override {
    TROUPE_ASSIGN_OR_RETURN(const Components components, Components::of(attrs_));
    return components.check(found);
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
absl::Status output_element(KernelContext& context, NextElement element) {
  TROUPE_RETURN_IF_ERROR(element.status());
  if (!element->has_value()) return absl::OutOfRangeError("End of sequence");
  return output_components(context, **std::move(element));
}

/// Sets the output to an optional value: the element, or none at the end.
absl::Status output_optional_element(KernelContext& context, NextElement element) {
  TROUPE_RETURN_IF_ERROR(element.status());
  context.set_output(0, optional_tensor(*std::move(element)));
  return absl::OkStatus();
}

template <absl::Status (*kOutput)(KernelContext&, NextElement)>
class GetNextKernel final : public AsyncKernel {
 public:
  explicit GetNextKernel(Components components) : components_(std::move(components)) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(Components components, Components::of(c.node().attrs));
    return std::make_unique<GetNextKernel>(std::move(components));
  }
  void compute_async(KernelContext& context, Done done) override {
    const auto iterator = lookup_resource<IteratorResource>(context, 0);
    if (!iterator.ok()) return done(iterator.status());
    if (absl::Status fits = components_.check(**iterator); !fits.ok()) return done(std::move(fits));
    (*iterator)->next(element_context(context), [&context, done = std::move(done)](NextElement element) {
      done(guarded("a kernel", [&] { return kOutput(context, std::move(element)); }));
    });
  }

 private:
  const Components components_;
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
          if (status.ok()) status = guarded("a kernel", [&] { return keep(*attrs, results); });
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

/// An iterator under a name of its own, which DestroyResourceOp deletes.
absl::Status make_unnamed_iterator(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto iterator, make_iterator_resource(context.node().attrs));
  const std::string& container = context.resources().default_container();
  const std::string name = absl::StrCat("AnonymousIterator", ResourceManager::next_private_number());
  TROUPE_RETURN_IF_ERROR(context.resources().create<IteratorResource>(container, name, std::move(iterator)));
  context.set_output(0, handle_tensor(make_handle<IteratorResource>(*context.device(), container, name)));
  return absl::OkStatus();
}

/// An iterator that only its handle keeps; V2 has a second output, which once deleted it.
absl::Status make_anonymous_iterator(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto iterator, make_iterator_resource(context.node().attrs));
  ResourceHandle handle = make_handle<IteratorResource>(*context.device(), "", "AnonymousIterator");
  handle.anonymous = std::shared_ptr<Resource>(std::move(iterator));
  context.set_output(0, handle_tensor(std::move(handle)));
  if (context.num_outputs() > 1) context.set_output(1, Tensor(DataType::kVariant, Shape()));
  return absl::OkStatus();
}

absl::Status delete_anonymous_iterator(KernelContext& context) {
  return lookup_resource<IteratorResource>(context, 0).status();
}

absl::Status iterator_device(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const ResourceHandle* handle, input_handle(context, 0));
  context.set_output(0, Tensor::string_scalar(handle->device));
  return absl::OkStatus();
}

}  // namespace

void register_dataset_iterators(KernelRegistry* registry) {
  for (const char* op : {"Iterator", "IteratorV2"}) registry->add(KernelDef(op).kernel<IteratorKernel>());
  registry->add(KernelDef("OneShotIterator").kernel<OneShotIteratorKernel>());
  registry->add(KernelDef("MakeIterator").fn(start_iterator, /*cheap=*/true));
  for (const char* op : {"IteratorGetNext", "IteratorGetNextSync"}) {
    registry->add(KernelDef(op).kernel<GetNextKernel<output_element>>());
  }
  registry->add(KernelDef("IteratorGetNextAsOptional").kernel<GetNextKernel<output_optional_element>>());
  registry->add(KernelDef("AnonymousIterator").fn(make_unnamed_iterator));
  for (const char* op : {"AnonymousIteratorV2", "AnonymousIteratorV3"}) {
    registry->add(KernelDef(op).fn(make_anonymous_iterator, /*cheap=*/true));
  }
  registry->add(KernelDef("DeleteIterator").fn(delete_anonymous_iterator, /*cheap=*/true));
  for (const char* op : {"IteratorGetDevice", "ExperimentalIteratorGetDevice"}) {
    registry->add(KernelDef(op).fn(iterator_device, /*cheap=*/true));
  }
  registry->add(KernelDef("IteratorToStringHandle").fn(iterator_to_string<IteratorResource>));
  for (const char* op : {"IteratorFromStringHandle", "IteratorFromStringHandleV2"}) {
    registry->add(KernelDef(op).fn(iterator_from_string<IteratorResource>));
  }
}

}  // namespace troupe
