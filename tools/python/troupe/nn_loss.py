"""Cross entropies, and losses of a sequence of labels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, math_ops, op_call, stacks
from troupe.constant_op import constant
from troupe.conversion import convert_to_tensor
from troupe.math_ops import cast
from troupe.nn_conv import one_of
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from troupe.composite import SparseTensor
    from troupe.typing import TensorLike


def _scope(name, default):
    return stacks.get_default_graph().name_scope(name or default)


def _both_given(function: str, labels, logits) -> None:
    if labels is None or logits is None:
        raise ValueError(f"Both `labels` and `logits` must be provided. Received: labels={labels} and logits={logits}")


def softmax_cross_entropy_with_logits_v2(labels: TensorLike | None = None, logits: TensorLike | None = None, axis: int | None = None,
                                         name: str | None = None, dim: int | None = None) -> Tensor:
    """The cross entropy of each row of `logits` with probabilities: [..., classes] to [...]. Gradients go to both."""
    _both_given("softmax_cross_entropy_with_logits", labels, logits)
    axis = one_of(axis, "axis", dim, "dim")
    axis = -1 if axis is None else axis
    with _scope(name, "softmax_cross_entropy_with_logits") as scope:
        logits, labels = convert_to_tensor(logits, name="logits"), convert_to_tensor(labels, name="labels")
        precise = cast(logits, dtypes.float32) if logits.dtype in (dtypes.float16, dtypes.bfloat16) else logits
        labels = cast(labels, precise.dtype)
        rank, known = array_ops.rank(precise), logits.shape
        if axis != -1:
            precise, labels = _axis_last(precise, axis, rank), _axis_last(labels, axis, rank)
        shape = array_ops.shape(precise)
        loss, _ = op_call.call("SoftmaxCrossEntropyWithLogits", scope, features=_rows(precise), labels=_rows(labels))
        loss = array_ops.reshape(loss, array_ops.slice(shape, [0], array_ops.expand_dims(rank - 1, 0)))
        if known.rank is not None:
            dims = known.as_list()
            del dims[axis]
            loss.set_shape(dims)
        return loss if precise is logits else cast(loss, logits.dtype)


def _axis_last(tensor, axis, rank):
    order = array_ops.concat([math_ops.range(axis), math_ops.range(axis + 1, rank), [axis]], 0)
    return array_ops.transpose(tensor, order)


def _rows(tensor):
    """Two dimensions, the last as it is."""
    if tensor.shape.rank == 2:
        return tensor
    return array_ops.reshape(tensor, array_ops.stack([-1, array_ops.shape(tensor)[-1]]))


def softmax_cross_entropy_with_logits(labels: TensorLike | None = None, logits: TensorLike | None = None, dim: int = -1, name: str | None = None,
                                      axis: int | None = None) -> Tensor:
    """The same, without gradients by `labels`."""
    _both_given("softmax_cross_entropy_with_logits", labels, logits)
    with _scope(name, "softmax_cross_entropy_with_logits_sg") as scope:
        labels = op_call.call("StopGradient", "labels_stop_gradient", input=labels)
    return softmax_cross_entropy_with_logits_v2(labels, logits, dim if axis is None else axis, scope)


def sparse_softmax_cross_entropy_with_logits(labels: TensorLike | None = None, logits: TensorLike | None = None, name: str | None = None) -> Tensor:
    """The cross entropy with respect to class numbers: labels [...], logits [..., classes]. ValueError for ranks that do not fit."""
    _both_given("sparse_softmax_cross_entropy_with_logits", labels, logits)
    default = "SparseSoftmaxCrossEntropyWithLogits"
    with _scope(name, default):
        labels, logits = convert_to_tensor(labels), convert_to_tensor(logits)
        rank, label_rank = logits.shape.rank, labels.shape.rank
        if rank == 0:
            raise ValueError(f"`logits` cannot be a scalar. Received logits={logits}`")
        if rank is not None and label_rank is not None and label_rank != rank - 1:
            raise ValueError(f"`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: labels.shape={labels.shape} of rank {label_rank} and "
                             f"logits.shape={logits.shape} of rank {rank}")
        if rank is not None and labels.shape.is_fully_defined() and logits.shape[:-1].is_fully_defined() and labels.shape != logits.shape[:-1]:
            raise ValueError(f"`labels.shape` must equal `logits.shape` except for the last dimension. Received: labels.shape={labels.shape} and "
                             f"logits.shape={logits.shape}")
        precise = cast(logits, dtypes.float32) if logits.dtype is dtypes.float16 else logits
        if rank == 2:
            loss, _ = op_call.call(default, name or default, features=precise, labels=labels)
        else:
            shape, known = array_ops.shape(labels), labels.shape
            loss, _ = op_call.call(default, name or default, features=_rows(precise), labels=array_ops.reshape(labels, [-1]))
            loss = array_ops.reshape(loss, shape)
            loss.set_shape(known)
        return loss if precise is logits else cast(loss, logits.dtype)


def sigmoid_cross_entropy_with_logits(labels: TensorLike | None = None, logits: TensorLike | None = None, name: str | None = None) -> Tensor:
    """max(x, 0) - x z + log(1 + exp(-|x|)), which does not overflow. ValueError for shapes that differ."""
    _both_given("sigmoid_cross_entropy_with_logits", labels, logits)
    with _scope(name, "logistic_loss") as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels") if isinstance(labels, Tensor) else convert_to_tensor(labels, logits.dtype, name="labels")
        if not labels.shape.is_compatible_with(logits.shape):
            raise ValueError(f"`logits` and `labels` must have the same shape, received ({logits.shape} vs {labels.shape}).")
        zeros = array_ops.zeros_like(logits)
        positive = logits >= zeros
        larger = array_ops.where(positive, logits, zeros)
        negative = array_ops.where(positive, -logits, logits)
        return op_call.call("AddV2", scope, x=larger - logits * labels, y=op_call.call("Log1p", None, x=op_call.call("Exp", None, x=negative)))


def weighted_cross_entropy_with_logits(labels: TensorLike | None = None, logits: TensorLike | None = None, pos_weight: TensorLike | None = None,
                                       name: str | None = None, targets: TensorLike | None = None) -> Tensor:
    """The same where positive labels count `pos_weight` times."""
    labels = one_of(labels, "labels", targets, "targets")
    with _scope(name, "logistic_loss") as scope:
        logits, labels = convert_to_tensor(logits, name="logits"), convert_to_tensor(labels, name="labels")
        if not labels.shape.is_compatible_with(logits.shape):
            raise ValueError(f"`logits` and `labels` must have the same shape, received ({logits.shape} vs {labels.shape}).")
        weight = 1 + (pos_weight - 1) * labels
        softplus = op_call.call("Log1p", None, x=op_call.call("Exp", None, x=-math_ops.abs(logits))) + op_call.call("Relu", None, features=-logits)
        return op_call.call("AddV2", scope, x=(1 - labels) * logits, y=weight * softplus)


def log_poisson_loss(targets: TensorLike, log_input: TensorLike, compute_full_loss: bool = False, name: str | None = None) -> Tensor:
    """exp(log_input) - log_input targets, with Stirling's approximation of the constant where it is asked for."""
    with _scope(name, "log_poisson_loss"):
        log_input, targets = convert_to_tensor(log_input, name="log_input"), convert_to_tensor(targets, name="targets")
        if not targets.shape.is_compatible_with(log_input.shape):
            raise ValueError(f"`log_input` and `targets` must have the same shape, received ({log_input.shape} vs {targets.shape}).")
        loss = op_call.call("Exp", None, x=log_input) - log_input * targets
        if not compute_full_loss:
            return loss
        dtype = targets.dtype.base_dtype
        log = lambda x: op_call.call("Log", None, x=x)
        stirling = targets * log(targets) - targets + constant(0.5, dtype) * log(constant(2 * math.pi, dtype) * targets)
        zeros, ones = array_ops.zeros_like(targets), array_ops.ones_like(targets)
        small = op_call.call("LogicalAnd", None, x=targets >= zeros, y=targets <= ones)
        return loss + array_ops.where(small, zeros, stirling)


