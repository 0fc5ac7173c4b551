#include <Eigen/Core>
#include <complex>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/sparse/parts.h"

namespace troupe {
namespace {

template <class T>
using Sum = std::conditional_t<std::is_same_v<T, Eigen::half> || std::is_same_v<T, Eigen::bfloat16>, float,
                               std::conditional_t<std::is_same_v<T, int32_t>, uint32_t, T>>;

template <class T>
T conj_if(bool conj, const T& v) {
  if constexpr (Eigen::NumTraits<T>::IsComplex) {
    return conj ? std::conj(v) : v;
  } else {
    (void)conj;
    return v;
  }
}

/// Extents of op(A) [rows, inner] times op(B) [inner, cols].
struct Extents {
  int64_t rows, inner, cols;
};

absl::StatusOr<Extents> check(const Tensor& indices, const Tensor& values, const Tensor& shape,
                              const Tensor& b, bool adjoint_a, bool adjoint_b) {
  if (b.rank() != 2) return absl::InvalidArgumentError("Tensor 'b' is not a matrix");
  if (shape.rank() != 1) return absl::InvalidArgumentError("Tensor 'a_shape' is not a vector");
  if (shape.num_elements() != 2) return absl::InvalidArgumentError("Tensor 'a_shape' must have 2 elements");
  if (values.rank() != 1) return absl::InvalidArgumentError("Tensor 'a_values' is not a vector");
  if (indices.rank() != 2) return absl::InvalidArgumentError("Tensor 'a_indices' is not a matrix");
  if (indices.dim(0) != values.num_elements()) {
    return absl::InvalidArgumentError(
        "Number of rows of a_indices does not match number of entries in a_values");
  }
  if (indices.dim(1) != 2) {
    return absl::InvalidArgumentError(
        "Number of columns of a_indices does not match number of entries in a_shape");
  }
  auto dims = shape.flat<int64_t>();
  if (dims[0] < 0 || dims[1] < 0)
    return absl::InvalidArgumentError("Dimensions of 'a_shape' must not be negative");
  Extents e{dims[adjoint_a ? 1 : 0], dims[adjoint_a ? 0 : 1], b.dim(adjoint_b ? 0 : 1)};
  if (e.inner != b.dim(adjoint_b ? 1 : 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("Cannot multiply A and B because inner dimension does not match: ", e.inner, " vs. ",
                     b.dim(adjoint_b ? 1 : 0), ".  Did you forget a transpose?  Dimensions of A: [", dims[0],
                     ", ", dims[1], ").  Dimensions of B: ", b.shape().to_string()));
  }
  return e;
}

template <class T, class Index>
absl::Status sparse_dense(KernelContext& context) {
  const Tensor &indices = context.input(0), &values = context.input(1), &b = context.input(3);
  const bool adjoint_a = context.node().attrs.get_or<bool>("adjoint_a", false);
  const bool adjoint_b = context.node().attrs.get_or<bool>("adjoint_b", false);
  TROUPE_ASSIGN_OR_RETURN(const Extents e, check(indices, values, context.input(2), b, adjoint_a, adjoint_b));
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({{e.rows, e.cols}}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  std::vector<Sum<T>> sum(static_cast<size_t>(shape.num_elements()), Sum<T>(0));
  auto at = indices.flat<Index>();
  auto a = values.flat<T>();
  const T* dense = b.flat<T>().data();
  const int64_t step = adjoint_b ? e.inner : 1;
  for (size_t i = 0; i < a.size(); ++i) {
    const int64_t m = at[i * 2 + (adjoint_a ? 1 : 0)], k = at[i * 2 + (adjoint_a ? 0 : 1)];
    if (k < 0 || k >= e.inner) {
      return absl::InvalidArgumentError(absl::StrCat("k (", k, ") from index[", i, ",", adjoint_a ? 0 : 1,
                                                     "] out of bounds (>=", e.inner, ")"));
    }
    if (m < 0 || m >= e.rows) {
      return absl::InvalidArgumentError(absl::StrCat("m (", m, ") from index[", i, ",", adjoint_a ? 1 : 0,
                                                     "] out of bounds (>=", e.rows, ")"));
    }
    const auto x = static_cast<Sum<T>>(conj_if(adjoint_a, a[i]));
    const T* from = dense + (adjoint_b ? k : k * e.cols);
    Sum<T>* to = sum.data() + m * e.cols;
    for (int64_t n = 0; n < e.cols; ++n) to[n] += x * static_cast<Sum<T>>(conj_if(adjoint_b, from[n * step]));
  }
  std::span<T> result = out->flat<T>();
  for (size_t i = 0; i < result.size(); ++i) result[i] = static_cast<T>(sum[i]);
  return absl::OkStatus();
}

template <class... Ts>
void add(KernelRegistry* r) {
  const char* op = "SparseTensorDenseMatMul";
  (r->add(KernelDef(op).type<Ts>("T").template type<int32_t>("Tindices").fn(sparse_dense<Ts, int32_t>)), ...);
  (r->add(KernelDef(op).type<Ts>("T").template type<int64_t>("Tindices").fn(sparse_dense<Ts, int64_t>)), ...);
}

}  // namespace

void register_sparse_matmul(KernelRegistry* r) {
  add<float, double, int32_t, std::complex<float>, std::complex<double>, Eigen::half, Eigen::bfloat16>(r);
}

}  // namespace troupe
