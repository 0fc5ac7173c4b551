"""First values of variables that are made of other variables: they wait for those, or take their first values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import op_call
from troupe.ops import GraphKeys

if TYPE_CHECKING:
    from troupe.tensor import Operation, Tensor
    from troupe.variables import Variable

_VARIABLES = ("Variable", "VariableV2")
# Copies of these would assign to what is no variable.
_OTHERS = {"RefSwitch": "Switch", "RefEnter": "Enter", "RefIdentity": "Identity", "RefMerge": "Merge"}


def waiting_for_others(value: Tensor, name: str) -> Tensor:
    """`value`, or a copy of what computes it with the values of reference variables where they have one, else their first values; names of copies
    end with `_name`. Itself where it comes from a loop, or from no variable that a collection has."""
    found = _in_order(value.op)
    if found is None:
        return value
    made: dict[Operation, Operation] = {}
    graph, known = value.graph, None
    for op in found:
        if op.type in _VARIABLES:
            known = {v.op: v for v in _variables(graph)} if known is None else known
            if op in known:
                made[op] = _initialized(known[op]).op
        elif op.type != "IsVariableInitialized" and any(i in made for i in (*(t.op for t in op.inputs), *op.control_inputs)):
            copy = _copy(op, made, name)
            if copy is not None:
                made[op] = copy
    return made[value.op].outputs[value.value_index if value.op.type not in _VARIABLES else 0] if value.op in made else value


def _in_order(last):
    """The operations before one, each behind those that it waits for; None where there is no variable among them, or a loop."""
    order, done, path = [], set(), [(last, None)]
    open_ = set()
    has_variable = False
    while path:
        op, before = path.pop()
        if before is None:
            if op in done:
                continue
            open_.add(op)
            has_variable |= op.type in _VARIABLES
            before = iter((*(t.op for t in op.inputs), *op.control_inputs))
        following = next((b for b in before if b not in done), None)
        if following is None:
            open_.discard(op)
            done.add(op)
            order.append(op)
        elif following in open_:
            return None
        else:
            path += [(op, before), (following, None)]
    return order if has_variable else None


def _variables(graph):
    for key in (GraphKeys.LOCAL_VARIABLES, GraphKeys.GLOBAL_VARIABLES):
        yield from (v for v in graph.get_collection(key) if hasattr(v, "initialized_value") and not hasattr(v, "handle"))


def _initialized(variable: Variable) -> Tensor:
    """As its initialized_value(), but that its first value waits for others, too."""
    from troupe.control_flow_ops import cond

    return cond(variable.is_initialized(), variable.read_value, lambda: variable.initializer.inputs[1])


def _copy(op, made, name):
    """The operation with other inputs; None for one that changes what it is given."""
    inputs = [made[t.op].outputs[0 if t.op.type in _VARIABLES else t.value_index] if t.op in made else t for t in op.inputs]
    kind = _OTHERS.get(op.type, op.type)
    takes_references = any(arg[5] for arg in op.graph._op_def(kind).inputs)
    if takes_references and any(t.dtype._is_ref_dtype and not i.dtype._is_ref_dtype for t, i in zip(op.inputs, inputs)):
        return None
    with op.graph.name_scope(None), op.graph.device(None), op.graph.control_dependencies([made.get(c, c) for c in op.control_inputs]):
        copy = op_call.create_by_attr_values(op.graph, kind, inputs, op.graph.unique_name(f"{op.name}_{name}") + "/", dict(op.node_def.attr.items()))
    copy._set_device(op.device)
    return copy
