"""Rows of a tensor that are written where they are: `tensorflow.python.ops.inplace_ops`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, math_ops, op_call
from troupe.conversion import convert_to_tensor
from troupe.dtypes import as_dtype, int32

if TYPE_CHECKING:
    from troupe.tensor import Tensor
    from troupe.typing import DTypeLike, TensorLike


def _written(op_name, x, i, v):
    """`i`: a row, some rows, or None for all."""
    x = convert_to_tensor(x)
    v = convert_to_tensor(v, x.dtype.base_dtype)
    if i is None:
        whole = op_call.call(op_name, None, x=array_ops.reshape(x, [1, -1]), i=[0], v=array_ops.reshape(v, [1, -1]))
        return array_ops.reshape(whole, array_ops.shape(x))
    i = math_ops.cast(convert_to_tensor(i), int32)
    if i.shape.ndims == 0:
        return op_call.call(op_name, None, x=x, i=array_ops.reshape(i, [1]), v=array_ops.expand_dims(v, 0))
    return op_call.call(op_name, None, x=x, i=i, v=v)


def alias_inplace_update(x: TensorLike, i: TensorLike | None, v: TensorLike) -> Tensor:
    """x with x[i] = v, in the memory of x: nobody may read x beside it."""
    return _written("InplaceUpdate", x, i, v)


def alias_inplace_add(x: TensorLike, i: TensorLike | None, v: TensorLike) -> Tensor:
    """x with x[i] += v, in the memory of x."""
    return _written("InplaceAdd", x, i, v)


def alias_inplace_sub(x: TensorLike, i: TensorLike | None, v: TensorLike) -> Tensor:
    """x with x[i] -= v, in the memory of x."""
    return _written("InplaceSub", x, i, v)


def _copied(x):
    return op_call.call("DeepCopy", None, x=convert_to_tensor(x))


def inplace_update(x: TensorLike, i: TensorLike | None, v: TensorLike) -> Tensor:
    """A copy of x with x[i] = v."""
    return alias_inplace_update(_copied(x), i, v)


def inplace_add(x: TensorLike, i: TensorLike | None, v: TensorLike) -> Tensor:
    """A copy of x with x[i] += v."""
    return alias_inplace_add(_copied(x), i, v)


def inplace_sub(x: TensorLike, i: TensorLike | None, v: TensorLike) -> Tensor:
    """A copy of x with x[i] -= v."""
    return alias_inplace_sub(_copied(x), i, v)


def empty(shape: TensorLike, dtype: DTypeLike, init: bool = False, name: str | None = None) -> Tensor:
    """A tensor that holds anything, or zeros with `init`."""
    return op_call.call("Empty", name, shape=convert_to_tensor(shape, int32), dtype=as_dtype(dtype), init=init)


def empty_like(x: TensorLike, init: bool | None = None) -> Tensor:
    """An empty tensor of the shape and type of x."""
    x = convert_to_tensor(x)
    return empty(array_ops.shape(x), x.dtype.base_dtype, bool(init))
