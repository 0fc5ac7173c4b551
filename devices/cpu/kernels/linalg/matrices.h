#pragma once

#include <Eigen/Core>
#include <complex>
#include <type_traits>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {

/// A matrix as tensors hold it.
template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

namespace linalg_internal {
template <class T, class Scalar>
void load(const Tensor& t, int64_t offset, Matrix<Scalar>* m) {
  const T* p = t.flat<T>().data() + offset;
  for (int64_t i = 0; i < m->size(); ++i) m->data()[i] = static_cast<Scalar>(p[i]);
}
template <class T, class Scalar>
void store(const Matrix<Scalar>& m, Tensor* t, int64_t offset) {
  T* p = t->flat<T>().data() + offset;
  for (int64_t i = 0; i < m.size(); ++i) p[i] = static_cast<T>(m.data()[i]);
}
}  // namespace linalg_internal

template <class Scalar>
inline constexpr bool is_complex_scalar = Eigen::NumTraits<Scalar>::IsComplex;

/// Matrix number b of a batch, `rows` by `cols`. A complex Scalar takes real dtypes too.
template <class Scalar>
Matrix<Scalar> load_matrix(const Tensor& t, int64_t b, int64_t rows, int64_t cols) {
  Matrix<Scalar> m(rows, cols);
  int64_t offset = b * rows * cols;
  switch (t.dtype()) {
    case DataType::kFloat: linalg_internal::load<float>(t, offset, &m); break;
    case DataType::kDouble: linalg_internal::load<double>(t, offset, &m); break;
    case DataType::kHalf: linalg_internal::load<Eigen::half>(t, offset, &m); break;
    default:
      if constexpr (is_complex_scalar<Scalar>) {
        if (t.dtype() == DataType::kComplex64) {
          linalg_internal::load<std::complex<float>>(t, offset, &m);
        } else {
          linalg_internal::load<std::complex<double>>(t, offset, &m);
        }
      }
  }
  return m;
}

/// Writes matrix number b. The dtype of `t` is complex when Scalar is.
template <class Scalar>
void store_matrix(const Matrix<Scalar>& m, Tensor* t, int64_t b) {
  int64_t offset = b * static_cast<int64_t>(m.size());
  if constexpr (is_complex_scalar<Scalar>) {
    if (t->dtype() == DataType::kComplex64) return linalg_internal::store<std::complex<float>>(m, t, offset);
    linalg_internal::store<std::complex<double>>(m, t, offset);
  } else {
    switch (t->dtype()) {
      case DataType::kFloat: return linalg_internal::store<float>(m, t, offset);
      case DataType::kHalf: return linalg_internal::store<Eigen::half>(m, t, offset);
      default: return linalg_internal::store<double>(m, t, offset);
    }
  }
}

/// Writes a complex result, or its real part where the dtype is real.
inline void store_part(const Matrix<std::complex<double>>& m, Tensor* t, int64_t b) {
  if (is_complex(t->dtype())) return store_matrix<std::complex<double>>(m, t, b);
  store_matrix<double>(m.real(), t, b);
}

/// Calls fn with a null double* or std::complex<double>*: for decompositions that are long to compile and
/// gain from the precision.
template <class Fn>
absl::Status with_wide_type(DataType dtype, Fn&& fn) {
  return is_complex(dtype) ? fn(static_cast<std::complex<double>*>(nullptr))
                           : fn(static_cast<double*>(nullptr));
}

/// Calls fn with a null pointer of the dtype's own scalar (float for half): for what decides by exact zeros,
/// so that the decision is that of the dtype's precision.
template <class Fn>
absl::Status with_own_type(DataType dtype, Fn&& fn) {
  switch (dtype) {
    case DataType::kDouble: return fn(static_cast<double*>(nullptr));
    case DataType::kComplex64: return fn(static_cast<std::complex<float>*>(nullptr));
    case DataType::kComplex128: return fn(static_cast<std::complex<double>*>(nullptr));
    default: return fn(static_cast<float*>(nullptr));
  }
}

/// The leading dimensions of a batch of matrices, and the two of the matrices.
struct MatrixBatch {
  int64_t count = 1, rows = 0, cols = 0;
};

inline absl::StatusOr<MatrixBatch> matrix_batch(const Tensor& t, int input, bool square) {
  if (t.rank() < 2) return invalid("Input tensor ", input, " must have rank >= 2, got ", t.rank());
  MatrixBatch b{count_dims(t.shape(), 0, t.rank() - 2), t.dim(t.rank() - 2), t.dim(t.rank() - 1)};
  if (square && b.rows != b.cols) return invalid("Input matrix must be square.");
  return b;
}

/// The shape of `t` with the last two dimensions replaced.
inline Shape with_matrix(const Tensor& t, std::initializer_list<int64_t> last) {
  Shape s;
  for (int i = 0; i + 2 < t.rank(); ++i) s.add_dim(t.dim(i));
  for (int64_t d : last) s.add_dim(d);
  return s;
}

/// The same, where the new dimensions may make too many elements.
inline absl::StatusOr<Shape> checked_with_matrix(const Tensor& t, std::initializer_list<int64_t> last) {
  std::vector<int64_t> dims(t.shape().dims().begin(), t.shape().dims().end() - 2);
  dims.insert(dims.end(), last);
  return Shape::make(dims);
}

/// An output that an attr switches off: TensorFlow gives a scalar of no meaning; ours is 0.
inline absl::StatusOr<Tensor*> unused_output(KernelContext& context, int i) {
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(i, Shape()));
  fill_zero(context.parallel(), out->dtype(), out->raw(), 1);
  return out;
}

/// Refuses inputs whose leading dimensions differ.
inline absl::Status same_batch(const Tensor& a, const Tensor& b) {
  if (a.rank() != b.rank()) return invalid("All input tensors must have the same rank.");
  for (int i = 0; i + 2 < a.rank(); ++i) {
    if (a.dim(i) != b.dim(i)) return invalid("All input tensors must have the same outer dimensions.");
  }
  return absl::OkStatus();
}

inline std::vector<DataType> linalg_types() {
  return {DataType::kFloat, DataType::kDouble, DataType::kComplex64, DataType::kComplex128};
}

}  // namespace troupe
