"""Sums of products, lengths, limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

from troupe import array_ops, dtypes, math_ops, op_call, stacks
from troupe.constant_op import constant
from troupe.conversion import convert_to_tensor
from troupe.composite import IndexedSlices
from troupe.tensor_util import is_tensor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from troupe.tensor import Tensor
    from troupe.tensor_shape import Dimension
    from troupe.typing import AxisLike, DTypeLike, TensorLike


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


def global_norm(t_list: Sequence[TensorLike | IndexedSlices | None], name: str | None = None) -> Tensor:
    """The length of all tensors together; None among them counts nothing. TypeError for what is no list."""
    t_list = _listed(t_list)
    graph = stacks.get_default_graph()
    with graph.name_scope(name or "global_norm"):
        halves = []
        for i, t in enumerate(t_list):
            if t is not None:
                value = convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t, name=f"t_{i}")
                with graph.colocate_with(value):
                    halves.append(op_call.call("L2Loss", None, t=value))
        total = math_ops.reduce_sum(array_ops.stack(halves))
        return op_call.call("Sqrt", "global_norm", x=total * constant(2.0, total.dtype))


def _listed(tensors):
    if isinstance(tensors, str) or not isinstance(tensors, Sequence):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(tensors)}.")
    return list(tensors)


def clip_by_norm(t: TensorLike, clip_norm: TensorLike, axes: AxisLike = None, name: str | None = None) -> Tensor:
    """As it is, or shorter, so that its length is `clip_norm`."""
    with stacks.get_default_graph().name_scope(name or "clip_by_norm") as scope:
        t = convert_to_tensor(t, name="t")
        squares = math_ops.reduce_sum(t * t, axes, keepdims=True)
        positive = squares > 0
        safe = array_ops.where(positive, squares, array_ops.ones_like(squares))
        length = array_ops.where(positive, op_call.call("Sqrt", None, x=safe), squares)
        return op_call.call("RealDiv", scope, x=t * clip_norm, y=op_call.call("Maximum", None, x=length, y=clip_norm))


def clip_by_global_norm(t_list: Sequence[TensorLike | IndexedSlices | None], clip_norm: TensorLike, use_norm: TensorLike | None = None,
                        name: str | None = None) -> tuple[list[Tensor | IndexedSlices | None], Tensor]:
    """(tensors, their length before): all shorter by one factor, so that they are no longer than `clip_norm` together. Their length is
    `use_norm`, where it is given. TypeError for what is no list."""
    t_list = _listed(t_list)
    length = global_norm(t_list, name) if use_norm is None else convert_to_tensor(use_norm, name="use_norm")
    with stacks.get_default_graph().name_scope(name or "clip_by_global_norm") as scope:
        one = constant(1.0, length.dtype)
        scale = op_call.call("Minimum", None, x=one / length, y=one / clip_norm) * clip_norm
        # Not a number is to stay that.
        scale = scale + (length - length)
        return [None if t is None else _scaled(t, scale, f"{scope}_{i}") for i, t in enumerate(t_list)], length


def _scaled(t, scale, name):
    if isinstance(t, IndexedSlices):
        return IndexedSlices(_scaled(t.values, scale, name), t.indices, t.dense_shape)
    t = convert_to_tensor(t)
    with t.graph.colocate_with(t):
        return op_call.call("Identity", name, input=t * scale)


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


def eye(num_rows: int | Tensor, num_columns: int | Tensor | None = None,
        batch_shape: Iterable[int | Tensor | Dimension] | Tensor | None = None, dtype: DTypeLike = dtypes.float32,
        name: str | None = None) -> Tensor:
    """Ones where row and column are the same, in matrices [*batch_shape, num_rows, num_columns]. TypeError for numbers that are no integers."""
    columns = num_rows if num_columns is None else num_columns
    with stacks.get_default_graph().name_scope(name or "eye"):
        if is_tensor(num_rows) or is_tensor(columns):
            square, diagonal = num_columns is None, math_ops.minimum(num_rows, columns)
        elif hasattr(num_rows, "__index__") and hasattr(columns, "__index__"):
            square, diagonal = int(num_rows) == int(columns), min(int(num_rows), int(columns))
        else:
            raise TypeError(f"Arguments `num_rows` and `num_columns` must be positive integer values. Received: num_rows={num_rows}, "
                            f"num_columns={columns}")
        ones = array_ops.ones(_batched(batch_shape, [diagonal]), dtype)
        if square:
            return op_call.call("MatrixDiag", "diag", diagonal=ones)
        zeros = array_ops.zeros(_batched(batch_shape, [num_rows, columns]), dtype)
        return op_call.call("MatrixSetDiag", "set_diag", input=zeros, diagonal=ones)


def _batched(batch_shape, dims):
    """The shape of `batch_shape` and then `dims`."""
    if is_tensor(batch_shape):
        return array_ops.concat([math_ops.cast(convert_to_tensor(batch_shape), dtypes.int32), dims], 0)
    return [*(() if batch_shape is None else batch_shape), *dims]


def as_string(input: TensorLike, precision: int = -1, scientific: bool = False, shortest: bool = False, width: int = -1, fill: str = "",
              name: str | None = None) -> Tensor:
    return op_call.call("AsString", name, input=input, precision=precision, scientific=scientific, shortest=shortest, width=width, fill=fill)


def Print(input_: TensorLike, data: Iterable[TensorLike], message: str | None = None, first_n: int | None = None, summarize: int | None = None,
          name: str | None = None) -> Tensor:
    """`input_`; when it is computed `data` is written to stderr."""
    return op_call.call("Print", name, input=input_, data=list(data), message=message or "", first_n=-1 if first_n is None else first_n,
                        summarize=3 if summarize is None else summarize)
