"""What attrs hold: Python's values as the native module takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import _native, dtypes, protos, stacks
from troupe.tensor_shape import as_shape

if TYPE_CHECKING:
    from typing import Any


def _number(convert, kind):
    def one(value, name):
        if isinstance(value, str):
            raise TypeError(f"Expected {kind} for argument '{name}' not {value!r}.")
        try:
            return convert(value)
        except (TypeError, ValueError):
            raise TypeError(f"Expected {kind} for argument '{name}' not {value!r}.") from None

    return one


def _text(value, name):
    if not isinstance(value, (str, bytes)):
        raise TypeError(f"Expected string for argument '{name}' not {value!r}.")
    return value


def _bool(value, name):
    if not isinstance(value, (bool, int)) and type(value).__name__ not in ("bool_", "bool"):
        raise TypeError(f"Expected bool for argument '{name}' not {value!r}.")
    return bool(value)


def _shape(value, name):
    try:
        return as_shape(value)._native()
    except (TypeError, ValueError) as e:
        raise type(e)(f"Error converting {name} to a TensorShape: {e}.") from None


def _tensor(value, name):
    if isinstance(value, _native.Tensor):
        return value
    if hasattr(value, "SerializeToString"):
        return _native.Tensor.from_proto(value.SerializeToString())
    raise TypeError(f"Don't know how to convert {value!r} to a TensorProto for argument '{name}'")


def _type(value, name):
    try:
        return dtypes.as_dtype(value).base_dtype.as_datatype_enum
    except TypeError:
        raise TypeError(f"Expected DataType for argument '{name}' not {value!r}.") from None


def _function(value, name):
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode()
    if hasattr(value, "SerializeToString"):
        return protos.AttrValue(func=value).SerializeToString()
    if hasattr(value, "add_to_graph"):
        value.add_to_graph(stacks.get_default_graph())
        return value.name
    raise TypeError(f"Don't know how to convert {value!r} to a func for argument {name}")


_CONVERT = {
    "int": _number(lambda v: v if type(v) is int else int(v.__index__() if hasattr(v, "__index__") else v), "int"),
    "float": _number(float, "float"), "string": _text, "bool": _bool, "shape": _shape, "tensor": _tensor, "func": _function,
    "type": _type,
}


def native_attr(kind: str, value: Any, name: str) -> Any:
    """The value of an attr of this kind ("int", "list(type)", ...). TypeError for what cannot be one, naming the attr."""
    if not kind.startswith("list("):
        return _CONVERT[kind](value, name)
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"Expected list for attr {name}, obtained {type(value).__name__} instead.")
    one = _CONVERT[kind[5:-1]]
    return [one(v, name) for v in value]


_FIELDS = {"string": "s", "int": "i", "float": "f", "bool": "b", "type": "type", "shape": "shape", "tensor": "tensor", "func": "func"}


def from_attr_value(kind: str, value: Any) -> Any:
    """The same of an AttrValue."""
    if kind.startswith("list("):
        one = kind[5:-1]
        return [native_attr(one, v, kind) for v in getattr(value.list, _FIELDS[one])]
    return native_attr(kind, getattr(value, _FIELDS[kind]), kind)
