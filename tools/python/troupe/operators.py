"""The operators of tensors, and of what stands for one."""

from __future__ import annotations

from typing import Any

from troupe import dtypes, math_ops, op_call, stacks
from troupe.conversion import convert_to_tensor
from troupe.ops import graph_of
from troupe.slicing import getitem
from troupe.tensor import Tensor


def _pair(function, name):
    """(forward, reflected): constants get the type of the tensor; what is no tensor is left to the other operand."""
    def run(x, y, own):
        graph = graph_of([own])
        if graph is not stacks.get_default_graph():
            with graph.as_default():
                return run(x, y, own)
        with graph.name_scope(name) as scope:
            try:
                x = x if isinstance(x, Tensor) else convert_to_tensor(x, own.dtype.base_dtype, name="x")
                y = y if isinstance(y, Tensor) else convert_to_tensor(y, dtype_hint=own.dtype.base_dtype, name="y")
            except (TypeError, ValueError):
                if _has_reflected(x, y, own):
                    return NotImplemented
                raise
            return function(x, y, scope)

    def forward(self, other):
        self = _tensor(self)
        return run(self, other, self)

    def reflected(self, other):
        self = _tensor(self)
        return run(other, self, self)

    return forward, reflected


def _has_reflected(x, y, own):
    other = y if x is own else x
    return getattr(type(other), "__array_priority__", 0) > Tensor.__array_priority__


def _tensor(value):
    return value if isinstance(value, Tensor) else convert_to_tensor(value)


def _op(op_type):
    return lambda x, y, scope: op_call.call(op_type, scope, x=x, y=y)


def _logical(boolean, bitwise):
    return lambda x, y, scope: op_call.call(boolean if x.dtype.base_dtype is dtypes.bool_ else bitwise, scope, x=x, y=y)


def _xor(x, y, scope):
    return math_ops.logical_xor(x, y, scope) if x.dtype.base_dtype is dtypes.bool_ else op_call.call("BitwiseXor", scope, x=x, y=y)


_BINARY = (
    ("add", "add", lambda x, y, scope: op_call.call("AddV2" if x.dtype.base_dtype is not dtypes.string else "Add", scope, x=x, y=y)),
    ("sub", "sub", _op("Sub")), ("mul", "mul", _op("Mul")), ("truediv", "truediv", math_ops.truediv),
    ("div", "div", math_ops.div),
    ("floordiv", "floordiv", _op("FloorDiv")), ("mod", "mod", _op("FloorMod")), ("pow", "pow", _op("Pow")),
    ("matmul", "matmul", lambda x, y, scope: math_ops.matmul(x, y, name=scope)),
    ("and", "and", _logical("LogicalAnd", "BitwiseAnd")), ("or", "or", _logical("LogicalOr", "BitwiseOr")), ("xor", "xor", _xor),
)
_COMPARISONS = (("lt", "Less"), ("le", "LessEqual"), ("gt", "Greater"), ("ge", "GreaterEqual"))


def _comparison(op_type):
    return lambda self, other: op_call.call(op_type, None, x=_tensor(self), y=other)


def _invert(self):
    tensor = _tensor(self)
    return op_call.call("LogicalNot" if tensor.dtype.base_dtype is dtypes.bool_ else "Invert", None, x=tensor)


def add_to(cls: Any) -> None:
    """Gives a class whose objects become tensors all operators but equality."""
    for method, name, function in _BINARY:
        forward, reflected = _pair(function, name)
        setattr(cls, f"__{method}__", forward)
        setattr(cls, f"__r{method}__", reflected)
    for method, op_type in _COMPARISONS:
        setattr(cls, f"__{method}__", _comparison(op_type))
    cls.__neg__ = lambda self: op_call.call("Neg", None, x=_tensor(self))
    cls.__abs__ = lambda self: math_ops.abs(_tensor(self))
    cls.__invert__ = _invert
    cls.__getitem__ = lambda self, key: getitem(_tensor(self), key, None if isinstance(self, Tensor) else self)


add_to(Tensor)
# The operators that a class of a program's own takes over from tensors.
Tensor.OVERLOADABLE_OPERATORS = {*(f"__{r}{method}__" for method, _, _ in _BINARY for r in ("", "r")), *(f"__{method}__" for method, _ in _COMPARISONS),
                                 "__neg__", "__abs__", "__invert__", "__getitem__", "__eq__", "__ne__"}
