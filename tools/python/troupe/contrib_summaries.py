"""tf.contrib.layers.summarize_*: summaries of tensors, of activations, and of all in a collection."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from troupe import math_ops, nn, ops, summary
from troupe.ops import GraphKeys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from troupe.tensor import Tensor


def _tagged(tensor):
    return f"{tensor.op.name}_summary"


def summarize_tensor(tensor: Tensor, tag: str | None = None) -> Tensor:
    """A number's value, or a histogram."""
    if tensor.shape.rank == 0:
        return summary.scalar(tag or _tagged(tensor), tensor)
    return summary.histogram(tag or _tagged(tensor), tensor)


def summarize_activation(op: Tensor) -> Tensor:
    """A histogram of an activation; for relus also how many are zero, for those with an end how many are near it."""
    if op.op.type in ("Relu", "Softplus", "Relu6"):
        summary.scalar(f"{op.op.name}/zeros", nn.zero_fraction(op) if op.op.type != "Softplus" else math_ops.reduce_mean(
            math_ops.cast(math_ops.less(op, 0.1), "float32")))
    if op.op.type == "Relu6":
        summary.scalar(f"{op.op.name}/sixes", math_ops.reduce_mean(math_ops.cast(math_ops.greater(op, 5.9), "float32")))
    return summary.histogram(f"{op.op.name}/activation", op)


def summarize_tensors(tensors: Iterable[Tensor], summarizer: Callable[[Tensor], Tensor] = summarize_tensor) -> list[Tensor]:
    return [summarizer(t) for t in tensors]


def summarize_collection(collection: str, name_filter: str | None = None, summarizer: Callable[[Tensor], Tensor] = summarize_tensor) -> list[Tensor]:
    """Of the tensors of a collection whose names match."""
    return summarize_tensors([t for t in ops.get_collection(collection) if name_filter is None or re.match(name_filter, t.op.name)], summarizer)


def summarize_variables(name_filter: str | None = None, summarizer: Callable[[Tensor], Tensor] = summarize_tensor) -> list[Tensor]:
    return summarize_collection(GraphKeys.GLOBAL_VARIABLES, name_filter, summarizer)


def summarize_weights(name_filter: str | None = None, summarizer: Callable[[Tensor], Tensor] = summarize_tensor) -> list[Tensor]:
    return summarize_collection(GraphKeys.WEIGHTS, name_filter, summarizer)


def summarize_biases(name_filter: str | None = None, summarizer: Callable[[Tensor], Tensor] = summarize_tensor) -> list[Tensor]:
    return summarize_collection(GraphKeys.BIASES, name_filter, summarizer)


def summarize_activations(name_filter: str | None = None, summarizer: Callable[[Tensor], Tensor] = summarize_activation) -> list[Tensor]:
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)

