#include "devices/cuda/kernels/copies.h"

#include <mutex>
#include <utility>

#include "devices/cuda/copy_engine.h"
#include "devices/cuda/cuda_device.h"
#include "devices/first_answer.h"

namespace troupe {
namespace {

/// What its input has when all that the device has in hand is done. A step that is cancelled does not wait for it; the copy keeps what it
/// reads and writes.
class CopyToHost final : public AsyncKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction&) {
    return std::make_unique<CopyToHost>();
  }
  void compute_async(KernelContext& context, Done done) override {
    const auto answer = FirstAnswer::expect(context.cancellation(), std::move(done));
    // The executor, on whose thread this is, keeps the context until it returns.
    if (context.cancellation().cancelled()) return;
    CudaDevice::of(context).copies().to_host(context.input(0),
                                             [answer, &context](absl::StatusOr<Tensor> copy) {
                                               answer->give(copy.status(), [&] {
                                                 if (copy.ok()) context.set_output(0, *std::move(copy));
                                               });
                                             });
  }
};

/// Enqueued before whatever reads it. Of a constant the first copy is kept as long as the kernel where the node says that nobody writes to it.
class CopyToDevice final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(const bool keep, c.attr<bool>("keep"));
    return std::make_unique<CopyToDevice>(keep && (c.node().constant_inputs & 1) != 0);
  }
  explicit CopyToDevice(bool keeps) : keeps_(keeps) {}

  absl::Status compute(KernelContext& context) override {
    CopyEngine& copies = CudaDevice::of(context).copies();
    if (!keeps_) {
      TROUPE_ASSIGN_OR_RETURN(Tensor copy, copies.to_device(context.input(0), context.allocator()));
      context.set_output(0, std::move(copy));
      return absl::OkStatus();
    }
    std::lock_guard lock(mu_);
    if (!kept_.initialized()) {
      // Not on the account of the step that happens to be the first.
      TROUPE_ASSIGN_OR_RETURN(kept_, copies.to_device(context.input(0), context.device()->allocator()));
    }
    context.set_output(0, kept_);
    return absl::OkStatus();
  }

 private:
  const bool keeps_;
  std::mutex mu_;
  Tensor kept_;  // guarded by mu_
};

}  // namespace

void register_cuda_copy_kernels(KernelRegistry* registry) {
  registry->add(KernelDef("_CopyToHost").device("GPU").host_memory({"output"}).kernel<CopyToHost>());
  registry->add(KernelDef("_CopyToDevice").device("GPU").host_memory({"input"}).kernel<CopyToDevice>());
}

}  // namespace troupe
