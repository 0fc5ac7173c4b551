// Kernels without arithmetic: constants, identities, placeholders, and the ops that the executor itself runs. The
// latter have registrations here because placement asks the registry what a device supports.

#include <atomic>
#include <chrono>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/control/functional.h"
#include "devices/common/variable/resource_access.h"
#include "devices/kernel_registry.h"
#include "devices/session_handles.h"

namespace troupe {
namespace {

absl::Status no_op(KernelContext&) { return absl::OkStatus(); }

absl::Status executor_only(KernelContext& context) {
  return absl::InternalError(absl::StrCat("Op ", context.node().op->name,
                                          " is control flow, which the executor runs, not a kernel."));
}

absl::Status identity(KernelContext& context) {
  context.forward_input(0, 0);
  return absl::OkStatus();
}

absl::Status identity_n(KernelContext& context) {
  if (context.num_inputs() != context.num_outputs()) {
    return absl::InvalidArgumentError("The number of inputs must match the number of outputs");
  }
  for (int i = 0; i < context.num_inputs(); ++i) context.forward_input(i, i);
  return absl::OkStatus();
}

class ConstKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(Tensor value, c.attr<Tensor>("value"));
    if (value.dtype() != c.output_type(0)) {
      return absl::InvalidArgumentError(absl::StrCat("Type mismatch between value (",
                                                     dtype_name(value.dtype()), ") and dtype (",
                                                     dtype_name(c.output_type(0)), ")"));
    }
    return std::make_unique<ConstKernel>(std::move(value));
  }
  explicit ConstKernel(Tensor value) : value_(std::move(value)) {}
  absl::Status compute(KernelContext& context) override {
    context.set_output(0, value_);
    return absl::OkStatus();
  }
  bool is_expensive() const override { return false; }

 private:
  const Tensor value_;
};

class PlaceholderKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    std::string what = absl::StrCat("You must feed a value for placeholder tensor '", c.name(),
                                    "' with dtype ", dtype_name(c.output_type(0)));
    PartialShape shape = c.node().attrs.get_or<PartialShape>("shape", PartialShape());
    // Rank 0 goes unmentioned: until producer 24 it meant an unknown shape.
    if (shape.rank() > 0) absl::StrAppend(&what, " and shape ", shape.to_string());
    return std::make_unique<PlaceholderKernel>(std::move(what));
  }
  explicit PlaceholderKernel(std::string message) : message_(std::move(message)) {}
  absl::Status compute(KernelContext&) override { return absl::InvalidArgumentError(message_); }
  bool is_expensive() const override { return false; }

 private:
  const std::string message_;
};

/// A value for an output that nobody looks at: a branch of a lowered If that lacks it.
class FakeParamKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(PartialShape partial, c.attr<PartialShape>("shape"));
    std::vector<int64_t> dims;
    if (partial.known_rank()) dims = partial.dims();
    for (int64_t& d : dims) d = d < 0 ? 0 : d;
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
    auto kernel = std::make_unique<FakeParamKernel>();
    TROUPE_ASSIGN_OR_RETURN(kernel->value_, Tensor::make(c.output_type(0), shape, c.device()->allocator()));
    if (is_trivial(c.output_type(0))) std::memset(kernel->value_.raw(), 0, kernel->value_.bytes());
    return kernel;
  }
  absl::Status compute(KernelContext& context) override {
    context.set_output(0, value_);
    return absl::OkStatus();
  }
  bool is_expensive() const override { return false; }

 private:
  Tensor value_;
};

class ArgKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(int64_t index, c.attr<int64_t>("index"));
    return std::make_unique<ArgKernel>(index);
  }
  explicit ArgKernel(int64_t index) : index_(index) {}
  absl::Status compute(KernelContext& context) override {
    auto args = context.step().args;
    if (index_ < 0 || index_ >= static_cast<int64_t>(args.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("Arg[", index_, "] is out of range: ", args.size(), " given"));
    }
    const Tensor& value = args[static_cast<size_t>(index_)];
    if (value.dtype() != context.output_type(0)) {
      return absl::InvalidArgumentError(absl::StrCat("Type mismatch: actual ", dtype_name(value.dtype()),
                                                     " vs. expect ", dtype_name(context.output_type(0))));
    }
    context.set_output(0, value);
    return absl::OkStatus();
  }
  bool is_expensive() const override { return false; }

 private:
  const int64_t index_;
};

class RetvalKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(int64_t index, c.attr<int64_t>("index"));
    return std::make_unique<RetvalKernel>(index);
  }
  explicit RetvalKernel(int64_t index) : index_(index) {}
  absl::Status compute(KernelContext& context) override {
    auto retvals = context.step().retvals;
    if (index_ < 0 || index_ >= static_cast<int64_t>(retvals.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("Retval[", index_, "] is out of range: ", retvals.size(), " asked for"));
    }
    retvals[static_cast<size_t>(index_)] = context.take_input(0);
    return absl::OkStatus();
  }
  bool is_expensive() const override { return false; }

 private:
  const int64_t index_;
};

absl::Status ref_select(KernelContext& context) {
  const Tensor& index = context.input(0);
  if (index.rank() != 0) {
    return absl::InvalidArgumentError("Index must be a scalar, but it has shape " +
                                      index.shape().to_string());
  }
  const int n = context.num_inputs() - 1;
  const int32_t i = index.value<int32_t>();
  if (i < 0 || i >= n) {
    return absl::InvalidArgumentError(absl::StrCat("Index must be in the range [0, ", n, ") but got ", i));
  }
  context.forward_input(i + 1, 0);
  return absl::OkStatus();
}

