"""Variables by name: get_variable makes one, or gives the one that is there, as the scopes around it say."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from troupe import dtypes, initializers, stacks
from troupe.ops import GraphKeys
from troupe.ops import name_scope as _name_scope
from troupe.tensor import Tensor
from troupe.tensor_shape import as_shape
from troupe.variable_creators import is_resource, is_trainable
from troupe.variables import Variable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from troupe.typing import Constraint, CustomGetter, DeviceLike, DTypeLike, Initializer, Partitioner, Regularizer, ShapeLike


class _ReuseMode:
    def __repr__(self):
        return "_ReuseMode.AUTO_REUSE"


AUTO_REUSE = _ReuseMode()
_STORE = ("__variable_store",)
_SCOPE = ("__varscope",)
# What getters may give by place.
_GETTER_ARGUMENTS = ("shape", "dtype", "initializer", "regularizer", "reuse", "trainable", "collections", "caching_device", "partitioner",
                     "validate_shape", "use_resource", "constraint", "synchronization", "aggregation")
# What inherits from the scope outside when it is not given.
_INHERITED = ("initializer", "regularizer", "caching_device", "partitioner", "custom_getter", "use_resource", "constraint")


class VariableScope:
    """What get_variable takes from around it: a prefix for names, and defaults."""

    def __init__(self, reuse: bool | _ReuseMode | None, name: str = "", initializer: Initializer | None = None,
                 regularizer: Regularizer | None = None, caching_device: DeviceLike = None, partitioner: Partitioner | None = None,
                 custom_getter: CustomGetter | None = None, name_scope: str = "", dtype: DTypeLike = dtypes.float32,
                 use_resource: bool | None = None, constraint: Constraint | None = None) -> None:
        self.name, self.reuse, self.initializer, self.regularizer = name, reuse, initializer, regularizer
        self.caching_device, self.partitioner, self.custom_getter = caching_device, partitioner, custom_getter
        self.original_name_scope, self.dtype, self.use_resource, self.constraint = name_scope, dtype, use_resource, constraint

    def __repr__(self):
        return f"<tf.VariableScope {self.name!r} reuse={self.reuse}>"

    def reuse_variables(self) -> None:
        self.reuse = True

    def set_initializer(self, initializer: Initializer | None) -> None:
        self.initializer = initializer

    def set_regularizer(self, regularizer: Regularizer | None) -> None:
        self.regularizer = regularizer

    def set_dtype(self, dtype: DTypeLike) -> None:
        self.dtype = dtype

    def set_custom_getter(self, custom_getter: CustomGetter | None) -> None:
        self.custom_getter = custom_getter

    def set_use_resource(self, use_resource: bool | None) -> None:
        self.use_resource = use_resource

    def set_caching_device(self, caching_device: DeviceLike) -> None:
        self.caching_device = caching_device

    def set_partitioner(self, partitioner: Partitioner | None) -> None:
        self.partitioner = partitioner

    def get_collection(self, name: str) -> list[Any]:
        return stacks.get_default_graph().get_collection(name, self.name + "/" if self.name else "")

    def trainable_variables(self) -> list[Variable]:
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self) -> list[Variable]:
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list[Variable]:
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def get_variable(self, var_store: Any, name: str, shape: ShapeLike = None, dtype: DTypeLike | None = None, initializer: Initializer | None = None,
                     regularizer: Regularizer | None = None, reuse: bool | _ReuseMode | None = None, trainable: bool | None = None,
                     collections: Sequence[str] | None = None, caching_device: DeviceLike = None, partitioner: Partitioner | None = None,
                     validate_shape: bool = True, use_resource: bool | None = None, custom_getter: CustomGetter | None = None,
                     constraint: Constraint | None = None, synchronization: int = 0, aggregation: int = 0) -> Variable:
        """The variable of this name in this scope, as the function get_variable gives it."""
        full = f"{self.name}/{name}" if self.name else name
        given: dict[str, Any] = dict(shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer, reuse=reuse, trainable=trainable,
                                     collections=collections, validate_shape=validate_shape, synchronization=synchronization, aggregation=aggregation,
                                     use_resource=use_resource, constraint=constraint, caching_device=caching_device, partitioner=partitioner)
        for key in ("dtype", "initializer", "regularizer", "reuse", "use_resource", "constraint", "caching_device", "partitioner"):
            if given[key] is None:
                given[key] = getattr(self, key)
        getter = custom_getter or self.custom_getter
        # Names of operations do not follow the scopes of names.
        with stacks.get_default_graph().name_scope(None):
            if getter is not None:
                return getter(lambda name, *args, **named: var_store.get(name, **dict(zip(_GETTER_ARGUMENTS, args)), **named), full, **given)
            return var_store.get(full, **given)


class _VariableStore:
    """The variables of a graph that get_variable made, by name."""

    def __init__(self):
        self._by_name = {}
        self._partitioned = {}

    def get(self, name, shape=None, dtype=dtypes.float32, initializer=None, regularizer=None, reuse=None, trainable=None, collections=None,
            caching_device=None, validate_shape=True, use_resource=None, constraint=None, partitioner=None, synchronization=0, aggregation=0):
        dtype = dtypes.as_dtype(dtype)
        # Of scalars there are no parts.
        if partitioner is not None and not (isinstance(shape, (list, tuple)) and not shape) or reuse is True and name in self._partitioned:
            return self._in_parts(name, partitioner, shape, dtype, initializer, reuse, regularizer=regularizer, trainable=trainable,
                                  collections=collections, caching_device=caching_device, validate_shape=validate_shape, use_resource=use_resource,
                                  constraint=constraint, synchronization=synchronization, aggregation=aggregation)
        if f"{name}/part_0" in self._by_name:
            raise ValueError(f"No partitioner was provided, but a partitioned version of the variable was found: {name}/part_0. Perhaps a variable of "
                             "the same name was already created with partitioning?")
        shape = as_shape(shape) if shape is not None else None
        found = self._by_name.get(name)
        if found is not None:
            return self._shared(found, name, shape, dtype, reuse)
        if reuse is True:
            raise ValueError(f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you mean to set "
                             "reuse=tf.AUTO_REUSE in VarScope?")
        variable = self._new(name, shape, dtype, initializer, is_trainable(trainable, synchronization), collections, caching_device, validate_shape,
                             is_resource(use_resource, Variable._resources), constraint, synchronization, aggregation)
        if regularizer:
            # Of a cell it is made in a loop, but is a loss outside.
            with stacks.get_default_graph().name_scope(name + "/Regularizer/"), stacks.get_default_graph().control_dependencies(None):
                loss = regularizer(variable)
            if loss is not None:
                stacks.get_default_graph().add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
        return variable

    def _in_parts(self, name, partitioner, *args, **others):
        from troupe import partitioned_variables

        if partitioner is not None and not callable(partitioner):
            raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
        return partitioned_variables.get(self, name, partitioner, *args, **others)

    def _shared(self, found, name, shape, dtype, reuse):
        # A getter may leave it to what is there.
        if reuse is False:
            where = "".join(found.op.traceback_text())
            raise ValueError(f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope? "
                             f"Originally defined at:\n\n{where}")
        if shape is not None and not shape.is_compatible_with(found.shape):
            raise ValueError(f"Trying to share variable {name}, but specified shape {shape} and found shape {found.shape}.")
        if not dtype.is_compatible_with(found.dtype):
            raise ValueError(f"Trying to share variable {name}, but specified dtype {dtype.name} and found dtype {found.dtype.base_dtype.name}.")
        return found

    def _new(self, name, shape, dtype, initializer, trainable, collections, caching_device, validate_shape, use_resource, constraint,
             synchronization, aggregation):
        if initializer is None:
            initializer, made_from_shape = _default_initializer(name, dtype), True
        else:
            made_from_shape = callable(initializer)
            if isinstance(initializer, type):
                initializer = initializer(dtype=dtype)
        if not made_from_shape:
            if shape is not None:
                raise ValueError("If initializer is a constant, do not specify shape.")
            first, dtype = initializer, (initializer.dtype.base_dtype if isinstance(initializer, Tensor) else None)
        else:
            if shape is None or not shape.is_fully_defined():
                if not _takes_nothing(initializer):
                    if shape is None:
                        raise ValueError(f"Variable {name} did not get an initializer, so its `shape` argument must be specified.")
                    raise ValueError("The initializer passed is not valid. It should be a callable with no arguments and the shape should not be "
                                     f"provided, or an initializer and `shape` should be fully defined: {name} is of shape {shape}.")
                first = initializer
            else:
                first = lambda: _make_first(initializer, shape, dtype)
        variable = Variable(first, trainable=trainable, collections=collections, caching_device=caching_device, name=name, dtype=dtype,
                            validate_shape=validate_shape, constraint=constraint, use_resource=use_resource, synchronization=synchronization,
                            aggregation=aggregation, shape=shape)
        self._by_name[name] = variable
        return variable


def _takes_nothing(initializer):
    import inspect

    try:
        return not inspect.signature(initializer).parameters
    except (TypeError, ValueError):
        return False


def _make_first(initializer, shape, dtype):
    if _takes_nothing(initializer):
        return initializer()
    return initializer(shape.as_list(), dtype=dtype)


def _default_initializer(name, dtype):
    if dtype.is_floating:
        return initializers.GlorotUniform()
    if dtype.is_integer or dtype.is_unsigned or dtype.is_bool or dtype is dtypes.string:
        return initializers.Zeros()
    raise ValueError(f"An initializer for variable {name} of {dtype} is required")


def _store():
    held = stacks.get_default_graph().get_collection_ref(_STORE)
    if not held:
        held.append(_VariableStore())
    return held[0]


def _holder():
    """The list that holds the current scope of the graph; scopes are of the graph, as TensorFlow's are of a graph and thread."""
    graph = stacks.get_default_graph()
    scopes = graph._scopes
    if not hasattr(scopes, "variable_scope"):
        scopes.variable_scope = VariableScope(False)
    return scopes


