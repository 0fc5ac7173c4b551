#include "devices/cuda/kernels/host_kernel.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "devices/cuda/cuda_device.h"

namespace troupe {
namespace {

/// Runs a kernel of the CPU for a node of a GPU.
class HostKernel final : public Kernel {
 public:
  explicit HostKernel(std::unique_ptr<Kernel> kernel) : kernel_(std::move(kernel)) {}

  absl::Status compute(KernelContext& context) override {
    Allocator* const own = std::exchange(context.own_allocator, CudaDevice::of(context).host_allocator());
    absl::Status status = kernel_->compute(context);
    context.own_allocator = own;
    return status;
  }
  bool is_expensive() const override { return kernel_->is_expensive(); }

 private:
  const std::unique_ptr<Kernel> kernel_;
};

/// The same for one that finishes later, whose context goes when it has.
class AsyncHostKernel final : public AsyncKernel {
 public:
  explicit AsyncHostKernel(std::unique_ptr<Kernel> kernel) : kernel_(std::move(kernel)) {}

  void compute_async(KernelContext& context, Done done) override {
    context.own_allocator = CudaDevice::of(context).host_allocator();
    static_cast<AsyncKernel&>(*kernel_).compute_async(context, std::move(done));
  }

 private:
  const std::unique_ptr<Kernel> kernel_;
};

}  // namespace

void add_host_kernel(KernelRegistry* registry, KernelDef def) {
  def.factory = [registry](const KernelConstruction& c) -> absl::StatusOr<std::unique_ptr<Kernel>> {
    const std::string& op = c.node().op->name;
    TROUPE_ASSIGN_OR_RETURN(const KernelDef* cpu, registry->find(op, "CPU", c.node().attrs));
    if (cpu == nullptr) return absl::NotFoundError(absl::StrCat("The CPU has no kernel of ", op));
    TROUPE_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, cpu->factory(c));
    if (kernel->is_async()) return std::make_unique<AsyncHostKernel>(std::move(kernel));
    return std::make_unique<HostKernel>(std::move(kernel));
  };
  registry->add(std::move(def));
}

}  // namespace troupe
