"""Functions that say their derivatives themselves."""

from __future__ import annotations

import functools
import inspect
import itertools
from typing import TYPE_CHECKING

from troupe import gradient_rules, nest, op_call, stacks
from troupe.conversion import convert_to_tensor
from troupe.gradients import gradients
from troupe.resource_variable import ResourceVariable
from troupe.tensor import Tensor
from troupe.variables import global_variables, local_variables

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_numbers = itertools.count()


def custom_gradient(f: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Decorates a function of tensors that returns a nest of tensors and a function of the derivatives by these, which gives the derivatives by the
    arguments. Where `f` reads variables, which must be resource variables, that function has the keyword `variables` and returns
    (derivatives by arguments, a list of those by the variables). TypeError for other variables and for a function without the
    keyword, ValueError for keywords in a call."""
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def decorated(*args, **kwargs):
        if kwargs:
            raise ValueError("The custom_gradient decorator currently supports keywords arguments only when eager execution is enabled.")
        return _call(f, [convert_to_tensor(a) for a in args])

    return decorated


def _call(f, args):
    before = set(_all_variables())
    result, derivative = f(*args)
    if any(not isinstance(v, ResourceVariable) for v in _all_variables() if v not in before):
        raise TypeError("All variables used by a function wrapped with @custom_gradient must be `ResourceVariable`s. Ensure that no `variable_scope` "
                        "is created with `use_resource=False`.")
    flat = [convert_to_tensor(t) for t in nest.flatten(result)]
    variables = _variables_of(flat, args)
    if variables and not _takes_variables(derivative):
        raise TypeError("@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses variables: "
                        f"{[v.name for v in variables]}")
    name = f"CustomGradient-{next(_numbers)}"
    gradient_rules.add_to_graph(stacks.get_default_graph(), name, _rule(derivative, len(flat), variables))
    with stacks.get_default_graph().gradient_override_map({"IdentityN": name}):
        passed = op_call.call("IdentityN", None, input=[*flat, *args, *(v.handle for v in variables)])
    return nest.pack_sequence_as(result, passed[:len(flat)])


def _all_variables():
    return [*global_variables(), *local_variables()]


def _rule(derivative, count, variables):
    """The rule of the IdentityN that results, arguments and variables go through, of which only the results are used behind it."""
    def rule(unused_op, *derivatives):
        derivatives = derivatives[:count]
        if not variables:
            made, of_variables = derivative(*derivatives), []
        else:
            made, of_variables = derivative(*derivatives, variables=variables)
            if len(of_variables) != len(variables):
                raise ValueError("Must return gradient for each variable from @custom_gradient grad_fn.")
        made = list(made) if isinstance(made, (list, tuple)) else [made]
        return [None] * count + made + list(of_variables)

    return rule


def _takes_variables(function):
    parameters = inspect.signature(function).parameters
    return "variables" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def _variables_of(outputs, inputs):
    """The resource variables that these tensors are computed from, behind no `inputs`; by name."""
    handles, seen, waiting = set(), set(inputs), list(outputs)
    while waiting:
        tensor = waiting.pop()
        if tensor not in seen:
            seen.add(tensor)
            waiting.extend(tensor.op.inputs)
            if tensor.op.type == "VarHandleOp":
                handles.add(tensor)
    found = [v for v in _all_variables() if isinstance(v, ResourceVariable) and v.handle in handles]
    return sorted(dict.fromkeys(found), key=lambda v: v.name)


def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose values on the way are computed once more for its derivatives, not kept. Variables it reads by name must be there to be
    reused (AUTO_REUSE), and be resource variables."""
    @custom_gradient
    def inner(*args):
        def derivative(*derivatives, variables=()):
            # Not before it is needed.
            with stacks.get_default_graph().control_dependencies([d for d in derivatives if isinstance(d, Tensor)]):
                again = [op_call.call("Identity", None, input=a) for a in args]
                result = [convert_to_tensor(t) for t in nest.flatten(f(*again))]
            made = gradients(result, [*again, *variables], list(derivatives), stop_gradients=again, unconnected_gradients="zero")
            by_arguments, by_variables = made[:len(args)], made[len(args):]
            return (by_arguments, by_variables) if variables else by_arguments

        return f(*args), derivative

    return functools.wraps(f)(inner)


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose derivatives are those of the identity."""
    @custom_gradient
    def inner(*args):
        def derivative(*derivatives, variables=()):
            return (derivatives, [None] * len(variables)) if variables else derivatives

        return f(*args), derivative

    return functools.wraps(f)(inner)
