"""Functions that are one op: made from lines "name(parameters) = Op", parameters with the names and defaults of TensorFlow's function."""

import re

from troupe import op_call

_LINE = re.compile(r"(\w+)\((.*)\) = (\w+)")


def define(namespace, table):
    """Makes a function of each line in the namespace of a module. A parameter "x:y" has another name, y, in the op; "name=..." is the
    default name of the operation."""
    for line in table.strip().splitlines():
        if line.strip():
            name, parameters, op_type = _LINE.fullmatch(line.strip()).groups()
            namespace[name] = _function(namespace["__name__"], name, parameters, op_type)


def _function(module, name, parameters, op_type):
    signature, arguments, operation_name = [], [], "name"
    for parameter in filter(None, re.split(r",\s*(?![^\[]*\])", parameters)):
        left, _, default = parameter.partition("=")
        ours, _, theirs = left.partition(":")
        if ours == "name":
            operation_name = f"name or {default}"
            continue
        signature.append(ours + ("=" + default if default else ""))
        arguments.append(f"{theirs or ours}={ours}")
    signature.append("name=None")
    code = f"def {name}({', '.join(signature)}):\n    return _call({', '.join([repr(op_type), operation_name, *arguments])})\n"
    scope = {"_call": op_call.call, "__name__": module}
    exec(code, scope)  # noqa: S102, our own tables
    scope[name].__doc__ = f"The op {op_type}: see raw_ops.{op_type}."
    return scope[name]
