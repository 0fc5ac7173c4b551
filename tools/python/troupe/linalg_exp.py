"""Exponentials of matrices, and matrices of three diagonals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, control_flow_ops, dtypes, linalg_ops, math_ops, op_call, stacks
from troupe.conversion import convert_to_tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troupe.tensor import Tensor
    from troupe.typing import TensorLike

# (coefficients of the Pade approximant of exp, up to which 1-norm it is as exact as the type): N. J. Higham, The scaling and squaring method for the matrix
# exponential revisited, SIAM J. Matrix Anal. Appl. 26 (2005).
_SINGLE = ([17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0, 1.0], 3.92572478313866)
_DOUBLE = ([64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0, 10559470521600.0, 670442572800.0,
            33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0, 1.0], 5.371920351148152)


def expm(input: TensorLike, name: str | None = None) -> Tensor:
    """The exponential of each square matrix [..., n, n]; not a number where one is not finite. ValueError for types that are not floating or complex."""
    with stacks.get_default_graph().name_scope(name or "matrix_exponential"):
        matrix = convert_to_tensor(input, name="input")
        if not (matrix.dtype.is_floating or matrix.dtype.is_complex):
            raise ValueError(f"tf.linalg.expm does not support matrices of type {matrix.dtype}")
        coefficients, most = _DOUBLE if matrix.dtype in (dtypes.float64, dtypes.complex128) else _SINGLE
        norm = math_ops.reduce_max(math_ops.reduce_sum(math_ops.abs(matrix), axis=-2, keepdims=True), axis=-1, keepdims=True)
        finite = math_ops.is_finite(norm)
        norm = array_ops.where_v2(finite, norm, array_ops.zeros_like(norm))
        matrix = array_ops.where_v2(finite, matrix, array_ops.zeros_like(matrix))
        tiny = np.finfo(norm.dtype.as_numpy_dtype).tiny
        squarings = math_ops.maximum(math_ops.ceil(math_ops.log(math_ops.maximum(norm, tiny) / most) / np.log(2.0)), array_ops.zeros_like(norm))
        scaled = matrix / math_ops.cast(math_ops.pow(convert_to_tensor(2.0, norm.dtype), squarings), matrix.dtype)
        result = _squared(_pade(scaled, coefficients), squarings)
        made = array_ops.where_v2(finite, result, array_ops.zeros_like(result) + np.array(np.nan, matrix.dtype.as_numpy_dtype))
        made.set_shape(matrix.shape)
        return made


def _pade(matrix, coefficients):
    """The approximant of each matrix: (V - U)^-1 (V + U), of the even powers in V and the odd ones in U."""
    size = array_ops.shape(matrix)[-1]
    identity = array_ops.zeros_like(matrix) + op_call.call("MatrixDiag", None, diagonal=array_ops.ones(array_ops.stack([size]), matrix.dtype))
    square = math_ops.matmul(matrix, matrix)
    powers = [identity, square]
    while 2 * len(powers) < len(coefficients):
        powers.append(math_ops.matmul(powers[-1], square))
    even = sum(c * p for c, p in zip(coefficients[0::2], powers))
    odd = math_ops.matmul(matrix, sum(c * p for c, p in zip(coefficients[1::2], powers)))
    return linalg_ops.matrix_solve(even - odd, even + odd)


def _squared(result, squarings):
    """Each matrix squared so many times."""
    most = math_ops.reduce_max(squarings)

    def step(i, r):
        return i + 1, array_ops.where_v2(math_ops.less(i, squarings), math_ops.matmul(r, r), r)

    return control_flow_ops.while_loop(lambda i, _: math_ops.less(i, most), step, [array_ops.zeros([], squarings.dtype), result])[1]


def tridiagonal_solve(diagonals: TensorLike | Sequence[TensorLike], rhs: TensorLike, diagonals_format: str = "compact", transpose_rhs: bool = False,
                      conjugate_rhs: bool = False, name: str | None = None, partial_pivoting: bool = True, perturb_singular: bool = False) -> Tensor:
    """What matrices of three diagonals are to be multiplied by for `rhs`, [..., n] or [..., n, k]. Diagonals are [..., 3, n] ("compact": above, on and below
    the main one), three tensors ("sequence") or whole matrices ("matrix"). ValueError for other formats, and for perturbing without pivoting."""
    if perturb_singular and not partial_pivoting:
        raise ValueError("partial_pivoting must be True if perturb_singular is.")
    with stacks.get_default_graph().name_scope(name or "tridiagonal_solve") as scope:
        if diagonals_format == "compact":
            compact = convert_to_tensor(diagonals, name="diagonals")
        elif diagonals_format == "sequence":
            compact = of_sequence(diagonals)
        elif diagonals_format == "matrix":
            compact = of_matrix(convert_to_tensor(diagonals, name="diagonals"))
        else:
            raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")
        rhs = convert_to_tensor(rhs, compact.dtype, name="rhs")
        size = compact.shape[-1].value
        if compact.shape.rank < 2 or not compact.shape[-2].is_compatible_with(3):
            raise ValueError(f"Expected diagonals to have shape [..., 3, M], got {compact.shape}")
        is_vector = rhs.shape.rank == compact.shape.rank - 1
        if is_vector:
            rhs = array_ops.expand_dims(math_ops.conj(rhs) if conjugate_rhs else rhs, -1)
        elif transpose_rhs:
            rhs = array_ops.matrix_transpose(rhs, conjugate=conjugate_rhs)
        elif conjugate_rhs:
            rhs = math_ops.conj(rhs)
        if size is not None and not rhs.shape[-2].is_compatible_with(size):
            raise ValueError(f"Expected number of left-hand sided and right-hand sides to be equal, got {size} and {rhs.shape[-2]}")
        made = op_call.call("TridiagonalSolve", None if is_vector else scope, diagonals=compact, rhs=rhs, partial_pivoting=partial_pivoting, perturb_singular=perturb_singular)
        return array_ops.squeeze(made, -1) if is_vector else made


def of_sequence(diagonals: Sequence[TensorLike]) -> Tensor:
    """Three diagonals as one tensor [..., 3, n]; the outer ones may be shorter by one. ValueError for others."""
    if not isinstance(diagonals, (tuple, list)) or len(diagonals) != 3:
        raise ValueError("Expected diagonals to be a sequence of length 3.")
    above, main, below = (convert_to_tensor(d) for d in diagonals)
    size = main.shape[-1].value

    def filled(diagonal, what, before, after):
        length = diagonal.shape[-1].value
        if length in (None, 0, size):
            return diagonal
        if length != size - 1:
            raise ValueError(f"Expected {what} to be have length {size} or {size - 1}, got {length}.")
        return array_ops.pad(diagonal, [[0, 0]] * (diagonal.shape.rank - 1) + [[before, after]])

    return array_ops.stack([filled(above, "superdiagonal", 0, 1), main, filled(below, "subdiagonal", 1, 0)], axis=-2)


def of_matrix(matrix: Tensor) -> Tensor:
    """The three diagonals of whole matrices as one tensor [..., 3, n]. ValueError for those that are not square."""
    rows, columns = matrix.shape[-2].value, matrix.shape[-1].value
    if rows and columns and rows != columns:
        raise ValueError(f"Expected last two dimensions of diagonals to be same, got {columns} and {rows}")
    made = linalg_ops.matrix_diag_part(matrix, k=(-1, 1), padding_value=0, align="LEFT_RIGHT")
    made.set_shape(matrix.shape[:-2].concatenate([3, rows or columns]))
    return made


def eigh_tridiagonal(alpha: TensorLike, beta: TensorLike, eigvals_only: bool = True, select: str = "a", select_range: Sequence[TensorLike] | None = None,
                     tol: TensorLike | None = None, name: str | None = None) -> Tensor | tuple[Tensor, Tensor]:
    """The eigenvalues of a Hermitian matrix, `alpha` on its diagonal and `beta` below it, in their order, or (eigenvalues, eigenvectors in columns). `select`:
    "a" for all, "i" for those of these numbers, first and last, "v" for those between these values. ValueError for other ways, and for other types. `tol`: all are as exact
    as their type."""
    if select not in ("a", "i", "v"):
        raise ValueError("'select must have a value in {'a', 'i', 'v'}.")
    with stacks.get_default_graph().name_scope(name or "eigh_tridiagonal"):
        alpha, beta = convert_to_tensor(alpha, name="alpha"), convert_to_tensor(beta, name="beta")
        if alpha.dtype != beta.dtype:
            raise ValueError("'alpha' and 'beta' must have the same type.")
        below = linalg_ops.matrix_diag(beta, k=-1)
        whole = linalg_ops.matrix_diag(alpha) + below + array_ops.matrix_transpose(below, conjugate=True)
        values, vectors = op_call.call("SelfAdjointEigV2", None, input=whole, compute_v=not eigvals_only)
        values = math_ops.real(values)
        if select == "i":
            values, vectors = values[select_range[0]:select_range[1] + 1], None if eigvals_only else vectors[:, select_range[0]:select_range[1] + 1]
        elif select == "v":
            kept = math_ops.logical_and(values > select_range[0], values <= select_range[1])
            values = array_ops.boolean_mask(values, kept)
            vectors = None if eigvals_only else array_ops.boolean_mask(vectors, kept, axis=1)
        return values if eigvals_only else (values, vectors)
