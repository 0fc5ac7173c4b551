"""Constants, and what Python's values are as tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import _native, dtypes, op_call, stacks
from troupe.conversion import register_tensor_conversion_function
from troupe.tensor import Tensor
from troupe.tensor_shape import Dimension, TensorShape, as_shape

if TYPE_CHECKING:
    from typing import Any

    from troupe.dtypes import DType
    from troupe.typing import ArrayLike, DTypeLike, ShapeLike


def _leaves(value):
    if isinstance(value, (list, tuple)):
        for v in value:
            yield from _leaves(v)
    else:
        yield value


def _fits(item, dtype):
    """Whether a Python value may become one of `dtype` without a loss."""
    if isinstance(item, np.ndarray):
        return True
    if dtype is dtypes.string:
        return isinstance(item, (str, bytes))
    if dtype is dtypes.bool_:
        return isinstance(item, (bool, np.bool_))
    if isinstance(item, (str, bytes)) or item is None:
        return False
    if dtype.is_integer or dtype.is_quantized:
        return isinstance(item, (int, np.integer, Dimension))
    if dtype.is_floating:
        return isinstance(item, (int, float, np.integer, np.floating, Dimension))
    return True


def _check_fits(value, dtype):
    if isinstance(value, (np.ndarray, np.generic)):
        return
    for item in _leaves(value):
        if isinstance(item, Tensor):
            raise TypeError("List of Tensors when single Tensor expected")
        if not _fits(item, dtype):
            raise TypeError(f"Expected {dtype.name}, but got {item} of type '{type(item).__name__}'.")


def to_numpy(value: Any, dtype: DType | None = None) -> np.ndarray:
    """`value` as an array of the NumPy type of `dtype`. Without one: Python's numbers are int32 (int64 where they must) and float32, arrays
    keep their type. TypeError and ValueError for what does not fit."""
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        if dtype is None:
            dtype = dtypes.as_dtype(array.dtype)
        return array if dtype is dtypes.string else dtypes.array_of(array, dtype)
    if value is None:
        raise ValueError("None values not supported.")
    if dtype is not None:
        _check_fits(value, dtype)
        try:
            return dtypes.array_of(value, dtype)
        except (ValueError, OverflowError) as e:
            raise _bad_array(value, e) from None
    try:
        array = np.array(value)
    except UnicodeDecodeError:
        # Texts beside bytes that are none.
        return _strings(value)
    except ValueError as e:
        raise _bad_array(value, e) from None
    if array.dtype == np.float64 and not _has_arrays(value):
        return array.astype(np.float32)
    if array.dtype == np.int64 and not _has_arrays(value):
        small = array.astype(np.int32)
        return small if np.array_equal(small, array) else array
    if array.dtype.kind in "USO":
        return _strings(value)
    return array


def _bad_array(value, error):
    if isinstance(error, OverflowError):
        return ValueError(str(error))
    return ValueError(f"Can't convert Python sequence with mixed types to Tensor: {error}" if "inhomogeneous" not in str(error)
                      else f"{error} Argument must be a dense tensor: {value} is not rectangular.")


def _has_arrays(value):
    """NumPy's own values keep their type."""
    return any(isinstance(v, (np.ndarray, np.generic)) for v in _leaves(value))


def _strings(value):
    array = np.array(value, dtype=object)
    for item in array.flat:
        if not isinstance(item, (str, bytes)):
            raise TypeError(f"Failed to convert elements of {value!r} to Tensor. Consider casting elements to a supported type. See "
                            "https://www.tensorflow.org/api_docs/python/tf/dtypes for supported TF dtypes.")
    return array


def native_tensor(value: ArrayLike, dtype: DType | None = None, shape: ShapeLike = None) -> Any:
    """`value` as a native Tensor; its last element fills up a larger `shape`."""
    array = to_numpy(value, dtype)
    if shape is not None:
        dims = as_shape(shape).as_list()
        array = _fill(array, tuple(dims))
    dtype = dtypes.as_dtype(array.dtype) if dtype is None else dtype
    return _native.Tensor(array, dtype.as_datatype_enum)


def _fill(array, dims):
    count = int(np.prod(dims, dtype=np.int64))
    if array.size == count:
        return array.reshape(dims)
    if count == 0:
        return np.empty(dims, dtype=array.dtype)
    if array.size > count:
        raise ValueError(f"Too many elements provided. Takes at most {count:d}, but got {array.size:d}.")
    if array.size == 0:
        raise ValueError(f"Too few elements provided. Needed {count:d}, but got none.")
    flat = np.empty(count, dtype=array.dtype)
    flat[:array.size] = array.ravel()
    flat[array.size:] = array.ravel()[-1]
    return flat.reshape(dims)


def check_shape(value: ArrayLike, dtype: DType | None, shape: ShapeLike, allow_broadcast: bool = False) -> None:
    """TypeError where `value` has another shape, but for a single element with allow_broadcast."""
    if shape is None:
        return
    array, wanted = to_numpy(value, dtype), tuple(as_shape(shape).as_list())
    if array.shape != wanted and not (allow_broadcast and array.size == 1):
        raise TypeError(f"Expected Tensor's shape: {wanted}, but got {array.shape}.")


def constant(value: ArrayLike, dtype: DTypeLike | None = None, shape: ShapeLike = None, name: str = "Const", verify_shape: bool = False) -> Tensor:
    """A constant of `value`: a number, a text, a nest of lists, or an array."""
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype)
    if isinstance(value, Tensor):
        raise TypeError(f"Cannot create a constant from the tensor {value}")
    if verify_shape:
        check_shape(value, dtype, shape)
    tensor = native_tensor(value, dtype, shape)
    graph = stacks.get_default_graph()
    attrs = {"value": tensor, "dtype": tensor.dtype}
    return graph._create_op("Const", [], attrs, op_call._unique(graph, name or "Const"))._outputs[0]


def _from_shape(value, dtype=None, name=None, as_ref=False):
    if not value.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape {value} to a Tensor.")
    if dtype is not None and dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(f"Cannot convert TensorShape {value} to dtype {dtype}. Allowed dtypes are tf.int32 and tf.int64.")
    if dtype is None:
        dtype = dtypes.int64 if any(d >= 2**31 for d in value.as_list()) else dtypes.int32
    return constant(np.array(value.as_list(), dtype=dtype._np), dtype, name=name or "shape_as_tensor")


def _from_dimension(value, dtype=None, name=None, as_ref=False):
    if value.value is None:
        raise ValueError(f"Cannot convert unknown Dimension {value} to a Tensor.")
    if dtype is not None and dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(f"Cannot convert Dimension {value} to dtype {dtype}. Allowed dtypes are tf.int32 and tf.int64.")
    return constant(value.value, dtype or dtypes.int32, name=name or "shape_as_tensor")


register_tensor_conversion_function(TensorShape, _from_shape)
register_tensor_conversion_function(Dimension, _from_dimension)
