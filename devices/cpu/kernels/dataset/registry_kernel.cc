#include "devices/cpu/kernels/dataset/registry_kernel.h"

namespace troupe {
namespace {

class RegistryKernel final : public Kernel {
 public:
  RegistryKernel(RegistryKernelFn fn, const KernelRegistry* kernels, bool cheap)
      : fn_(fn), kernels_(kernels), cheap_(cheap) {}
  absl::Status compute(KernelContext& context) override { return fn_(context, *kernels_); }
  bool is_expensive() const override { return !cheap_; }

 private:
  const RegistryKernelFn fn_;
  const KernelRegistry* const kernels_;
  const bool cheap_;
};

}  // namespace

KernelFactory with_registry(RegistryKernelFn fn, const KernelRegistry* kernels, bool cheap) {
  return [fn, kernels, cheap](const KernelConstruction&) -> absl::StatusOr<std::unique_ptr<Kernel>> {
    return std::make_unique<RegistryKernel>(fn, kernels, cheap);
  };
}

}  // namespace troupe
