// CheckNumerics: passes a tensor on, or fails when it holds NaN or infinity. Asynchronous, as the host must know; the stream goes on.
#include "devices/cuda/kernels/check_numerics.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "devices/common/array_values.h"
#include "devices/cuda/copy_engine.h"
#include "devices/cuda/cuda_device.h"
#include "devices/cuda/enqueue.h"

namespace troupe {
namespace {

/// kSigned: CheckNumericsV2, which tells the infinities apart.
template <bool kSigned>
class CheckNumerics final : public AsyncKernel {
 public:
  void attributes(AttrReader& a) { a("message", &message_); }

  void compute_async(KernelContext& context, Done done) override {
    context.forward_input(0, 0);
    absl::StatusOr<Tensor> found = enqueue_check(context);
    if (!found.ok()) return done(found.status());
    CudaDevice::of(context).copies().to_host(
        *found, [this, done = std::move(done)](absl::StatusOr<Tensor> on_host) {
          done(on_host.ok() ? status_of(on_host->flat<int32_t>()) : on_host.status());
        });
  }

 private:
  /// Three numbers in the GPU's memory: whether there is a NaN, +infinity, -infinity.
  static absl::StatusOr<Tensor> enqueue_check(KernelContext& context) {
    const Tensor& input = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(Tensor found, context.allocate_temp(DataType::kInt32, Shape{3}));
    TROUPE_RETURN_IF_ERROR(enqueue_zeros(context, &found));
    TROUPE_RETURN_IF_ERROR(enqueue(context, with_suffix("check_numerics", input.dtype()),
                                   input.num_elements(), input.raw(), found.raw(), input.num_elements()));
    return found;
  }

  absl::Status status_of(std::span<const int32_t> found) const {
    const bool nan = found[0] != 0, plus = found[1] != 0, minus = found[2] != 0;
    if (!nan && !plus && !minus) return absl::OkStatus();
    std::vector<std::string> kinds;
    if (kSigned) {
      if (minus) kinds.emplace_back("-Inf");
      if (plus) kinds.emplace_back("+Inf");
    } else if (minus || plus) {
      kinds.emplace_back("Inf");
    }
    if (nan) kinds.emplace_back("NaN");
    const std::string list = kinds.size() == 3 ? "-Inf, +Inf, and NaN" : absl::StrJoin(kinds, " and ");
    return invalid(message_, " : Tensor had ", list, " values");
  }

  std::string message_;
};

}  // namespace

void register_cuda_check_numerics_kernels(KernelRegistry* registry) {
  registry->add(
      KernelDef("CheckNumerics").device("GPU").types("T", float_types()).kernel<CheckNumerics<false>>());
  registry->add(
      KernelDef("CheckNumericsV2").device("GPU").types("T", float_types()).kernel<CheckNumerics<true>>());
}

}  // namespace troupe
