// Functions of a matrix: exponential, logarithm, square root.
#include <unsupported/Eigen/MatrixFunctions>

#include <limits>

#include "devices/cpu/kernels/linalg/matrices.h"

namespace troupe {
namespace {

enum class Function { kExponential, kLogarithm, kSquareRoot };

template <Function kFunction, class S>
Matrix<S> evaluate(const Matrix<S>& m) {
  if (!m.allFinite()) {
    // The iterations would not end.
    return Matrix<S>::Constant(m.rows(), m.cols(), S(std::numeric_limits<double>::quiet_NaN()));
  }
  if constexpr (kFunction == Function::kExponential) {
    return m.exp();
  } else if constexpr (kFunction == Function::kLogarithm) {
    return m.log();
  } else {
    return m.sqrt();
  }
}

template <Function kFunction>
absl::Status matrix_function(KernelContext& context) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(MatrixBatch batch, matrix_batch(input, 0, true));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, input.shape()));
  if (input.num_elements() == 0) return absl::OkStatus();
  // A real root differs from the real part of the complex one: it is NaN where there is none.
  const bool real_root = kFunction == Function::kSquareRoot && !is_complex(input.dtype());
  for (int64_t b = 0; b < batch.count; ++b) {
    if (real_root) {
      store_matrix<double>(
          evaluate<Function::kSquareRoot>(load_matrix<double>(input, b, batch.rows, batch.cols)), out, b);
    } else {
      store_part(evaluate<kFunction>(load_matrix<std::complex<double>>(input, b, batch.rows, batch.cols)),
                 out, b);
    }
  }
  return absl::OkStatus();
}

}  // namespace

void register_linalg_functions(KernelRegistry* registry) {
  registry->add(
      KernelDef("MatrixExponential").types("T", linalg_types()).fn(matrix_function<Function::kExponential>));
  registry->add(
      KernelDef("MatrixSquareRoot").types("T", linalg_types()).fn(matrix_function<Function::kSquareRoot>));
  registry->add(KernelDef("MatrixLogarithm")
                    .types("T", {DataType::kComplex64, DataType::kComplex128})
                    .fn(matrix_function<Function::kLogarithm>));
}

}  // namespace troupe