/// TensorFlow ends the process here. A graph must not be able to do that to the application around it, so the step
/// fails instead.
absl::Status abort_op(KernelContext& context) {
  if (context.node().attrs.get_or<bool>("exit_without_error", false)) {
    return absl::AbortedError("Abort_op intentional exit.");
  }
  return absl::AbortedError(absl::StrCat("Abort_op intentional failure; ",
                                         context.node().attrs.get_or<std::string>("error_msg", "")));
}

absl::Status timestamp(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape()));
  auto now = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  out->flat<double>()[0] = static_cast<double>(now.count()) / 1e6;
  return absl::OkStatus();
}

absl::Status to_bool(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const bool value, truth_of(context.input(0)));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape()));
  out->flat<bool>()[0] = value;
  return absl::OkStatus();
}

// Values that outlive their step.

absl::Status get_session_handle(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto handles, StepHandles::of(context));
  TROUPE_ASSIGN_OR_RETURN(std::string handle,
                          handles->put(context.node().name, context.device()->name(), context.input(0)));
  if (context.output_type(0) == DataType::kResource) {
    ResourceHandle h;
    h.device = context.device()->name();
    h.container = "TensorHandle";
    h.name = std::move(handle);
    h.maybe_type_name = "Tensor";
    context.set_output(0, handle_tensor(std::move(h)));
    return absl::OkStatus();
  }
  context.set_output(0, Tensor::string_scalar(handle));
  return absl::OkStatus();
}

absl::StatusOr<std::string> session_handle_name(const Tensor& t) {
  if (t.num_elements() != 1) return absl::InvalidArgumentError("handle must be scalar");
  return t.value<TString>().str();
}

/// A handle of this very step does not exist yet, as in TensorFlow: its tensor is the session's when the step has ended.
bool is_pending(KernelContext& context, const std::string& handle) {
  auto own = StepHandles::find(context.resources(), context.step().step_container);
  return own != nullptr && own->is_pending(handle);
}

absl::Status no_session_state(const KernelContext& context) {
  return absl::FailedPreconditionError(
      absl::StrCat(context.node().op->name, " called on null session state"));
}

absl::Status get_session_tensor(KernelContext& context) {
  SessionTensors* store = context.step().session_tensors;
  if (store == nullptr) return no_session_state(context);
  TROUPE_ASSIGN_OR_RETURN(std::string name, session_handle_name(context.input(0)));
  if (is_pending(context, name)) {
    return absl::InvalidArgumentError(
        absl::StrCat("The tensor with handle '", name, "' is not in the session store."));
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor value, store->get(name));
  context.set_output(0, std::move(value));
  return absl::OkStatus();
}

absl::Status delete_session_tensor(KernelContext& context) {
  SessionTensors* store = context.step().session_tensors;
  if (store == nullptr) return no_session_state(context);
  TROUPE_ASSIGN_OR_RETURN(std::string name, session_handle_name(context.input(0)));
  if (is_pending(context, name)) {
    return absl::InvalidArgumentError(
        absl::StrCat("Failed to delete a tensor with handle '", name, "' in the session store."));
  }
  return store->erase(name);
}

}  // namespace

void register_control_basics(KernelRegistry* registry) {
  auto cheap = [registry](const char* op, KernelFn f) { registry->add(KernelDef(op).fn(f, /*cheap=*/true)); };
  cheap("NoOp", no_op);
  cheap("ControlTrigger", no_op);
  for (const char* op : {"Identity", "RefIdentity", "LoopCond"}) cheap(op, identity);
  for (const char* op : {"DebugGradientIdentity", "DebugGradientRefIdentity"}) cheap(op, identity);
  for (const char* op : {"IdentityN", "_ListToArray", "_ArrayToList"}) cheap(op, identity_n);
  for (const char* op : {"Switch", "RefSwitch", "_SwitchN", "Merge", "RefMerge", "Enter", "RefEnter", "Exit",
                         "RefExit", "NextIteration", "RefNextIteration"}) {
    cheap(op, executor_only);
  }
  cheap("RefSelect", ref_select);
  cheap("Abort", abort_op);
  cheap("ToBool", to_bool);
  cheap("_ToBool", to_bool);
  cheap("Timestamp", timestamp);
  cheap("GetSessionHandle", get_session_handle);
  cheap("GetSessionHandleV2", get_session_handle);
  cheap("GetSessionTensor", get_session_tensor);
  cheap("DeleteSessionTensor", delete_session_tensor);
  registry->add(KernelDef("Const").kernel<ConstKernel>());
  for (const char* op : {"Placeholder", "PlaceholderV2"})
    registry->add(KernelDef(op).kernel<PlaceholderKernel>());
  registry->add(KernelDef("FakeParam").kernel<FakeParamKernel>());
  for (const char* op : {"_Arg", "_DeviceArg"}) registry->add(KernelDef(op).kernel<ArgKernel>());
  for (const char* op : {"_Retval", "_DeviceRetval"}) registry->add(KernelDef(op).kernel<RetvalKernel>());
}

}  // namespace troupe
