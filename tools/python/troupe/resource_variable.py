"""Variables behind a resource handle: a read is an operation, and happens when it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troupe import op_call, stacks
from troupe.conversion import convert_to_tensor
from troupe.first_values import waiting_for_others
from troupe.tensor_shape import TensorShape, as_shape
from troupe.variables import Variable, _first_shape, _place

if TYPE_CHECKING:
    from troupe.tensor import Tensor
    from troupe.typing import ShapeLike, TensorLike


class ResourceVariable(Variable):
    """A variable that its operations reach by a handle."""

    def _make(self, initial_value, name, dtype, validate_shape, shape):
        graph = self._graph
        with graph.name_scope(name) as scope:
            own_name = scope[:-1]
            with graph._attr_scope(_place(own_name)):
                first = self._first_value(initial_value, own_name, dtype, "Initializer")
            known = as_shape(shape) if shape is not None else _first_shape(first, validate_shape)
            self._initial_value, self._dtype, self._shape = first, first.dtype.base_dtype, known
            with graph._attr_scope(_place(own_name)):
                self._handle = op_call.call("VarHandleOp", scope, dtype=self._dtype, shape=known, shared_name=own_name, debug_name=scope,
                                            container=graph._container)
            with graph.name_scope("IsInitialized"):
                self._is_initialized = op_call.call("VarIsInitializedOp", None, resource=self._handle)
            with graph.name_scope("Assign") as assign:
                self._initializer_op = op_call.call("AssignVariableOp", assign, resource=self._handle, value=waiting_for_others(first, own_name))
            with graph.name_scope("Read"):
                self._snapshot = self._read()
            graph.prevent_feeding(self._handle)

    def _from_proto(self, def_, import_scope):
        graph = self._graph = stacks.get_default_graph()
        prefix = import_scope + "/" if import_scope else ""
        element = lambda name: graph.as_graph_element(prefix + name)
        self._handle = element(def_.variable_name)
        self._initializer_op = element(def_.initializer_name)
        self._snapshot = element(def_.snapshot_name)
        self._initial_value = element(def_.initial_value_name) if def_.initial_value_name else None
        self._is_initialized = None
        self._trainable, self._constraint, self._caching_device = def_.trainable, None, None
        self._synchronization = self._aggregation = 0
        self._dtype, self._shape = self._handle.op.get_attr("dtype"), TensorShape(self._handle.op.get_attr("shape"))
        self._save_slice_info = self._slice_info_from_proto(def_, import_scope)

    def _ref(self):
        return self._handle

    @property
    def handle(self) -> Tensor:
        return self._handle

    def _read(self):
        made = op_call.call("ReadVariableOp", None, resource=self._handle, dtype=self._dtype)
        made.set_shape(self._shape)
        return made

    def value(self) -> Tensor:
        """A read of its own each time."""
        with self._graph.colocate_with(None, ignore_existing=True), self._graph.device(self._handle.device or None):
            return self._read()

    def read_value(self) -> Tensor:
        with self._graph.name_scope("Read"):
            return op_call.call("Identity", None, input=self._read())

    def _as_graph_element(self):
        return self._snapshot

    @property
    def _graph_element(self):
        return self._snapshot

    def set_shape(self, shape: ShapeLike) -> None:
        self._snapshot.set_shape(shape)
        self._shape = self._shape.merge_with(shape)

    def is_initialized(self, name: str | None = None) -> Tensor:
        return op_call.call("VarIsInitializedOp", name, resource=self._handle)

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Tensor:
        with self._graph.name_scope(name or "Gather") as scope:
            return op_call.call("ResourceGather", scope, resource=self._handle, indices=indices, dtype=self._dtype)

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """The elements, or parts, whose places the last dimension of `indices` holds."""
        return op_call.call("ResourceGatherNd", name, resource=self._handle, indices=indices, dtype=self._dtype)

    def _update(self, op_type, value, name, read_value):
        value = convert_to_tensor(value, self._dtype)
        if not self._shape.is_compatible_with(value.shape) and op_type == "AssignVariableOp":
            raise ValueError(f"Cannot assign value to variable '{self.name}': Shape mismatch.The variable shape {self._shape}, and the assigned "
                             f"value shape {value.shape} are incompatible.")
        return self._updated(op_call.call(op_type, name, resource=self._handle, value=value), read_value)

    def _updated(self, op, read_value=True):
        """The value after `op`, which can be fetched, or the operation."""
        if not read_value:
            return op
        with self._graph.control_dependencies([op]):
            made = self._read()
        made.updated_by = op
        return made

    def assign(self, value: TensorLike, use_locking: bool | None = None, name: str | None = None, read_value: bool = True) -> Any:
        return self._update("AssignVariableOp", value, name, read_value)

    def assign_add(self, delta: TensorLike, use_locking: bool | None = None, name: str | None = None, read_value: bool = True) -> Any:
        return self._update("AssignAddVariableOp", delta, name, read_value)

    def assign_sub(self, delta: TensorLike, use_locking: bool | None = None, name: str | None = None, read_value: bool = True) -> Any:
        return self._update("AssignSubVariableOp", delta, name, read_value)

    def _scatter(self, op_type, indices, updates, use_locking, name):
        place = {"ref" if "Nd" in op_type else "resource": self._handle}
        return self._updated(op_call.call("Resource" + op_type, name, indices=indices, updates=convert_to_tensor(updates, self._dtype), **place))

    def count_up_to(self, limit: int) -> Tensor:
        return op_call.call("ResourceCountUpTo", None, resource=self._handle, limit=limit, T=self._dtype)

    def _assign_slice(self, part, value, name):
        return self._updated(op_call.call("ResourceStridedSliceAssign", name, ref=self._handle, value=convert_to_tensor(value, self._dtype), **part))
