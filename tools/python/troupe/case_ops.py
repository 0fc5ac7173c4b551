"""One of several branches, by predicates or by a number."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, dtypes, math_ops, stacks
from troupe.constant_op import constant
from troupe.control_flow_ops import Assert, cond
from troupe.conversion import convert_to_tensor
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from troupe.typing import TensorLike

__all__ = ["case", "switch_case"]


def case(pred_fn_pairs: Sequence[tuple[Tensor, Callable[[], Any]]] | dict[Tensor, Callable[[], Any]], default: Callable[[], Any] | None = None,
         exclusive: bool = False, strict: bool = False, name: str = "case") -> Any:
    """What the function of the first true predicate gives; `default()` where none is. Without a default, and with `exclusive` for more than one
    true predicate, a run fails with InvalidArgumentError. TypeError for pairs that are none."""
    return _case_helper(cond, pred_fn_pairs, default, exclusive, name, strict=strict)


def _case_helper(cond_fn, pred_fn_pairs, default, exclusive, name, allow_python_preds=False, **cond_kwargs):
    """`case` by another `cond`: packages that choose while they build the graph have one."""
    pairs = _pairs(pred_fn_pairs, allow_python_preds)
    if not pairs and default is None:
        raise ValueError("Of no pairs and no default there is none to choose")
    with stacks.get_default_graph().name_scope(name):
        if default is None:
            default, pairs = _last_as_default(pairs), pairs[:-1]
        function = default
        for pred, branch in reversed(pairs):
            function = _otherwise(pred, branch, function, cond_fn, **cond_kwargs)
        if not exclusive:
            return function()
        with stacks.get_default_graph().control_dependencies([_at_most([p for p, _ in pairs], 1, "Input error: exclusive=True")]):
            return function()


def _pairs(pred_fn_pairs, allow_python_preds=False):
    if not isinstance(pred_fn_pairs, (list, tuple, dict)):
        raise TypeError(f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pred_fn_pairs)}")
    pairs = pred_fn_pairs
    if isinstance(pairs, OrderedDict):
        pairs = pairs.items()
    elif isinstance(pairs, dict):
        pairs = sorted(pairs.items(), key=lambda pair: pair[0].name)
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        pred, function = pair
        if not isinstance(pred, Tensor):
            if not (allow_python_preds and isinstance(pred, (bool, np.bool_))):
                raise TypeError(f"pred must be a Tensor{', or a Python bool' if allow_python_preds else ''}, got: {pred}")
        elif pred.dtype is not dtypes.bool_:
            raise TypeError(f"pred must be Tensor of type bool: {pred.name}")
        if not callable(function):
            raise TypeError(f"fn for pred {getattr(pred, 'name', pred)} must be callable.")
    return list(pairs)


def _otherwise(pred, branch, other, cond_fn=cond, **cond_kwargs):
    return lambda: cond_fn(pred, branch, other, **cond_kwargs)


def _at_most(predicates, count, message):
    """Fails where more predicates than that are true."""
    packed = array_ops.stack(predicates, name="preds_c")
    true = math_ops.reduce_sum(math_ops.cast(packed, dtypes.int32), name="num_true_conds")
    ok = math_ops.less_equal(true, constant(count, name="n_true_conds"))
    names = ", ".join(str(getattr(p, "name", p)) for p in predicates)
    return Assert(ok, [f"{message}: more than {count} conditions ({names}) evaluated as True:", packed], summarize=len(predicates))


def _last_as_default(pairs):
    """The last function, where its predicate is true and no other is."""
    (pred, function), others = pairs[-1], [p for p, _ in pairs[:-1]]

    def run():
        message = (f"Implementation error: selected default action #{len(others)} was called, but some of other predicates are True: ")
        checks = [_at_most(others, 0, message)] if others else []
        checks.append(Assert(pred, ["Input error: None of conditions evaluated as True:", array_ops.stack([p for p, _ in pairs], name="preds_c")]))
        with stacks.get_default_graph().control_dependencies(checks):
            return function()

    return run


def switch_case(branch_index: TensorLike,
                branch_fns: Sequence[Callable[[], Any]] | Sequence[tuple[int, Callable[[], Any]]] | dict[int, Callable[[], Any]],
                default: Callable[[], Any] | None = None, name: str = "switch_case") -> Any:
    """What function number `branch_index` gives; `default()`, or the last one, for a number that none has. ValueError for gaps in the
    numbers of `branch_fns`, pairs or a dictionary, TypeError for what is no function."""
    functions = branch_fns.items() if isinstance(branch_fns, dict) else branch_fns
    if all(callable(f) for f in functions):
        functions = enumerate(functions)
    functions = sorted(functions, key=lambda pair: pair[0])
    if [i for i, _ in functions] != list(range(len(functions))):
        raise ValueError(f"branch indices must form contiguous range of [0 to {len(functions)}) but found "
                         f"{{{','.join(str(i) for i, _ in functions)}}}")
    functions = [f for _, f in functions] + ([] if default is None else [default])
    for f in functions:
        if not callable(f):
            raise TypeError(f"'branch_fns' must be callables. Received {f}")
    with stacks.get_default_graph().name_scope(name):
        index = convert_to_tensor(branch_index, dtypes.int32, name="branch_index")
        chosen = functions[-1]
        for i in range(len(functions) - 2, -1, -1):
            chosen = _otherwise(math_ops.equal(index, i), functions[i], chosen)
        return chosen()
