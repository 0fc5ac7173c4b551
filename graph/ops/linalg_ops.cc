#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"BandedTriangularSolve", "matrix:T, rhs:T", "output:T",
     "lower:bool = True; adjoint:bool = False; T:linalg_with_half", ""},
    {"BatchCholesky", "input:T", "output:T", "T:type in [double,float]", "deprecated_since_13"},
    {"BatchCholeskyGrad", "l:T, grad:T", "output:T", "T:wide_floats", "deprecated_since_13"},
    {"BatchMatrixDeterminant", "input:T", "output:T", "T:linalg", "deprecated_since_13"},
    {"BatchMatrixInverse", "input:T", "output:T", "adjoint:bool = False; T:type in [double,float]",
     "deprecated_since_13"},
    {"BatchMatrixSolve", "matrix:T, rhs:T", "output:T", "adjoint:bool = False; T:type in [double,float]",
     "deprecated_since_13"},
    {"BatchMatrixSolveLs", "matrix:T, rhs:T, l2_regularizer:double", "output:T",
     "T:type in [double,float]; fast:bool = True", "deprecated_since_13"},
    {"BatchMatrixTriangularSolve", "matrix:T, rhs:T", "output:T",
     "lower:bool = True; adjoint:bool = False; T:type in [double,float]", "deprecated_since_13"},
    {"BatchSelfAdjointEig", "input:T", "output:T", "T:type in [double,float]", "deprecated_since_11"},
    {"BatchSelfAdjointEigV2", "input:T", "e:T, v:T", "compute_v:bool = True; T:type in [double,float]",
     "deprecated_since_13"},
    {"BatchSvd", "input:T", "s:T, u:T, v:T",
     "compute_uv:bool = True; full_matrices:bool = False; T:type in [double,float,complex64,"
     "complex128]",
     "deprecated_since_13"},
    {"Cholesky", "input:T", "output:T", "T:linalg_with_half", ""},
    {"CholeskyGrad", "l:T, grad:T", "output:T", "T:ieee_floats", ""},
    {"Eig", "input:T", "e:Tout, v:Tout", "compute_v:bool = True; T:linalg; Tout:complexes", ""},
    {"LogMatrixDeterminant", "input:T", "sign:T, log_abs_determinant:T",
     "T:type in [half,float,double,complex64,complex128]", ""},
    {"Lu", "input:T", "lu:T, p:output_idx_type", "T:linalg_with_half; output_idx_type:index = int32", ""},
    {"MatrixDeterminant", "input:T", "output:T", "T:type in [half,float,double,complex64,complex128]", ""},
    {"MatrixExponential", "input:T", "output:T", "T:linalg_with_half", "deprecated_since_27"},
    {"MatrixInverse", "input:T", "output:T", "adjoint:bool = False; T:linalg_with_half", ""},
    {"MatrixLogarithm", "input:T", "output:T", "T:complexes", ""},
    {"MatrixSolve", "matrix:T, rhs:T", "output:T", "adjoint:bool = False; T:linalg_with_half", ""},
    {"MatrixSolveLs", "matrix:T, rhs:T, l2_regularizer:double", "output:T",
     "T:linalg_with_half; fast:bool = True", ""},
    {"MatrixSquareRoot", "input:T", "output:T", "T:linalg_with_half", ""},
    {"MatrixTriangularSolve", "matrix:T, rhs:T", "output:T",
     "lower:bool = True; adjoint:bool = False; T:type in [bfloat16,double,float,half,"
     "complex64,complex128]",
     ""},
    {"Qr", "input:T", "q:T, r:T", "full_matrices:bool = False; T:linalg_with_half", ""},
    {"SelfAdjointEig", "input:T", "output:T", "T:type in [double,float,half]", "deprecated_since_11"},
    {"SelfAdjointEigV2", "input:T", "e:T, v:T", "compute_v:bool = True; T:linalg_with_half", ""},
    {"Svd", "input:T", "s:T, u:T, v:T",
     "compute_uv:bool = True; full_matrices:bool = False; T:linalg_with_half", ""},
    {"TridiagonalMatMul", "superdiag:T, maindiag:T, subdiag:T, rhs:T", "output:T",
     "T:type in [double,float,complex64,complex128]", ""},
    {"TridiagonalSolve", "diagonals:T, rhs:T", "output:T",
     "partial_pivoting:bool = True; perturb_singular:bool = False; T:type in [double,float,"
     "complex64,complex128]",
     ""},
};

}  // namespace

absl::Status register_linalg_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
