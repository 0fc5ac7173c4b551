"""What all metrics do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, stacks
from troupe.ops import GraphKeys
from troupe.variables import Variable
from troupe.weights import alike_ranks, weights_like

if TYPE_CHECKING:
    from collections.abc import Iterable

    from troupe.tensor import Tensor
    from troupe.typing import DTypeLike, ShapeLike, TensorLike


def metric_variable(shape: ShapeLike, dtype: DTypeLike, validate_shape: bool = True, name: str | None = None) -> Variable:
    """A local variable that begins as zeros."""
    return Variable(lambda: array_ops.zeros(shape, dtype), trainable=False, collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
                    validate_shape=validate_shape, name=name)


def collected(value: Tensor, update: Tensor, metrics_collections: str | Iterable[str] | None,
              updates_collections: str | Iterable[str] | None) -> tuple[Tensor, Tensor]:
    """(value, update), each in its collections."""
    graph = stacks.get_default_graph()
    for names, tensor in ((metrics_collections, value), (updates_collections, update)):
        if names:
            graph.add_to_collections(names, tensor)
    return value, update


def matched(predictions: TensorLike, labels: TensorLike, weights: TensorLike | None) -> tuple[Tensor, Tensor, Tensor | None]:
    """(predictions, labels, weights) of ranks that fit."""
    labels, predictions = alike_ranks(labels, predictions)
    predictions.shape.assert_is_compatible_with(labels.shape)
    return predictions, labels, None if weights is None else weights_like(weights, predictions)
