"""Assertions about tensors: what is known when the graph is built is checked there, the rest in each run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, dtypes, errors, math_ops, op_call, stacks
from troupe.composite import SparseTensor
from troupe.control_flow_ops import Assert, cond, no_op, with_dependencies
from troupe.conversion import convert_to_tensor
from troupe.tensor import Tensor
from troupe.tensor_shape import TensorShape
from troupe.tensor_util import constant_value, is_tensor

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from troupe.dtypes import DType
    from troupe.tensor import Operation
    from troupe.typing import CompositeTensor, DTypeLike, ShapeLike, TensorLike
    from troupe.variables import Variable


def _scope(name):
    return stacks.get_default_graph().name_scope(name)


# What the values of constants are put together with.
_PLAIN = {"BroadcastTo", "Cast", "Concat", "ConcatV2", "Equal", "Fill", "NotEqual", "Pack", "Range", "Split", "StopGradient", "Unpack"}


def _prefix(message):
    return f"{message}.  " if message else ""


def _is_plain(tensor):
    """Whether it is a constant, or put together of such. What else could be known is left to the run, so that programs may build what fails there."""
    if tensor.op.type in ("Const", "Rank", "Shape", "Size"):
        return True
    return tensor.op.type in _PLAIN and all(_is_plain(i) for i in tensor.op.inputs)


def _check_now(x, y, holds, data):
    """InvalidArgumentError when both are constants and the condition does not hold."""
    if not (_is_plain(x) and _is_plain(y)):
        return
    left, right = constant_value(x), constant_value(y)
    if left is None or right is None or np.all(holds(left, right)):
        return
    texts = [str(d) if not isinstance(d, Tensor) else str(constant_value(d)) for d in data]
    raise errors.InvalidArgumentError(None, None, "\n".join(texts))


def _comparison(function_name, sign, op_type, holds):
    def check(x, y, data=None, summarize=None, message=None, name=None):
        with _scope(name or function_name):
            x, y = convert_to_tensor(x, name="x"), convert_to_tensor(y, name="y")
            if data is None:
                data = [f"Condition x {sign} y did not hold element-wise:", f"x ({x.name}) = ", x, f"y ({y.name}) = ", y]
            if message is not None:
                data = [message, *data]
            condition = math_ops.reduce_all(op_call.call(op_type, None, x=x, y=y))
            _check_now(x, y, holds, data)
            return Assert(condition, data, summarize=summarize)

    check.__name__ = check.__qualname__ = function_name
    check.__doc__ = (f"An operation that fails where x {sign} y does not hold for all elements. InvalidArgumentError at once when both are "
                     "constants.")
    return check


assert_equal = _comparison("assert_equal", "==", "Equal", np.equal)
assert_none_equal = _comparison("assert_none_equal", "!=", "NotEqual", np.not_equal)
assert_less = _comparison("assert_less", "<", "Less", np.less)
assert_less_equal = _comparison("assert_less_equal", "<=", "LessEqual", np.less_equal)
assert_greater = _comparison("assert_greater", ">", "Greater", np.greater)
assert_greater_equal = _comparison("assert_greater_equal", ">=", "GreaterEqual", np.greater_equal)


def _with_zero(function_name, sign, comparison, zero_first):
    def check(x, data=None, summarize=None, message=None, name=None):
        with _scope(name or function_name):
            x = convert_to_tensor(x, name="x")
            if data is None:
                data = [_prefix(message), f"Condition x {sign} 0 did not hold element-wise:", f"x ({x.name}) = ", x]
            zero = convert_to_tensor(0, dtype=x.dtype.base_dtype)
            return comparison(*(zero, x) if zero_first else (x, zero), data=data, summarize=summarize)

    check.__name__ = check.__qualname__ = function_name
    check.__doc__ = f"An operation that fails where x {sign} 0 does not hold for all elements."
    return check


assert_negative = _with_zero("assert_negative", "<", assert_less, False)
assert_positive = _with_zero("assert_positive", ">", assert_less, True)
assert_non_negative = _with_zero("assert_non_negative", ">=", assert_less_equal, True)
assert_non_positive = _with_zero("assert_non_positive", "<=", assert_less_equal, False)


def assert_near(x: TensorLike, y: TensorLike, rtol: TensorLike | None = None, atol: TensorLike | None = None, data: Sequence[Any] | None = None,
                summarize: int | None = None, message: str | None = None, name: str | None = None) -> Operation | None:
    """An operation that fails where |x - y| < atol + rtol |y| does not hold; both are ten times the precision of the dtype."""
    with _scope(name or "assert_near"):
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, x.dtype.base_dtype, name="y")
        dtype = x.dtype.real_dtype if x.dtype.is_complex else x.dtype.base_dtype
        eps = np.finfo(dtype.as_numpy_dtype).eps
        rtol = convert_to_tensor(10 * eps if rtol is None else rtol, dtype, name="rtol")
        atol = convert_to_tensor(10 * eps if atol is None else atol, dtype, name="atol")
        if data is None:
            data = [_prefix(message), f"x and y not equal to tolerance rtol = {rtol}, atol = {atol}", f"x ({x.name}) = ", x, f"y ({y.name}) = ", y]
        tolerance = atol + rtol * math_ops.abs(y)
        return Assert(math_ops.reduce_all(math_ops.less(math_ops.abs(x - y), tolerance)), data, summarize=summarize)


def _rank_check(function_name, what, allowed, dynamic):
    """`allowed(rank, given)` for numbers, `dynamic(rank, given)` for tensors."""
    def check(x, rank, data=None, summarize=None, message=None, name=None):
        given = [rank] if not isinstance(rank, (list, tuple)) or function_name != "assert_rank_in" else list(rank)
        with _scope(name or function_name):
            x = x if isinstance(x, SparseTensor) else convert_to_tensor(x, name="x")
            given = [convert_to_tensor(g, name="rank") for g in given]
            for g in given:
                assert_type(g, dtypes.int32)
            called = "" if isinstance(x, SparseTensor) else x.name
            if data is None:
                data = [_prefix(message), f"Tensor {called} must have rank {what}".rstrip(), *given, "Received shape: ", array_ops.shape(x)]
            numbers = [constant_value(g) for g in given]
            if all(n is not None for n in numbers):
                if any(n.ndim for n in numbers):
                    raise ValueError("Rank must be a scalar.")
                known = x.shape.rank
                if known is not None:
                    if not allowed(known, [int(n) for n in numbers]):
                        wanted = tuple(int(n) for n in numbers) if function_name == "assert_rank_in" else int(numbers[0])
                        raise ValueError(f"{_prefix(message)}Tensor {called} must have rank {what + ' ' if what else ''}{wanted}.  "
                                         f"Received rank {known}, shape {x.shape}")
                    return no_op(name="static_checks_determined_all_ok")
            condition = dynamic(array_ops.rank(x), given)
            for g, number in zip(given, numbers):
                if number is None:
                    condition = with_dependencies([assert_rank(g, 0, data=["Rank must be a scalar. Received rank: ", g])], condition)
            return Assert(condition, data, summarize=summarize)

    check.__name__ = check.__qualname__ = function_name
    check.__doc__ = "An operation that fails for tensors of another rank. ValueError at once when the rank is known."
    return check


def _any_equal(rank, given):
    condition = math_ops.equal(rank, given[0])
    for g in given[1:]:
        condition = math_ops.logical_or(condition, math_ops.equal(rank, g))
    return condition


assert_rank = _rank_check("assert_rank", "", lambda r, g: r == g[0], lambda r, g: math_ops.equal(r, g[0]))
assert_rank_at_least = _rank_check("assert_rank_at_least", "at least", lambda r, g: r >= g[0], lambda r, g: math_ops.greater_equal(r, g[0]))
_rank_in = _rank_check("assert_rank_in", "in", lambda r, g: r in g, _any_equal)


def assert_rank_in(x: TensorLike | SparseTensor, ranks: Iterable[TensorLike], data: Sequence[Any] | None = None, summarize: int | None = None,
                   message: str | None = None, name: str | None = None) -> Operation | None:
    """An operation that fails for tensors of none of these ranks. ValueError at once when the rank is known."""
    return _rank_in(x, tuple(ranks), data, summarize, message, name)


def assert_integer(x: TensorLike, message: str | None = None, name: str | None = None) -> Operation:
    """TypeError for a tensor of another than an integer dtype."""
    with _scope(name or "assert_integer"):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_integer:
            raise TypeError(f'{_prefix(message)}Expected "x" to be integer type.  Found: {x.name} of dtype {x.dtype!s}')
        return no_op("statically_determined_was_integer")


def assert_type(tensor: TensorLike | SparseTensor, tf_type: DTypeLike, message: str | None = None, name: str | None = None) -> Operation:
    """TypeError for a tensor of another dtype."""
    tf_type = dtypes.as_dtype(tf_type)
    with _scope(name or "assert_type"):
        tensor = tensor if isinstance(tensor, SparseTensor) else convert_to_tensor(tensor, name="tensor")
        if tensor.dtype != tf_type:
            raise TypeError(f"{_prefix(message)}{getattr(tensor, 'name', 'tensor')} must be of type {tf_type!r}; got {tensor.dtype!r}")
        return no_op("statically_determined_correct_type")


def assert_scalar(tensor: TensorLike, name: str | None = None, message: str | None = None) -> Tensor:
    """The tensor. ValueError unless it is known to be a scalar."""
    with _scope(name or "assert_scalar") as scope:
        tensor = convert_to_tensor(tensor, name=scope)
        if tensor.shape.rank != 0:
            raise ValueError(f"{_prefix(message)}Expected scalar shape for {tensor.name}, saw shape: {tensor.shape}.")
        return tensor


def assert_same_float_dtype(tensors: Iterable[Tensor | Variable | CompositeTensor | None] | None = None,
                            dtype: DTypeLike | None = None) -> DType:
    """The one dtype of floats that these have, float32 for nothing. ValueError for others."""
    for t in tensors or ():
        if t is None:
            continue
        kind = t.dtype.base_dtype
        if dtype is not None and kind is not dtypes.as_dtype(dtype):
            raise ValueError(f"{getattr(t, 'name', t)}, type={kind!r}, must be of the same type ({dtype!r}).")
        dtype = kind
    dtype = dtypes.float32 if dtype is None else dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"Expected floating point type, got {dtype!r}.")
    return dtype


def assert_proper_iterable(values: Any) -> None:
    """TypeError for a tensor, a text, or what has no parts."""
    if is_tensor(values) or isinstance(values, (np.ndarray, str, bytes)) or not hasattr(values, "__iter__"):
        raise TypeError(f"Expected argument 'values' to be iterable.  Found: {type(values)}" if not hasattr(values, "__iter__") else
                        f"Expected argument \"values\" to be a \"proper\" iterable.  Found: {type(values)}")


def _steps(x):
    """The differences of neighbours, none for fewer than two elements."""
    x = array_ops.reshape(x, [-1])
    if not is_numeric_tensor(x):
        raise TypeError(f"Expected x to be numeric, instead found: {x}")
    empty = convert_to_tensor([], dtype=x.dtype)
    short = math_ops.less(array_ops.size(x), 2)

    def between():
        length = array_ops.shape(x) - 1
        return op_call.call("Sub", None, x=op_call.call("StridedSlice", None, input=x, begin=[1], end=[1] + length, strides=[1]),
                            y=op_call.call("StridedSlice", None, input=x, begin=[0], end=length, strides=[1]))

    return cond(short, lambda: empty, between)


def is_non_decreasing(x: TensorLike, name: str | None = None) -> Tensor:
    with _scope(name or "is_non_decreasing"):
        steps = _steps(x)
        return math_ops.reduce_all(math_ops.less_equal(convert_to_tensor(0, dtype=steps.dtype), steps))


def is_strictly_increasing(x: TensorLike, name: str | None = None) -> Tensor:
    with _scope(name or "is_strictly_increasing"):
        steps = _steps(x)
        return math_ops.reduce_all(math_ops.less(convert_to_tensor(0, dtype=steps.dtype), steps))


def is_numeric_tensor(tensor: Any) -> bool:
    return is_tensor(tensor) and (tensor.dtype.is_integer or tensor.dtype.is_floating or tensor.dtype.is_complex)


def is_symbolic_tensor(tensor: Any) -> bool:
    return is_tensor(tensor)


def ensure_shape(x: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """`x`, whose shape is known to be that; a run with another fails."""
    return op_call.call("EnsureShape", name, input=x, shape=TensorShape(shape) if not isinstance(shape, TensorShape) else shape)


def verify_tensor_all_finite(t: TensorLike | None = None, msg: str | None = None, name: str | None = None, x: TensorLike | None = None,
                             message: str | None = None) -> Tensor:
    """`t`; a run in which an element is infinite or not a number fails with `msg`."""
    t, msg = (x if t is None else t), (message if msg is None else msg)
    with _scope(name or "VerifyFinite"):
        t = convert_to_tensor(t, name="t")
        with stacks.get_default_graph().colocate_with(t):
            checked = op_call.call("CheckNumerics", None, tensor=t, message=msg)
            return with_dependencies([checked], t)
