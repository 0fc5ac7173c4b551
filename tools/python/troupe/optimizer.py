"""What all optimizers share: gradients of a loss, slots, and one operation that applies the gradients to the variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troupe import array_ops, control_flow_ops, dtypes, math_ops, nest, op_call, stacks
from troupe.composite import IndexedSlices
from troupe.conversion import convert_to_tensor, convert_to_tensor_or_indexed_slices
from troupe.gradients import gradients
from troupe.ops import GraphKeys, get_collection, get_collection_ref, init_scope, name_scope
from troupe.resource_variable import ResourceVariable
from troupe.slot_creator import create_slot, create_slot_with_initializer, create_zeros_slot
from troupe.tensor import Tensor
from troupe.variable_scope import get_variable, variable_scope
from troupe.variables import Variable, trainable_variables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troupe.graph import Graph
    from troupe.tensor import Operation
    from troupe.typing import GradientsAndVariables, TensorLike

_FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)


def _key(var):
    return var.op.graph, var.op.name


def deduplicate(values: TensorLike, indices: TensorLike) -> tuple[Tensor, Tensor]:
    """(values, indices) where each index is there once, with the sum of its values."""
    unique, places = array_ops.unique(indices)
    count = array_ops.shape(unique)[0]
    return op_call.call("UnsortedSegmentSum", None, data=values, segment_ids=places, num_segments=count), unique


class Optimizer:
    """The base of optimizers. A class of its own defines `_apply_dense` and `_apply_sparse` for reference variables, `_resource_apply_dense`
    and `_resource_apply_sparse` for resource variables, and may define `_create_slots`, `_prepare` and `_finish`."""

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2

    def __init__(self, use_locking: bool, name: str, use_own_namescope_for_non_slot_vars: bool = False) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking, self._name = use_locking, name
        self._slots: dict[str, dict[tuple[Graph, str], Variable]] = {}
        self._non_slots: dict[tuple[str, Graph], Variable] = {}
        self._own_scope = None
        if use_own_namescope_for_non_slot_vars:
            with variable_scope(None, default_name=name) as scope:
                self._own_scope = scope

    def __repr__(self):
        return f"<{type(self).__name__} {self._name!r}>"

    def get_name(self) -> str:
        return self._name

    # Gradients.

    def minimize(self, loss: Tensor, global_step: Variable | Tensor | None = None, var_list: Variable | Tensor | Sequence[Any] | None = None,
                 gate_gradients: int = GATE_OP, aggregation_method: int | None = None, colocate_gradients_with_ops: bool = False,
                 name: str | None = None, grad_loss: Tensor | None = None) -> Operation:
        """The operation that moves the variables against the gradients of `loss`, and counts `global_step` up. ValueError where none of them
        has a gradient."""
        pairs = self.compute_gradients(loss, var_list, gate_gradients, aggregation_method, colocate_gradients_with_ops, grad_loss)
        if all(g is None for g, _ in pairs):
            raise ValueError("No gradients provided for any variable, check your graph for ops that do not support gradients, between "
                             f"variables {[str(v) for _, v in pairs]} and loss {loss}.")
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def compute_gradients(self, loss: Tensor, var_list: Variable | Tensor | Sequence[Any] | None = None, gate_gradients: int = GATE_OP,
                          aggregation_method: int | None = None, colocate_gradients_with_ops: bool = False,
                          grad_loss: Tensor | None = None) -> list[tuple[Tensor | IndexedSlices | None, Variable]]:
        """A list of (gradient or None, variable). ValueError for types that are no floats, and for no variables."""
        if callable(loss):
            raise RuntimeError("`loss` passed to Optimizer.compute_gradients should be a Tensor: graphs have no tape.")
        if gate_gradients not in (self.GATE_NONE, self.GATE_OP, self.GATE_GRAPH):
            raise ValueError("gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH.  Not "
                             f"{gate_gradients}")
        self._assert_valid_dtypes([loss] if grad_loss is None else [loss, grad_loss])
        if var_list is None:
            var_list = trainable_variables() + get_collection(GraphKeys.TRAINABLE_RESOURCE_VARIABLES)
        else:
            var_list = nest.flatten(var_list)
        if not var_list:
            raise ValueError("No variables to optimize.")
        for var in var_list:
            _check_variable(var)
        found = gradients(loss, var_list, grad_ys=grad_loss, gate_gradients=gate_gradients == self.GATE_OP,
                          aggregation_method=aggregation_method, colocate_gradients_with_ops=colocate_gradients_with_ops)
        if gate_gradients == self.GATE_GRAPH:
            found = control_flow_ops.tuple(found)
        pairs = list(zip(found, var_list))
        self._assert_valid_dtypes([v for g, v in pairs if g is not None])
        return pairs

    def apply_gradients(self, grads_and_vars: GradientsAndVariables, global_step: Variable | Tensor | None = None, name: str | None = None,
                        skip_gradients_aggregation: bool = False) -> Operation:
        """The operation that applies these gradients (tensors, IndexedSlices or None). ValueError for none at all."""
        pairs = [(self._gradient(g), v) for g, v in grads_and_vars]
        if not pairs:
            raise ValueError("No variables provided.")
        pairs_with = [(g, v) for g, v in pairs if g is not None]
        if not pairs_with:
            raise ValueError(f"No gradients provided for any variable: {[str(v) for _, v in pairs]}.")
        for _, v in pairs_with:
            _check_variable(v)
        with init_scope():
            self._create_slots([v for _, v in pairs_with])
        with name_scope(name, self._name) as scope:
            self._prepare()
            updates = [self._update(g, v) for g, v in pairs_with]
            if global_step is None:
                applied = self._finish(updates, scope)
            else:
                graph = stacks.get_default_graph()
                with graph.control_dependencies([self._finish(updates, "update")]), graph.colocate_with(global_step):
                    applied = _count_up(global_step, scope)
        applied = getattr(applied, "op", applied)
        known = get_collection_ref(GraphKeys.TRAIN_OP)
        if applied not in known:
            known.append(applied)
        return applied

    @staticmethod
    def _gradient(gradient):
        if gradient is None:
            return None
        try:
            return convert_to_tensor_or_indexed_slices(gradient)
        except TypeError:
            raise TypeError(f"Gradient must be convertible to a Tensor or IndexedSlices, or None: {gradient}") from None

    def _update(self, gradient, var):
        graph = stacks.get_default_graph()
        with graph.name_scope("update_" + var.op.name), graph.colocate_with(var):
            update = self._sparse_update(gradient, var) if isinstance(gradient, IndexedSlices) else self._dense_update(gradient, var)
            if getattr(var, "constraint", None) is None:
                return update
            with graph.control_dependencies([update]):
                # A read of its own: the one that a reference variable was made with does not wait for the update.
                return var.assign(var.constraint(var.read_value()))

    def _dense_update(self, gradient, var):
        return self._resource_apply_dense(gradient, var) if isinstance(var, ResourceVariable) else self._apply_dense(gradient, var)

    def _sparse_update(self, gradient, var):
        if getattr(var, "constraint", None) is not None:
            raise RuntimeError("Cannot use a constraint function on a sparse variable.")
        if isinstance(var, ResourceVariable):
            return self._resource_apply_sparse_duplicate_indices(gradient.values, var, gradient.indices)
        return self._apply_sparse_duplicate_indices(gradient, var)

    def _assert_valid_dtypes(self, tensors):
        valid = self._valid_dtypes()
        for t in tensors:
            if t.dtype.base_dtype not in valid:
                raise ValueError(f"Invalid type {t.dtype.base_dtype!r} for {t.name}, expected: {list(valid)}.")

    def _valid_dtypes(self):
        return _FLOATS

    # What a class of its own defines.

    def _create_slots(self, var_list):
        """Makes the slots."""

    def _prepare(self):
        """Makes the tensors that all updates share."""

    def _apply_dense(self, grad, var):
        raise NotImplementedError()

    def _resource_apply_dense(self, grad, handle):
        raise NotImplementedError()

    def _apply_sparse(self, grad, var):
        raise NotImplementedError()

    def _resource_apply_sparse(self, grad, handle, indices):
        raise NotImplementedError()

    def _apply_sparse_duplicate_indices(self, grad, var):
        values, indices = deduplicate(grad.values, grad.indices)
        return self._apply_sparse(IndexedSlices(values, indices, grad.dense_shape), var)

    def _resource_apply_sparse_duplicate_indices(self, grad, handle, indices):
        values, indices = deduplicate(grad, indices)
        return self._resource_apply_sparse(values, handle, indices)

    def _finish(self, update_ops, name_scope):
        return control_flow_ops.group(*update_ops, name=name_scope)

    # Slots.

    def get_slot(self, var: Variable, name: str) -> Variable | None:
        """The slot `name` of a variable, or None."""
        return self._slots.get(name, {}).get(_key(var))

    def get_slot_names(self) -> list[str]:
        return sorted(self._slots)

    def variables(self) -> list[Variable]:
        """The slots and other variables of the default graph, by their names."""
        graph = stacks.get_default_graph()
        found = [v for v in self._non_slots.values() if v.graph is graph]
        found += [v for slots in self._slots.values() for (owner, _), v in slots.items() if owner is graph]
        return sorted(found, key=lambda v: v.name)

    def _slot(self, var, slot_name, make):
        slots = self._slots.setdefault(slot_name, {})
        if _key(var) not in slots:
            slots[_key(var)] = make()
        return slots[_key(var)]

    def _get_or_make_slot(self, var, val, slot_name, op_name):
        return self._slot(var, slot_name, lambda: create_slot(var, val, op_name))

    def _get_or_make_slot_with_initializer(self, var, initializer, shape, dtype, slot_name, op_name):
        return self._slot(var, slot_name, lambda: create_slot_with_initializer(var, initializer, shape, dtype, op_name))

    def _zeros_slot(self, var, slot_name, op_name):
        return self._slot(var, slot_name, lambda: create_zeros_slot(var, op_name))

    def _create_non_slot_variable(self, initial_value, name, colocate_with):
        """A variable of the optimizer alone, one for each graph."""
        key = name, colocate_with.graph
        if key not in self._non_slots:
            use_resource = isinstance(colocate_with, ResourceVariable)
            with colocate_with.graph.colocate_with(colocate_with):
                if self._own_scope is None:
                    made = Variable(initial_value, name=name, trainable=False, use_resource=use_resource)
                else:
                    with name_scope(""), variable_scope(self._own_scope):
                        made = get_variable(name, initializer=initial_value, trainable=False, use_resource=use_resource)
            self._non_slots[key] = made
        return self._non_slots[key]

    def _get_non_slot_variable(self, name, graph=None):
        return self._non_slots.get((name, graph))

    @staticmethod
    def _call_if_callable(param):
        return param() if callable(param) else param


def _check_variable(var):
    if not isinstance(var, (Variable, Tensor)):
        raise NotImplementedError(f"Trying to optimize unsupported type {var}")


def _count_up(global_step, name):
    if isinstance(global_step, ResourceVariable):
        return op_call.call("AssignAddVariableOp", name, resource=global_step.handle, value=convert_to_tensor(1, global_step.dtype))
    ref = global_step._ref() if isinstance(global_step, Variable) else global_step
    return op_call.call("AssignAdd", name, ref=ref, value=1)


class FusedOptimizer(Optimizer):
    """An optimizer whose updates are one op each, of four kinds: `[Resource][Sparse]Apply<op>`. A class of its own defines `_fused`."""

    def _fused(self, var):
        """(op, {argument: slot}, {argument: tensor}, {attr: value}): what the op takes beside the variable and its gradient."""
        raise NotImplementedError()

    def _apply(self, var, grad, indices=None):
        op, slots, numbers, attrs = self._fused(var)
        resource = isinstance(var, ResourceVariable)
        of = (lambda v: v.handle) if resource else (lambda v: v._ref())
        arguments = {name: of(slot) for name, slot in slots.items()}
        arguments.update({name: n if n.dtype.is_integer else math_ops.cast(n, var.dtype.base_dtype) for name, n in numbers.items()})
        if indices is not None:
            arguments["indices"] = indices
        kind = f"{'Resource' if resource else ''}{'' if indices is None else 'Sparse'}Apply{op}"
        made = op_call.call(kind, None, var=of(var), grad=grad, use_locking=self._use_locking, **arguments, **attrs)
        return getattr(made, "op", made)

    def _apply_dense(self, grad, var):
        return self._apply(var, grad)

    def _resource_apply_dense(self, grad, handle):
        return self._apply(handle, grad)

    def _apply_sparse(self, grad, var):
        return self._apply(var, grad.values, grad.indices)

    def _resource_apply_sparse(self, grad, handle, indices):
        return self._apply(handle, grad, indices)
