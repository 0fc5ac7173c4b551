"""What `with` blocks of a graph say of the operations made in them: names, devices, control inputs, colocation."""

from __future__ import annotations

import re
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from troupe import device_spec
from troupe.tensor import Operation, Tensor

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from troupe.typing import ControlInput, DeviceLike

_OP_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")
_SCOPE_NAME = re.compile(r"^[A-Za-z0-9_.\\/>-]*$")


class _Scopes(threading.local):
    """Of one graph and one thread."""

    def __init__(self):
        self.name = ""
        self.devices = []
        self.colocation = []
        self.control = []
        self.control_flow = None
        self.attrs = {}
        self.gradient_overrides = {}
        self.original_op = None
        self.creators = []


class _Controller:
    """A block of control_dependencies; it knows the operations made in it, which wait for its inputs already."""

    def __init__(self, inputs):
        self.inputs = inputs
        self.seen = set()


class GraphScopes:
    """The part of Graph that holds its scopes. Each thread has scopes of its own; names are the graph's."""

    def __init__(self) -> None:
        self._scopes = _Scopes()
        self._names_in_use = {}

    @property
    def _name_stack(self):
        return self._scopes.name

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """`name` in the current scope, or with the first "_1", "_2", ... that makes it a new one; upper and lower case are alike."""
        if self._scopes.name:
            name = f"{self._scopes.name}/{name}"
        used = self._names_in_use
        key = name.lower()
        with self._lock:
            count = used.get(key, 0)
            if mark_as_used:
                used[key] = count + 1
            if count == 0:
                return name
            base = key
            while key in used:
                key = f"{base}_{count}"
                count += 1
            if mark_as_used:
                used[key] = 1
            return f"{name}_{count - 1}"

    def _bad_scope_name(self, name):
        """The error of a name that is none for a scope here, or None."""
        kind, pattern = ("scope name", _SCOPE_NAME) if self._scopes.name else ("root scope name", _OP_NAME)
        if pattern.match(name):
            return None
        return ValueError(f"'{name}' is not a valid {kind}. A {kind} has to match the following pattern: {pattern.pattern}")

    @contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Names made inside begin with `name/`. None or "": none; "x/": the scope x once more. Gives the prefix, with its "/"."""
        scopes = self._scopes
        if name:
            if isinstance(name, bytes):
                name = name.decode()
            bad = self._bad_scope_name(name)
            if bad is not None:
                raise bad
        old = scopes.name
        if not name:
            scopes.name = ""
        elif name[-1] == "/":
            scopes.name = name[:-1]
        else:
            scopes.name = self.unique_name(name)
        try:
            yield "" if not scopes.name else scopes.name + "/"
        finally:
            scopes.name = old

    def get_name_scope(self) -> str:
        return self._scopes.name

    @contextmanager
    def device(self, device_name_or_function: DeviceLike) -> Iterator[None]:
        """On this device: a name, which completes those inside it; a function of an operation; or None, which undoes all outside."""
        device = device_name_or_function
        if device is not None and not callable(device):
            text = device.to_string() if hasattr(device, "to_string") else device
            device_spec.canonical(text)
            device = text
        scopes = self._scopes
        old = scopes.devices
        scopes.devices = [*old, device]
        try:
            yield
        finally:
            scopes.devices = old

    def _device_for(self, operation, device=""):
        """The device of an operation that says `device` itself; the functions of the blocks may look at it."""
        for spec in reversed(self._scopes.devices):
            if spec is None:
                break
            if not callable(spec):
                device = device_spec.merge(spec, device)
                continue
            operation._set_device(device)
            said = spec(operation)
            if said is not None:
                device = said.to_string() if hasattr(said, "to_string") else said
        return device

    def _apply_devices(self, first):
        """The devices of the blocks around are those of the operations from number `first` on, which came by themselves, too."""
        if self._scopes.devices:
            for op in self._operations[first:]:
                op._set_device(self._device_for(op, op.device))

    @contextmanager
    def colocate_with(self, op: ControlInput | None, ignore_existing: bool = False) -> Iterator[None]:
        """On the device of `op`. None, with ignore_existing: of no operation."""
        if op is None and not ignore_existing:
            raise ValueError("Trying to reset colocation (op is None) but ignore_existing is not True")
        scopes = self._scopes
        old, devices = scopes.colocation, scopes.devices
        if op is not None:
            op = op if isinstance(op, Operation) else self._operation_of(op)
            scopes.devices = []
        scopes.colocation = ([] if ignore_existing else list(old)) + ([] if op is None else [op])
        try:
            yield
        finally:
            scopes.colocation, scopes.devices = old, devices

    def _operation_of(self, value):
        element = value._as_graph_element() if hasattr(value, "_as_graph_element") else value
        return getattr(element, "op", element)

    @contextmanager
    def control_dependencies(self, control_inputs: Iterable[ControlInput] | None) -> Iterator[None]:
        """Operations made inside wait for these. None: for nothing that blocks outside say, and outside all loops and branches."""
        scopes = self._scopes
        old, context = scopes.control, scopes.control_flow
        if control_inputs is None:
            scopes.control = [_Controller([])]
            scopes.control_flow = None
        else:
            waited = {op for c in old for op in c.inputs}
            inputs = []
            for c in control_inputs:
                op = self._control_operation(c)
                if op not in waited:
                    inputs.append(op)
                    waited.add(op)
            scopes.control = [*old, _Controller(inputs)]
        try:
            yield
        finally:
            scopes.control, scopes.control_flow = old, context

    def _control_operation(self, value):
        # Of a variable the one that holds it, of rows the one that makes them.
        if not isinstance(value, (Tensor, Operation)) and hasattr(value, "op"):
            value = value.op
        element = self.as_graph_element(value)
        return getattr(element, "op", element)

    def _control_inputs_for(self, input_ops):
        """What a new operation waits for, but for what its inputs wait for already."""
        found = []
        for controller in self._scopes.control:
            if controller.seen.isdisjoint(input_ops):
                found.extend(op for op in controller.inputs if op not in input_ops and op not in found)
        return found

    def _is_waiting(self):
        """Whether a new operation waits for others, which all are outside of branches and loops."""
        inputs = [op for c in self._scopes.control for op in c.inputs]
        return bool(inputs) and all(op._control_flow_context is None for op in inputs)

    @contextmanager
    def _outside(self):
        """Operations made inside are in no branch and no loop."""
        scopes = self._scopes
        context, scopes.control_flow = scopes.control_flow, None
        try:
            yield
        finally:
            scopes.control_flow = context

    def _record_in_controllers(self, op):
        for controller in self._scopes.control:
            controller.seen.add(op)

    def _let_wait(self, operations, starts):
        """Operations of the native library's that begin at these tensors wait for what others that are made now do: all that is computed from
        these follows. Others, among which are parts of loops, need not."""
        scopes = self._scopes
        if not any(c.inputs for c in scopes.control):
            return
        for op in operations:
            inputs = op.inputs
            if not starts.isdisjoint(inputs):
                for waited in self._control_inputs_for({t.op for t in inputs}):
                    if waited._control_flow_context is scopes.control_flow:
                        op._add_control_input(waited)
        for op in operations:
            self._record_in_controllers(op)

    @contextmanager
    def _attr_scope(self, attrs):
        """Operations made inside have these AttrValues, too; None takes one away."""
        scopes = self._scopes
        old = scopes.attrs
        scopes.attrs = {n: v for n, v in {**old, **attrs}.items() if v is not None}
        try:
            yield
        finally:
            scopes.attrs = old

    @contextmanager
    def gradient_override_map(self, op_type_map: Mapping[str, Any]) -> Iterator[None]:
        """Operations of these types that are made inside have the rule of that name (RegisterGradient) for their derivatives."""
        if not isinstance(op_type_map, dict):
            raise TypeError("op_type_map must be a dictionary mapping strings to strings")
        if not all(isinstance(x, str) for pair in op_type_map.items() for x in pair):
            raise TypeError("op_type_map must be a dictionary mapping strings to strings")
        scopes = self._scopes
        old = scopes.gradient_overrides
        scopes.gradient_overrides = {**old, **op_type_map}
        try:
            yield
        finally:
            scopes.gradient_overrides = old

    @contextmanager
    def _original_op(self, op):
        """Operations made inside are there because of `op`, which errors name, too."""
        scopes = self._scopes
        old, scopes.original_op = scopes.original_op, op
        try:
            yield
        finally:
            scopes.original_op = old

    @contextmanager
    def _variable_creator_scope(self, creator):
        """Variables made inside are what `creator` makes of them. RuntimeError where such blocks do not end in their order."""
        scopes = self._scopes
        old, scopes.creators = scopes.creators, [*scopes.creators, creator]
        new = scopes.creators
        try:
            yield
        finally:
            if scopes.creators is not new:
                raise RuntimeError("Exiting variable_creator_scope without proper nesting.")
            scopes.creators = old

    def _get_control_flow_context(self):
        return self._scopes.control_flow

    def _set_control_flow_context(self, context):
        self._scopes.control_flow = context
