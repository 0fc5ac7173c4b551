"""What is fed: keys that are tensors, their names or what is made of several; values that become arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import _native, dtypes, fetches
from troupe.nest import sequence_leaves
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from typing import Any

    from troupe.graph import Graph
    from troupe.typing import FeedDict, TensorLike


def _flat_items(key, value):
    """Tuples and lists as keys feed their parts."""
    if isinstance(key, (list, tuple)):
        return zip(list(sequence_leaves(key)), list(_leaves_like(key, value)))
    return ((key, value),)


def _leaves_like(nest, value):
    if not isinstance(nest, (list, tuple)):
        yield value
        return
    if not isinstance(value, (list, tuple, np.ndarray)) or len(value) != len(nest):
        raise ValueError(f"Could not flatten dictionary. Key had {len(list(sequence_leaves(nest)))} elements, but value had "
                         f"{len(value) if hasattr(value, '__len__') else 1} elements. Key: {nest}, value: {value}.")
    for n, v in zip(nest, value):
        yield from _leaves_like(n, v)


def tensor_of(graph: Graph, key: Any) -> Any:
    """The tensor that a key feeds. TypeError for what is none."""
    if isinstance(key, Tensor) and key.graph is graph:
        return key
    try:
        return graph.as_graph_element(key, allow_tensor=True, allow_operation=False)
    except Exception as e:
        raise TypeError(f"Cannot interpret feed_dict key as Tensor: {e.args[0]}") from None


def array_of(tensor: TensorLike, value: Any, key: Any) -> Any:
    """The value as an array that the tensor can be. TypeError and ValueError when it cannot."""
    if type(value) is not np.ndarray or value.dtype is not tensor.dtype._np:
        value = _converted(tensor, value, key)
    shape = _known_shape(tensor)
    if shape is not None and shape != value.shape:
        _check_shape(tensor, shape, value.shape)
    return value


def _known_shape(tensor):
    """None, or a tuple with -1 for what is not known. That of a placeholder changes only by set_shape."""
    shape = tensor._fed_shape
    if shape is False:
        shape = tensor.op.graph._native.shape((tensor.op._id, tensor._index))
        if tensor.op.type.startswith("Placeholder"):
            tensor._fed_shape = shape
    return shape


def _check_shape(tensor, shape, given):
    fits = len(shape) == len(given)
    for d, n in zip(shape, given):
        if d >= 0 and d != n:
            fits = False
    if not fits:
        raise ValueError(f"Cannot feed value of shape {tuple(given)} for Tensor {tensor.name}, which has shape {tensor.shape}")


def _converted(tensor, value, key):
    if isinstance(value, Tensor):
        raise TypeError("The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python scalars, strings, "
                        f"lists, numpy ndarrays, or TensorHandles. For reference, the tensor object was {value} which was passed "
                        f"to the argument `feed_dict` with key {key}.")
    if hasattr(value, "get_raw_handle"):
        value = value.eval()
    dtype = tensor.dtype.base_dtype
    if dtype._np is None:
        return _opaque(tensor, value)
    if isinstance(value, int) and not isinstance(value, bool):
        _check_integer(value, dtype)
    if dtype is dtypes.string:
        return np.asarray(value, dtype=object)
    return dtypes.array_of(value, dtype)


def _check_integer(value, dtype):
    try:
        same = dtype is not dtypes.string and np.asarray(value).astype(dtype._np) == value
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


def read(graph: Graph, feed_dict: FeedDict) -> Any:
    """({tensor: array}) of all that a run feeds."""
    fed = {}
    for key, value in feed_dict.items():
        if type(key) is Tensor and key.op.graph is graph:
            _add(fed, graph, key, value, key)
            continue
        for item, item_value in _flat_items(key, value):
            for part, part_value in fetches.expand_feed(item, item_value):
                _add(fed, graph, tensor_of(graph, part), part_value, item)
    return fed


def _add(fed, graph, tensor, value, key):
    if tensor in graph._unfeedable:
        raise ValueError(f"Tensor {tensor.name} may not be fed.")
    fed[tensor] = array_of(tensor, value, key)