def get_variable_scope() -> VariableScope:
    return _holder().variable_scope


def get_variable(name: str, shape: ShapeLike = None, dtype: DTypeLike | None = None, initializer: Initializer | None = None,
                 regularizer: Regularizer | None = None, trainable: bool | None = None, collections: Sequence[str] | None = None,
                 caching_device: DeviceLike = None, partitioner: Partitioner | None = None, validate_shape: bool = True,
                 use_resource: bool | None = None, custom_getter: CustomGetter | None = None, constraint: Constraint | None = None,
                 synchronization: int = 0, aggregation: int = 0) -> Variable:
    """The variable of this name in the current scope: a new one, or, where it is to be reused, the one that is there. ValueError when it is
    there and may not be, or is not."""
    return get_variable_scope().get_variable(
        _store(), name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer, trainable=trainable, collections=collections,
        caching_device=caching_device, partitioner=partitioner, validate_shape=validate_shape, use_resource=use_resource,
        custom_getter=custom_getter, constraint=constraint, synchronization=synchronization, aggregation=aggregation)


def get_local_variable(name: str, shape: ShapeLike = None, dtype: DTypeLike | None = None, initializer: Initializer | None = None,
                       regularizer: Regularizer | None = None, trainable: bool | None = False, collections: Sequence[str] | None = None,
                       caching_device: DeviceLike = None, partitioner: Partitioner | None = None, validate_shape: bool = True,
                       use_resource: bool | None = None, custom_getter: CustomGetter | None = None, constraint: Constraint | None = None,
                       synchronization: int = 0, aggregation: int = 0) -> Variable:
    """The same, never trainable, in the collection of local variables."""
    return get_variable(name, shape, dtype, initializer, regularizer, False, [*(collections or []), GraphKeys.LOCAL_VARIABLES], caching_device,
                        partitioner, validate_shape, use_resource, custom_getter, constraint, synchronization, aggregation)


