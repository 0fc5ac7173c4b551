"""Variables: values that stay in a session between its steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from troupe import dtypes, errors, op_call, operators, protos, stacks
from troupe.control_flow_ops import group, no_op
from troupe.conversion import convert_to_tensor, register_tensor_conversion_function
from troupe.first_values import waiting_for_others
from troupe.ops import GraphKeys, get_collection
from troupe.save_slice_info import SaveSliceInfo
from troupe.tensor import Operators
from troupe.tensor_shape import TensorShape, as_shape
from troupe.variable_creators import CreatedByCreators, is_resource, is_trainable
from troupe.variable_updates import RowUpdates

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from troupe.graph import Graph
    from troupe.monitored_session import _MonitoredSession
    from troupe.session import BaseSession
    from troupe.tensor import Operation, Tensor
    from troupe.typing import ArrayLike, Constraint, DeviceLike, DTypeLike, Message, ShapeLike, TensorLike


class VariableSynchronization:
    AUTO, NONE, ON_WRITE, ON_READ = 0, 1, 2, 3


class VariableAggregation:
    NONE, SUM, MEAN, ONLY_FIRST_REPLICA = 0, 1, 2, 3


class Variable(RowUpdates, Operators, metaclass=CreatedByCreators):
    """A variable of the default graph, which the operation `initializer` gives its first value. `Variable(...)` makes a RefVariable, or a
    ResourceVariable with use_resource; the value is a tensor wherever one is wanted."""

    __array_priority__ = 100
    SaveSliceInfo = SaveSliceInfo
    # Where nobody says which kind.
    _resources = False
    _by_creators = True

    def __new__(cls, *args, use_resource=None, **kwargs):
        if cls is Variable:
            from troupe.resource_variable import ResourceVariable

            cls = ResourceVariable if is_resource(use_resource, Variable._resources) else RefVariable
        return object.__new__(cls)

    if TYPE_CHECKING:  # What each kind of variables defines.
        def assign(self, value: TensorLike, use_locking: bool | None = False, name: str | None = None, read_value: bool = True) -> Any: ...
        def assign_add(self, delta: TensorLike, use_locking: bool | None = False, name: str | None = None, read_value: bool = True) -> Any: ...
        def assign_sub(self, delta: TensorLike, use_locking: bool | None = False, name: str | None = None, read_value: bool = True) -> Any: ...
        value = read_value = is_initialized = cast("Callable[..., Tensor]", None)
        _ref = _make = _from_proto = _dtype = _shape = _snapshot = _initial_value = _initializer_op = cast(Any, None)

    def __init__(self, initial_value: TensorLike | Callable[[], TensorLike] | None = None, trainable: bool | None = None,
                 collections: Sequence[str] | set[str] | None = None, validate_shape: bool = True, caching_device: DeviceLike = None,
                 name: str | None = None, variable_def: Message | None = None, dtype: DTypeLike | None = None, expected_shape: ShapeLike = None,
                 import_scope: str | None = None, constraint: Constraint | None = None, use_resource: bool | None = None, synchronization: int = 0,
                 aggregation: int = 0, shape: ShapeLike = None) -> None:
        if variable_def is not None:
            self._from_proto(variable_def, import_scope)
            return
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        if constraint is not None and not callable(constraint):
            raise ValueError("The `constraint` argument must be a callable.")
        if collections is None:
            collections = [GraphKeys.GLOBAL_VARIABLES]
        if not isinstance(collections, (list, tuple, set)):
            raise ValueError(f"collections argument to Variable constructor must be a list, tuple, or set. Got {collections} of type "
                             f"{type(collections)}")
        self._trainable = is_trainable(trainable, synchronization)
        self._constraint = constraint
        self._synchronization, self._aggregation = synchronization, aggregation
        self._caching_device = caching_device
        self._graph = stacks.get_default_graph()
        self._save_slice_info = None
        if self._trainable and GraphKeys.TRAINABLE_VARIABLES not in collections:
            collections = [*collections, GraphKeys.TRAINABLE_VARIABLES]
        with self._graph.control_dependencies(None):
            self._make(initial_value, name or "Variable", None if dtype is None else dtypes.as_dtype(dtype), validate_shape, shape)
        self._graph.add_to_collections(collections, self)

    def _first_value(self, initial_value, name, dtype, scope_of_values):
        """The first value as a tensor; what a function makes of it stands on the variable's device."""
        if not callable(initial_value):
            with self._graph.name_scope(scope_of_values):
                return convert_to_tensor(initial_value, dtype, name="initial_value")
        with self._graph._attr_scope(_place(name)), self._graph.name_scope("Initializer"), self._graph.device(None):
            return convert_to_tensor(initial_value(), dtype, name="initial_value")

    # What it is.

    @property
    def name(self) -> str:
        return self._ref().name

    @property
    def dtype(self) -> dtypes.DType:
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        return self._shape

    def get_shape(self) -> TensorShape:
        return self._shape

    def set_shape(self, shape: ShapeLike) -> None:
        self._ref().set_shape(shape)
        self.value().set_shape(shape)

    @property
    def op(self) -> Operation:
        return self._ref().op

    @property
    def device(self) -> str:
        return self.op.device

    @property
    def graph(self) -> Graph:
        return self._graph

    @property
    def trainable(self) -> bool:
        return self._trainable

    @property
    def constraint(self) -> Constraint | None:
        return self._constraint

    @property
    def synchronization(self) -> int:
        return self._synchronization

    @property
    def aggregation(self) -> int:
        return self._aggregation

    @property
    def initializer(self) -> Operation:
        return self._initializer_op

    @property
    def initial_value(self) -> Tensor:
        return self._initial_value

    def initialized_value(self) -> Tensor:
        """Its value, or its first value where it has none yet."""
        from troupe.control_flow_ops import cond

        return cond(is_variable_initialized(self), self.read_value, lambda: self.initial_value)

    def eval(self, session: BaseSession | _MonitoredSession | None = None) -> Any:
        return self.value().eval(session=session)

    def load(self, value: ArrayLike, session: BaseSession | _MonitoredSession | None = None) -> None:
        """Gives it a value, in a step of its own."""
        session = session or stacks.get_default_session()
        if session is None:
            raise ValueError("Either session argument should be provided or default session should be established")
        session.run(self.initializer, {self.initializer.inputs[1]: value})

    def count_up_to(self, limit: int) -> Tensor:
        return op_call.call("CountUpTo", None, ref=self._ref(), limit=limit)

    def _as_graph_element(self):
        return self.value()

    def ref(self) -> Variable:
        return self

    experimental_ref = ref

    def deref(self) -> Variable:
        return self

    def __iter__(self):
        raise errors.OperatorNotAllowedInGraphError(
            "Iterating over a symbolic `tf.Tensor` is not allowed. 'Variable' object is not iterable: use tf.unstack for its parts.")

    def __repr__(self):
        return f"<tf.Variable {self.name!r} shape={self.shape} dtype={self.dtype.name}>"

    def to_proto(self, export_scope: str | None = None) -> Any:
        """A VariableDef, with names as they are inside `export_scope`; None for a variable outside of it."""
        prefix = export_scope + "/" if export_scope else ""
        if not self._ref().name.startswith(prefix):
            return None
        named = lambda element: "" if element is None else element.name.removeprefix(prefix)
        made = protos.VariableDef(
            variable_name=named(self._ref()), initializer_name=named(self.initializer), snapshot_name=named(self._snapshot),
            initial_value_name=named(self._initial_value), trainable=self._trainable, is_resource=self._ref().op.type == "VarHandleOp")
        if self._save_slice_info is not None:
            made.save_slice_info_def.CopyFrom(self._save_slice_info.to_proto(export_scope))
        return made

    def _get_save_slice_info(self):
        return self._save_slice_info

    def _set_save_slice_info(self, save_slice_info):
        self._save_slice_info = save_slice_info

    def _slice_info_from_proto(self, def_, import_scope):
        if def_.HasField("save_slice_info_def"):
            return SaveSliceInfo(save_slice_info_def=def_.save_slice_info_def, import_scope=import_scope)
        return None

    @staticmethod
    def from_proto(variable_def: Message, import_scope: str | None = None) -> Variable:
        from troupe.resource_variable import ResourceVariable

        return (ResourceVariable if variable_def.is_resource else RefVariable)(  # type: ignore[attr-defined]
            variable_def=variable_def, import_scope=import_scope)


