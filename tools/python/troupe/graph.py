"""The graph: operations by name and number, made through the native graph, and collections of whatever a program puts there."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from troupe import _native, errors, protos, stacks
from troupe.graph_scopes import GraphScopes
from troupe.tensor import Operation, Tensor

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import Any

    from troupe.typing import Message

# Op types of op_def, by name; those of functions are asked for each time.
_op_defs = {}


class OpDef:
    """The signature of an op, as the native registry tells it."""

    __slots__ = ("name", "inputs", "outputs", "attrs", "is_stateful", "attrs_by_name", "input_attrs")

    def __init__(self, described: Any) -> None:
        self.name, self.inputs, self.outputs, self.attrs, self.is_stateful = described
        self.attrs_by_name = {a[0]: a for a in self.attrs}
        # Attrs that inputs tell.
        self.input_attrs = {n for a in self.inputs for n in a[2:5] if n}


class _Draft:
    """What a device function sees of an operation before it is made."""

    def __init__(self, graph, op_type, name, inputs):
        self.graph, self.type, self.name, self.inputs, self.device = graph, op_type, name, inputs, ""

    @property
    def node_def(self):
        return protos.NodeDef(name=self.name, op=self.type, device=self.device)

    def _set_device(self, device):
        self.device = device


class Graph(GraphScopes):
    """Operations and tensors. Any thread may add to it; sessions take up what was added before each run. It lives as long as
    its operations, tensors and sessions."""

    def __init__(self) -> None:
        super().__init__()
        self._native = _native.Graph()
        self._lock = threading.RLock()
        self._operations = []
        self._by_name = {}
        self._collections = {}
        self._finalized = False
        self._seed = None
        self._seeds_given = 0
        self._unfetchable = set()
        self._unfeedable = set()
        self._container = ""
        self.building_function = False

    # What is in it.

    @property
    def version(self) -> int:
        return len(self._operations)

    def __repr__(self):
        return f"<tf.Graph of {self.version} operations{', finalized' if self._finalized else ''}>"

    @property
    def _c_graph(self):
        """What stands for it in `pywrap_tensorflow`."""
        return self

    @property
    def seed(self) -> int | None:
        return self._seed

    @seed.setter
    def seed(self, seed: int | None) -> None:
        self._seed = seed

    def _next_seed(self):
        """For a random operation that says none."""
        with self._lock:
            self._seeds_given += 1
            return self._seeds_given - 1

    @property
    def finalized(self) -> bool:
        return self._finalized

    def finalize(self) -> None:
        """Nothing can be added any more."""
        self._finalized = True

    def _unsafe_unfinalize(self):
        self._finalized = False

    def _check_not_finalized(self):
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    def as_default(self) -> AbstractContextManager[Graph]:
        return stacks.graphs.push(self)

    @property
    def graph_def_versions(self) -> Any:
        return self.as_graph_def().versions

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> Any:
        """The graph as a GraphDef; nodes from number `from_version` on; with "_output_shapes"."""
        with self._lock:
            def_ = protos.GraphDef.FromString(self._native.graph_def())
        if not def_.library.function and not def_.library.gradient:
            def_.ClearField("library")
        if from_version:
            new = list(def_.node)[from_version:]
            def_.ClearField("node")
            def_.node.extend(new)
        if add_shapes:
            for node in def_.node:
                op = self._by_name[node.name]
                node.attr["_output_shapes"].list.shape.extend([t.shape.as_proto() for t in op.outputs])
        return def_

    def _op_def(self, op_type):
        found = _op_defs.get(op_type)
        if found is None:
            described = _native.op_def(op_type)
            if described is not None:
                found = _op_defs[op_type] = OpDef(described)
            else:
                described = self._native.op_def(op_type)
                found = None if described is None else OpDef(described)
        return found

    # Making operations.

    def _create_op(self, op_type, inputs, attrs, name):
        """Makes an operation of this very name. `inputs`: a Tensor for each argument, or a list of them; `attrs` as the native module
        takes them. ValueError and TypeError as errors of arguments are."""
        self._check_not_finalized()
        scopes = self._scopes
        flat = [t for i in inputs for t in (i if isinstance(i, list) else (i,))]
        control = self._control_inputs_for({t.op for t in flat}) if scopes.control else []
        context = scopes.control_flow
        if context is not None:
            inputs, control = context._prepare(op_type, inputs, control)
        attrs = self._attrs_with_scopes(op_type, attrs)
        colocate, device = self._place(op_type, name, flat)
        if colocate and "_class" in attrs:
            # A block of colocate_with counts for more than the place of a variable's first value.
            attrs = {n: v for n, v in attrs.items() if n != "_class"}
        native_inputs = [[(t.op._id, t._index) for t in i] if isinstance(i, list) else (i.op._id, i._index) for i in inputs]
        with self._lock:
            try:
                number, output_types = self._native.add_operation(
                    op_type, name, native_inputs, [op._id for op in control], attrs, device, colocate)
            except errors.OpError as e:
                raise ValueError(e.message) from None
            if number != len(self._operations):
                self._sync(number)
            op = Operation(self, number, output_types, stacks.caller_frames(), scopes.original_op)
            self._add(op)
        if context is not None:
            context._adopt(op)
        if scopes.control:
            self._record_in_controllers(op)
        return op

    def _attrs_with_scopes(self, op_type, attrs):
        scopes = self._scopes
        if not scopes.attrs and op_type not in scopes.gradient_overrides:
            return attrs
        attrs = dict(attrs)
        for key, value in scopes.attrs.items():
            attrs.setdefault(key, value.SerializeToString())
        if op_type in scopes.gradient_overrides:
            attrs["_gradient_op_type"] = protos.AttrValue(s=scopes.gradient_overrides[op_type].encode()).SerializeToString()
        return attrs

    def _place(self, op_type, name, inputs):
        """(colocation groups, device) of a new operation."""
        scopes = self._scopes
        device = self._device_for(_Draft(self, op_type, name, inputs)) if scopes.devices else ""
        if not scopes.colocation:
            return [], device
        groups = sorted({g.decode() for op in scopes.colocation for g in op.colocation_groups()})
        for op in scopes.colocation:
            device = op.device or device
        return groups, device

    def _add(self, op):
        self._operations.append(op)
        self._by_name[op._name] = op

    def _sync(self, end=None):
        """Takes up operations that the native graph has got otherwise: imported ones, gradients."""
        with self._lock:
            frames = stacks.caller_frames()
            end = self._native.num_operations() if end is None else end
            for number in range(len(self._operations), end):
                op = Operation(self, number, self._native.output_types(number), frames)
                self._add(op)
                self._names_in_use.setdefault(op._name.lower(), 1)

    def create_op(self, op_type: str, inputs: Sequence[Tensor], dtypes: Sequence[Any] | None = None, input_types: Sequence[Any] | None = None,
                  name: str | None = None, attrs: Mapping[str, Any] | None = None, op_def: Message | None = None, compute_shapes: bool = True,
                  compute_device: bool = True) -> Operation:
        """An operation by its type; attrs are AttrValues. TypeError for inputs that are no tensors, RuntimeError for an op that is not there."""
        from troupe import op_call

        for i, tensor in enumerate(inputs):
            if not isinstance(tensor, Tensor):
                raise TypeError(f"Input #{i} is not a tensor: {tensor}")
        if self._op_def(op_type) is None:
            raise RuntimeError(f"Op type not registered {op_type!r}")
        return op_call.create_by_attr_values(self, op_type, list(inputs), name, attrs or {})

    # Functions.

    def captured(self, value: Any) -> Any:
        """What an operation of a function's body takes for `value`. ValueError for what is of another graph, unless the body takes it in."""
        if isinstance(value, (list, tuple)):
            parts = [self.captured(v) for v in value]
            return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
        return value if getattr(value, "graph", self) is self else self._capture(value)

    def _capture(self, value):
        raise ValueError(f"{value} must be from the same graph as the body of the function (graphs are {value.graph} and {self}).")

    def _add_function(self, function_def, gradient_def=None):
        """Adds a FunctionDef to the library, and that of its gradient. ValueError for another of this name."""
        self._check_not_finalized()
        try:
            self._native.add_function(function_def.SerializeToString(), b"" if gradient_def is None else gradient_def.SerializeToString())
        except errors.InvalidArgumentError as e:
            raise ValueError(e.message) from None

    def _is_function(self, name):
        return self._native.function_def(name) is not None

    # Looking things up.

    def get_operations(self) -> list[Operation]:
        return list(self._operations)

    def _get_operation_by_name(self, name):
        return self._by_name[name]

    def get_operation_by_name(self, name: str) -> Operation:
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=False, allow_operation=True)

    def get_tensor_by_name(self, name: str) -> Tensor:
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=True, allow_operation=False)

    def as_graph_element(self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        """The Tensor or Operation that `obj` is, names, or stands for. KeyError for a name that is not there, ValueError for another
        graph's, TypeError for what is neither."""
        if allow_tensor and allow_operation:
            kinds = "Tensor or Operation"
        elif allow_tensor or allow_operation:
            kinds = "Tensor" if allow_tensor else "Operation"
        else:
            raise ValueError("allow_tensor and allow_operation can't both be False.")
        convert = getattr(obj, "_as_graph_element", None)
        if convert is not None:
            obj = convert()
        if isinstance(obj, (str, bytes)):
            name = obj if isinstance(obj, str) else obj.decode()
            return self._by_text(name, kinds, allow_tensor, allow_operation)
        if isinstance(obj, Tensor) and allow_tensor or isinstance(obj, Operation) and allow_operation:
            if obj.graph is not self:
                kind = "Tensor" if isinstance(obj, Tensor) else "Operation"
                raise ValueError(f"{kind} {obj} is not an element of this graph.")
            return obj
        raise TypeError(f"Can not convert a {type(obj).__name__} into a {kinds}.")

    def _by_text(self, name, kinds, allow_tensor, allow_operation):
        if ":" in name:
            if not allow_tensor:
                raise ValueError(f"Name {name!r} appears to refer to a Tensor, not a {kinds}.")
            return self._tensor_by_text(name)
        op = self._by_name.get(name)
        if allow_operation:
            if op is None:
                raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
            return op
        what = f"looks like an (invalid) Operation name, not a {kinds}." if op is None else f"refers to an Operation, not a {kinds}."
        raise ValueError(f'The name {name!r} {what} Tensor names must be of the form "<op_name>:<output_index>".')

    def _tensor_by_text(self, name):
        op_name, _, index = name.partition(":")
        if not index.lstrip("-").isdigit():
            raise ValueError(f"The name {name!r} looks a like a Tensor name, but is not a valid one. Tensor names must be of the "
                             'form "<op_name>:<output_index>".')
        op = self._by_name.get(op_name)
        if op is None:
            raise KeyError(f"The name {name!r} refers to a Tensor which does not exist. The operation, {op_name!r}, does not "
                           "exist in the graph.")
        if not 0 <= int(index) < len(op.outputs):
            raise KeyError(f"The name {name!r} refers to a Tensor which does not exist. The operation, {op_name!r}, exists but "
                           f"only has {len(op.outputs)} outputs.")
        return op.outputs[int(index)]

    # Feeding and fetching.

    def is_feedable(self, tensor: Tensor) -> bool:
        return tensor not in self._unfeedable

    def is_fetchable(self, tensor_or_op: Tensor | Operation) -> bool:
        return tensor_or_op not in self._unfetchable

    def prevent_feeding(self, tensor: Tensor) -> None:
        self._unfeedable.add(tensor)

    def prevent_fetching(self, op: Operation | Tensor) -> None:
        self._unfetchable.add(op)

    # Collections.

    def add_to_collection(self, name: Hashable, value: Any) -> None:
        self._check_not_finalized()
        with self._lock:
            self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: str | Iterable[Hashable], value: Any) -> None:
        for name in (names,) if isinstance(names, str) else set(names):
            self.add_to_collection(name, value)

    def get_collection_ref(self, name: Hashable) -> list[Any]:
        with self._lock:
            return self._collections.setdefault(name, [])

    def get_collection(self, name: Hashable, scope: str | None = None) -> list[Any]:
        """A copy; with `scope`, of the items whose names it matches."""
        import re

        with self._lock:
            items = list(self._collections.get(name, ()))
        if scope is None:
            return items
        pattern = re.compile(scope)
        return [i for i in items if hasattr(i, "name") and pattern.match(i.name)]

    @property
    def collections(self) -> list[Hashable]:
        return list(self._collections)

    def get_all_collection_keys(self) -> list[str]:
        return [k for k in self._collections if isinstance(k, str)]

    def clear_collection(self, name: Hashable) -> None:
        self._check_not_finalized()
        self._collections.pop(name, None)

    @contextmanager
    def container(self, container_name: str) -> Iterator[str]:
        """Stateful operations made inside keep their resources there."""
        old, self._container = self._container, container_name
        try:
            yield container_name
        finally:
            self._container = old