def _opened():
    """Names of the scopes that were opened; those inside one are forgotten when it ends."""
    return _holder().__dict__.setdefault("opened_variable_scopes", set())


def _forget_inner(name, before):
    opened = _opened()
    if before is None:
        opened -= {o for o in opened if o.startswith(name + "/")}
    else:
        opened.clear()
        opened |= before


def _unique_scope(name):
    """`name`, or with the first number that no scope here has."""
    used = _opened()
    prefix = get_variable_scope().name
    full = f"{prefix}/{name}" if prefix else name
    if full not in used:
        return name
    number = 1
    while f"{full}_{number}" in used:
        number += 1
    return f"{name}_{number}"


@contextmanager
def variable_scope(name_or_scope: str | VariableScope | None, default_name: str | None = None, values: Iterable[Any] | None = None,
                   initializer: Initializer | None = None, regularizer: Regularizer | None = None, caching_device: DeviceLike = None,
                   partitioner: Partitioner | None = None, custom_getter: CustomGetter | None = None, reuse: bool | _ReuseMode | None = None,
                   dtype: DTypeLike | None = None, use_resource: bool | None = None, constraint: Constraint | None = None,
                   auxiliary_name_scope: bool = True) -> Iterator[VariableScope]:
    """Variables made inside begin with this name, or take what that scope says; operations are named after it, too."""
    if name_or_scope is None and default_name is None:
        raise TypeError("If default_name is None then name_or_scope is required")
    if name_or_scope is not None and not isinstance(name_or_scope, (str, VariableScope)):
        raise TypeError(f"VariableScope: name_or_scope must be a string or VariableScope. Received: {name_or_scope}")
    if reuse not in (None, False, True, AUTO_REUSE):
        raise ValueError(f"The reuse parameter must be True or False or None. Received: {reuse}")
    holder = _holder()
    old = holder.variable_scope
    own = dict(initializer=initializer, regularizer=regularizer, caching_device=caching_device, partitioner=partitioner, custom_getter=custom_getter,
               use_resource=use_resource, constraint=constraint)
    entered = isinstance(name_or_scope, VariableScope)
    base = name_or_scope if entered else old
    if entered:
        name, scope_text = name_or_scope.name, name_or_scope.name.rsplit("/", 1)[-1]  # type: ignore[union-attr]
    else:
        if name_or_scope is None:
            if reuse:
                raise ValueError("reuse=True cannot be used without a name_or_scope")
            # Operations have a number of their own.
            name_or_scope, scope_text = _unique_scope(default_name), default_name
        else:
            scope_text = name_or_scope
        name = f"{old.name}/{name_or_scope}" if old.name else name_or_scope
    opened = _opened()
    before = set(opened) if entered else None
    opened.add(name)
    if custom_getter is not None and base.custom_getter is not None:
        own["custom_getter"] = _chain(custom_getter, base.custom_getter)
    inherited = {k: own[k] if own[k] is not None else getattr(base, k) for k in _INHERITED}
    inner = VariableScope(reuse or base.reuse or (old.reuse if entered else False), name, dtype=base.dtype if dtype is None else dtype,
                          name_scope=name_or_scope.original_name_scope if entered else "", **inherited)  # type: ignore[union-attr]
    named = _name_scope(scope_text if auxiliary_name_scope and scope_text else None, values=values) if auxiliary_name_scope and scope_text else None
    text = named.__enter__() if named is not None else stacks.get_default_graph()._name_stack
    if not entered:
        inner.original_name_scope = text
    holder.variable_scope = inner
    try:
        yield inner
    finally:
        holder.variable_scope = old
        _forget_inner(name, before)
        if named is not None:
            named.__exit__(None, None, None)


