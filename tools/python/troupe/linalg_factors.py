"""Matrices by their factors: what LU gives, pseudo-inverses, ranks, exponentials."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, dtypes, linalg_ops, math_ops, op_call, stacks
from troupe.conversion import convert_to_tensor
from troupe.gather_ops import gather_nd
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from typing import Any

    from troupe.typing import TensorLike


def _scope(name, default):
    return stacks.get_default_graph().name_scope(name or default)


def _sizes(a):
    """(rows, columns): numbers where they are known."""
    return [array_ops.shape(a)[i] if d is None else d for i, d in zip((-2, -1), a.shape.as_list()[-2:])]


def _triangles(lower_upper):
    """The lower one, with ones on its diagonal, and both, of which only the upper is looked at."""
    lower = array_ops.matrix_band_part(lower_upper, -1, 0)
    return linalg_ops.matrix_set_diag(lower, array_ops.ones(array_ops.shape(lower_upper)[:-1], lower_upper.dtype)), lower_upper


def _permuted(x, perm):
    """The rows of each matrix [..., n, m] in the order of [..., n]."""
    if x.shape.rank == 2 and perm.shape.rank == 1:
        return array_ops.gather(x, perm)
    shape = array_ops.shape(x)
    batch = array_ops.broadcast_dynamic_shape(shape[:-2], array_ops.shape(perm)[:-1])
    whole = array_ops.concat([batch, shape[-2:]], 0)
    count = math_ops.reduce_prod(batch)
    x = array_ops.reshape(array_ops.broadcast_to(x, whole), array_ops.concat([[-1], shape[-2:]], 0))
    perm = array_ops.reshape(array_ops.broadcast_to(perm, whole[:-1]), array_ops.stack([-1, shape[-2]]))
    matrices = array_ops.broadcast_to(array_ops.expand_dims(math_ops.range(count), 1), array_ops.shape(perm))
    return array_ops.reshape(gather_nd(x, array_ops.stack([matrices, math_ops.cast(perm, dtypes.int32)], axis=-1)), whole)


def lu_solve(lower_upper: Any, perm: TensorLike, rhs: TensorLike, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The x [..., n, m] of a x = rhs, for an `a` whose tf.linalg.lu is (lower_upper, perm)."""
    with _scope(name, "lu_solve"):
        lower, both = _triangles(convert_to_tensor(lower_upper, preferred_dtype=dtypes.float32))
        rhs = _permuted(convert_to_tensor(rhs, both.dtype), convert_to_tensor(perm))
        return linalg_ops.matrix_triangular_solve(both, linalg_ops.matrix_triangular_solve(lower, rhs), lower=False)


def lu_matrix_inverse(lower_upper: Any, perm: TensorLike, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The inverse of that matrix."""
    with _scope(name, "lu_matrix_inverse"):
        both = convert_to_tensor(lower_upper, preferred_dtype=dtypes.float32)
        shape = array_ops.shape(both)
        ones = linalg_ops.matrix_diag(array_ops.ones(shape[:-1], both.dtype))
        return lu_solve(both, perm, ones)


def lu_reconstruct(lower_upper: Any, perm: TensorLike, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The matrix itself."""
    with _scope(name, "lu_reconstruct"):
        lower, both = _triangles(convert_to_tensor(lower_upper, preferred_dtype=dtypes.float32))
        perm = convert_to_tensor(perm)
        product = math_ops.matmul(lower, array_ops.matrix_band_part(both, 0, -1))
        flat = array_ops.reshape(perm, array_ops.stack([-1, array_ops.shape(perm)[-1]]))
        # The inverse of each order: the place of each number.
        places = op_call.call("TopKV2", None, input=-flat, k=array_ops.shape(perm)[-1])[1]
        made = _permuted(product, array_ops.reshape(places, array_ops.shape(perm)))
        made.set_shape(both.shape)
        return made


def pinv(a: TensorLike, rcond: TensorLike | None = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The pseudo-inverse [..., n, m] of [..., m, n]; singular values below `rcond` of the largest count as zero, by default those that rounding may
    have made."""
    with _scope(name, "pinv"):
        a = convert_to_tensor(a, name="a")
        if rcond is None:
            rows, columns = _sizes(a)
            largest = max(rows, columns) if isinstance(rows, int) and isinstance(columns, int) else math_ops.maximum(rows, columns)
            rcond = math_ops.cast(convert_to_tensor(largest), a.dtype) * (10.0 * np.finfo(a.dtype.as_numpy_dtype).eps)
        values, left, right = linalg_ops.svd(a, full_matrices=False, compute_uv=True)
        cutoff = math_ops.reduce_max(values, axis=-1) * convert_to_tensor(rcond, a.dtype, name="rcond")
        values = array_ops.where_v2(values > array_ops.expand_dims(cutoff, -1), values, np.array(np.inf, a.dtype.as_numpy_dtype))
        made = math_ops.matmul(right / array_ops.expand_dims(values, -2), left, adjoint_b=True)
        dims = a.shape.as_list()
        made.set_shape([*dims[:-2], dims[-1], dims[-2]])
        return made


def matrix_rank(a: TensorLike, tol: TensorLike | None = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """How many singular values are above `tol`: by default above what rounding may have made."""
    with _scope(name, "matrix_rank"):
        a = convert_to_tensor(a, preferred_dtype=dtypes.float32, name="a")
        values = linalg_ops.svd(a, compute_uv=False)
        if tol is None:
            rows, columns = _sizes(a)
            largest = max(rows, columns) if isinstance(rows, int) and isinstance(columns, int) else math_ops.maximum(rows, columns)
            tol = math_ops.cast(convert_to_tensor(largest), a.dtype) * np.finfo(a.dtype.as_numpy_dtype).eps
            tol = tol * math_ops.reduce_max(values, axis=-1, keepdims=True)
        return math_ops.reduce_sum(math_ops.cast(values > tol, dtypes.int32), axis=-1)
