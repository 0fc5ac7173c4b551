// Calls of functions that were not inlined. Functional control flow has been lowered before kernels are made.

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/functional.h"
#include "devices/function_runner.h"

namespace troupe {

absl::Status needs_a_session(const KernelContext& context) {
  return absl::FailedPreconditionError(
      absl::StrCat(context.node().op->name, " needs a session, which runs functions"));
}

namespace {

/// Runs the node's function with inputs from `first` on, and hands on its results.
void call_with_inputs(KernelContext& context, const std::string& device, int first, AsyncKernel::Done done) {
  FunctionRunner* runner = context.step().functions;
  if (runner == nullptr) return done(needs_a_session(context));
  // Of the node that runs: kernels of stateful ops are shared by nodes of one name.
  const AttrValue* f = context.node().attrs.find("f");
  const FunctionRef* function = f == nullptr ? nullptr : f->get<FunctionRef>();
  if (function == nullptr) return done(absl::InvalidArgumentError("No attr named 'f' that is a function"));
  std::vector<Tensor> args;
  args.reserve(context.num_inputs());
  for (int i = first; i < context.num_inputs(); ++i) args.push_back(context.take_input(i));
  runner->call(*function, device, std::move(args),
               [&context, done = std::move(done)](absl::Status status, std::vector<Tensor> results) {
                 if (status.ok() && static_cast<int>(results.size()) != context.num_outputs()) {
                   status = absl::InternalError(absl::StrCat("a function gave ", results.size(),
                                                             " results of ", context.num_outputs()));
                 }
                 for (size_t i = 0; status.ok() && i < results.size(); ++i) {
                   context.set_output(static_cast<int>(i), std::move(results[i]));
                 }
                 done(std::move(status));
               });
}

/// PartitionedCall, StatefulPartitionedCall: what the inliner leaves of calls.
class CallKernel final : public AsyncKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction&) {
    return std::make_unique<CallKernel>();
  }
  void compute_async(KernelContext& context, Done done) override {
    call_with_inputs(context, context.device()->name(), 0, std::move(done));
  }
};

/// RemoteCall to a device that only the step knows.
class RemoteCallKernel final : public AsyncKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction&) {
    return std::make_unique<RemoteCallKernel>();
  }
  void compute_async(KernelContext& context, Done done) override {
    const Tensor& target = context.input(0);
    if (target.num_elements() != 1) {
      return done(absl::InvalidArgumentError(absl::StrCat(
          "RemoteCall: the target must be a scalar, but has shape ", target.shape().to_string())));
    }
    call_with_inputs(context, std::string(target.flat<TString>()[0].view()), 1, std::move(done));
  }
};

}  // namespace

void register_functional_kernels(KernelRegistry* registry) {
  registry->add(KernelDef("PartitionedCall").kernel<CallKernel>());
  registry->add(KernelDef("StatefulPartitionedCall").kernel<CallKernel>());
  registry->add(KernelDef("RemoteCall").kernel<RemoteCallKernel>());
  register_map_defun_kernels(registry);
}

}  // namespace troupe
