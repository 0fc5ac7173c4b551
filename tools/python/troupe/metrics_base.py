"""What all metrics do."""

from __future__ import annotations

from troupe import array_ops, stacks
from troupe.ops import GraphKeys
from troupe.variables import Variable
from troupe.weights import alike_ranks, weights_like


def metric_variable(shape, dtype, validate_shape=True, name=None) -> Variable:
    """A local variable that begins as zeros."""
    return Variable(lambda: array_ops.zeros(shape, dtype), trainable=False, collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
                    validate_shape=validate_shape, name=name)


def collected(value, update, metrics_collections, updates_collections):
    """(value, update), each in its collections."""
    graph = stacks.get_default_graph()
    for names, tensor in ((metrics_collections, value), (updates_collections, update)):
        if names:
            graph.add_to_collections(names, tensor)
    return value, update


def matched(predictions, labels, weights):
    """(predictions, labels, weights) of ranks that fit."""
    labels, predictions = alike_ranks(labels, predictions)
    predictions.shape.assert_is_compatible_with(labels.shape)
    return predictions, labels, None if weights is None else weights_like(weights, predictions)
