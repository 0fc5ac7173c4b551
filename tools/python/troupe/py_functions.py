"""Python functions of tensors with values: `tf.py_function`, as graphs use it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe.script_ops import py_func
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from troupe.typing import DTypeLike, TensorLike


class Value(np.ndarray):
    """A value that a function gets: an array, which is its own `numpy()`."""

    def numpy(self) -> Any:
        """The array, a scalar as NumPy's, text as bytes."""
        return self.view(np.ndarray)[()] if self.ndim == 0 else self.view(np.ndarray)


def py_function(func: Callable[..., Any] | None = None, inp: Sequence[TensorLike] | None = None,
                Tout: DTypeLike | Sequence[DTypeLike] | None = None, name: str | None = None) -> Any:  # noqa: N803, TensorFlow's name
    """`func` of the values of `inp`, arrays with a method `numpy()`, which stand for eager tensors: operations of `tf` inside would be of the graph, and a tensor as
    its result is a TypeError, which the step says as InvalidArgumentError. Without derivatives. Numbers of other types are converted to those of `Tout`. For the rest see
    py_func."""
    from troupe import dtypes

    single = not isinstance(Tout, (list, tuple))
    types = [] if Tout is None else [dtypes.as_dtype(t) for t in ([Tout] if single else Tout)]

    def call(*arrays):
        given = func(*(np.asarray(a).view(Value) if np.asarray(a).dtype != object else _texts(a) for a in arrays))
        values = [] if given is None else list(given) if isinstance(given, (list, tuple)) and not single else [given]
        return [_converted(v, t) for v, t in zip(values, types)] if len(values) == len(types) else values

    return py_func(call, list(inp or ()), Tout if Tout is not None else [], name=name)


def _texts(value):
    return np.asarray(value, object).view(Value)


def _converted(value, dtype):
    if isinstance(value, Tensor):
        raise TypeError(f"A function of tf.py_function gave {value}: nothing is eager here. It is to compute with NumPy.")
    array = np.asarray(value)
    return array.astype(dtype.as_numpy_dtype) if array.dtype.kind in "biufc" and dtype.as_numpy_dtype is not object else array
