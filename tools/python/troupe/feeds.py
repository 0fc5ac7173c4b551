"""What is fed: keys that are tensors, their names or what is made of several; values that become arrays."""

import numpy as np

from troupe import _native, dtypes, fetches
from troupe.tensor import Tensor


def _flat_items(feed_dict):
    """Tuples and lists as keys feed their parts."""
    for key, value in feed_dict.items():
        if isinstance(key, (list, tuple)):
            keys, values = list(_leaves(key)), list(_leaves_like(key, value))
            yield from zip(keys, values)
        else:
            yield key, value


def _leaves(nest):
    if isinstance(nest, (list, tuple)):
        for n in nest:
            yield from _leaves(n)
    else:
        yield nest


def _leaves_like(nest, value):
    if not isinstance(nest, (list, tuple)):
        yield value
        return
    if not isinstance(value, (list, tuple, np.ndarray)) or len(value) != len(nest):
        raise ValueError(f"Could not flatten dictionary. Key had {len(list(_leaves(nest)))} elements, but value had "
                         f"{len(value) if hasattr(value, '__len__') else 1} elements. Key: {nest}, value: {value}.")
    for n, v in zip(nest, value):
        yield from _leaves_like(n, v)


def tensor_of(graph, key):
    """The tensor that a key feeds. TypeError for what is none."""
    if isinstance(key, Tensor) and key.graph is graph:
        return key
    try:
        return graph.as_graph_element(key, allow_tensor=True, allow_operation=False)
    except Exception as e:
        raise TypeError(f"Cannot interpret feed_dict key as Tensor: {e.args[0]}") from None


def array_of(graph, tensor, value, key):
    """The value as an array that the tensor can be. TypeError and ValueError when it cannot."""
    dtype = tensor.dtype.base_dtype
    numpy_type = dtype._np
    if type(value) is not np.ndarray or value.dtype is not numpy_type:
        if isinstance(value, Tensor):
            raise TypeError("The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python scalars, strings, "
                            f"lists, numpy ndarrays, or TensorHandles. For reference, the tensor object was {value} which was passed "
                            f"to the argument `feed_dict` with key {key}.")
        if hasattr(value, "get_raw_handle"):
            value = value.eval()
        if numpy_type is None:
            return _opaque(tensor, value)
        if isinstance(value, int) and not isinstance(value, bool) and dtype is not dtypes.string:
            _check_integer(value, dtype)
        if dtype is dtypes.string:
            value = np.asarray(value, dtype=object)
        else:
            value = np.asarray(value, dtype=numpy_type)
    shape = graph._native.shape((tensor.op._id, tensor._index))
    if shape is not None and shape != value.shape:
        if len(shape) != value.ndim or any(d >= 0 and d != n for d, n in zip(shape, value.shape)):
            raise ValueError(f"Cannot feed value of shape {value.shape} for Tensor {tensor.name}, which has shape {tensor.shape}")
    return value


def _check_integer(value, dtype):
    try:
        same = np.asarray(value).astype(dtype._np) == value
    except (OverflowError, ValueError):
        same = False
    if not same:
        raise TypeError(f"Type of feed value {value} with type {type(value)} is not compatible with Tensor type "
                        f"{dtype.as_numpy_dtype}. Try explicitly setting the type of the feed tensor to a larger type (e.g. int64).")


def _opaque(tensor, value):
    """NumPy has no type for it: it goes as it came."""
    if isinstance(value, _native.Tensor):
        return value
    raise TypeError(f"A {tensor.dtype.name} can be fed only with what was fetched as one; {tensor.name} was given {value!r}")


def read(graph, feed_dict):
    """({tensor: array}) of all that a run feeds."""
    fed = {}
    for key, value in _flat_items(feed_dict):
        for part, part_value in fetches.expand_feed(key, value):
            tensor = tensor_of(graph, part)
            if graph._unfeedable and not graph.is_feedable(tensor):
                raise ValueError(f"Tensor {tensor.name} may not be fed.")
            fed[tensor] = array_of(graph, tensor, part_value, key)
    return fed
