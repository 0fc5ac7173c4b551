#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"BatchCholesky", "input:T", "output:T", "T:type in [double,float]", "deprecated_since_13"},
    {"BatchCholeskyGrad", "l:T, grad:T", "output:T", "T:type in [float,double]", "deprecated_since_13"},
    {"BatchFFT", "input:complex64", "output:complex64", "", "deprecated_since_15"},
    {"BatchFFT2D", "input:complex64", "output:complex64", "", "deprecated_since_15"},
    {"BatchFFT3D", "input:complex64", "output:complex64", "", "deprecated_since_15"},
    {"BatchIFFT", "input:complex64", "output:complex64", "", "deprecated_since_15"},
    {"BatchIFFT2D", "input:complex64", "output:complex64", "", "deprecated_since_15"},
    {"BatchIFFT3D", "input:complex64", "output:complex64", "", "deprecated_since_15"},
    {"BatchMatrixBandPart", "input:T, num_lower:int64, num_upper:int64", "band:T", "T:type",
     "deprecated_since_14"},
    {"BatchMatrixDeterminant", "input:T", "output:T", "T:type in [float,double,complex64,complex128]",
     "deprecated_since_13"},
    {"BatchMatrixDiag", "diagonal:T", "output:T", "T:type", "deprecated_since_14"},
    {"BatchMatrixDiagPart", "input:T", "diagonal:T", "T:type", "deprecated_since_14"},
    {"BatchMatrixInverse", "input:T", "output:T", "adjoint:bool = False; T:type in [double,float]",
     "deprecated_since_13"},
    {"BatchMatrixSetDiag", "input:T, diagonal:T", "output:T", "T:type", "deprecated_since_14"},
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
    {"CholeskyGrad", "l:T, grad:T", "output:T", "T:type in [half,float,double]", ""},
    {"Eig", "input:T", "e:Tout, v:Tout",
     "compute_v:bool = True; T:type in [float,double,complex64,complex128]; Tout:type in "
     "[complex64,complex128]",
     ""},
    {"Einsum", "inputs:N * T", "output:T", "equation:string; N:int >= 1; T:type", ""},
    {"FFT2D", "input:Tcomplex", "output:Tcomplex", "Tcomplex:type in [complex64,complex128] = complex64", ""},
    {"FFT3D", "input:Tcomplex", "output:Tcomplex", "Tcomplex:type in [complex64,complex128] = complex64", ""},
    {"FFTND", "input:Tcomplex, fft_length:int32, axes:int32", "output:Tcomplex",
     "Tcomplex:type in [complex64,complex128] = complex64", ""},
    {"IFFT2D", "input:Tcomplex", "output:Tcomplex", "Tcomplex:type in [complex64,complex128] = complex64",
     ""},
    {"IFFT3D", "input:Tcomplex", "output:Tcomplex", "Tcomplex:type in [complex64,complex128] = complex64",
     ""},
    {"IFFTND", "input:Tcomplex, fft_length:int32, axes:int32", "output:Tcomplex",
     "Tcomplex:type in [complex64,complex128] = complex64", ""},
    {"IRFFT2D", "input:Tcomplex, fft_length:int32", "output:Treal",
     "Treal:type in [float,double] = float; Tcomplex:type in [complex64,complex128] = complex64", ""},
    {"IRFFT3D", "input:Tcomplex, fft_length:int32", "output:Treal",
     "Treal:type in [float,double] = float; Tcomplex:type in [complex64,complex128] = complex64", ""},
    {"IRFFTND", "input:Tcomplex, fft_length:int32, axes:int32", "output:Treal",
     "Treal:type in [float,double] = float; Tcomplex:type in [complex64,complex128] = complex64", ""},
    {"LoadAndRemapMatrix",
     "ckpt_path:string, old_tensor_name:string, row_remapping:int64, col_remapping:int64, "
     "initializing_values:float",
     "output_matrix:float", "num_rows:int >= 0; num_cols:int >= 1; max_rows_in_memory:int = -1", "stateful"},
    {"LogMatrixDeterminant", "input:T", "sign:T, log_abs_determinant:T",
     "T:type in [half,float,double,complex64,complex128]", ""},
    {"Lu", "input:T", "lu:T, p:output_idx_type",
     "T:type in [double,float,half,complex64,complex128]; output_idx_type:type in [int32,"
     "int64] = int32",
     ""},
    {"MatrixDiagPartV2", "input:T, k:int32, padding_value:T", "diagonal:T", "T:type", ""},
    {"MatrixDiagPartV3", "input:T, k:int32, padding_value:T", "diagonal:T",
     "T:type; align:string in [b'LEFT_RIGHT',b'RIGHT_LEFT',b'LEFT_LEFT',b'RIGHT_RIGHT'] = "
     "'RIGHT_LEFT'",
     ""},
    {"MatrixDiagV2", "diagonal:T, k:int32, num_rows:int32, num_cols:int32, padding_value:T", "output:T",
     "T:type", ""},
    {"MatrixDiagV3", "diagonal:T, k:int32, num_rows:int32, num_cols:int32, padding_value:T", "output:T",
     "T:type; align:string in [b'LEFT_RIGHT',b'RIGHT_LEFT',b'LEFT_LEFT',b'RIGHT_RIGHT'] = "
     "'RIGHT_LEFT'",
     ""},
    {"MatrixExponential", "input:T", "output:T", "T:type in [double,float,half,complex64,complex128]",
     "deprecated_since_27"},
    {"MatrixLogarithm", "input:T", "output:T", "T:type in [complex64,complex128]", ""},
    {"MatrixSetDiagV2", "input:T, diagonal:T, k:int32", "output:T", "T:type", ""},
    {"MatrixSetDiagV3", "input:T, diagonal:T, k:int32", "output:T",
     "T:type; align:string in [b'LEFT_RIGHT',b'RIGHT_LEFT',b'LEFT_LEFT',b'RIGHT_RIGHT'] = "
     "'RIGHT_LEFT'",
     ""},
    {"MatrixSolveLs", "matrix:T, rhs:T, l2_regularizer:double", "output:T",
     "T:type in [double,float,half,complex64,complex128]; fast:bool = True", ""},
    {"MatrixSquareRoot", "input:T", "output:T", "T:type in [double,float,half,complex64,complex128]", ""},
    {"Qr", "input:T", "q:T, r:T",
     "full_matrices:bool = False; T:type in [double,float,half,complex64,complex128]", ""},
    {"RFFT2D", "input:Treal, fft_length:int32", "output:Tcomplex",
     "Treal:type in [float,double] = float; Tcomplex:type in [complex64,complex128] = complex64", ""},
    {"RFFT3D", "input:Treal, fft_length:int32", "output:Tcomplex",
     "Treal:type in [float,double] = float; Tcomplex:type in [complex64,complex128] = complex64", ""},
    {"RFFTND", "input:Treal, fft_length:int32, axes:int32", "output:Tcomplex",
     "Treal:type in [float,double] = float; Tcomplex:type in [complex64,complex128] = complex64", ""},
    {"SelfAdjointEig", "input:T", "output:T", "T:type in [double,float,half]", "deprecated_since_11"},
    {"SelfAdjointEigV2", "input:T", "e:T, v:T",
     "compute_v:bool = True; T:type in [double,float,half,complex64,complex128]", ""},
    {"Svd", "input:T", "s:T, u:T, v:T",
     "compute_uv:bool = True; full_matrices:bool = False; T:type in [double,float,half,"
     "complex64,complex128]",
     ""},
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
