"""What losses and metrics have in common: weights for each of many values, and ranks that differ by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, math_ops, op_call, stacks
from troupe.control_flow_ops import Assert, cond
from troupe.conversion import convert_to_tensor
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from troupe.tensor import Operation
    from troupe.typing import TensorLike


def checked_broadcast(weights: TensorLike, values: TensorLike) -> list[Operation]:
    """Operations that fail unless the weights are one number, or have the rank of the values and in each dimension one or as many. None are
    needed where shapes are known; ValueError there."""
    weights, values = convert_to_tensor(weights, name="weights"), convert_to_tensor(values, name="values")
    rank, expected = weights.shape.rank, values.shape.rank
    if rank == 0:
        return []
    if rank is not None and expected is not None:
        if rank != expected:
            raise ValueError(f"weights can not be broadcast to values. values.rank={expected}. weights.rank={rank}. values.shape={values.shape}. "
                             f"weights.shape={weights.shape}.")
        for i, (w, v) in enumerate(zip(weights.shape.as_list(), values.shape.as_list())):
            if None not in (w, v) and w not in (1, v):
                raise ValueError(f"weights can not be broadcast to values. Mismatch at dim {i}. values.shape={values.shape}. "
                                 f"weights.shape={weights.shape}.")
        if weights.shape.is_fully_defined() and values.shape.is_fully_defined():
            return []
    return [_checked_when_it_runs(weights, values)]


def _checked_when_it_runs(weights, values):
    with stacks.get_default_graph().name_scope("assert_broadcastable"):
        w, v = array_ops.shape(weights), array_ops.shape(values)
        equal = lambda a, b: op_call.call("Equal", None, x=a, y=b)
        fits = lambda: math_ops.reduce_all(op_call.call("LogicalOr", None, x=equal(w, v), y=equal(w, 1)))
        same_rank = equal(array_ops.rank(weights), array_ops.rank(values))
        fine = op_call.call("LogicalOr", None, x=equal(array_ops.rank(weights), 0), y=cond(same_rank, fits, lambda: convert_to_tensor(False)))
        return Assert(fine, ["weights can not be broadcast to values.", "weights.shape=", weights.name, w, "values.shape=", values.name, v])


def broadcast_weights(weights: TensorLike, values: TensorLike) -> Tensor:
    """A weight for each value."""
    weights, values = convert_to_tensor(weights, name="weights"), convert_to_tensor(values, name="values")
    with stacks.get_default_graph().name_scope("broadcast_weights") as scope:
        if weights.shape.is_fully_defined() and values.shape.is_fully_defined() and weights.shape == values.shape:
            return weights
        with stacks.get_default_graph().control_dependencies(checked_broadcast(weights, values)):
            return op_call.call("Mul", scope, x=weights, y=array_ops.ones_like(values, dtype=weights.dtype))


def _squeeze_if(tensor, condition) -> Tensor:
    return cond(condition, lambda: array_ops.squeeze(tensor, [-1]), lambda: op_call.call("Identity", None, input=tensor))


def _may_be_one(tensor) -> bool:
    return tensor.shape.rank is None or tensor.shape.rank > 0 and tensor.shape.as_list()[-1] in (None, 1)


def alike_ranks(labels: TensorLike, predictions: TensorLike, expected_rank_diff: int = 0) -> tuple[Tensor, Tensor]:
    """Labels and predictions without the last dimension of the one whose rank is one too much, where that dimension is 1."""
    with stacks.get_default_graph().name_scope("remove_squeezable_dimensions"):
        predictions, labels = convert_to_tensor(predictions), convert_to_tensor(labels)
        p, q = predictions.shape.rank, labels.shape.rank
        if p is not None and q is not None:
            if p - q == expected_rank_diff + 1 and _may_be_one(predictions):
                predictions = array_ops.squeeze(predictions, [-1])
            elif p - q == expected_rank_diff - 1 and _may_be_one(labels):
                labels = array_ops.squeeze(labels, [-1])
            return labels, predictions
        difference = array_ops.rank(predictions) - array_ops.rank(labels)
        is_ = lambda value: op_call.call("Equal", None, x=difference, y=value)
        more, less = is_(expected_rank_diff + 1), is_(expected_rank_diff - 1)
        if _may_be_one(predictions):
            predictions = _squeeze_if(predictions, more)
        if _may_be_one(labels):
            labels = _squeeze_if(labels, less)
        return labels, predictions


def weights_like(weights: TensorLike, predictions: Tensor) -> Tensor:
    """Weights of the rank of the predictions, where they have one more or less."""
    weights = convert_to_tensor(weights)
    rank, expected = weights.shape.rank, predictions.shape.rank
    if rank == 0:
        return weights
    if rank is not None and expected is not None:
        if rank - expected == 1:
            return array_ops.squeeze(weights, [-1])
        return array_ops.expand_dims(weights, -1) if expected - rank == 1 else weights
    difference = array_ops.rank(weights) - array_ops.rank(predictions)
    same = lambda: op_call.call("Identity", None, input=weights)
    is_ = lambda value, of: op_call.call("Equal", None, x=of, y=value)
    shorter = lambda: array_ops.squeeze(weights, [-1]) if _may_be_one(weights) else same()
    longer = lambda: cond(is_(-1, difference), lambda: array_ops.expand_dims(weights, -1), same)
    return cond(is_(0, array_ops.rank(weights)), same, lambda: cond(is_(1, difference), shorter, longer))
