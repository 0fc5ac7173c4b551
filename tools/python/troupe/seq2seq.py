"""The loss of sequences, as tf.contrib.seq2seq had it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, nn, stacks
from troupe.conversion import convert_to_tensor
from troupe.math_ops import reduce_sum
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from troupe.typing import TensorLike


def sequence_loss(logits: TensorLike, targets: TensorLike, weights: TensorLike, average_across_timesteps: bool = True,
                  average_across_batch: bool = True, softmax_loss_function: Callable[..., Tensor] | None = None, name: str | None = None) -> Tensor:
    """The weighted cross entropy of sequences: logits [batch, time, classes], targets and weights [batch, time]. What is not averaged over
    stays a dimension: [batch, time], [batch], [time] or a number. `softmax_loss_function(labels=, logits=)` replaces the cross entropy.
    ValueError for other ranks."""
    logits, targets, weights = convert_to_tensor(logits), convert_to_tensor(targets), convert_to_tensor(weights)
    if logits.shape.rank != 3:
        raise ValueError("Logits must be a [batch_size x sequence_length x logits] tensor")
    if targets.shape.rank != 2:
        raise ValueError("Targets must be a [batch_size x sequence_length] tensor")
    if weights.shape.rank != 2:
        raise ValueError("Weights must be a [batch_size x sequence_length] tensor")
    with stacks.get_default_graph().name_scope(name or "sequence_loss"):
        classes = array_ops.shape(logits)[2]
        flat, labels = array_ops.reshape(logits, array_ops.stack([-1, classes])), array_ops.reshape(targets, [-1])
        loss = (softmax_loss_function or nn.sparse_softmax_cross_entropy_with_logits)(labels=labels, logits=flat)
        loss = loss * array_ops.reshape(weights, [-1])
        # Weights that are all zero divide nothing.
        tiny = 1e-12
        if average_across_timesteps and average_across_batch:
            return reduce_sum(loss) / (reduce_sum(weights) + tiny)
        loss = array_ops.reshape(loss, array_ops.shape(logits)[:2])
        if average_across_timesteps:
            return reduce_sum(loss, axis=[1]) / (reduce_sum(weights, axis=[1]) + tiny)
        if average_across_batch:
            return reduce_sum(loss, axis=[0]) / (reduce_sum(weights, axis=[0]) + tiny)
        return loss
