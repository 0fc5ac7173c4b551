"""From the arguments of a call to an operation: attrs that inputs tell, inputs that attrs type, defaults."""

from __future__ import annotations

import functools
from collections import namedtuple
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from troupe import dtypes, stacks
from troupe.attrs import from_attr_value, native_attr
from troupe.conversion import convert_n_to_tensor, convert_to_tensor
from troupe.ops import graph_of
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from troupe.graph import Graph
    from troupe.tensor import Operation


class _Call:
    """A call while its arguments are gone through."""

    def __init__(self, op_def, keywords):
        self.op_def = op_def
        self.keywords = keywords
        self.attrs = {}
        self.told_by = {}
        self.inputs = []
        self.default_types = {
            a[0]: dtypes.of_number(a[2][0]) for a in op_def.attrs if a[1] == "type" and a[2] is not None and a[2][0] > 0}
        for name, *_ in op_def.attrs:
            if name in op_def.input_attrs and name in keywords:
                self.attrs[name] = self._given_attr(name)
                self.told_by[name] = name

    def _given_attr(self, name):
        value = self.keywords.pop(name)
        return dtypes.as_dtype(value).base_dtype if self.op_def.attrs_by_name[name][1] == "type" else value

    def take(self, name):
        for key in (name, name + "_"):
            if key in self.keywords:
                return self.keywords.pop(key)
        raise TypeError(f"{self.op_def.name} is missing a required argument: '{name}'")

    def tell(self, attr, value, arg):
        if attr not in self.attrs:
            self.attrs[attr] = value
            self.told_by[attr] = arg

    def type_of(self, arg):
        """The dtype that an argument is known to have, or None; and the one that it would rather have."""
        _, number, type_attr, _, _, _ = arg
        if number:
            return dtypes.of_number(number), None
        if type_attr in self.attrs:
            return self.attrs[type_attr], None
        return None, self.default_types.get(type_attr)

    def check_allowed(self, attr, dtype, arg):
        allowed = self.op_def.attrs_by_name[attr][3]
        if allowed and dtype.as_datatype_enum not in allowed:
            names = ", ".join(dtypes.of_number(n).name for n in allowed)
            raise TypeError(f"Value passed to parameter '{arg}' has DataType {dtype.name} not in list of allowed values: {names}")

    def add_single(self, arg):
        name, number, type_attr, _, _, is_ref = arg
        value = self.take(name)
        dtype, preferred = self.type_of(arg)
        tensor = self._convert(value, name, dtype, preferred, type_attr)
        if is_ref and not tensor.dtype._is_ref_dtype:
            raise TypeError(f"'{self.op_def.name}' Op requires that input '{name}' be a mutable tensor (e.g.: a tf.Variable)")
        if type_attr:
            self.check_allowed(type_attr, tensor.dtype.base_dtype, name)
            self.tell(type_attr, tensor.dtype.base_dtype, name)
        self.inputs.append(tensor)

    def _convert(self, value, name, dtype, preferred, type_attr):
        if isinstance(value, Tensor) and (dtype is None or value.dtype.base_dtype is dtype):
            return value
        allowed = self.op_def.attrs_by_name[type_attr][3] if type_attr else ()
        try:
            if dtype is None and preferred is not None and allowed and not isinstance(value, Tensor):
                # Its own type if the op takes that.
                try:
                    made = convert_to_tensor(value, name=name)
                    if made.dtype.as_datatype_enum in allowed:
                        return made
                except TypeError:
                    pass
            return convert_to_tensor(value, dtype, name, preferred_dtype=preferred)
        except TypeError as e:
            if dtype is None:
                raise
            raise TypeError(f"Expected {dtype.name} passed to parameter '{name}' of op '{self.op_def.name}', got {value!r} of type "
                            f"'{type(value).__name__}' instead. Error: {e}") from None
        except ValueError as e:
            self._explain(value, name, dtype, type_attr, e)

    def _explain(self, value, name, dtype, type_attr, error):
        try:
            observed = convert_to_tensor(value).dtype.name
        except ValueError as e:
            raise ValueError(f"Tried to convert '{name}' to a tensor and failed. Error: {e}") from None
        if dtype is None:
            raise error
        prefix = f"Input '{name}' of '{self.op_def.name}' Op has type {observed} that does not match"
        if not type_attr:
            raise TypeError(f"{prefix} expected type of {dtype.name}.") from None
        raise TypeError(f"{prefix} type {dtype.name} of argument '{self.told_by.get(type_attr, type_attr)}'.") from None

    def add_list(self, arg):
        name, number, type_attr, number_attr, type_list_attr, is_ref = arg
        values = self.take(name)
        if not isinstance(values, (list, tuple)):
            raise TypeError(f"Expected list for '{name}' argument to '{self.op_def.name}' Op, not {values}.")
        if type_list_attr:
            tensors = self._convert_mixed(values, name, self.attrs.get(type_list_attr))
            self.tell(type_list_attr, [t.dtype.base_dtype for t in tensors], name)
        else:
            tensors = self._convert_alike(values, arg)
            self._check_length(arg, tensors)
            if type_attr and tensors:
                self.check_allowed(type_attr, tensors[0].dtype.base_dtype, name)
                self.tell(type_attr, tensors[0].dtype.base_dtype, name)
        if is_ref and not all(t.dtype._is_ref_dtype for t in tensors):
            raise TypeError(f"'{self.op_def.name}' Op requires that input '{name}' be a mutable tensor (e.g.: a tf.Variable)")
        self.inputs.append(tensors)

    def _convert_mixed(self, values, name, types):
        """Each of a type of its own, which `types` may tell."""
        if types is not None and len(types) != len(values):
            types = None
        types = [None] * len(values) if types is None else [dtypes.as_dtype(t) for t in types]
        return [convert_to_tensor(v, t, f"{name}_{i}") for i, (v, t) in enumerate(zip(values, types))]

    def _convert_alike(self, values, arg):
        name, number, type_attr = arg[:3]
        dtype, preferred = self.type_of(arg)
        if dtype is None:
            dtype = next((v.dtype.base_dtype for v in values if isinstance(getattr(v, "dtype", None), dtypes.DType)), None)
        try:
            tensors = convert_n_to_tensor(values, dtype, name, preferred)
            if len({t.dtype.base_dtype for t in tensors}) > 1:
                raise TypeError
            return tensors
        except (TypeError, ValueError):
            observed = ", ".join(self._observed(v) for v in values)
            prefix = f"Tensors in list passed to '{name}' of '{self.op_def.name}' Op have types [{observed}]"
        if number:
            raise TypeError(f"{prefix} that do not match expected type {dtype.name}.")
        if type_attr in self.attrs:
            raise TypeError(f"{prefix} that do not match type {dtype.name} inferred from earlier arguments.")
        raise TypeError(f"{prefix} that don't all match.")

    @staticmethod
    def _observed(value):
        try:
            return convert_to_tensor(value).dtype.base_dtype.name
        except (TypeError, ValueError):
            return "<NOT CONVERTIBLE TO TENSOR>"

    def _check_length(self, arg, tensors):
        name, number_attr = arg[0], arg[3]
        length = len(tensors)
        given = self.attrs.get(number_attr)
        if given is not None and given != length:
            raise ValueError(f"List argument '{name}' to '{self.op_def.name}' Op with length {length} must match length {given} "
                             f"of argument '{self.told_by[number_attr]}'.")
        minimum = self.op_def.attrs_by_name[number_attr][5]
        if minimum is not None and length < minimum:
            raise ValueError(f"List argument '{name}' to '{self.op_def.name}' Op with length {length} shorter than minimum length "
                             f"{minimum}.")
        self.tell(number_attr, length, name)

    def native_attrs(self):
        """All attrs as the native module takes them; inputs tell it some again, which must agree."""
        native = {}
        for name, kind, default, allowed, allowed_strings, minimum in self.op_def.attrs:
            if name in self.attrs:
                value = self.attrs[name]
            elif name in self.keywords:
                value = self.keywords.pop(name)
            elif name + "_" in self.keywords:
                value = self.keywords.pop(name + "_")
            elif default is not None:
                continue
            else:
                raise TypeError(f"{self.op_def.name} is missing a required argument: '{name}'")
            if value is None and default is not None and kind != "shape":
                continue
            native[name] = native_attr(kind, value, name)
            self._check_attr(name, kind, native[name], allowed, allowed_strings, minimum)
        return native

    def _check_attr(self, name, kind, value, allowed, allowed_strings, minimum):
        if kind == "type" and allowed:
            self.check_allowed(name, dtypes.of_number(value), name)
        elif kind == "string" and allowed_strings:
            text = value.decode() if isinstance(value, bytes) else value
            if text not in allowed_strings:
                known = '", "'.join(allowed_strings)
                raise ValueError(f"Value for attr '{name}' of \"{text}\" is not in the list of allowed values: \"{known}\"")
        elif kind == "int" and minimum is not None and value < minimum:
            raise ValueError(f"Attr '{name}' of '{self.op_def.name}' Op passed {value} less than minimum {minimum}.")


