#include "devices/common/array/slice_kernels.h"

#include <algorithm>
#include <utility>

#include "devices/common/array/part.h"
#include "devices/common/array_values.h"

namespace troupe {
namespace {

/// Output 0: what lies along the axes, in its own memory, or in that of the input where it is one run.
absl::Status cut_out(KernelContext& context, int64_t start, std::span<const BoxAxis> axes, Shape shape,
                     BoxCopy copy) {
  const Tensor& input = context.input(0);
  const bool is_run =
      std::all_of(axes.begin(), axes.end(), [](const BoxAxis& a) { return a.size == 1 || a.from == a.to; });
  if (is_run && can_be_only_part(input, start, shape.num_elements())) {
    context.set_output(0, input.part(start, std::move(shape)));
    return absl::OkStatus();
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  if (out->num_elements() == 0) return absl::OkStatus();
  return copy(context, input, start, axes, out);
}

}  // namespace

absl::Status slice(KernelContext& context, BoxCopy copy) {
  const Tensor &input = context.input(0), &begin = context.input(1), &size = context.input(2);
  const int rank = input.rank();
  if (!is_vector(begin) || !is_vector(size) || begin.dim(0) != rank || size.dim(0) != rank) {
    return invalid("Expected begin and size arguments to be 1-D tensors of size ", rank, ", but got shapes ",
                   begin.shape().to_string(), " and ", size.shape().to_string(), " instead.");
  }
  Shape shape = input.shape();
  const Indices strides = strides_of(input.shape());
  int64_t start = 0;
  for (int i = 0; i < rank; ++i) {
    const int64_t b = int_at(begin, i), d = input.dim(i);
    int64_t s = int_at(size, i);
    if (b < 0 || b > d) return invalid("Expected begin[", i, "] in [0, ", d, "], but got ", b);
    if (s == -1) s = d - b;
    if (s < 0 || s > d - b) return invalid("Expected size[", i, "] in [0, ", d - b, "], but got ", s);
    shape.set_dim(i, s);
    start += input.num_elements() == 0 ? 0 : b * strides[i];
  }
  if (shape == input.shape()) {
    context.set_output(0, input);
    return absl::OkStatus();
  }
  const Indices to = strides_of(shape);
  BoxAxes axes;
  for (int i = 0; i < rank; ++i) axes.push_back({shape.dim(i), strides[i], to[i]});
  return cut_out(context, start, axes, std::move(shape), copy);
}

absl::Status strided_slice(KernelContext& context, const StridedMasks& masks, BoxCopy copy) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(StridedRange range, resolve_slice(input.shape().dims(), context.input(1),
                                                            context.input(2), context.input(3), masks));
  if (range.identity) {
    context.set_output(0, input.reshaped(std::move(range.shape)));
    return absl::OkStatus();
  }
  BoxAxes axes;
  int64_t start = 0;
  if (int64_t to = range.shape.num_elements(); to != 0) {
    Indices steps;
    start = range.offset_and_steps(input.shape(), &steps);
    for (int i = 0; i < input.rank(); ++i) {
      to /= range.size[i];
      axes.push_back({range.size[i], steps[i], to});
    }
  }
  return cut_out(context, start, axes, std::move(range.shape), copy);
}

}  // namespace troupe
