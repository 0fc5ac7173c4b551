"""Functions by the names that TensorFlow's modules have for them: those of second_order, which are made when they are first asked for, and what
TensorFlow's own code calls."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from troupe.second_order import NAMED, made

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Classes and functions that have another name here: the module of this package, and the name there.
_OTHERWISE = {
    "VariableV1": ("variables", "Variable"), "DatasetV1": ("data", "Dataset"), "DatasetV2": ("data", "Dataset"),
    "get_legacy_output_types": ("data", "get_output_types"), "get_legacy_output_shapes": ("data", "get_output_shapes"),
    "get_legacy_output_classes": ("data", "get_output_classes"), "TextLineDatasetV1": ("data", "TextLineDataset"),
    "TextLineDatasetV2": ("data", "TextLineDataset"), "TFRecordDatasetV1": ("data", "TFRecordDataset"),
    "TFRecordDatasetV2": ("data", "TFRecordDataset"), "FixedLengthRecordDatasetV1": ("data", "FixedLengthRecordDataset"),
    "FixedLengthRecordDatasetV2": ("data", "FixedLengthRecordDataset"), "GetTempDir": ("test_case", "get_temp_dir"),
    "BaseResourceVariable": ("resource_variable", "ResourceVariable"), "smart_constant_value": ("layer", "smart_constant"),
    "MakeNdarray": ("tensor_util", "make_ndarray"), "is_tf_type": ("tensor_util", "is_tensor"), "IsTensorLike": ("tensor_util", "is_tensor"),
}


def __getattr__(name: str) -> Callable[..., Any]:
    if name in _OTHERWISE:
        module, other = _OTHERWISE[name]
        return getattr(importlib.import_module(f"troupe.{module}"), other)
    if name not in NAMED:
        raise AttributeError(f"module 'troupe.second_names_later' has no attribute {name!r}")
    value = globals()[name] = made(*NAMED[name])
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *NAMED, *_OTHERWISE})


def size_internal(input: Any, name: str | None = None, optimize: bool = True, out_type: Any = None) -> Any:
    """How many elements a tensor has. What is known of it is a constant in any case."""
    from troupe import array_ops, dtypes

    return array_ops.size(input, name, dtypes.int32 if out_type is None else out_type)


def rank_internal(input: Any, name: str | None = None, optimize: bool = True) -> Any:
    from troupe import array_ops

    return array_ops.rank(input, name)


def repeat_with_axis(data: Any, repeats: Any, axis: int | None, name: str | None = None) -> Any:
    """Each element of an axis so many times."""
    from troupe import sort_ops

    return sort_ops.repeat(data, repeats, axis, name)


def convert_to_int_tensor(tensor: Any, name: str, dtype: Any = None) -> Any:
    """A tensor of one integer. TypeError for other types, ValueError for other shapes."""
    from troupe import conversion, dtypes, math_ops

    made = conversion.convert_to_tensor(tensor, name=name)
    if not made.dtype.is_integer:
        raise TypeError(f"Arguments `tensor` must be an integer tensor. Received: tensor={tensor} of dtype {made.dtype.name}")
    if made.shape.rank not in (0, None):
        raise ValueError(f"Argument `{name}` must be a scalar. Received shape {made.shape}")
    return math_ops.cast(made, dtypes.int32 if dtype is None else dtype)


def get_positive_axis(axis: int, ndims: int | None, axis_name: str = "axis", ndims_name: str = "ndims") -> int:
    """An axis counted from the front. TypeError for no number, ValueError for one that is not there, or when the number of axes is unknown."""
    if not isinstance(axis, int):
        raise TypeError(f"{axis_name} must be an int; got {type(axis).__name__}")
    if ndims is not None:
        if not -ndims <= axis < ndims:
            raise ValueError(f"{axis_name}={axis} out of bounds: expected {-ndims}<={axis_name}<{ndims}")
        return axis % ndims if ndims else axis
    if axis < 0:
        raise ValueError(f"{axis_name}={axis} may only be negative if {ndims_name} is statically known.")
    return axis


def reduced_shape(input_shape: Any, axes: Any) -> Any:
    """The shape of a reduction that keeps its axes, as a tensor."""
    from troupe import array_ops, conversion, dtypes, math_ops, op_call

    shape = math_ops.cast(conversion.convert_to_tensor(input_shape), dtypes.int32)
    rank = array_ops.size(shape)
    axes = math_ops.floormod(conversion.convert_to_tensor(axes, dtypes.int32) + rank, rank)
    axes = array_ops.reshape(axes, [-1])
    ones = op_call.call("OnesLike", None, x=axes)
    return op_call.call("DynamicStitch", None, indices=[math_ops.range(rank), axes], data=[shape, ones])


def is_resource_variable(var: Any) -> bool:
    """Whether a variable is one that a resource holds."""
    from troupe.resource_variable import ResourceVariable

    return isinstance(var, ResourceVariable) or hasattr(var, "_should_act_as_resource_variable")


def DatasetV1Adapter(dataset: Any) -> Any:  # noqa: N802
    """The dataset: there is one kind."""
    return dataset


def ShapeEquals(tensor_proto: Any, shape: Any) -> bool:  # noqa: N802
    """Whether a TensorProto has this shape, a list or a message. TypeError for what is neither."""
    if not hasattr(tensor_proto, "tensor_shape"):
        raise TypeError(f"`tensor_proto` must be a tensor_pb2.TensorProto object, but got type {type(tensor_proto)}.")
    if hasattr(shape, "dim"):
        shape = [d.size for d in shape.dim]
    elif not isinstance(shape, (list, tuple)):
        raise TypeError(f"`shape` must be a list or tuple, but got type {type(shape)}.")
    return [d.size for d in tensor_proto.tensor_shape.dim] == list(shape)


def TensorShapeProtoToList(shape: Any) -> list[int]:  # noqa: N802
    """The sizes of a TensorShapeProto."""
    return [d.size for d in shape.dim]
