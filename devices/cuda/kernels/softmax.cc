#include "devices/cuda/kernels/softmax.h"

#include <algorithm>

#include "devices/common/array_values.h"
#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/cross_entropy_strides.h"

namespace troupe {
namespace {

/// Classes up to which one thread does a row.
constexpr int64_t kShortRow = 32;

template <bool kLog>
absl::Status softmax(KernelContext& c) {
  const Tensor& in = c.input(0);
  if (in.rank() < 1) return invalid("logits must have >= 1 dimension, got ", in.shape().to_string());
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.forward_or_allocate_output({0}, 0, in.shape()));
  if (out->num_elements() == 0) return absl::OkStatus();
  const int64_t classes = in.dim(in.rank() - 1), rows = in.num_elements() / classes;
  const int32_t log = kLog ? 1 : 0;
  if (classes <= kShortRow) {
    return enqueue(c, with_suffix("softmax_short", in.dtype()), rows, in.raw(), out->raw(), rows, classes,
                   log);
  }
  return enqueue_blocks(c, with_suffix("softmax", in.dtype()), rows, in.raw(), out->raw(), rows, classes,
                        log);
}

/// The size of a matrix that a tensor of rank 2 or less is: dimension -2 + i.
int64_t matrix_dim(const Shape& s, int i) { return s.rank() - 2 + i < 0 ? 1 : s.dim(s.rank() - 2 + i); }

absl::Status cross_entropy(KernelContext& c) {
  const Tensor &logits = c.input(0), &labels = c.input(1);
  int64_t sizes[2];
  for (int i = 0; i < 2; ++i) {
    const int64_t x = matrix_dim(logits.shape(), i), p = matrix_dim(labels.shape(), i);
    if (x != p && x != 1 && p != 1) {
      return invalid("logits and labels must be broadcastable: logits_size=", logits.shape().to_string(),
                     " labels_size=", labels.shape().to_string());
    }
    sizes[i] = x == 1 ? p : x;
  }
  if (std::max(logits.rank(), labels.rank()) != 2) {
    return invalid("logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional");
  }
  const auto [rows, classes] = sizes;
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({{rows, classes}}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * loss, c.allocate_output(0, Shape{rows}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * grad, c.allocate_output(1, shape));
  if (classes == 0) return enqueue_zeros(c, loss);
  const auto row_stride = [](const Tensor& t) {
    return matrix_dim(t.shape(), 0) == 1 ? int64_t{0} : matrix_dim(t.shape(), 1);
  };
  const auto column_stride = [](const Tensor& t) {
    return matrix_dim(t.shape(), 1) == 1 ? int64_t{0} : int64_t{1};
  };
  const CrossEntropyStrides strides = {row_stride(logits), column_stride(logits), row_stride(labels),
                                       column_stride(labels)};
  return enqueue_blocks(c, with_suffix("cross_entropy", logits.dtype()), rows, logits.raw(), labels.raw(),
                        loss->raw(), grad->raw(), rows, classes, strides);
}

absl::Status sparse_cross_entropy(KernelContext& c) {
  const Tensor &logits = c.input(0), &labels = c.input(1);
  if (logits.rank() != 2) return invalid("logits must be 2-D, but got shape ", logits.shape().to_string());
  if (labels.rank() != 1) return invalid("labels must be 1-D, but got shape ", labels.shape().to_string());
  if (logits.dim(0) != labels.dim(0)) {
    return invalid("logits and labels must have the same first dimension, got logits shape ",
                   logits.shape().to_string(), " and labels shape ", labels.shape().to_string());
  }
  if (logits.dim(1) <= 0) {
    return invalid("Must have at least one class, but got logits shape ", logits.shape().to_string());
  }
  const int64_t rows = logits.dim(0), classes = logits.dim(1);
  TROUPE_ASSIGN_OR_RETURN(Tensor * loss, c.allocate_output(0, Shape{rows}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * grad, c.allocate_output(1, logits.shape()));
  const char* op =
      labels.dtype() == DataType::kInt32 ? "sparse_cross_entropy_of_i32" : "sparse_cross_entropy_of_i64";
  return enqueue_blocks(c, with_suffix(op, logits.dtype()), rows, logits.raw(), labels.raw(), loss->raw(),
                        grad->raw(), rows, classes);
}

}  // namespace

void register_cuda_softmax_kernels(KernelRegistry* r) {
  const auto floats = [](const char* op) { return KernelDef(op).device("GPU").types("T", float_types()); };
  r->add(floats("Softmax").fn(softmax<false>));
  r->add(floats("LogSoftmax").fn(softmax<true>));
  r->add(floats("SoftmaxCrossEntropyWithLogits").fn(cross_entropy));
  r->add(
      floats("SparseSoftmaxCrossEntropyWithLogits").types("Tlabels", index_types()).fn(sparse_cross_entropy));
}

}  // namespace troupe
