"""Layers: objects that make their variables at the first call and use them at each."""

from __future__ import annotations

import copy
import re
from contextlib import contextmanager
from typing import Any, TYPE_CHECKING

from troupe import dtypes, initializers, nest, stacks
from troupe.conversion import convert_to_tensor
from troupe.graph import Graph
from troupe.layer_inputs import InputSpec
from troupe.ops import GraphKeys
from troupe.partitioned_variables import parts_of
from troupe.tensor import Tensor
from troupe.tensor_shape import TensorShape, as_shape
from troupe.variable_scope import VariableScope, get_variable, variable_scope
from troupe.variables import Variable, global_variables

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from troupe.typing import Constraint, DTypeLike, Initializer, Partitioner, Regularizer, ShapeLike


def as_updates(updates: Any) -> list[Any]:
    """Operations of updates: of operations, of tensors, and of functions that make one."""
    made = [u() if callable(u) else u for u in (updates if isinstance(updates, (list, tuple)) else [updates])]
    return [getattr(u, "op", u) for u in made]


def snake_case(name: str) -> str:
    """"MaxPooling2D" as "max_pooling2d"."""
    name = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


def smart_constant(value: Any) -> bool | None:
    """What a predicate is known to be before the run: of a bool, a number, or a tensor with a constant value; else None."""
    from troupe import tensor_util

    if isinstance(value, Variable):
        return None
    if isinstance(value, Tensor):
        known = tensor_util.constant_value(value)
        return None if known is None else bool(known)
    if value in (0, 1):
        return bool(value)
    raise TypeError(f"`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: {value}")


def smart_cond(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], name: str | None = None) -> Any:
    """One of both functions' results where the predicate is known, else tf.cond of them."""
    from troupe.control_flow_ops import cond

    known = smart_constant(pred)
    if known is None:
        return cond(convert_to_tensor(pred), true_fn, false_fn, name=name)
    return true_fn() if known else false_fn()


def named_function(value: Any) -> Any:
    """An activation: a function, the name of one of tf.nn, or None."""
    if not isinstance(value, str):
        return value
    from troupe import nn

    return None if value == "linear" else getattr(nn, value)


def named_initializer(value: Any) -> Any:
    """An initializer, or the one of this name ("zeros", "glorot_uniform")."""
    if not isinstance(value, str):
        return value
    return getattr(initializers, value)()


def _deep_copy(value, memo):
    """A copy of what a layer holds, in which what is of the graph is the same."""
    if isinstance(value, (Variable, Tensor, Graph, VariableScope)):
        return copy.copy(value) if isinstance(value, VariableScope) else value
    if type(value) in (list, tuple):
        return type(value)(_deep_copy(v, memo) for v in value)
    if type(value) is dict:
        return {key: _deep_copy(v, memo) for key, v in value.items()}
    return copy.deepcopy(value, memo)


