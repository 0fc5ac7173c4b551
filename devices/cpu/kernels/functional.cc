// Calls of functions that were not inlined. Functional control flow has been lowered before kernels are made.

#include <atomic>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/register_kernels.h"
#include "devices/function_runner.h"

namespace troupe {
namespace {

absl::Status no_runner(const KernelContext& context) {
  return absl::FailedPreconditionError(
      absl::StrCat(context.node().op->name, " needs a session, which runs functions"));
}

/// Runs the function with inputs from `first` on, and hands on its results.
void call_with_inputs(KernelContext& context, const FunctionRef& f, const std::string& device, int first,
                      AsyncKernel::Done done) {
  FunctionRunner* runner = context.step().functions;
  if (runner == nullptr) return done(no_runner(context));
  std::vector<Tensor> args;
  args.reserve(context.num_inputs());
  for (int i = first; i < context.num_inputs(); ++i) args.push_back(context.take_input(i));
  runner->call(f, device, std::move(args),
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
  explicit CallKernel(FunctionRef f, std::string device) : f_(std::move(f)), device_(std::move(device)) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(FunctionRef f, c.attr<FunctionRef>("f"));
    return std::make_unique<CallKernel>(std::move(f), c.device()->name());
  }
  void compute_async(KernelContext& context, Done done) override {
    call_with_inputs(context, f_, device_, 0, std::move(done));
  }

 private:
  const FunctionRef f_;
  const std::string device_;
};

/// RemoteCall to a device that only the step knows.
class RemoteCallKernel final : public AsyncKernel {
 public:
  explicit RemoteCallKernel(FunctionRef f) : f_(std::move(f)) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(FunctionRef f, c.attr<FunctionRef>("f"));
    return std::make_unique<RemoteCallKernel>(std::move(f));
  }
  void compute_async(KernelContext& context, Done done) override {
    const Tensor& target = context.input(0);
    if (target.num_elements() != 1) {
      return done(absl::InvalidArgumentError(absl::StrCat(
          "RemoteCall: the target must be a scalar, but has shape ", target.shape().to_string())));
    }
    call_with_inputs(context, f_, std::string(target.flat<TString>()[0].view()), 1, std::move(done));
  }

 private:
  const FunctionRef f_;
};

}  // namespace

void register_functional_kernels(KernelRegistry* registry) {
  registry->add(KernelDef("PartitionedCall").kernel<CallKernel>());
  registry->add(KernelDef("StatefulPartitionedCall").kernel<CallKernel>());
  registry->add(KernelDef("RemoteCall").kernel<RemoteCallKernel>());
}

}  // namespace troupe