def _items(keywords):
    for value in keywords.values():
        if isinstance(value, (list, tuple)):
            yield from value
        else:
            yield value


def make_operation(op_type: str, name: str | None, keywords: Mapping[str, Any]) -> Operation:
    """Makes an operation of a call's arguments: inputs and attrs by name."""
    graph = graph_of(_items(keywords))
    if graph.building_function:
        keywords = {n: graph.captured(v) for n, v in keywords.items()}
    op_def = graph._op_def(op_type)
    if op_def is None:
        raise RuntimeError(f"Unrecognized Op name {op_type}")
    if graph._finalized:
        graph._check_not_finalized()
    name = _unique(graph, name if name else op_type, as_scope=True)
    scopes = graph._scopes
    outer = scopes.name
    scopes.name = name
    try:
        if graph is not stacks.get_default_graph():
            with graph.as_default():
                return _make(graph, op_def, name, keywords, outer)
        return _make(graph, op_def, name, keywords, outer)
    finally:
        scopes.name = outer


def _unique(graph, name, as_scope=False):
    """`as_scope`: the name is a scope first, and errors are of that."""
    from troupe.graph_scopes import _OP_NAME

    if name[-1] == "/":
        return name[:-1]
    unique = graph.unique_name(name)
    if not _OP_NAME.match(unique):
        bad = graph._bad_scope_name(name) if as_scope else None
        raise bad or ValueError(f"`{unique}` is not a valid node name. Accepted names conform to Regex /{_OP_NAME}/")
    return unique


