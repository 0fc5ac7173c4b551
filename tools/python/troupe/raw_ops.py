"""Every op of the registry as a function: raw_ops.MatMul(a=x, b=y, transpose_b=True, name="z"). Arguments are keywords, with
TensorFlow's names; attrs that inputs tell need not be given. Functions are made when they are first asked for."""

from __future__ import annotations

from typing import Any

from troupe import _native, dtypes, op_call
from troupe.graph import OpDef


def _argument_text(arg):
    name, number, type_attr, number_attr, type_list_attr, is_ref = arg
    kind = dtypes.of_number(number).name if number else type_attr or f"types {type_list_attr}"
    if is_ref:
        kind = f"mutable {kind}"
    return f"  {name}: A `Tensor` of {kind}." if not number_attr and not type_list_attr else f"  {name}: A list of `Tensor`s of {kind}."


def _attr_text(attr):
    name, kind, default, allowed, allowed_strings, minimum = attr
    values = [dtypes.of_number(n).name for n in allowed] or list(allowed_strings)
    text = f"  {name}: A {kind}"
    text += f" of {', '.join(values)}" if values else ""
    text += f" >= {minimum}" if minimum is not None else ""
    return text + (f". Defaults to {default[0]!r}." if default is not None else ".")


def _doc(op_def):
    lines = [f"The op {op_def.name}{' (stateful)' if op_def.is_stateful else ''}.", "", "Args:"]
    lines += [_argument_text(a) for a in op_def.inputs]
    lines += [_attr_text(a) for a in op_def.attrs]
    lines += ["  name: The name of the operation.", "", "Returns:"]
    lines += [_argument_text(a) for a in op_def.outputs] or ["  The operation."]
    return "\n".join(lines)


def _signature(op_def):
    import inspect

    def parameter(name, default):
        return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)

    empty = inspect.Parameter.empty
    parameters = [parameter(a[0], empty) for a in op_def.inputs]
    parameters += [parameter(a[0], None if a[0] in op_def.input_attrs else empty if a[2] is None else a[2][0]) for a in op_def.attrs]
    return inspect.Signature([*parameters, parameter("name", None)])


def _make(op_name):
    described = _native.op_def(op_name)
    if described is None:
        raise AttributeError(f"There is no op {op_name}")
    op_def = OpDef(described)

    def function(*, name=None, **arguments):
        return op_call.outputs_of(op_call.make_operation(op_name, name, arguments), op_def)

    function.__name__ = function.__qualname__ = op_name
    function.__module__ = __name__
    function.__doc__ = _doc(op_def)
    try:
        function.__signature__ = _signature(op_def)
    except ValueError:
        # An argument has the name of a keyword.
        pass
    return function


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    made = globals()[name] = _make(name)
    return made


def __dir__() -> list[str]:
    return _native.op_names()
