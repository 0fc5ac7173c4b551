"""The definitions of ops as messages: `tensorflow.python.framework.op_def_registry`."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from troupe import _native, protos

if TYPE_CHECKING:
    from typing import Any


def get(name: str) -> Any:
    """The OpDef of an op, or None."""
    described = _native.op_def(name)
    if described is None:
        return None
    made = protos.OpDef()
    made.CopyFrom(_made(name))
    return made


def sync() -> None:
    """Nothing is to be done: ops are looked up in the native registry."""


@functools.lru_cache(maxsize=None)
def _made(name):
    _, inputs, outputs, attrs, is_stateful = _native.op_def(name)
    made = protos.OpDef(name=name, is_stateful=is_stateful)
    made.input_arg.extend(map(_argument, inputs))
    made.output_arg.extend(map(_argument, outputs))
    made.attr.extend(map(_attr, attrs))
    return made


def _argument(described):
    name, number, type_attr, number_attr, type_list_attr, is_ref = described
    made = protos.OpDef.ArgDef(name=name)
    for field, value in (("type", number), ("type_attr", type_attr), ("number_attr", number_attr), ("type_list_attr", type_list_attr),
                         ("is_ref", is_ref)):
        if value:
            setattr(made, field, value)
    return made


def _attr(described):
    name, kind, default, allowed, allowed_strings, minimum = described
    made = protos.OpDef.AttrDef(name=name, type=kind)
    if default is not None:
        _fill(made.default_value, kind, default[0])
    if allowed:
        made.allowed_values.list.type.extend(allowed)
    if allowed_strings:
        made.allowed_values.list.s.extend(map(_bytes, allowed_strings))
    if minimum is not None:
        made.has_minimum, made.minimum = True, minimum
    return made


_FIELDS = {"string": "s", "int": "i", "float": "f", "bool": "b", "type": "type"}


def _bytes(value):
    return value.encode() if isinstance(value, str) else value


def _fill(made, kind, value):
    if kind.startswith("list("):
        made.list.SetInParent()
        for item in value:
            if kind == "list(shape)":
                _fill_shape(made.list.shape.add(), item)
            else:
                getattr(made.list, _FIELDS[kind[5:-1]]).append(_bytes(item))
    elif kind == "shape":
        _fill_shape(made.shape, value)
    elif kind in _FIELDS:
        setattr(made, _FIELDS[kind], _bytes(value))
    elif kind == "func":
        made.func.name = value
    else:
        made.tensor.ParseFromString(value.to_proto())


def _fill_shape(made, value):
    made.SetInParent()
    if value is None:
        made.unknown_rank = True
    else:
        for size in value:
            made.dim.add().size = -1 if size is None else size
