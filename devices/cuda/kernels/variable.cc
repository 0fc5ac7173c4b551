#include "devices/cuda/kernels/variable.h"

#include <utility>

#include "devices/common/variable/variable_ops.h"
#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/in_place.h"

namespace troupe {
namespace {

absl::Status update(KernelContext& context, bool subtract, const Tensor& value, Tensor* target) {
  if (target->unique()) return enqueue_sum(context, subtract, *target, value, target);
  TROUPE_ASSIGN_OR_RETURN(Tensor out, context.allocate_temp(target->dtype(), target->shape()));
  TROUPE_RETURN_IF_ERROR(enqueue_sum(context, subtract, *target, value, &out));
  *target = std::move(out);
  return absl::OkStatus();
}

}  // namespace

void register_cuda_variable_kernels(KernelRegistry* registry) {
  const VariableDevice gpu{"GPU", gpu_variable_types(), gpu_sum_types(), enqueue_zeros, update};
  register_resource_variable_kernels(registry, gpu);
  register_ref_variable_kernels(registry, gpu);
}

}  // namespace troupe
