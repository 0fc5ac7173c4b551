"""Functions that are one op: made from lines "name(parameters) = Op", parameters with the names and defaults of TensorFlow's function."""

from __future__ import annotations

import re
from typing import Any

from troupe import op_call

_LINE = re.compile(r"(\w+)\((.*)\) = (\w+)")
_DOC = "The op {op}: see raw_ops.{op}."


def define(namespace: dict[str, Any], table: str) -> None:
    """Makes a function of each line in the namespace of a module. A parameter "x:y" has another name, y, in the op; "name=..." is the
    default name of the operation, a bare "name" the place of that parameter, which else is the last."""
    rows = [_LINE.fullmatch(line.strip()).groups() for line in table.strip().splitlines()]  # type: ignore[union-attr]
    # One text for all, which is read in a tenth of the time.
    scope = {"_call": op_call.call, "__name__": namespace["__name__"]}
    exec("\n".join(_source(*row) for row in rows), scope)  # noqa: S102, our own tables
    for name, _, op in rows:
        namespace[name] = scope[name]
        scope[name].__doc__ = _DOC.format(op=op)


def _source(name, parameters, op):
    signature, arguments, operation_name = [], [], "name"
    for parameter in filter(None, parameters.split(", ")):
        if parameter == "name":
            signature.append("name=None")
            continue
        left, _, default = parameter.partition("=")
        ours, _, theirs = left.partition(":")
        if ours == "name":
            operation_name = f"name or {default}"
            continue
        signature.append(ours + ("=" + default if default else ""))
        arguments.append(f"{theirs or ours}={ours}")
    if "name=None" not in signature:
        signature.append("name=None")
    return f"def {name}({', '.join(signature)}):\n    return _call({', '.join([repr(op), operation_name, *arguments])})"