operators.add_to(Variable)


class RefVariable(Variable):
    """A variable whose operations take a reference to its tensor."""

    def _make(self, initial_value, name, dtype, validate_shape, shape):
        graph = self._graph
        with graph.name_scope(name) as scope:
            own_name = scope[:-1]
            first = self._first_value(initial_value, own_name, dtype, scope)
            known = _first_shape(first, validate_shape)
            self._initial_value = first
            with graph._attr_scope(_place(own_name) if callable(initial_value) else {}):
                self._variable = op_call.call("VariableV2", scope, shape=known if shape is None else as_shape(shape),
                                              dtype=first.dtype.base_dtype)
            self._initializer_op = op_call.call("Assign", "Assign", ref=self._variable, value=waiting_for_others(first, own_name),
                                                validate_shape=validate_shape).op
            with graph.colocate_with(self._variable.op):
                self._snapshot = op_call.call("Identity", "read", input=self._variable)
        self._dtype = self._variable.dtype
        self._shape = self._variable.shape

    def _from_proto(self, def_, import_scope):
        graph = self._graph = stacks.get_default_graph()
        prefix = import_scope + "/" if import_scope else ""
        element = lambda name: graph.as_graph_element(prefix + name)
        self._variable = element(def_.variable_name)
        self._initializer_op = element(def_.initializer_name)
        self._snapshot = element(def_.snapshot_name)
        self._initial_value = element(def_.initial_value_name) if def_.initial_value_name else None
        self._trainable, self._constraint, self._caching_device = def_.trainable, None, None
        self._synchronization = self._aggregation = 0
        self._dtype, self._shape = self._variable.dtype, self._variable.shape
        self._save_slice_info = self._slice_info_from_proto(def_, import_scope)

    def _ref(self):
        return self._variable

    def value(self) -> Tensor:
        return self._snapshot

    def read_value(self) -> Tensor:
        return op_call.call("Identity", "read", input=self._variable)

    def is_initialized(self, name: str | None = None) -> Tensor:
        return op_call.call("IsVariableInitialized", name, ref=self._variable)

    def assign(self, value: TensorLike, use_locking: bool | None = False, name: str | None = None, read_value: bool = True) -> Any:
        made = op_call.call("Assign", name, ref=self._variable, value=value, use_locking=use_locking)
        return made if read_value else made.op

    def assign_add(self, delta: TensorLike, use_locking: bool | None = False, name: str | None = None, read_value: bool = True) -> Any:
        made = op_call.call("AssignAdd", name, ref=self._variable, value=delta, use_locking=use_locking)
        return made if read_value else made.op

    def assign_sub(self, delta: TensorLike, use_locking: bool | None = False, name: str | None = None, read_value: bool = True) -> Any:
        made = op_call.call("AssignSub", name, ref=self._variable, value=delta, use_locking=use_locking)
        return made if read_value else made.op

    def _scatter(self, op_type, indices, updates, use_locking, name):
        return op_call.call(op_type, name, ref=self._variable, indices=indices, updates=updates, use_locking=use_locking)

    def _assign_slice(self, part, value, name):
        return op_call.call("StridedSliceAssign", name, ref=self._variable, value=value, **part)


