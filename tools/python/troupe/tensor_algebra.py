"""Sums of products, lengths, limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

import numpy as np

from troupe import array_ops, dtypes, math_ops, op_call, stacks
from troupe.constant_op import constant
from troupe.conversion import convert_to_tensor
from troupe.composite import IndexedSlices

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from troupe.tensor import Tensor
    from troupe.tensor_shape import Dimension
    from troupe.typing import ArrayLike, AxisLike, DTypeLike, TensorLike


@overload
def clip_by_value(t: IndexedSlices, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None) -> IndexedSlices: ...
@overload
def clip_by_value(t: TensorLike, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None) -> Tensor: ...
def clip_by_value(t: TensorLike | IndexedSlices, clip_value_min: TensorLike, clip_value_max: TensorLike,
                  name: str | None = None) -> Tensor | IndexedSlices:
    """Each element within these limits."""
    values = t.values if isinstance(t, IndexedSlices) else t
    with stacks.get_default_graph().name_scope(name or "clip_by_value") as scope:
        values = convert_to_tensor(values, name="t")
        low = op_call.call("Minimum", None, x=values, y=clip_value_max)
        made = op_call.call("Maximum", scope, x=low, y=clip_value_min)
    return IndexedSlices(made, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else made


def global_norm(t_list: Iterable[TensorLike | IndexedSlices | None], name: str | None = None) -> Tensor:
    """The length of all tensors together; None among them counts nothing."""
    with stacks.get_default_graph().name_scope(name or "global_norm") as scope:
        values = [t.values if isinstance(t, IndexedSlices) else convert_to_tensor(t) for t in t_list if t is not None]
        halves = [op_call.call("L2Loss", None, t=v) for v in values]
        total = math_ops.reduce_sum(array_ops.stack(halves))
        return op_call.call("Sqrt", scope, x=total * constant(2.0, total.dtype))


def clip_by_norm(t: TensorLike, clip_norm: TensorLike, axes: AxisLike = None, name: str | None = None) -> Tensor:
    """As it is, or shorter, so that its length is `clip_norm`."""
    with stacks.get_default_graph().name_scope(name or "clip_by_norm") as scope:
        t = convert_to_tensor(t, name="t")
        squares = math_ops.reduce_sum(t * t, axes, keepdims=True)
        positive = squares > 0
        safe = array_ops.where(positive, squares, array_ops.ones_like(squares))
        length = array_ops.where(positive, op_call.call("Sqrt", None, x=safe), squares)
        return op_call.call("RealDiv", scope, x=t * clip_norm, y=op_call.call("Maximum", None, x=length, y=clip_norm))


def clip_by_global_norm(t_list: Sequence[TensorLike | IndexedSlices | None], clip_norm: ArrayLike, use_norm: Tensor | None = None,
                        name: str | None = None) -> tuple[list[Tensor | IndexedSlices | None], Tensor]:
    """(tensors, their length before): all shorter by one factor, so that they are no longer than `clip_norm` together."""
    length = global_norm(t_list, name) if use_norm is None else use_norm
    with stacks.get_default_graph().name_scope(name or "clip_by_global_norm"):
        one, limit = constant(1.0, length.dtype), constant(clip_norm, length.dtype)
        scale = limit * op_call.call("Minimum", None, x=one / length, y=one / limit)
        # Not a number is to stay that.
        scale = scale + (length - length)
        return [None if t is None else IndexedSlices(t.values * scale, t.indices, t.dense_shape) if isinstance(t, IndexedSlices)
                else convert_to_tensor(t) * scale for t in t_list], length


def norm(tensor: TensorLike, ord: str | float = "euclidean", axis: AxisLike = None, keepdims: bool | None = None, name: str | None = None,
         keep_dims: bool | None = None) -> Tensor:
    """The length of vectors: by squares ("euclidean", 2), by absolute values (1), by the largest (inf), or of another power."""
    keep = bool(keepdims if keep_dims is None else keep_dims)
    with stacks.get_default_graph().name_scope(name or "norm"):
        tensor = convert_to_tensor(tensor)
        if ord in ("euclidean", "fro", 2):
            made = op_call.call("Sqrt", None, x=math_ops.reduce_sum(tensor * math_ops.conj(tensor), axis, keepdims=True))
        else:
            size = math_ops.abs(tensor)
            if ord == np.inf:
                made = math_ops.reduce_max(size, axis, keepdims=True)
            elif ord == 1:
                made = math_ops.reduce_sum(size, axis, keepdims=True)
            elif isinstance(ord, (int, float)) and ord > 0:
                made = op_call.call("Pow", None, x=math_ops.reduce_sum(op_call.call("Pow", None, x=size, y=float(ord)), axis, keepdims=True),
                                    y=1.0 / ord)
            else:
                raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
        return made if keep else array_ops.squeeze(made, axis)


def eye(num_rows: int | Tensor, num_columns: int | None = None, batch_shape: Iterable[int | Tensor | Dimension] | None = None,
        dtype: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    """Ones where row and column are the same."""
    columns = num_rows if num_columns is None else num_columns
    with stacks.get_default_graph().name_scope(name or "eye"):
        square = num_columns is None
        batch = [] if batch_shape is None else list(batch_shape)
        if square:
            return op_call.call("MatrixDiag", None, diagonal=array_ops.ones([*batch, num_rows], dtype))
        zeros = array_ops.zeros([*batch, num_rows, columns], dtype)
        return op_call.call("MatrixSetDiag", None, input=zeros,
                            diagonal=array_ops.ones([*batch, min(num_rows, columns)], dtype))  # type: ignore[type-var]


def as_string(input: TensorLike, precision: int = -1, scientific: bool = False, shortest: bool = False, width: int = -1, fill: str = "",
              name: str | None = None) -> Tensor:
    return op_call.call("AsString", name, input=input, precision=precision, scientific=scientific, shortest=shortest, width=width, fill=fill)


def Print(input_: TensorLike, data: Iterable[TensorLike], message: str | None = None, first_n: int | None = None, summarize: int | None = None,
          name: str | None = None) -> Tensor:
    """`input_`; when it is computed `data` is written to stderr."""
    return op_call.call("Print", name, input=input_, data=list(data), message=message or "", first_n=-1 if first_n is None else first_n,
                        summarize=3 if summarize is None else summarize)
