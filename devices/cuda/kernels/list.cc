#include "devices/cuda/kernels/list.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "devices/common/array_values.h"
#include "devices/common/list/element_memory.h"
#include "devices/common/list/tensor_list_types.h"
#include "devices/cuda/copy_engine.h"
#include "devices/cuda/cuda_device.h"
#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/host_kernel.h"
#include "devices/cuda/kernels/in_place.h"
#include "devices/cuda/kernels/pieces.h"

namespace troupe {
namespace {

bool is_on_host(const Tensor& t) {
  const Allocator* from = t.buffer() == nullptr ? nullptr : t.buffer()->allocator();
  return from == nullptr || from->is_host();
}

const char* address(const Tensor& t, int64_t offset) {
  return static_cast<const char*>(t.raw()) + offset * static_cast<int64_t>(dtype_size(t.dtype()));
}

class GpuElements final : public ElementMemory {
 public:
  absl::StatusOr<Tensor> here(KernelContext& context, const Tensor& element) const override {
    if (!is_on_host(element)) return element;
    return CudaDevice::of(context).copies().to_device(element, context.allocator());
  }
  absl::Status join(KernelContext& context, absl::Span<const ElementRun> runs, Tensor* out) const override {
    const auto size = static_cast<int64_t>(dtype_size(out->dtype()));
    std::vector<Piece> pieces;
    std::vector<Tensor> kept;  // until they are read
    pieces.reserve(runs.size());
    auto* to = static_cast<char*>(out->raw());
    for (const ElementRun& run : runs) {
      const int64_t bytes = run.count * size;
      const char* from = nullptr;
      if (run.from != nullptr && bytes > 0) {
        TROUPE_ASSIGN_OR_RETURN(Tensor element, here(context, *run.from));
        from = address(element, run.offset);
        if (!element.shares_buffer_with(*run.from)) kept.push_back(std::move(element));
      }
      pieces.push_back({from, to, bytes});
      to += bytes;
    }
    return enqueue_pieces(context, std::move(pieces));
  }
  absl::Status cut(KernelContext& context, const Tensor& from, absl::Span<Tensor> parts) const override {
    std::vector<Piece> pieces;
    pieces.reserve(parts.size());
    int64_t at = 0;
    for (Tensor& part : parts) {
      pieces.push_back({address(from, at), part.raw(), static_cast<int64_t>(part.bytes())});
      at += part.num_elements();
    }
    return enqueue_pieces(context, std::move(pieces));
  }
  absl::StatusOr<Tensor> zeros(KernelContext& context, DataType dtype, const Shape& shape) const override {
    if (!is_trivial(dtype)) return Tensor::make(dtype, shape);
    TROUPE_ASSIGN_OR_RETURN(Tensor zero, context.allocate_temp(dtype, shape));
    TROUPE_RETURN_IF_ERROR(enqueue_zeros(context, &zero));
    return zero;
  }
  bool has_sum(DataType dtype) const override {
    const std::vector<DataType>& types = gpu_sum_types();
    return std::find(types.begin(), types.end(), dtype) != types.end();
  }
  absl::Status add(KernelContext& context, const Tensor& from, Tensor* to) const override {
    TROUPE_ASSIGN_OR_RETURN(Tensor a, here(context, *to));
    TROUPE_ASSIGN_OR_RETURN(const Tensor b, here(context, from));
    if (a.shares_buffer_with(*to)) *to = Tensor();
    if (!a.unique()) {
      TROUPE_ASSIGN_OR_RETURN(Tensor sum, context.allocate_temp(a.dtype(), a.shape()));
      TROUPE_RETURN_IF_ERROR(enqueue_sum(context, false, a, b, &sum));
      a = std::move(sum);
    } else {
      TROUPE_RETURN_IF_ERROR(enqueue_sum(context, false, a, b, &a));
    }
    *to = std::move(a);
    return absl::OkStatus();
  }
  absl::StatusOr<Tensor*> host_output(KernelContext& context, int i, const Shape& shape) const override {
    return allocate_host_output(context, i, shape);
  }
};

std::vector<DataType> those_of(const std::vector<DataType>& types, const std::vector<DataType>& allowed) {
  if (allowed.empty()) return types;
  std::vector<DataType> result;
  for (DataType t : types) {
    if (std::find(allowed.begin(), allowed.end(), t) != allowed.end()) result.push_back(t);
  }
  return result;
}

/// Types of which all elements are on the host, apart from variants.
std::vector<DataType> types_on_host() {
  std::vector<DataType> result;
  for (DataType t : list_element_types()) {
    const std::vector<DataType>& ours = gpu_variable_types();
    if (t != DataType::kVariant && std::find(ours.begin(), ours.end(), t) == ours.end()) result.push_back(t);
  }
  return result;
}

void add(KernelRegistry* registry, ElementOp op) {
  KernelDef def(op.op);
  def.device("GPU");
  def.host_memory_args = op.host_args;
  def.priority = op.priority;
  def.factory = op.factory;
  if (op.type_attr == nullptr || op.types == std::vector<DataType>{DataType::kVariant}) {
    if (op.type_attr != nullptr) def.constraints.emplace_back(op.type_attr, op.types);
    registry->add(std::move(def));
    return;
  }
  def.constraints.emplace_back(op.type_attr, those_of(gpu_variable_types(), op.types));
  registry->add(std::move(def));
  const auto on_host = [&](const std::vector<DataType>& types, const std::vector<std::string>& host_args) {
    std::vector<DataType> ours = those_of(types, op.types);
    if (ours.empty()) return;
    KernelDef host(op.op);
    host.device("GPU");
    host.constraints.emplace_back(op.type_attr, std::move(ours));
    host.host_memory_args = host_args;
    add_host_kernel(registry, std::move(host));
  };
  // Variants count as being where what is in them is (graph/passes/cross_memory).
  on_host({DataType::kVariant}, op.host_args);
  op.host_args.insert(op.host_args.end(), op.element_args.begin(), op.element_args.end());
  on_host(types_on_host(), op.host_args);
}

}  // namespace

void register_cuda_list_kernels(KernelRegistry* registry) {
  static const GpuElements* const memory = new GpuElements;
  const AddElementOp adder = [registry](ElementOp op) { add(registry, std::move(op)); };
  add_stack_ops(memory, adder);
  add_tensor_array_ops(memory, adder);
  add_tensor_list_ops(memory, adder);
  add_variant_math_ops(memory, adder);
}

}  // namespace troupe
