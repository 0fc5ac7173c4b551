// Select, SelectV2 and BroadcastTo: elements are moved, whatever they are.
#include "absl/strings/str_cat.h"
#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/array_parts.h"
#include "devices/cuda/kernels/broadcasting.h"
#include "devices/cuda/kernels/cwise_parts.h"
#include "devices/cuda/kernels/cwise_rows.h"

namespace troupe {
namespace {

/// The kernel that moves elements of this size: "select_u32".
std::string by_size(const char* kernel, DataType dtype) {
  switch (dtype_size(dtype)) {
    case 1: return absl::StrCat(kernel, "_u8");
    case 2: return absl::StrCat(kernel, "_u16");
    case 4: return absl::StrCat(kernel, "_u32");
    case 8: return absl::StrCat(kernel, "_u64");
    default: return absl::StrCat(kernel, "_c128");
  }
}

/// Output 0 of this shape, to which all inputs broadcast.
absl::Status enqueue_select(KernelContext& context, const Shape& shape) {
  const Tensor& condition = context.input(0);
  const Tensor& t = context.input(1);
  const Tensor& e = context.input(2);
  TROUPE_ASSIGN_OR_RETURN(const BroadcastPlan<3> plan, broadcast_plan<3>(shape, {&condition.shape(), &t.shape(), &e.shape()}));
  const void *const c = condition.raw(), *const then = t.raw(), *const other = e.raw();
  const std::string kernel = by_size("select", t.dtype());
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({1, 2}, 0, shape));
  return enqueue(context, kernel, shape.num_elements(), c, then, other, out->raw(), plan);
}

/// A condition of rank 1 chooses whole rows of dimension 0.
absl::Status select_rows(KernelContext& context) {
  const Tensor& condition = context.input(0);
  const Tensor& t = context.input(1);
  if (t.rank() < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("'then' must be at least a vector, but saw shape: ", t.shape().to_string()));
  }
  if (t.dim(0) != condition.num_elements()) {
    return absl::InvalidArgumentError(absl::StrCat("Number of batches of 'then' must match size of 'cond', but saw: ", t.dim(0),
                                                   " vs. ", condition.num_elements()));
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, t.shape()));
  return enqueue(context, by_size("select_rows", t.dtype()), t.num_elements(), condition.raw(), t.raw(), context.input(2).raw(),
                 out->raw(), t.dim(0), t.shape().num_elements(1, t.rank()));
}

absl::Status select(KernelContext& context) {
  const Tensor& condition = context.input(0);
  const Tensor& t = context.input(1);
  const int rank = condition.rank();
  if (!(t.shape() == context.input(2).shape())) return shapes_differ(context, rank <= 1 ? 1 : 0, 2);
  if (rank == 0 || condition.shape() == t.shape()) return enqueue_select(context, t.shape());
  if (rank == 1 && !(t.rank() == 1 && t.dim(0) != condition.dim(0))) return select_rows(context);
  return shapes_differ(context, 0, 1);
}

absl::Status select_v2(KernelContext& context) {
  const Tensor& condition = context.input(0);
  const Tensor& t = context.input(1);
  const Tensor& e = context.input(2);
  std::optional<Shape> shape = common_shape(t.shape(), e.shape());
  if (shape) shape = common_shape(condition.shape(), *shape);
  if (!shape) {
    return absl::InvalidArgumentError(absl::StrCat("condition ", condition.shape().to_string(), ", then ", t.shape().to_string(),
                                                   ", and else ", e.shape().to_string(), " must be broadcastable"));
  }
  return enqueue_select(context, *shape);
}

absl::Status broadcast_to(KernelContext& context) {
  const Tensor& in = context.input(0);
  const Tensor& sizes = context.input(1);
  // A single size is taken for a vector of one.
  if (sizes.rank() > 1) return invalid("shape must be a vector of {int32,int64}, got shape ", sizes.shape().to_string());
  const Indices dims = ints_of(sizes);
  for (int64_t d : dims) {
    if (d < 0) return invalid("Dimension ", d, " must be >= 0");
  }
  TROUPE_ASSIGN_OR_RETURN(const Shape shape, Shape::make({dims.data(), dims.size()}));
  if (in.shape() == shape) {
    context.forward_input(0, 0);
    return absl::OkStatus();
  }
  if (in.rank() > shape.rank()) {
    return invalid("Rank of input (", in.rank(), ") must be no greater than rank of output shape (", shape.rank(), ").");
  }
  const std::optional<Shape> result = common_shape(in.shape(), shape);
  if (!result || !(*result == shape)) return invalid("Incompatible shapes: ", in.shape().to_string(), " vs. ", shape.to_string());
  TROUPE_ASSIGN_OR_RETURN(const BroadcastPlan<1> plan, broadcast_plan<1>(shape, {&in.shape()}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  return enqueue(context, by_size("broadcast", in.dtype()), shape.num_elements(), in.raw(), out->raw(), plan);
}

}  // namespace

void register_cuda_cwise_select(KernelRegistry* registry) {
  registry->add(KernelDef("Select").device("GPU").types("T", gpu_types_and_int32()).fn(select));
  registry->add(KernelDef("SelectV2").device("GPU").types("T", gpu_types_and_int32()).fn(select_v2));
  registry->add(KernelDef("BroadcastTo").device("GPU").types("T", gpu_types()).host_memory({"shape"}).fn(broadcast_to));
  add_int32_on_host(registry, "BroadcastTo", {"input", "shape", "output"});
}

}  // namespace troupe
