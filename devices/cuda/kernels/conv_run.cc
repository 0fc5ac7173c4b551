#include "devices/cuda/kernels/conv_run.h"

#include <algorithm>

#include "devices/cuda/kernels/conv_shape.h"
#include "devices/cuda/kernels/products.h"
#include "devices/cuda/kernels/workspace.h"

namespace troupe {
namespace {

/// Sums that are worked on at a time when a filter's gradient is made: enough to fill a GPU.
constexpr int64_t kPartialSums = int64_t{1} << 17;
/// Output positions that one of them goes over at least.
constexpr int64_t kPositionsPerSum = 64;

ConvShape shape_of(const ConvProblem& p) {
  ConvShape s;
  s.batch = p.batch;
  s.in_channels = p.in_channels;
  s.out_channels = p.out_channels;
  s.groups = p.groups;
  s.channels_last = p.channels_last != 0;
  // Two dimensions are the last of three.
  const auto first = static_cast<size_t>(3 - p.spatial_rank);
  for (size_t i = first; i < 3; ++i) {
    const size_t from = i - first;
    s.in[i] = p.in[from];
    s.out[i] = p.out[from];
    s.kernel[i] = p.kernel[from];
    s.stride[i] = p.stride[from];
    s.dilation[i] = p.dilation[from];
    s.before[i] = p.pad_before[from];
  }
  return s;
}

/// A convolution whose pixels each see but themselves.
bool is_product(const ConvProblem& p) {
  if (p.channels_last == 0 || p.groups != 1) return false;
  for (size_t i = 0; i < 3; ++i) {
    if (p.kernel[i] != 1 || p.stride[i] != 1 || p.in[i] != p.out[i] || p.pad_before[i] != 0) return false;
  }
  return true;
}

absl::Status enqueue_as_product(KernelContext& context, ConvPass pass, const ConvProblem& p,
                                const Tensor& first, const Tensor& second, Tensor* result) {
  const int64_t pixels = p.batch * p.in[0] * p.in[1] * p.in[2];
  MatrixProduct product;
  product.dtype = result->dtype();
  switch (pass) {
    case ConvPass::kForward:
      product.m = pixels;
      product.n = p.out_channels;
      product.k = p.in_channels;
      return enqueue_product(context, product, first.raw(), second.raw(), result->raw());
    case ConvPass::kBackwardInput:
      product.m = pixels;
      product.n = p.in_channels;
      product.k = p.out_channels;
      product.b = MatrixForm::kTransposed;
      return enqueue_product(context, product, second.raw(), first.raw(), result->raw());
    default:
      product.m = p.in_channels;
      product.n = p.out_channels;
      product.k = pixels;
      product.a = MatrixForm::kTransposed;
      return enqueue_product(context, product, first.raw(), second.raw(), result->raw());
  }
}

absl::Status enqueue_own(KernelContext& context, ConvPass pass, const ConvProblem& p, const Tensor& first,
                         const Tensor& second, Tensor* result) {
  const ConvShape shape = shape_of(p);
  const DataType dtype = result->dtype();
  const int64_t count = result->num_elements();
  if (pass != ConvPass::kBackwardFilter) {
    const char* kernel = pass == ConvPass::kForward ? "conv_forward" : "conv_backward_input";
    return enqueue(context, with_suffix(kernel, dtype), count, first.raw(), second.raw(), result->raw(),
                   shape);
  }
  const int64_t positions = p.batch * p.out[0] * p.out[1] * p.out[2];
  const int64_t chunks =
      std::clamp<int64_t>(std::min(kPartialSums / count, positions / kPositionsPerSum), 1, positions);
  const DataType sums = dtype == DataType::kDouble ? DataType::kDouble : DataType::kFloat;
  TROUPE_ASSIGN_OR_RETURN(Tensor partial, context.allocate_temp(sums, Shape{chunks, count}));
  TROUPE_RETURN_IF_ERROR(enqueue(context, with_suffix("conv_backward_filter", dtype), chunks * count,
                                 first.raw(), second.raw(), partial.raw(), chunks, shape));
  return enqueue(context, with_suffix("conv_sum_chunks", dtype), count, partial.raw(), result->raw(), chunks,
                 count);
}

}  // namespace

absl::Status enqueue_conv(KernelContext& context, ConvPass pass, const ConvProblem& p, const Tensor& first,
                          const Tensor& second, Tensor* result) {
  if (result->num_elements() == 0) return absl::OkStatus();
  if (p.batch * p.in_image() == 0 || p.batch * p.out_image() == 0) return enqueue_zeros(context, result);
  if (is_product(p)) return enqueue_as_product(context, pass, p, first, second, result);
  // A channel for itself has no sum that would keep a library busy: it is bound by memory.
  const bool depthwise = p.groups > 1 && p.groups == p.in_channels;
  ConvLibrary* library = Libraries::of(CudaDevice::of(context).gpu()).convolutions();
  if (library != nullptr && !depthwise) {
    const absl::Status status = enqueue_library_conv(context, *library, pass, p, first, second, result);
    if (!absl::IsUnimplemented(status)) return status;
  }
  return enqueue_own(context, pass, p, first, second, result);
}

}  // namespace troupe
