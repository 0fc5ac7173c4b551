"""tf.contrib.losses and tf.contrib.slim.losses: tf.losses with predictions before labels, and weights of each of the batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, losses, math_ops, nn, stacks
from troupe.conversion import convert_to_tensor
from troupe.losses import add_loss, get_losses, get_regularization_losses  # noqa: F401, they are of this module, too
from troupe.ops import name_scope

if TYPE_CHECKING:
    from troupe.tensor import Tensor
    from troupe.typing import TensorLike


def _weights_for(weights, values):
    """Weights of as many dimensions as the losses have: [batch] is one for all of an example."""
    weights = math_ops.cast(convert_to_tensor(weights), "float32")
    rank, wanted = weights.shape.rank, values.shape.rank
    while rank and wanted is not None and rank < wanted:
        weights, rank = array_ops.expand_dims(weights, -1), rank + 1
    if rank is not None and wanted is not None and rank > wanted:
        weights = array_ops.squeeze(weights, list(range(wanted, rank)))
    return weights


def compute_weighted_loss(losses: TensorLike, weights: TensorLike = 1.0, scope: str | None = None) -> Tensor:  # noqa: A002
    """The mean of losses that have a weight other than 0, each times its weight, in the collection LOSSES. ValueError for no weights."""
    from troupe import losses as tf_losses

    if weights is None:
        raise ValueError("`weights` cannot be None")
    losses = convert_to_tensor(losses)
    return tf_losses.compute_weighted_loss(losses, _weights_for(weights, losses), scope)


def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss") -> Tensor:
    """The sum of all losses."""
    return losses.get_total_loss(add_regularization_losses, name)


def get_regularization_loss(scope: str | None = None, name: str = "total_regularization_loss") -> Tensor:
    """Their sum; 0 when there are none."""
    return losses.get_regularization_loss(scope, name)


def _floats(predictions, labels):
    predictions, labels = math_ops.cast(predictions, "float32"), math_ops.cast(labels, "float32")
    predictions.shape.assert_is_compatible_with(labels.shape)
    return predictions, labels


def absolute_difference(predictions: TensorLike, labels: TensorLike, weights: TensorLike = 1.0, scope: str | None = None) -> Tensor:
    """|predictions - labels|."""
    with name_scope(scope, "absolute_difference", [predictions, labels]) as inner:
        predictions, labels = _floats(predictions, labels)
        return compute_weighted_loss(math_ops.abs(predictions - labels), weights, inner)


def mean_squared_error(predictions: TensorLike, labels: TensorLike, weights: TensorLike = 1.0, scope: str | None = None) -> Tensor:
    """(predictions - labels)^2."""
    with name_scope(scope, "mean_squared_error", [predictions, labels]) as inner:
        predictions, labels = _floats(predictions, labels)
        return compute_weighted_loss(math_ops.square(predictions - labels), weights, inner)


def log_loss(predictions: TensorLike, labels: TensorLike, weights: TensorLike = 1.0, epsilon: float = 1e-07, scope: str | None = None) -> Tensor:
    """The cross entropy of probabilities."""
    with name_scope(scope, "log_loss", [predictions, labels]) as inner:
        predictions, labels = _floats(predictions, labels)
        made = -labels * math_ops.log(predictions + epsilon) - (1 - labels) * math_ops.log(1 - predictions + epsilon)
        return compute_weighted_loss(made, weights, inner)


def cosine_distance(predictions: TensorLike, labels: TensorLike, axis: int | None = None, weights: TensorLike = 1.0, scope: str | None = None,
                    dim: int | None = None) -> Tensor:
    """1 - predictions labels, of vectors in the dimension `axis` that are as long as 1. ValueError without a dimension."""
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    with name_scope(scope, "cosine_distance_loss", [predictions, labels]) as inner:
        predictions, labels = _floats(predictions, labels)
        return compute_weighted_loss(1 - math_ops.reduce_sum(predictions * labels, [axis]), weights, inner)


def hinge_loss(logits: TensorLike, labels: TensorLike, scope: str | None = None) -> Tensor:
    """max(0, 1 - logits) where labels are 1, max(0, 1 + logits) where they are 0: of each element, in no collection."""
    with name_scope(scope, "hinge_loss", [logits, labels]):
        logits, labels = _floats(logits, labels)
        return nn.relu(1 - (2 * labels - 1) * logits)


def mean_pairwise_squared_error(predictions: TensorLike, labels: TensorLike, weights: TensorLike = 1.0, scope: str | None = None) -> Tensor:
    """The squared differences of all pairs of errors in an example."""
    return losses.mean_pairwise_squared_error(labels, predictions, weights, scope)


def sigmoid_cross_entropy(logits: TensorLike, multi_class_labels: TensorLike, weights: TensorLike = 1.0, label_smoothing: float = 0,
                          scope: str | None = None) -> Tensor:
    """The cross entropy of each class by itself; with `label_smoothing` labels are that much nearer to 1/2."""
    with name_scope(scope, "sigmoid_cross_entropy_loss", [logits, multi_class_labels, weights]) as inner:
        logits, labels = convert_to_tensor(logits), convert_to_tensor(multi_class_labels)
        logits.shape.assert_is_compatible_with(labels.shape)
        labels = math_ops.cast(labels, logits.dtype)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        return compute_weighted_loss(nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy"), weights, inner)


def softmax_cross_entropy(logits: TensorLike, onehot_labels: TensorLike, weights: TensorLike = 1.0, label_smoothing: float = 0,
                          scope: str | None = None) -> Tensor:
    """The cross entropy of each row; with `label_smoothing` labels are that much nearer to 1 / classes."""
    with name_scope(scope, "softmax_cross_entropy_loss", [logits, onehot_labels, weights]) as inner:
        logits, labels = convert_to_tensor(logits), convert_to_tensor(onehot_labels)
        logits.shape.assert_is_compatible_with(labels.shape)
        labels = math_ops.cast(labels, logits.dtype)
        if label_smoothing > 0:
            classes = math_ops.cast(array_ops.shape(labels)[1], logits.dtype)
            labels = labels * (1.0 - label_smoothing) + label_smoothing / classes
        with stacks.get_default_graph().name_scope("xentropy") as name:
            made = nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)
        return compute_weighted_loss(made, weights, inner)


def sparse_softmax_cross_entropy(logits: TensorLike, labels: TensorLike, weights: TensorLike = 1.0, scope: str | None = None) -> Tensor:
    """The same with class numbers [batch] or [batch, 1]."""
    with name_scope(scope, "sparse_softmax_cross_entropy_loss", [logits, labels, weights]) as inner:
        labels = convert_to_tensor(labels)
        labels = array_ops.reshape(labels, [array_ops.shape(labels)[0]])
        made = nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(made, weights, inner)


