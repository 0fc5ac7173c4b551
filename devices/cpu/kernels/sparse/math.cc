// Arithmetic of sparse tensors: SparseAdd and its gradient, SparseSparseMaximum and -Minimum, SparseSoftmax.
#include <Eigen/Core>
#include <cmath>
#include <complex>

#include "devices/cpu/kernels/sparse/parts.h"
#include "devices/cpu/loops/combine.h"

namespace troupe {
namespace {

/// Walks the rows of two ordered lists together: fn(i, j), where one of the two is -1 when only the other
/// list has it.
template <class Fn>
void merge_rows(const int64_t* a, int64_t a_count, const int64_t* b, int64_t b_count, int rank, Fn&& fn) {
  int64_t i = 0, j = 0;
  while (i < a_count || j < b_count) {
    const int order = i == a_count ? 1 : j == b_count ? -1 : compare_rows(a + i * rank, b + j * rank, rank);
    fn(order <= 0 ? i : -1, order >= 0 ? j : -1);
    if (order <= 0) ++i;
    if (order >= 0) ++j;
  }
}

/// The union of two lists of rows.
struct Union {
  std::vector<int64_t> a, b;  // positions, -1 where absent
  std::vector<int64_t> rows;
};

absl::Status same_dims(const Tensor& a, const Tensor& b) {
  if (a.num_elements() != b.num_elements()) {
    return invalid("Operands do not have the same ranks; got shapes: ", absl::StrJoin(ints_of(a), " "),
                   " and ", absl::StrJoin(ints_of(b), " "));
  }
  for (int64_t d = 0; d < a.num_elements(); ++d) {
    if (int_at(a, d) != int_at(b, d)) {
      return invalid("Operands' shapes do not match: got ", int_at(a, d), " and ", int_at(b, d),
                     " for dimension ", d);
    }
  }
  return absl::OkStatus();
}

absl::Status check_add(KernelContext& context) {
  const Tensor &a = context.input(0), &b = context.input(3);
  if (a.rank() != 2 || b.rank() != 2) {
    return invalid("Input indices should be matrices but received shapes: ", a.shape().to_string(), " and ",
                   b.shape().to_string());
  }
  if (a.dim(1) != b.dim(1))
    return invalid("Input indices must have the same dimension, got ", a.dim(1), " and ", b.dim(1));
  const Tensor &x = context.input(1), &y = context.input(4);
  if (!is_vector(x) || !is_vector(y)) {
    return invalid("Input values should be vectors but received shapes: ", x.shape().to_string(), " and ",
                   y.shape().to_string());
  }
  if (x.dim(0) != a.dim(0) || y.dim(0) != b.dim(0)) {
    return invalid("Expected ", a.dim(0), " and ", b.dim(0), " non-empty input values, got ", x.dim(0),
                   " and ", y.dim(0));
  }
  const Tensor &a_dims = context.input(2), &b_dims = context.input(5);
  if (!is_vector(a_dims) || !is_vector(b_dims)) {
    return invalid("Input shapes should be a vector but received shapes ", a_dims.shape().to_string(),
                   " and ", b_dims.shape().to_string());
  }
  if (a.dim(1) != a_dims.dim(0)) {
    return invalid("Second dimension of a_indices and length of a_shape must match, got ", a.dim(1), " and ",
                   a_dims.dim(0));
  }
  TROUPE_RETURN_IF_ERROR(same_dims(a_dims, b_dims));
  if (!is_scalar(context.input(6))) {
    return invalid("The magnitude threshold must be a scalar: got shape ",
                   context.input(6).shape().to_string());
  }
  return absl::OkStatus();
}

template <class T>
double magnitude(const T& v) {
  if constexpr (Eigen::NumTraits<T>::IsComplex) {
    return static_cast<double>(std::abs(v));
  } else {
    return std::fabs(static_cast<double>(v));
  }
}

template <class T>
T sum_of(const T& a, const T& b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
  } else {
    return a + b;
  }
}

/// A real scalar of any dtype.
double real_scalar(const Tensor& t) {
  switch (t.dtype()) {
    case DataType::kFloat: return t.value<float>();
    case DataType::kDouble: return t.value<double>();
    case DataType::kHalf: return static_cast<double>(t.value<Eigen::half>());
    case DataType::kBfloat16: return static_cast<double>(t.value<Eigen::bfloat16>());
    case DataType::kUint64: return static_cast<double>(t.value<uint64_t>());
    default: return static_cast<double>(int_at(t, 0));
  }
}

/// Entries smaller than the threshold are left out.
template <class T>
absl::Status sparse_add(KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(check_add(context));
  const int rank = static_cast<int>(context.input(2).dim(0));
  const auto threshold = real_scalar(context.input(6));
  const int64_t *a = context.input(0).flat<int64_t>().data(), *b = context.input(3).flat<int64_t>().data();
  const T *x = context.input(1).flat<T>().data(), *y = context.input(4).flat<T>().data();
  std::vector<int64_t> rows;
  std::vector<T> sums;
  merge_rows(a, context.input(0).dim(0), b, context.input(3).dim(0), rank, [&](int64_t i, int64_t j) {
    const T sum = i < 0 ? y[j] : j < 0 ? x[i] : sum_of(x[i], y[j]);
    // What only one operand has stays, however small.
    if (i >= 0 && j >= 0 && !(magnitude(sum) >= threshold)) return;
    const int64_t* row = i < 0 ? b + j * rank : a + i * rank;
    rows.insert(rows.end(), row, row + rank);
    sums.push_back(sum);
  });
  const auto count = static_cast<int64_t>(sums.size());
  TROUPE_RETURN_IF_ERROR(output_rows(context, 0, rows, count, rank));
  TROUPE_ASSIGN_OR_RETURN(Tensor * values, context.allocate_output(1, Shape{count}));
  std::copy(sums.begin(), sums.end(), values->flat<T>().begin());
  context.set_output(2, context.input(2));
  return absl::OkStatus();
}

/// Each operand's entry takes the gradient of the sum's entry at the same place, if there is one.
absl::Status sparse_add_grad(KernelContext& context) {
  const Tensor &grad = context.input(0), &sum = context.input(3);
  if (!is_vector(grad))
    return invalid("Input backprop_val_grad should be a vector but received shape: ",
                   grad.shape().to_string());
  for (int i : {1, 2, 3}) {
    if (context.input(i).rank() != 2) {
      return invalid("Input indices should be matrices but received shape: ",
                     context.input(i).shape().to_string());
    }
  }
  if (grad.dim(0) != sum.dim(0)) {
    return invalid(
        "# elements of backprop_val_grad and # rows of sum_indices should match (#nnz of sum): got ",
        grad.dim(0), " and ", sum.dim(0));
  }
  const int64_t rank = sum.dim(1);
  if (context.input(1).dim(1) != rank || context.input(2).dim(1) != rank) {
    return invalid("The densified operands should have the same ndims; for A, B, sum got: ",
                   context.input(1).dim(1), ", ", context.input(2).dim(1), ", ", rank);
  }
  const int64_t* to = sum.flat<int64_t>().data();
  for (int operand = 0; operand < 2; ++operand) {
    const Tensor& indices = context.input(1 + operand);
    const int64_t* rows = indices.flat<int64_t>().data();
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(operand, Shape{indices.dim(0)}));
    fill_zero(context.parallel(), out->dtype(), out->raw(), out->num_elements());
    merge_rows(rows, indices.dim(0), to, sum.dim(0), static_cast<int>(rank), [&](int64_t i, int64_t k) {
      if (i >= 0 && k >= 0) copy_elements(grad, k, *out, i, 1);
    });
  }
  return absl::OkStatus();
}

