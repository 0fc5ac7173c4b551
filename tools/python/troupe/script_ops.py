"""Python functions as operations: py_func and numpy_function, which this process calls back for."""

from __future__ import annotations

import itertools
import threading
import traceback
import weakref
from typing import TYPE_CHECKING

import numpy as np

from troupe import _native, dtypes, errors, op_call, stacks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from troupe.typing import DTypeLike, TensorLike

# What TensorFlow tells for these; all others are UNKNOWN.
_CODES = ((TypeError, errors.INVALID_ARGUMENT), (ValueError, errors.INVALID_ARGUMENT), (StopIteration, errors.OUT_OF_RANGE),
          (MemoryError, errors.RESOURCE_EXHAUSTED), (NotImplementedError, errors.UNIMPLEMENTED))


class _Failure(Exception):
    """What a function returned that its operation cannot give."""


class _Functions:
    """Functions by token. They live as long as the graphs that hold them."""

    def __init__(self):
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._by_token = weakref.WeakValueDictionary()

    def add(self, held) -> str:
        with self._lock:
            token = f"pyfunc_{next(self._numbers)}"
            self._by_token[token] = held
        return token

    def __call__(self, token, arrays, types):
        """What the native kernel calls: a list of arrays of these dtypes, or (code, message)."""
        try:
            return self._call(token, arrays, [dtypes.of_number(t) for t in types])
        except _Failure as e:
            return errors.INVALID_ARGUMENT, str(e)
        except Exception as e:  # noqa: BLE001, the step hears it
            code = next((code for kind, code in _CODES if isinstance(e, kind)), errors.UNKNOWN)
            # Without the frame of this call, and of the next.
            inner = e.__traceback__.tb_next
            lines = traceback.format_exception(type(e), e, inner.tb_next if inner is not None and inner.tb_next is not None else inner)
            return code, f"{type(e).__name__}: {e}\n" + "\n".join(lines)

    def _call(self, token, arrays, types):
        held = self._by_token.get(token)
        if held is None:
            raise ValueError(f"Could not find callback with key={token} in the registry.")
        given = held.function(*arrays)
        values = [] if given is None else list(given) if isinstance(given, (list, tuple)) else [given]
        if len(values) != len(types):
            raise _Failure(f"{token} returns {len(values)} values, but expects to see {len(types)} values.")
        return [_as_array(value, dtype, token, i) for i, (value, dtype) in enumerate(zip(values, types))]


class _Held:
    """What a graph holds: tokens refer to it weakly, which they cannot to every function."""

    def __init__(self, function):
        self.function = function


_functions = _Functions()
# Those of functions' bodies, which end before the functions do.
_kept_forever = []


def _as_array(value, dtype, token, index):
    """The value as an array of exactly this dtype. Numbers are not converted, as TensorFlow does not."""
    array = np.asarray(value, order="C")
    if array.dtype.kind in "SU":
        # NumPy's own texts are filled up with zeros.
        items = np.asarray(value, dtype=object)
        array = np.array([t.encode() if isinstance(t, str) else bytes(t) for t in items.ravel().tolist()], object).reshape(items.shape)
    try:
        found = dtypes.as_dtype(array.dtype)
    except TypeError:
        found = None
    if found is None or found is dtypes.string and not all(isinstance(item, (bytes, str)) for item in array.ravel().tolist()):
        raise _Failure(f"Unsupported object type {type(value).__name__}")
    if array.dtype != dtype._np:
        raise _Failure(f"{index}-th value returned by {token} is {found._name_in_messages}, but expects {dtype._name_in_messages}")
    return dtypes._to_native_array(array, dtype.as_datatype_enum)


def _hold(held):
    graph = stacks.get_default_graph()
    while graph.building_function:
        if not hasattr(graph, "outer_graph"):
            _kept_forever.append(held)
            return
        graph = graph.outer_graph
    # Its life is the graph's.
    graph.__dict__.setdefault("_py_funcs_used_in_graph", []).append(held)


def py_func(func: Callable[..., Any], inp: Sequence[TensorLike], Tout: DTypeLike | Sequence[DTypeLike], stateful: bool = True,  # noqa: N803
            name: str | None = None) -> Any:
    """`func` of the NumPy arrays of `inp` (scalars come as NumPy's, strings as bytes), run by this process in each step that wants it, on a thread
    that may wait. `Tout`: the dtypes of what it returns, a list or one; a list gives a list of tensors, whose shapes nobody knows.
    With stateful=False the runtime may leave calls out. The step fails with InvalidArgumentError where a value is of another
    dtype; where `func` raises, with InvalidArgumentError for TypeError and ValueError, OutOfRangeError for StopIteration,
    ResourceExhaustedError for MemoryError, UnimplementedError for NotImplementedError, else UnknownError. The function is this
    process': graphs that are loaded elsewhere do not have it."""
    return _call_op("PyFunc" if stateful else "PyFuncStateless", func, inp, Tout, name)


def numpy_function(func: Callable[..., Any] | None = None, inp: Sequence[TensorLike] | None = None,
                   Tout: DTypeLike | Sequence[DTypeLike] | None = None, stateful: bool = True, name: str | None = None) -> Any:  # noqa: N803
    """As py_func. Without `inp`, a decorator: `@tf.numpy_function(Tout=tf.float32)`, whose function takes tensors."""
    if func is None or inp is None:
        if Tout is None:
            raise TypeError("numpy_function needs the dtypes of what the function returns: Tout")
        if func is not None:
            raise ValueError("Don't set func and inp, or set both")
        return lambda function: lambda *args: py_func(function, args, Tout, stateful, name)
    return py_func(func, inp, Tout, stateful, name)


def _call_op(op_type, function, inputs, output_types, name):
    if not callable(function):
        raise ValueError(f"Expected func to be callable. Received func={function} of type {type(function)}.")
    single = not isinstance(output_types, (list, tuple))
    types = [dtypes.as_dtype(t) for t in ([output_types] if single else output_types)]
    _native.set_py_func(_functions)
    held = _Held(function)
    _hold(held)
    op = op_call.make_operation(op_type, name, {"input": list(inputs), "token": _functions.add(held), "Tout": types})
    if not types:
        return op
    return op.outputs[0] if single else list(op.outputs)