class Layer:
    """`layer(inputs)`. A subclass makes variables in `build(input_shape)` by `add_weight`, and operations in `call(inputs)`. All stand in
    a variable scope of the layer's own, whose name is `name` or follows from the class: "dense", "dense_1", ..."""

    min_ndim: int | None = None
    exact_ndim: int | None = None
    # What it demands besides: an InputSpec, or a nest of them, one for each input.
    input_spec: Any = None

    def __init__(self, trainable: bool = True, name: str | VariableScope | None = None, dtype: DTypeLike | None = None,
                 activity_regularizer: Regularizer | None = None, _scope: str | None = None, _reuse: bool | None = None, **others: Any) -> None:
        if others:
            raise TypeError(f"Keyword argument not understood: {', '.join(others)}")
        self.trainable = trainable
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype)
        self._activity_regularizer = activity_regularizer
        self._base_name = (name.name if isinstance(name, VariableScope) else name) or snake_case(type(self).__name__)
        self._reuse = _reuse
        self._scope: VariableScope | None = None
        self.built = False
        self._trainable_weights: list[Variable] = []
        self._non_trainable_weights: list[Variable] = []
        self._losses: list[Tensor] = []
        self._updates: list = []
        if _scope:
            with variable_scope(_scope) as self._scope:
                pass

    # What it is.

    @property
    def name(self) -> str:
        return self._base_name

    def __deepcopy__(self, memo: dict[int, Any]) -> Layer:
        """Another with the same variables and tensors, where there are any yet."""
        made = memo[id(self)] = object.__new__(type(self))
        made.__dict__.update({name: _deep_copy(value, memo) for name, value in self.__dict__.items()})
        return made

    def __repr__(self) -> str:
        # Cells of programs may not have called __init__.
        return f"<{type(self).__name__} {getattr(self, '_base_name', '')!r}>"

    @property
    def scope_name(self) -> str:
        """The name of its variable scope, which the first call tells. ValueError before it."""
        if self._scope is None:
            raise ValueError(f'No name available for layer scope because the layer "{self._base_name}" has not been used yet. The scope name  is '
                             "determined the first time the layer instance is called. You must therefore call the layer before querying "
                             "`scope_name`.")
        return self._scope.name

    @property
    def dtype(self) -> Any:
        return self._dtype

    @property
    def trainable_weights(self) -> list[Variable]:
        return list(self._trainable_weights) if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Variable]:
        return list(self._non_trainable_weights) if self.trainable else self._trainable_weights + self._non_trainable_weights

    @property
    def weights(self) -> list[Variable]:
        return self.trainable_weights + self.non_trainable_weights

    variables = weights
    trainable_variables = trainable_weights
    non_trainable_variables = non_trainable_weights

    @property
    def losses(self) -> list[Tensor]:
        return list(self._losses)

    @property
    def updates(self) -> list[Any]:
        return list(self._updates)

    def count_params(self) -> int:
        """The number of elements of its variables. ValueError before it has them."""
        if not self.built:
            raise ValueError(f"You tried to call `count_params` on {self.name}, but the layer isn't built.")
        return sum(v.shape.num_elements() for v in self.weights)

    # What subclasses do.

    def build(self, input_shape: TensorShape) -> None:
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        return inputs

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of what it makes of one of this shape. NotImplementedError where a layer does not say so."""
        raise NotImplementedError(f"{type(self).__name__} does not say which shape it makes")

    def add_weight(self, name: str, shape: ShapeLike = None, dtype: DTypeLike | None = None, initializer: Initializer = None,
                   regularizer: Regularizer | None = None, trainable: bool = True, constraint: Constraint | None = None,
                   use_resource: bool | None = None, partitioner: Partitioner | None = None, collections: Sequence[str] | None = None) -> Variable:
        """A variable of the layer's scope. Where there is one of this name already and the layer may reuse it, that one; its regularizer
        was added then."""
        self._set_scope(None)
        known = {id(v) for v in global_variables()} if regularizer is not None else ()
        dtype = dtype or self._dtype or dtypes.float32
        with self._entered(self.built or self._reuse) as scope:
            variable = get_variable(name, shape=shape, dtype=dtype, initializer=named_initializer(initializer) or scope.initializer,
                                    trainable=bool(trainable and self.trainable), constraint=constraint, use_resource=use_resource,
                                    partitioner=partitioner, collections=collections)
            parts = parts_of(variable)
            for part in parts if regularizer is not None else ():
                if id(part) in known:
                    continue
                graph = stacks.get_default_graph()
                with graph.name_scope((name if part is variable else part.op.name) + "/Regularizer"), graph.control_dependencies(None):
                    loss = regularizer(part)
                if loss is not None:
                    self.add_loss(loss)
        (self._trainable_weights if trainable else self._non_trainable_weights).extend(parts)
        return variable

    add_variable = add_weight

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Tensors for the collection REGULARIZATION_LOSSES."""
        losses = losses if isinstance(losses, (list, tuple)) else [losses]
        self._losses += losses
        held = stacks.get_default_graph().get_collection_ref(GraphKeys.REGULARIZATION_LOSSES)
        held += [loss for loss in losses if all(loss is not h for h in held)]

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Operations for the collection UPDATE_OPS, where training programs take them from."""
        made = as_updates(updates)
        self._updates += made
        for update in made:
            stacks.get_default_graph().add_to_collection(GraphKeys.UPDATE_OPS, update)

    # The call.

    def _set_scope(self, scope) -> None:
        if self._scope is not None:
            return
        if self._reuse:
            entered = variable_scope(self._base_name if scope is None else scope)
        else:
            entered = variable_scope(scope, default_name=self._base_name)
        with entered as self._scope:
            pass

    @contextmanager
    def _entered(self, reuse):
        """In the layer's scopes of variables and names."""
        with variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as scope:
            with stacks.get_default_graph().name_scope(scope.original_name_scope):
                yield scope

    def __call__(self, inputs, *args, scope=None, **kwargs):
        self._set_scope(scope)
        with self._entered(True if self.built else self._reuse):
            flat = [x if isinstance(x, Tensor) or hasattr(x, "dense_shape") else convert_to_tensor(x) for x in nest.flatten(inputs)]
            inputs = nest.pack_sequence_as(inputs, flat) if nest.is_nested(inputs) else flat[0]
            self._check_inputs(flat)
            self._build_for(flat[0])
            outputs = self.call(inputs, *args, **kwargs)
            self._regularize_activity(outputs)
        return outputs

    def apply(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        return self(inputs, *args, **kwargs)

    def _build_for(self, first: Tensor) -> None:
        if self.built:
            return
        if self._dtype is None:
            self._dtype = first.dtype.base_dtype
        self.build(as_shape(first.shape))
        self.built = True

    def _check_inputs(self, flat: Sequence[Tensor]) -> None:
        """ValueError where they are not as the layer demands: as its `input_spec` says, or the first one of the rank of its class."""
        if self.input_spec is None:
            if self.exact_ndim is not None or self.min_ndim is not None:
                InputSpec(ndim=self.exact_ndim, min_ndim=self.min_ndim).check(flat[0], 0, self.name)
            return
        specs = nest.flatten(self.input_spec)
        if len(specs) != len(flat):
            raise ValueError(f"Layer {self.name} expects {len(specs)} inputs, but it received {len(flat)} input tensors. Inputs received: {flat}")
        for index, (spec, value) in enumerate(zip(specs, flat)):
            if spec is not None:
                spec.check(value, index, self.name)

    def _regularize_activity(self, outputs) -> None:
        if self._activity_regularizer is None:
            return
        with stacks.get_default_graph().name_scope("ActivityRegularizer"):
            losses = [self._activity_regularizer(o) for o in nest.flatten(outputs)]
        self.add_loss(losses)


