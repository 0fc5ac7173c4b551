"""What is known of tensors' values before a run; TensorProtos."""

from __future__ import annotations

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
    """The shape whose dimensions a tensor holds, as far as they are known."""
    value = constant_value(tensor)
    if value is not None:
        return TensorShape([None if d < 0 else int(d) for d in value])
    rank = tensor.shape.as_list()[0] if tensor.shape.rank == 1 else None
    if tensor.op.type == "Pack":
        values = [constant_value(i) for i in tensor.op.inputs]
        return TensorShape([None if v is None or v < 0 else int(v) for v in values])
    if tensor.op.type == "Shape":
        return tensor.op.inputs[0].shape
    if tensor.op.type == "ConcatV2" and constant_value(tensor.op.inputs[-1]) == 0:
        made = TensorShape([])
        for part in tensor.op.inputs[:-1]:
            made = made.concatenate(constant_value_as_shape(part))
        return made
    return TensorShape(None) if rank is None else TensorShape([None] * rank)


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


def make_tensor_proto(values: ArrayLike, dtype: DTypeLike | None = None, shape: ShapeLike = None, verify_shape: bool = False) -> Any:
    """A TensorProto of a value that could be a constant."""
    from troupe.constant_op import native_tensor

    tensor = native_tensor(values, None if dtype is None else dtypes.as_dtype(dtype), shape)
    return protos.TensorProto.FromString(tensor.to_proto())


def make_ndarray(tensor: Message) -> np.ndarray:
    """The array that a TensorProto holds."""
    return np.asarray(_native.Tensor.from_proto(tensor.SerializeToString()).numpy())


def is_tensor(x: Any) -> bool:
    from troupe.composite import is_composite

    return isinstance(x, Tensor) or is_composite(x) or hasattr(x, "_as_graph_element") and hasattr(x, "dtype")
