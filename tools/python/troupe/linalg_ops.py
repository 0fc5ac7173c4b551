"""Decompositions and equations of matrices, the last two dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, math_ops, op_call, stacks, thin
from troupe.conversion import convert_to_tensor

if TYPE_CHECKING:
    from typing import Any

    from troupe.tensor import Tensor
    from troupe.typing import AxisLike, TensorLike

thin.define(globals(), """
    cholesky(input) = Cholesky
    lu(input, output_idx_type=None) = Lu
    logm(input) = MatrixLogarithm
    matrix_determinant(input) = MatrixDeterminant
    matrix_inverse(input, adjoint=False) = MatrixInverse
    matrix_solve(matrix, rhs, adjoint=False) = MatrixSolve
    matrix_square_root(input) = MatrixSquareRoot
    qr(input, full_matrices=False) = Qr
    slogdet(input) = LogMatrixDeterminant
""")


def _scope(name):
    return stacks.get_default_graph().name_scope(name)


def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the diagonal."""
    with _scope(name or "Trace") as scope:
        x = convert_to_tensor(x, name="x")
        return math_ops.reduce_sum(diag_part(x), [-1], name=scope)


def matrix_triangular_solve(matrix: TensorLike, rhs: TensorLike, lower: bool = True, adjoint: bool = False, name: str | None = None) -> Tensor:
    return op_call.call("MatrixTriangularSolve", name, matrix=matrix, rhs=rhs, lower=lower, adjoint=adjoint)


def cholesky_solve(chol: TensorLike, rhs: TensorLike, name: str | None = None) -> Tensor:
    """X of chol chol^H X = rhs."""
    with _scope(name or "cholesky_solve"):
        y = matrix_triangular_solve(chol, rhs, lower=True)
        return matrix_triangular_solve(chol, y, lower=True, adjoint=True)


def matrix_solve_ls(matrix: TensorLike, rhs: TensorLike, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None) -> Tensor:
    """X of the least |matrix X - rhs|^2 + l2_regularizer |X|^2."""
    return op_call.call("MatrixSolveLs", name, matrix=matrix, rhs=rhs, l2_regularizer=convert_to_tensor(l2_regularizer, dtypes.float64), fast=fast)


def svd(tensor: TensorLike, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """(s, u, v) with tensor = u diag(s) v^H; s alone without compute_uv."""
    s, u, v = op_call.call("Svd", name, input=tensor, compute_uv=compute_uv, full_matrices=full_matrices)
    return (math_ops.real(s), u, v) if compute_uv else math_ops.real(s)


def self_adjoint_eig(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """(eigenvalues, eigenvectors) of self-adjoint matrices, the smallest value first."""
    e, v = op_call.call("SelfAdjointEigV2", name, input=tensor, compute_v=True)
    return e, v


def self_adjoint_eigvals(tensor: TensorLike, name: str | None = None) -> Tensor:
    e, _ = op_call.call("SelfAdjointEigV2", name, input=tensor, compute_v=False)
    return e


def logdet(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the determinant of positive definite matrices."""
    with _scope(name or "logdet"):
        diagonal = diag_part(cholesky(matrix))
        return 2.0 * math_ops.reduce_sum(math_ops.log(math_ops.real(diagonal)), [-1])


def adjoint(matrix: TensorLike, name: str | None = None) -> Tensor:
    with _scope(name or "adjoint"):
        return array_ops.matrix_transpose(convert_to_tensor(matrix, name="matrix"), conjugate=True)


def matvec(a: TensorLike, b: TensorLike, transpose_a: bool = False, adjoint_a: bool = False, a_is_sparse: bool = False, b_is_sparse: bool = False,
           name: str | None = None) -> Tensor:
    """Matrices times vectors."""
    with _scope(name or "MatVec"):
        product = math_ops.matmul(a, array_ops.expand_dims(b, -1), transpose_a=transpose_a, adjoint_a=adjoint_a, a_is_sparse=a_is_sparse,
                                  b_is_sparse=b_is_sparse)
        return array_ops.squeeze(product, [-1])


def normalize(tensor: TensorLike, ord: str = "euclidean", axis: AxisLike = None, name: str | None = None) -> tuple[Tensor, Tensor]:
    """(tensor over its length, the length)."""
    from troupe.tensor_algebra import norm

    with _scope(name or "normalize"):
        tensor = convert_to_tensor(tensor)
        length = norm(tensor, ord, axis, keepdims=True)
        return tensor / length, length


def diag(diagonal: TensorLike, name: str = "diag", k: int = 0, num_rows: TensorLike = -1, num_cols: TensorLike = -1, padding_value: TensorLike = 0,
         align: str = "RIGHT_LEFT") -> Tensor:
    """Matrices with these diagonals, number `k` or those from k[0] to k[1]."""
    diagonal = convert_to_tensor(diagonal)
    made = op_call.call("MatrixDiagV3", name, diagonal=diagonal, k=k, num_rows=num_rows, num_cols=num_cols,
                        padding_value=convert_to_tensor(_zero(padding_value, diagonal), diagonal.dtype.base_dtype), align=align)
    # The op's shape is known when `k` and the sizes are, which are inputs.
    if isinstance(k, int) and num_rows == num_cols == -1 and diagonal.shape.rank is not None:
        *outer, length = diagonal.shape.as_list()
        made.set_shape([*outer] + [None if length is None else length + (k if k >= 0 else -k)] * 2)
    return made


def diag_part(input: TensorLike, name: str = "diag_part", k: int = 0, padding_value: TensorLike = 0, align: str = "RIGHT_LEFT") -> Tensor:
    """Diagonals of matrices."""
    input = convert_to_tensor(input)
    padding = convert_to_tensor(_zero(padding_value, input), input.dtype.base_dtype)
    made = op_call.call("MatrixDiagPartV3", name, input=input, k=k, padding_value=padding, align=align)
    if isinstance(k, int) and input.shape.rank is not None:
        *outer, rows, columns = input.shape.as_list()
        known = None not in (rows, columns)
        made.set_shape([*outer, min(rows + min(k, 0), columns - max(k, 0)) if known else None])
    return made


def set_diag(input: TensorLike, diagonal: TensorLike, name: str = "set_diag", k: int = 0, align: str = "RIGHT_LEFT") -> Tensor:
    """Matrices with other diagonals."""
    made = op_call.call("MatrixSetDiagV3", name, input=input, diagonal=diagonal, k=k, align=align)
    made.set_shape(made.op.inputs[0].shape)
    return made


def _zero(value, tensor):
    return bool(value) if tensor.dtype.base_dtype is dtypes.bool_ else value


def tridiagonal_matmul(diagonals: TensorLike, rhs: TensorLike, diagonals_format: str = "compact", name: str | None = None) -> Tensor:
    """Tridiagonal matrices, of the diagonals above, on and below as [..., 3, n], times others."""
    if diagonals_format == "compact":
        diagonals = convert_to_tensor(diagonals)
        parts = [array_ops.expand_dims(d, -2) for d in array_ops.unstack(diagonals, 3, axis=-2)]
    elif diagonals_format == "sequence":
        parts = [array_ops.expand_dims(convert_to_tensor(d), -2) for d in diagonals]
    else:
        raise ValueError(f"Expected `diagonals_format` to be one of compact, sequence. Received: {diagonals_format}")
    return op_call.call("TridiagonalMatMul", name, superdiag=parts[0], maindiag=parts[1], subdiag=parts[2], rhs=rhs)


matrix_diag, matrix_diag_part, matrix_set_diag = diag, diag_part, set_diag
