"""Operations before and behind others: `tensorflow.python.ops.op_selector`, and of `tf.contrib.graph_editor` what only looks."""

from __future__ import annotations

import re
from collections.abc import Iterator, KeysView, Set, ValuesView
from typing import TYPE_CHECKING

from troupe import nest
from troupe.graph import Graph
from troupe.tensor import Operation, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


def _flat(values):
    return nest.flatten(list(values) if isinstance(values, (Set, KeysView, ValuesView, Iterator)) else values)


def make_list_of_op(ops: Any, allow_graph: bool = True) -> list[Operation]:
    """The operations of a graph, of operations and of tensors. TypeError for what is none."""
    if isinstance(ops, Graph):
        if not allow_graph:
            raise TypeError("allow_graph is False: cannot convert a tf.Graph.")
        return ops.get_operations()
    found = []
    for item in _flat(ops):
        item = item.op if not isinstance(item, Operation) and hasattr(item, "op") else item
        if not isinstance(item, Operation):
            raise TypeError(f"Expected an instance of Operation, got: {type(item)}")
        found.append(item)
    return found


def make_list_of_t(ts: Any, allow_graph: bool = True, ignore_ops: bool = False) -> list[Tensor]:
    """The tensors of a graph, or of a list, which may have operations among them with `ignore_ops`. TypeError for what is none."""
    if isinstance(ts, Graph):
        if not allow_graph:
            raise TypeError("allow_graph is False: cannot convert a tf.Graph.")
        return [t for op in ts.get_operations() for t in op.outputs]
    found = [t for t in _flat(ts) if not (ignore_ops and isinstance(t, Operation))]
    for t in found:
        if not isinstance(t, Tensor):
            raise TypeError(f"Expected an instance of Tensor, got: {type(t)}")
    return found


def _walked(seeds, is_within, inclusive, following):
    """In the order in which they are first met."""
    # A dictionary: it keeps the order.
    found: dict[Operation, None] = dict.fromkeys(op for op in seeds if is_within(op))
    waiting = list(found)
    while waiting:
        after = dict.fromkeys(o for op in waiting for o in following(op) if o not in found and is_within(o))
        found.update(after)
        waiting = list(after)
    first = set() if inclusive else set(seeds)
    return [op for op in found if op not in first]


def _limits(within_ops, within_ops_fn):
    allowed = None if within_ops is None else set(make_list_of_op(within_ops, allow_graph=False))
    return lambda op: (allowed is None or op in allowed) and (within_ops_fn is None or bool(within_ops_fn(op)))


def get_backward_walk_ops(seed_ops: Any, inclusive: bool = True, within_ops: Any = None, within_ops_fn: Callable[[Operation], bool] | None = None,
                          stop_at_ts: Iterable[Tensor] = (), control_inputs: bool = False,
                          only_differentiable: bool = False) -> list[Operation]:
    """The operations that some need, among those `within`; not those behind `stop_at_ts`. Seeds are operations, or tensors, whose operations
    are they. Not `inclusive`: without the seeds."""
    stopped = set(make_list_of_t(stop_at_ts))
    seeds = [t.op for t in make_list_of_t(seed_ops)] if _is_of_tensors(seed_ops) else make_list_of_op(seed_ops, False)
    allowed = _differentiable if only_differentiable else lambda t: True

    def before(op):
        needed = [t.op for t in op.inputs if t not in stopped and allowed(t)]
        return [*needed, *op.control_inputs] if control_inputs else needed

    return _walked(seeds, _limits(within_ops, within_ops_fn), inclusive, before)


def get_forward_walk_ops(seed_ops: Any, inclusive: bool = True, within_ops: Any = None, within_ops_fn: Callable[[Operation], bool] | None = None,
                         stop_at_ts: Iterable[Tensor] = (), control_outputs: Any = None) -> list[Operation]:
    """The operations that need some, among those `within`; not those behind `stop_at_ts`. `control_outputs`: whether what waits for
    one is behind it."""
    stopped = set(make_list_of_t(stop_at_ts))
    if _is_of_tensors(seed_ops):
        seeds = [op for t in make_list_of_t(seed_ops) for op in t.consumers()]
    else:
        seeds = make_list_of_op(seed_ops, False)
    waiting: dict[Operation, list[Operation]] = {}
    if control_outputs:
        for op in seeds[0].graph.get_operations() if seeds else ():
            for earlier in op.control_inputs:
                waiting.setdefault(earlier, []).append(op)

    def behind(op):
        return [o for t in op.outputs if t not in stopped for o in t.consumers()] + waiting.get(op, [])

    return _walked(seeds, _limits(within_ops, within_ops_fn), inclusive, behind)


def get_walks_intersection_ops(forward_seed_ops: Any, backward_seed_ops: Any, forward_inclusive: bool = True, backward_inclusive: bool = True,
                               within_ops: Any = None, within_ops_fn: Callable[[Operation], bool] | None = None, control_inputs: bool = False,
                               control_outputs: Any = None, control_ios: Any = None) -> list[Operation]:
    """What is behind the first and before the second."""
    either = bool(control_ios)
    forward = get_forward_walk_ops(forward_seed_ops, forward_inclusive, within_ops, within_ops_fn, control_outputs=control_outputs or either)
    backward = set(get_backward_walk_ops(backward_seed_ops, backward_inclusive, within_ops, within_ops_fn, control_inputs=control_inputs or either))
    return [op for op in forward if op in backward]


def _is_of_tensors(seeds):
    if isinstance(seeds, Graph):
        raise TypeError("cannot convert a tf.Graph.")
    flat = _flat(seeds)
    return bool(flat) and isinstance(flat[0], Tensor)


def _differentiable(t):
    return t.dtype.base_dtype.is_floating or t.dtype.base_dtype.is_complex


# Lists of them.

def filter_ts(ops: Any, positive_filter: Any) -> list[Tensor]:
    """The outputs of operations: all with True, or those of which a function is true."""
    keep = (lambda t: True) if positive_filter is True else positive_filter
    return [t for op in make_list_of_op(ops) for t in op.outputs if keep(t)]


def filter_ts_from_regex(ops: Any, regex: Any) -> list[Tensor]:
    """The outputs of operations whose names an expression is found in."""
    return filter_ts(ops, lambda t: re.search(regex, t.name) is not None)


def filter_ops(ops: Any, positive_filter: Any) -> list[Operation]:
    """Operations: all with True, or those of which a function is true."""
    return [op for op in make_list_of_op(ops) if positive_filter is True or positive_filter(op)]


def filter_ops_from_regex(ops: Any, regex: Any) -> list[Operation]:
    """Operations whose names an expression is found in."""
    return filter_ops(ops, lambda op: re.search(regex, op.name) is not None)


def select_ops(*args: Any, graph: Graph | None = None, positive_filter: Any = None) -> list[Operation]:
    """Operations, and those of a graph whose names an expression is found in. ValueError for one without a graph."""
    found: dict[Operation, None] = {}
    for arg in args:
        if isinstance(arg, (str, re.Pattern)):
            if graph is None:
                raise ValueError("Use the keyword argument 'graph' to use regex.")
            found.update(dict.fromkeys(filter_ops_from_regex(graph, arg)))
        else:
            found.update(dict.fromkeys(make_list_of_op(arg)))
    return [op for op in found if positive_filter is None or positive_filter(op)]