template <Combine kOp>
absl::Status sparse_sparse(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Sparse a, read_sparse(context, 0));
  TROUPE_ASSIGN_OR_RETURN(Sparse b, read_sparse(context, 3));
  TROUPE_RETURN_IF_ERROR(same_dims(context.input(2), context.input(5)));
  for (const Sparse* s : {&a, &b}) {
    for (int64_t i = 0; i < s->nnz(); ++i) {
      if (within(s->row(i), s->dims)) continue;
      return invalid("Sparse index tuple indices[", i, ", :] = [",
                     absl::StrJoin(s->row(i), s->row(i) + s->rank(), ", "), "] is out of bounds");
    }
  }
  const int rank = a.rank();
  Union both;
  merge_rows(a.indices->flat<int64_t>().data(), a.nnz(), b.indices->flat<int64_t>().data(), b.nnz(), rank,
             [&](int64_t i, int64_t j) {
               const int64_t* row = i < 0 ? b.row(j) : a.row(i);
               both.rows.insert(both.rows.end(), row, row + rank);
               both.a.push_back(i);
               both.b.push_back(j);
             });
  const auto count = static_cast<int64_t>(both.a.size());
  TROUPE_RETURN_IF_ERROR(output_rows(context, 0, both.rows, count, rank));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(1, Shape{count}));
  TROUPE_ASSIGN_OR_RETURN(Tensor right, context.allocate_temp(out->dtype(), Shape{count}));
  fill_zero(context.parallel(), out->dtype(), out->raw(), count);
  fill_zero(context.parallel(), right.dtype(), right.raw(), count);
  for (int64_t k = 0; k < count; ++k) {
    if (both.a[k] >= 0) copy_elements(*a.values, both.a[k], *out, k, 1);
    if (both.b[k] >= 0) copy_elements(*b.values, both.b[k], right, k, 1);
  }
  if (count > 0) combine_loop(kOp, out->dtype())(out->raw(), right.raw(), count);
  return absl::OkStatus();
}