def _place(name):
    """Attrs that put operations beside the variable of this name."""
    return {"_class": protos.AttrValue(list={"s": [b"loc:@" + name.encode()]})}


def _first_shape(first, validate_shape):
    """The shape of a variable that begins with this value; any, unless it is to be validated."""
    if not validate_shape:
        return TensorShape(None)
    if not first.shape.is_fully_defined():
        raise ValueError(f"initial_value must have a shape specified: {first}")
    return first.shape


def _convert_variable(value, dtype=None, name=None, as_ref=False):
    if dtype is not None and not dtype.is_compatible_with(value.dtype):
        raise ValueError(f"Incompatible type conversion requested to type {dtype.name!r} for variable of type {value.dtype.name!r}")
    ref = value._ref()
    if not ref.dtype._is_ref_dtype:
        return value.value()
    return ref if as_ref else _read_after(value, ref) if value.graph._is_waiting() else value.value()


def _read_after(variable, ref):
    """The value once the operations of the blocks around are done. TensorFlow's one read of a variable by reference shares the variable's memory,
    so that it shows what they assign; here what was read stays as it was, and is read again."""
    graph = variable.graph
    with graph.name_scope(None), graph.colocate_with(ref.op), graph._outside():
        return op_call.call("Identity", variable.op.name + "/read", input=ref)


