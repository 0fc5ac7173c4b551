#include "devices/cpu/kernels/dataset/iterator_threads.h"

#include "devices/function_runner.h"
#include "graph/thrown.h"

namespace troupe {
namespace {

class WaitingKernel final : public AsyncKernel {
 public:
  explicit WaitingKernel(KernelFn fn) : fn_(fn) {}
  void compute_async(KernelContext& context, Done done) override {
    const absl::Status begun = services_of(context.step()).blocking.run([fn = fn_, &context, done] {
      return [done, status = guarded("a kernel", [&] { return fn(context); })] { done(status); };
    });
    if (!begun.ok()) done(begun);
  }

 private:
  const KernelFn fn_;
};

}  // namespace

void add_waiting_kernel(KernelRegistry* registry, const std::string& op, KernelFn fn) {
  KernelDef def(op);
  def.factory = [fn](const KernelConstruction&) -> absl::StatusOr<std::unique_ptr<Kernel>> {
    return std::make_unique<WaitingKernel>(fn);
  };
  registry->add(std::move(def));
}

}  // namespace troupe