/// Over the entries that differ only in the last index.
template <class T>
absl::Status sparse_softmax(KernelContext& context) {
  const Tensor &indices = context.input(0), &values = context.input(1), &dims = context.input(2);
  if (indices.rank() != 2)
    return invalid("Input sp_indices should be a matrix but received shape: ", indices.shape().to_string());
  if (!is_vector(values) || !is_vector(dims)) {
    return invalid("Inputs sp_values and sp_shape should be vectors but received shapes: ",
                   values.shape().to_string(), " and ", dims.shape().to_string());
  }
  if (dims.num_elements() < 2) {
    return invalid("Input should have rank >= 2, but received shape: ", absl::StrJoin(ints_of(dims), " "));
  }
  if (indices.dim(1) != dims.dim(0)) return invalid("Order length must be SparseTensor rank.");
  TROUPE_RETURN_IF_ERROR(check_dims(ints_of(dims)));
  if (indices.dim(0) != values.dim(0)) {
    return invalid("indices and values rows (indexing dimension) must match. (indices = ", indices.dim(0),
                   ", values = ", values.dim(0), ")");
  }
  using Wide = std::conditional_t<std::is_same_v<T, Eigen::half>, float, T>;
  const int rank = static_cast<int>(dims.dim(0));
  const int64_t count = values.dim(0), *rows = indices.flat<int64_t>().data();
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({1}, 0, values.shape()));
  const T* from = values.flat<T>().data();
  T* to = out->flat<T>().data();
  for (int64_t begin = 0, end = 0; begin < count; begin = end) {
    while (end < count && compare_rows(rows + begin * rank, rows + end * rank, rank - 1) == 0) ++end;
    Wide top = static_cast<Wide>(from[begin]), sum = 0;
    for (int64_t i = begin; i < end; ++i) top = std::max(top, static_cast<Wide>(from[i]));
    for (int64_t i = begin; i < end; ++i) {
      const Wide e = std::exp(static_cast<Wide>(from[i]) - top);
      to[i] = static_cast<T>(e);
      sum += e;
    }
    for (int64_t i = begin; i < end; ++i) to[i] = static_cast<T>(static_cast<Wide>(to[i]) / sum);
  }
  return absl::OkStatus();
}

template <class... T>
void add_sums(KernelRegistry* registry) {
  (registry->add(KernelDef("SparseAdd").type<T>("T").types("Treal", real_number_types()).fn(sparse_add<T>)),
   ...);
}

}  // namespace

void register_sparse_math(KernelRegistry* registry) {
  add_sums<float, double, int8_t, int16_t, int32_t, int64_t, std::complex<float>, std::complex<double>>(
      registry);
  registry->add(KernelDef("SparseAddGrad").types("T", number_types()).fn(sparse_add_grad));
  registry->add(
      KernelDef("SparseSparseMaximum").types("T", real_number_types()).fn(sparse_sparse<Combine::kMax>));
  registry->add(
      KernelDef("SparseSparseMinimum").types("T", real_number_types()).fn(sparse_sparse<Combine::kMin>));
  registry->add(KernelDef("SparseSoftmax").type<float>("T").fn(sparse_softmax<float>));
  registry->add(KernelDef("SparseSoftmax").type<double>("T").fn(sparse_softmax<double>));
  registry->add(KernelDef("SparseSoftmax").type<Eigen::half>("T").fn(sparse_softmax<Eigen::half>));
}

}  // namespace troupe