# Sequences of labels without places.


def ctc_loss(labels: SparseTensor | None = None, inputs: TensorLike | None = None, sequence_length: TensorLike | None = None,
             preprocess_collapse_repeated: bool = False, ctc_merge_repeated: bool = True, ignore_longer_outputs_than_inputs: bool = False,
             time_major: bool = True, logits: TensorLike | None = None) -> Tensor:
    """The loss of each sequence: `labels` a sparse tensor [batch, labels], `inputs` [time, batch, classes], the last class blank.
    TypeError where labels are not sparse."""
    if not hasattr(labels, "dense_shape"):
        raise TypeError(f"Expected argument `labels` to be a SparseTensor. Received labels={labels} of type: {type(labels).__name__}")
    inputs = convert_to_tensor(one_of(logits, "logits", inputs, "inputs"))
    if not time_major:
        inputs = array_ops.transpose(inputs, [1, 0, 2])
    precise = cast(inputs, dtypes.float32) if inputs.dtype in (dtypes.float16, dtypes.bfloat16) else inputs
    made = op_call.call("CTCLoss", None, inputs=precise, labels_indices=labels.indices, labels_values=labels.values, sequence_length=sequence_length,
                        preprocess_collapse_repeated=preprocess_collapse_repeated, ctc_merge_repeated=ctc_merge_repeated,
                        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs)
    return made[0] if precise is inputs else cast(made[0], inputs.dtype)


def ctc_greedy_decoder(inputs: TensorLike, sequence_length: TensorLike, merge_repeated: bool = True,
                       blank_index: int | None = None) -> tuple[list[SparseTensor], Tensor]:
    """([the best labels as a sparse tensor], [batch, 1] with their negated log probabilities)."""
    from troupe.composite import SparseTensor

    made = op_call.call("CTCGreedyDecoder", None, inputs=inputs, sequence_length=sequence_length, merge_repeated=merge_repeated,
                        blank_index=-1 if blank_index is None else blank_index)
    return [SparseTensor(*made[:3])], made[3]


def ctc_beam_search_decoder(inputs: TensorLike, sequence_length: TensorLike, beam_width: int = 100, top_paths: int = 1,
                            merge_repeated: bool = True) -> tuple[list[SparseTensor], Tensor]:
    """([sparse tensors of the best labels, the next best, ...], [batch, top_paths] with their log probabilities)."""
    from troupe.composite import SparseTensor

    indices, values, shapes, log_probability = op_call.call(
        "CTCBeamSearchDecoder", None, inputs=inputs, sequence_length=sequence_length, beam_width=beam_width, top_paths=top_paths,
        merge_repeated=merge_repeated)
    return [SparseTensor(*parts) for parts in zip(indices, values, shapes)], log_probability


def ctc_beam_search_decoder_v2(inputs: TensorLike, sequence_length: TensorLike, beam_width: int = 100,
                               top_paths: int = 1) -> tuple[list[SparseTensor], Tensor]:
    return ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths, merge_repeated=False)