def _pure_variable_scope(name_or_scope, reuse=None, initializer=None, regularizer=None, caching_device=None, partitioner=None, custom_getter=None,
                         old_name_scope=None, dtype=None, use_resource=None, constraint=None):
    """`variable_scope` that leaves the names of operations alone: packages that name them otherwise have it."""
    return variable_scope(name_or_scope, None, None, initializer, regularizer, caching_device, partitioner, custom_getter, reuse, dtype, use_resource,
                          constraint, auxiliary_name_scope=False)


def _chain(inner, outer):
    return lambda getter, *args, **kwargs: inner(lambda *a, **k: outer(getter, *a, **k), *args, **kwargs)


def variable_op_scope(values: Iterable[Any] | None, name_or_scope: str | VariableScope | None, default_name: str | None = None,
                      initializer: Initializer | None = None, regularizer: Regularizer | None = None, caching_device: DeviceLike = None,
                      partitioner: Partitioner | None = None, custom_getter: CustomGetter | None = None, reuse: bool | _ReuseMode | None = None,
                      dtype: DTypeLike | None = None, use_resource: bool | None = None,
                      constraint: Constraint | None = None) -> AbstractContextManager[VariableScope]:
    """Deprecated: variable_scope with another order of arguments."""
    return variable_scope(name_or_scope, default_name, values, initializer, regularizer, caching_device, partitioner, custom_getter, reuse, dtype,
                          use_resource, constraint)


def no_regularizer(_: Any) -> None:
    return None
