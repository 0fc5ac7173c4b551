"""What is known of tensors' values before a run; TensorProtos."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from troupe import _native, dtypes, protos
from troupe.tensor import Tensor
from troupe.tensor_shape import Dimension, TensorShape

if TYPE_CHECKING:
    from troupe.typing import ArrayLike, DTypeLike, Message, ShapeLike, ShapeOrTensor, TensorLike


def constant_value(tensor: TensorLike, partial: bool = False) -> np.ndarray | None:
    """The value that a tensor has in every run, as an array, or None."""
    if not isinstance(tensor, Tensor):
        return np.asarray(tensor)
    value = tensor.graph._native.constant_value((tensor.op._id, tensor._index))
    return None if value is None or isinstance(value, _native.Tensor) else np.asarray(value)


def constant_value_as_shape(tensor: Tensor) -> TensorShape:
    """The shape whose dimensions a vector of integers holds, as far as they are known: negative ones are not, and the scalar -1 is a shape of
    which nothing is. ValueError for other scalars, and for more dimensions."""
    value = constant_value(tensor)
    if tensor.shape.rank == 0:
        if value is None or value != -1:
            raise ValueError(f"Received a scalar value '{value}' as shape; require a statically known scalar with value '-1' to describe an unknown "
                             "shape.")
        return TensorShape(None)
    known = tensor.shape.with_rank(1).as_list()[0]
    if value is not None:
        return TensorShape([None if d < 0 else operator.index(d) for d in value])
    found = _shape_by_op(tensor.op, [*tensor.op.inputs])
    return found if found is not None else TensorShape(None) if known is None else TensorShape([None] * known)


def _shape_by_op(op, inputs):
    """The shape that an operation puts together of parts, some of which may be known; None for other operations."""
    if op.type == "Cast":
        return constant_value_as_shape(inputs[0])
    if op.type == "Shape":
        return inputs[0].shape
    if op.type == "Pack":
        values = [constant_value(i) for i in inputs]
        return TensorShape([None if v is None or v < 0 else int(v) for v in values])
    if op.type in ("Concat", "ConcatV2"):
        joined = TensorShape([])
        for part in inputs[:-1] if op.type == "ConcatV2" else inputs[1:]:
            joined = joined.concatenate(constant_value_as_shape(part))
        return joined
    return _sliced_shape(op, inputs) if op.type == "StridedSlice" else None


def _sliced_shape(op, inputs):
    masks = [op.get_attr(name) for name in ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")]
    bounds = [constant_value(i) for i in inputs[1:]]
    # Also what makes a vector of a scalar.
    if any(masks[2:]) or any(b is None or b.size != 1 for b in bounds):
        return None
    whole = constant_value_as_shape(inputs[0])
    if whole.rank is None:
        return None
    begin, end, step = (int(b[0]) for b in bounds)
    return whole[None if masks[0] & 1 else begin:None if masks[1] & 1 else end:step]


def static_dims(dims: ShapeOrTensor) -> list[int] | None:
    """The dimensions of a shape that is no tensor, or None when a part of it is one, or not known."""
    if isinstance(dims, TensorShape):
        return dims.as_list() if dims.is_fully_defined() else None  # type: ignore[return-value]
    items = list(dims) if isinstance(dims, (list, tuple, np.ndarray)) else [dims]
    numbers = []
    for d in items:
        d = d.value if isinstance(d, Dimension) else d
        if d is None or isinstance(d, Tensor) or not hasattr(d, "__index__") or int(d) < 0:
            return None
        numbers.append(int(d))
    return numbers


def make_tensor_proto(values: ArrayLike | Message, dtype: DTypeLike | None = None, shape: ShapeLike = None, verify_shape: bool = False,
                      allow_broadcast: bool = False) -> Any:
    """A TensorProto of a value that could be a constant; one that is there is given back. The last element fills up a larger `shape`; with
    verify_shape the value must have it, with allow_broadcast it may be a single element, too: TypeError. ValueError for both."""
    from troupe.constant_op import check_shape, native_tensor

    if allow_broadcast and verify_shape:
        raise ValueError("allow_broadcast and verify_shape are not both allowed.")
    if hasattr(values, "SerializeToString"):
        return values
    known = None if dtype is None else dtypes.as_dtype(dtype)
    if verify_shape or allow_broadcast:
        check_shape(values, known, shape, allow_broadcast)
    tensor = native_tensor(values, known, shape)
    return protos.TensorProto.FromString(tensor.to_proto())


def make_ndarray(tensor: Message) -> np.ndarray:
    """The array that a TensorProto holds."""
    return np.asarray(_native.Tensor.from_proto(tensor.SerializeToString()).numpy())


def is_tensor(x: Any) -> bool:
    from troupe.composite import is_composite

    return isinstance(x, Tensor) or is_composite(x) or hasattr(x, "_as_graph_element") and hasattr(x, "dtype")
