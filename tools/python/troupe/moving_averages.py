"""Averages of variables over the steps, which evaluations use in the place of the last values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import control_flow_ops, dtypes, math_ops, ops, stacks
from troupe.conversion import convert_to_tensor
from troupe.initializers import zeros_initializer
from troupe.ops import GraphKeys
from troupe.slot_creator import create_slot, create_zeros_slot
from troupe.variable_scope import get_variable, get_variable_scope, variable_scope
from troupe.variables import Variable, global_variables, moving_average_variables, trainable_variables

if TYPE_CHECKING:
    from collections.abc import Collection

    from troupe.tensor import Operation, Tensor
    from troupe.typing import TensorLike

_FLOATS = (dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64)


def assign_moving_average(variable: Variable, value: TensorLike, decay: TensorLike, zero_debias: bool = True,
                          name: str | None = None) -> Tensor | Variable:
    """variable -= (1 - decay) * (variable - value), its new value. zero_debias: as if the average had not begun with zero."""
    with ops.name_scope(name, "AssignMovingAvg", [variable, value, decay]) as scope:
        rest = convert_to_tensor(1.0 - decay, name="decay")
        if rest.dtype.base_dtype is not variable.dtype.base_dtype:
            rest = math_ops.cast(rest, variable.dtype.base_dtype)
        with stacks.get_default_graph().colocate_with(variable):
            if zero_debias:
                return _debiased(variable, value, rest)
            return variable.assign_sub((variable - value) * rest, name=scope)


def _unique_variable(name):
    """A name that no variable of the current scope has."""
    prefix, taken, number = get_variable_scope().name + "/", {v.op.name for v in global_variables()}, 0
    while prefix + (name if number == 0 else f"{name}_{number}") in taken:
        number += 1
    return name if number == 0 else f"{name}_{number}"


def _debiased(variable, value, rest):
    graph = stacks.get_default_graph()
    scope = graph.get_name_scope() + "/"
    with variable_scope(variable.op.name):
        with graph.colocate_with(variable):
            biased = get_variable(_unique_variable("biased"), initializer=zeros_initializer(), shape=variable.shape,
                                  dtype=variable.dtype.base_dtype, trainable=False)
            steps = get_variable(_unique_variable("local_step"), shape=[], dtype=variable.dtype.base_dtype,
                                 initializer=zeros_initializer(), trainable=False)
    new_biased = biased.assign_sub((biased - value) * rest)
    new_steps = steps.assign_add(1)
    return variable.assign(new_biased / (1 - math_ops.pow(1.0 - rest, new_steps)), name=scope)


class ExponentialMovingAverage:
    """Keeps a shadow of each variable, `<variable>/<name>`, that moves towards it: shadow -= (1 - decay) * (shadow - variable). With
    `num_updates` the decay is at most (1 + num_updates) / (10 + num_updates), so that it moves faster at first."""

    def __init__(self, decay: TensorLike, num_updates: TensorLike | None = None, zero_debias: bool = False,
                 name: str = "ExponentialMovingAverage") -> None:
        self._decay, self._num_updates, self._zero_debias, self._name = decay, num_updates, zero_debias, name
        self._averages: dict[Variable | Tensor, Variable] = {}

    @property
    def name(self) -> str:
        return self._name

    def apply(self, var_list: Collection[Variable | Tensor] | None = None) -> Operation:
        """The operation that moves the shadows of these variables and tensors. TypeError for what are no floats."""
        var_list = trainable_variables() if var_list is None else var_list
        debiased = set()
        for var in var_list:
            if var.dtype.base_dtype not in _FLOATS:
                raise TypeError(f"The variables must be half, float, or double: {var.name}")
            if var in self._averages:
                continue
            with ops.init_scope():
                self._averages[var] = self._shadow(var)
                if not isinstance(var, Variable) and self._zero_debias:
                    debiased.add(var)
        with ops.name_scope(self.name) as scope:
            decay = convert_to_tensor(self._decay, name="decay")
            if self._num_updates is not None:
                updates = math_ops.cast(self._num_updates, dtypes.float32, name="num_updates")
                decay = math_ops.minimum(decay, (1.0 + updates) / (10.0 + updates))
            moved = [assign_moving_average(self._averages[v], v, decay, zero_debias=v in debiased) for v in var_list]
            return control_flow_ops.group(*moved, name=scope)

    def _shadow(self, var):
        graph = stacks.get_default_graph()
        if isinstance(var, Variable):
            with graph.device(var.device or None):
                made = create_slot(var, var.initialized_value(), self.name, colocate_with_primary=True)
            graph.add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, var)
            return made
        kinds = ("Variable", "VariableV2", "VarHandleOp")
        made = create_zeros_slot(var, self.name, colocate_with_primary=var.op.type in kinds)
        return made

    def average(self, var: Variable | Tensor) -> Variable | None:
        """The shadow of a variable, or None."""
        return self._averages.get(var)

    def average_name(self, var: Variable | Tensor) -> str:
        """The name that the shadow has or would have."""
        known = self._averages.get(var)
        if known is not None:
            return known.op.name
        return stacks.get_default_graph().unique_name(f"{var.op.name}/{self.name}", mark_as_used=False)

    def variables_to_restore(self, moving_avg_variables: Collection[Variable | Tensor] | None = None) -> dict[str, Variable]:
        """{name in a checkpoint: variable}, where averages are restored into the variables that they are of."""
        if moving_avg_variables is None:
            moving_avg_variables = trainable_variables() + moving_average_variables()
        found = {self.average_name(v): v for v in dict.fromkeys(moving_avg_variables)}
        averaged = {v.name for v in dict.fromkeys(moving_avg_variables)}
        for v in global_variables():
            if v.name not in averaged and v.op.name not in found:
                found[v.op.name] = v
        return found
