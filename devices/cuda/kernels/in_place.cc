#include "devices/cuda/kernels/in_place.h"

#include <utility>

#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/broadcast_plan.h"

namespace troupe {

const std::vector<DataType>& gpu_sum_types() {
  static const auto* types = new std::vector<DataType>{
      DataType::kHalf,       DataType::kBfloat16, DataType::kFloat, DataType::kDouble, DataType::kComplex64,
      DataType::kComplex128, DataType::kInt8,     DataType::kInt16, DataType::kInt64,  DataType::kUint8,
      DataType::kUint16,     DataType::kUint32,   DataType::kUint64};
  return *types;
}

const std::vector<DataType>& gpu_variable_types() {
  static const auto* types = [] {
    auto* list = new std::vector<DataType>(gpu_sum_types());
    list->push_back(DataType::kBool);
    return list;
  }();
  return *types;
}

absl::Status make_unique_on_gpu(KernelContext& context, Tensor* t) {
  if (t->unique() || t->num_elements() == 0) return absl::OkStatus();
  TROUPE_ASSIGN_OR_RETURN(Tensor copy, context.allocate_temp(t->dtype(), t->shape()));
  TROUPE_RETURN_IF_ERROR(enqueue_copy(context, t->raw(), copy.raw(), t->bytes()));
  *t = std::move(copy);
  return absl::OkStatus();
}

absl::Status enqueue_sum(KernelContext& context, bool subtract, const Tensor& a, const Tensor& b,
                         Tensor* out) {
  const int64_t n = a.num_elements();
  BroadcastPlan<2> plan;
  plan.sizes[0] = n;
  plan.strides[0][0] = 1;
  plan.strides[1][0] = 1;
  return enqueue(context, with_suffix(subtract ? "sub" : "add", a.dtype()), n, a.raw(), b.raw(), out->raw(),
                 plan);
}

}  // namespace troupe