def _make(graph, op_def, name, keywords, outer):
    call = _Call(op_def, dict(keywords))
    for arg in op_def.inputs:
        if arg[3] or arg[4]:
            call.add_list(arg)
        else:
            call.add_single(arg)
    attrs = call.native_attrs()
    if call.keywords:
        unknown = ", ".join(sorted(call.keywords))
        raise TypeError(f"{op_def.name} got unexpected keyword arguments: {unknown}.")
    if graph._container and op_def.is_stateful and "container" in op_def.attrs_by_name and not attrs.get("container"):
        attrs["container"] = graph._container
    # Whoever has a reference to a tensor is where it is; of a list the first counts.
    references = [(t[0] if isinstance(t, list) else t).op for arg, t in zip(op_def.inputs, call.inputs) if arg[5]]
    if not references:
        return graph._create_op(op_def.name, call.inputs, attrs, name)
    with ExitStack() as blocks:
        for op in references:
            blocks.enter_context(graph.colocate_with(op))
        return graph._create_op(op_def.name, call.inputs, attrs, name)


@functools.lru_cache(maxsize=None)
def _result_type(op_type, names):
    return namedtuple(op_type, names)


# What outputs go through first, once somebody asked for it (numeric_checks).
checks_of_outputs: Any = None


def outputs_of(op: Operation, op_def: Any = None) -> Any:
    """What a call gives: the operation if it has no outputs; else its output, list, or a named tuple of these."""
    op_def = op_def or op.graph._op_def(op.type)
    if not op_def.outputs:
        return op
    checks = checks_of_outputs
    outputs = op._outputs if checks is None or not checks.on else checks.outputs(op)
    if len(op_def.outputs) == 1 and not op_def.outputs[0][3] and not op_def.outputs[0][4]:
        return outputs[0]
    parts, begin = [], 0
    for _, _, _, number_attr, type_list_attr, _ in op_def.outputs:
        if not number_attr and not type_list_attr:
            parts.append(outputs[begin])
            begin += 1
            continue
        value = op.get_attr(number_attr or type_list_attr)
        count = value if number_attr else len(value)
        parts.append(outputs[begin:begin + count])  # type: ignore[arg-type]
        begin += count
    return parts[0] if len(parts) == 1 else _result_type(op_def.name, tuple(o[0] for o in op_def.outputs))(*parts)


def call(op_type: str, name: str | None = None, **keywords: Any) -> Any:
    """Makes an operation and gives its outputs."""
    return outputs_of(make_operation(op_type, name, keywords))


def create_by_attr_values(graph: Graph, op_type: str, inputs: Sequence[Any], name: str | None, attrs: Mapping[str, Any]) -> Operation:
    """An operation whose inputs are flat and whose attrs are AttrValues, as Graph.create_op takes them."""
    op_def = graph._op_def(op_type)
    grouped, at = [], 0
    for _, _, _, number_attr, type_list_attr, _ in op_def.inputs:
        if not number_attr and not type_list_attr:
            grouped.append(inputs[at])
            at += 1
            continue
        count = attrs[number_attr].i if number_attr else len(attrs[type_list_attr].list.type)
        grouped.append(inputs[at:at + count])
        at += count
    native = {n: from_attr_value(op_def.attrs_by_name[n][1], v) if n in op_def.attrs_by_name else v.SerializeToString()
              for n, v in attrs.items()}
    return graph._create_op(op_type, grouped, native, _unique(graph, name or op_type))