register_tensor_conversion_function(Variable, _convert_variable)


# All variables of a graph.


def global_variables(scope: str | None = None) -> list[Variable]:
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


all_variables = global_variables


def local_variables(scope: str | None = None) -> list[Variable]:
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def trainable_variables(scope: str | None = None) -> list[Variable]:
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[Variable]:
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list[Variable]:
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def variables_initializer(var_list: Sequence[Variable], name: str = "init") -> Operation:
    """An operation that gives these variables their first values."""
    return group(*[v.initializer for v in var_list], name=name) if var_list else no_op(name=name)


def global_variables_initializer() -> Operation:
    return variables_initializer(global_variables())


def local_variables_initializer() -> Operation:
    return variables_initializer(local_variables())


def initialize_all_variables() -> Operation:
    return global_variables_initializer()


def is_variable_initialized(variable: Variable) -> Tensor:
    return variable.is_initialized()


def report_uninitialized_variables(var_list: Sequence[Variable] | None = None, name: str = "report_uninitialized_variables") -> Tensor:
    """The names of those that have no value yet, as a vector of strings."""
    from troupe import array_ops

    var_list = global_variables() + local_variables() if var_list is None else var_list
    with stacks.get_default_graph().name_scope(name), stacks.get_default_graph().device("/cpu:0"):
        if not var_list:
            return array_ops.constant([], dtypes.string)
        names = array_ops.constant([v.op.name for v in var_list])
        missing = op_call.call("LogicalNot", None, x=array_ops.stack([v.is_initialized() for v in var_list]))
        return array_ops.boolean_mask(names, missing)


def assign(ref: Variable | Tensor, value: TensorLike, validate_shape: bool | None = None, use_locking: bool | None = None,
           name: str | None = None) -> Tensor:
    if hasattr(ref, "assign") and not isinstance(ref, RefVariable):  # A variable, or a part of one.
        return ref.assign(value, name=name)
    return op_call.call("Assign", name, ref=getattr(ref, "_variable", ref), value=value, validate_shape=validate_shape, use_locking=use_locking)


def assign_add(ref: Variable | Tensor, value: TensorLike, use_locking: bool | None = None, name: str | None = None) -> Tensor:
    if isinstance(ref, Variable):
        return ref.assign_add(value, name=name)
    return op_call.call("AssignAdd", name, ref=ref, value=value, use_locking=use_locking)


def assign_sub(ref: Variable | Tensor, value: TensorLike, use_locking: bool | None = None, name: str | None = None) -> Tensor:
    if isinstance(ref, Variable):
        return ref.assign_sub(value, name=name)
    return op_call.call("AssignSub", name, ref=ref, value=value, use_locking=use_locking)
