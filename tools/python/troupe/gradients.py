"""Derivatives, by the rules of the native library, and of the program (gradient_rules)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import dtypes, errors, gradient_rules, nest, op_call, stacks
from troupe.composite import IndexedSlices
from troupe.conversion import convert_to_tensor
from troupe.gradient_slices import as_slices
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def gradients(ys: Any, xs: Any, grad_ys: Sequence[Any] | None = None, name: str = "gradients", colocate_gradients_with_ops: bool = False,
              gate_gradients: bool = False, aggregation_method: int | None = None, stop_gradients: Sequence[Any] | None = None,
              unconnected_gradients: str = "none") -> list[Any]:
    """The derivatives of the sum of `ys` by each of `xs`; None where it does not depend on it (zeros, with unconnected_gradients "zero").
    LookupError for an op that has no rule."""
    ys = [convert_to_tensor(y) for y in _as_list(ys)]
    given = nest.flatten(xs)
    sources = [x.handle if hasattr(x, "handle") else x._ref() if hasattr(x, "_ref") else convert_to_tensor(x) for x in given]
    weights = [None] * len(ys) if grad_ys is None else _as_list(grad_ys)
    if len(weights) != len(ys):
        raise ValueError(f"Length mismatch. Passed {len(weights)} grad_ys for {len(ys)} ys")
    graph = ys[0].graph if ys else stacks.get_default_graph()
    graph._check_not_finalized()
    for value in [*ys, *sources]:
        if value.graph is not graph:
            raise ValueError(f"{value} must be from the same graph as {ys[0]}.")
    for y, weight in zip(ys, weights):
        if weight is None and (y.dtype.is_complex or y.dtype.base_dtype is dtypes.string):
            raise TypeError(f"Gradients of {y.dtype.base_dtype.name} tensors ({y}) must set grad_ys")
    weights = [None if w is None else _weight(w, y, i) for i, (w, y) in enumerate(zip(weights, ys))]
    # Of other shapes they are right where the first rule can do with them: that of Reshape can, or that of Mul with a scalar.
    odd = any(w is not None and not w.shape.is_compatible_with(y.shape) for w, y in zip(weights, ys))
    # Behind a variable is nothing that derivatives could go through; those by it are wanted.
    stops = [convert_to_tensor(s) for s in _as_list([] if stop_gradients is None else stop_gradients) if not (hasattr(s, "handle") or hasattr(s, "_ref"))]
    found = _derivatives(graph, name, ys, sources, weights, stops)
    for x, d in zip(given, found):
        if isinstance(d, Tensor) and d.shape.is_compatible_with(x.shape):
            d.set_shape(x.shape)
        elif odd and isinstance(d, Tensor) and not any(d is w for w in weights):
            raise ValueError(f"Incompatible shapes between op input and calculated input gradient. Original input shape: {x.shape}. "
                             f"Calculated input gradient shape: {d.shape}")
    return [_unconnected(x, d, unconnected_gradients) for x, d in zip(given, found)]


def _as_list(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _derivatives(graph, name, ys, xs, weights, stops):
    prefix = graph.unique_name(name or "gradients")
    ruled = gradient_rules.ruled_operations(ys, xs, stops)
    if ruled:
        native = lambda prefix, *piece: _native_gradients(graph, prefix, *piece)
        return gradient_rules.RuledGradients(graph, prefix, ruled, stops, native).compute(ys, xs, weights)
    beyond = gradient_rules.stand_ins(graph, stops)
    with gradient_rules.cut(beyond):
        return _native_gradients(graph, prefix, [beyond.get(y, y) for y in ys], [beyond.get(x, x) for x in xs], weights)


def _weight(weight, y, index):
    if isinstance(weight, IndexedSlices):
        weight = convert_to_tensor(weight)
    return convert_to_tensor(weight, y.dtype.base_dtype, name=f"grad_ys_{index}")


def _native_gradients(graph, prefix, ys, xs, weights):
    with graph._lock:
        found, first = None, len(graph._operations)
        while found is None:
            try:
                found = _add_gradients(graph, prefix, ys, xs, weights)
            except errors.NotFoundError as e:
                raise LookupError(e.message.partition(". Please see")[0]) from None
            except errors.InvalidArgumentError as e:
                if "unreachable" in e.message:
                    found = _reachable_gradients(graph, prefix, ys, xs, weights)
                # An imported graph may have its own: the next name is tried.
                elif "conflicts with existing node" in e.message:
                    prefix = graph.unique_name(prefix)
                else:
                    raise ValueError(e.message) from None
        graph._sync()
    graph._apply_devices(first)
    context = graph._get_control_flow_context()
    if context is not None:
        context.take_in(graph._operations[first:])
    graph._let_wait(graph._operations[first:], {*ys, *(w for w in weights if w is not None)})
    with graph.as_default(), gradient_rules.waiting_for_nothing(graph):
        return [as_slices(None if d is None else graph._operations[d[0]]._outputs[d[1]], prefix) for d in found]


def _add_gradients(graph, prefix, ys, xs, weights):
    return graph._native.add_gradients(prefix, [(y.op._id, y._index) for y in ys], [(x.op._id, x._index) for x in xs],
                                       [None if w is None else (w.op._id, w._index) for w in weights])


def _reachable_gradients(graph, prefix, ys, xs, weights):
    """Where some `xs` are not before `ys`: those have none."""
    reached = _ancestors(ys)
    known = [x for x in xs if x in reached]
    if not known:
        return [None] * len(xs)
    found = dict(zip(known, _add_gradients(graph, prefix, ys, known, weights)))
    return [found.get(x) for x in xs]


def _ancestors(tensors):
    seen, waiting = set(tensors), list(tensors)
    while waiting:
        for t in waiting.pop().op.inputs:
            if t not in seen:
                seen.add(t)
                waiting.append(t)
    return seen


def _unconnected(x, derivative, unconnected_gradients):
    kind = getattr(unconnected_gradients, "value", unconnected_gradients)
    if derivative is not None or kind == "none":
        return derivative
    return op_call.call("ZerosLike", None, x=convert_to_tensor(x))


def hessians(ys: Any, xs: Any, name: str = "hessians", colocate_gradients_with_ops: bool = False, gate_gradients: bool = False,
             aggregation_method: int | None = None) -> list[Tensor]:
    """The second derivatives of each y by each x, which are vectors or larger."""
    from troupe import array_ops

    xs = xs if isinstance(xs, (list, tuple)) else [xs]
    found = []
    with stacks.get_default_graph().name_scope(name):
        for gradient, x in zip(gradients(ys, xs, None, "gradients", colocate_gradients_with_ops, gate_gradients, aggregation_method), xs):
            flat = array_ops.reshape(gradient, [-1])
            count = array_ops.size(x)
            rows = _rows_of_derivatives(flat, count, x)
            found.append(array_ops.reshape(rows, array_ops.concat([array_ops.shape(x), array_ops.shape(x)], 0)))
    return found


def _rows_of_derivatives(flat, count, x):
    """The derivatives of each of the `count` elements of a vector by x, stacked."""
    from troupe import array_ops, control_flow_ops, tensor_array_ops
    from troupe.tensor_util import constant_value

    known = constant_value(count)
    if known is not None:
        return array_ops.stack([gradients(flat[i], x)[0] for i in range(int(known))])
    rows = tensor_array_ops.TensorArray(x.dtype.base_dtype, count)
    return control_flow_ops.while_loop(lambda i, _: i < count, lambda i, rows: (i + 1, rows.write(i, gradients(flat[i], x)[0])),
                                       [array_ops.constant(0), rows])[1].stack()


class AggregationMethod:
    """How gradients are summed; all are AddN here."""

    ADD_N = 0
    DEFAULT = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


class UnconnectedGradients:
    NONE = "none"
    ZERO = "zero"


