"""tf.contrib.crf: labels that follow each other: scores [batch, time, labels] of their own, and [labels, labels] of each after each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, dtypes, math_ops, rnn
from troupe.conversion import convert_to_tensor
from troupe.rnn_base import RNNCell
from troupe.variable_scope import get_variable

if TYPE_CHECKING:
    from typing import Any

    from troupe.tensor import Tensor
    from troupe.typing import ArrayLike, TensorLike


def _mask(sequence_lengths, values, dtype=dtypes.float32):
    return array_ops.sequence_mask(sequence_lengths, array_ops.shape(values)[1], dtype=dtype)


def crf_unary_score(tag_indices: TensorLike, sequence_lengths: TensorLike, inputs: TensorLike) -> Tensor:
    """[batch]: the sums of the labels' own scores."""
    inputs = convert_to_tensor(inputs)
    chosen = array_ops.one_hot(tag_indices, array_ops.shape(inputs)[2], dtype=inputs.dtype)
    return math_ops.reduce_sum(math_ops.reduce_sum(inputs * chosen, 2) * _mask(sequence_lengths, inputs, inputs.dtype), 1)


def crf_binary_score(tag_indices: TensorLike, sequence_lengths: TensorLike, transition_params: TensorLike) -> Tensor:
    """[batch]: the sums of the scores of each label after the one before."""
    tags, params = convert_to_tensor(tag_indices), convert_to_tensor(transition_params)
    number = array_ops.shape(params)[0]
    flat = array_ops.gather(array_ops.reshape(params, [-1]), tags[:, :-1] * math_ops.cast(number, tags.dtype) + tags[:, 1:])
    return math_ops.reduce_sum(flat * _mask(sequence_lengths, tags, params.dtype)[:, 1:], 1)


def crf_sequence_score(inputs: TensorLike, tag_indices: TensorLike, sequence_lengths: TensorLike, transition_params: TensorLike) -> Tensor:
    """[batch]: the scores of sequences of labels; 0 for those of no length."""
    return crf_unary_score(tag_indices, sequence_lengths, inputs) + crf_binary_score(tag_indices, sequence_lengths, transition_params)


def crf_multitag_sequence_score(inputs: TensorLike, tag_bitmap: TensorLike, sequence_lengths: TensorLike, transition_params: TensorLike) -> Tensor:
    """[batch]: the logarithms of the sums over all sequences of labels that `tag_bitmap` [batch, time, labels] allows."""
    inputs = convert_to_tensor(inputs)
    allowed = math_ops.cast(tag_bitmap, dtypes.bool_)
    forbidden = array_ops.fill(array_ops.shape(inputs), convert_to_tensor(float("-inf"), inputs.dtype))
    return crf_log_norm(array_ops.where(allowed, inputs, forbidden), sequence_lengths, transition_params)


class _TransitionCell(RNNCell):
    """Its state and output are numbers for each label; it knows the scores of the labels that follow each other."""

    def __init__(self, transition_params: TensorLike) -> None:
        super().__init__()
        params = convert_to_tensor(transition_params)
        self._params = array_ops.expand_dims(params, 0)
        self._labels = params.shape.as_list()[0]

    state_size = output_size = property(lambda self: self._labels)


class CrfForwardRnnCell(_TransitionCell):
    """Its state is the logarithm of the sum over all sequences that end in a label."""

    def __call__(self, inputs, state, scope=None):
        now = inputs + math_ops.reduce_logsumexp(array_ops.expand_dims(state, 2) + self._params, [1])
        return now, now


def crf_forward(inputs: TensorLike, state: TensorLike, transition_params: TensorLike, sequence_lengths: TensorLike) -> Tensor:
    """[batch, labels]: the logarithms of the sums over all sequences that end in each label, after `state` [batch, labels] and the scores
    `inputs` [batch, time, labels] of the steps that follow it."""
    inputs, state = convert_to_tensor(inputs), convert_to_tensor(state)
    lengths = math_ops.maximum(convert_to_tensor(sequence_lengths) - 1, 0)
    _, last = rnn.dynamic_rnn(CrfForwardRnnCell(transition_params), inputs, lengths, state, dtype=inputs.dtype)
    return last


def crf_log_norm(inputs: TensorLike, sequence_lengths: TensorLike, transition_params: TensorLike) -> Tensor:
    """[batch]: the logarithms of the sums over all sequences of labels; 0 for those of no length."""
    inputs = convert_to_tensor(inputs)
    norm = math_ops.reduce_logsumexp(crf_forward(inputs[:, 1:, :], inputs[:, 0, :], transition_params, sequence_lengths), [1])
    return array_ops.where_v2(math_ops.less_equal(sequence_lengths, 0), array_ops.zeros_like(norm), norm)


def crf_log_likelihood(inputs: TensorLike, tag_indices: TensorLike, sequence_lengths: TensorLike,
                       transition_params: TensorLike | None = None) -> tuple[Tensor, Any]:
    """([batch] logarithms of the probabilities of sequences of labels, the scores of each label after each: a variable "transitions" unless
    given)."""
    inputs = convert_to_tensor(inputs)
    if transition_params is None:
        labels = inputs.shape.as_list()[2]
        transition_params = get_variable("transitions", [labels, labels])
    score = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return score - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params


def viterbi_decode(score: ArrayLike, transition_params: ArrayLike) -> tuple[list[int], Any]:
    """(the best sequence of labels, its score) of arrays [time, labels] and [labels, labels]."""
    score = np.asarray(score)
    best, before = score[0], []
    for own in score[1:]:
        every = best[:, None] + transition_params
        before.append(np.argmax(every, 0))
        best = own + np.max(every, 0)
    sequence = [int(np.argmax(best))]
    for last in reversed(before):
        sequence.append(int(last[sequence[-1]]))
    return sequence[::-1], np.max(best)


# The same in the graph.


class CrfDecodeForwardRnnCell(_TransitionCell):
    """Its state [batch, labels] is the score of the best sequence that ends in a label, its output the label before it there."""

    def __call__(self, inputs, state, scope=None):
        every = array_ops.expand_dims(state, 2) + self._params
        return math_ops.cast(math_ops.argmax(every, 1), dtypes.int32), inputs + math_ops.reduce_max(every, [1])


class CrfDecodeBackwardRnnCell(RNNCell):
    """Goes back: inputs [batch, labels] say what was before each label, the state [batch, 1] is the label that it goes back from."""

    def __init__(self, num_tags: int) -> None:
        super().__init__()
        self._num_tags = num_tags

    state_size = output_size = property(lambda self: 1)

    def __call__(self, inputs, state, scope=None):
        chosen = array_ops.one_hot(array_ops.squeeze(state, [1]), self._num_tags, dtype=dtypes.int32)
        before = math_ops.reduce_sum(inputs * chosen, 1, keepdims=True)
        return before, before


def crf_decode(potentials: TensorLike, transition_params: TensorLike, sequence_length: TensorLike) -> tuple[Tensor, Tensor]:
    """(the best sequences of labels [batch, time] as int32, their scores [batch]). Behind the ends of sequences labels are 0."""
    potentials, lengths = convert_to_tensor(potentials), convert_to_tensor(sequence_length)
    cell = CrfDecodeForwardRnnCell(transition_params)
    rest = math_ops.maximum(lengths - 1, 0)
    before, last = rnn.dynamic_rnn(cell, potentials[:, 1:, :], rest, potentials[:, 0, :], dtype=dtypes.int32, scope="crf_decode_forward")
    end = array_ops.expand_dims(math_ops.cast(math_ops.argmax(last, 1), dtypes.int32), 1)
    turned = array_ops.reverse_sequence(before, rest, seq_axis=1, batch_axis=0)
    path, _ = rnn.dynamic_rnn(CrfDecodeBackwardRnnCell(cell.output_size), turned, rest, end, dtype=dtypes.int32, scope="crf_decode_backward")
    tags = array_ops.concat([end, array_ops.squeeze(path, [2])], 1)
    return array_ops.reverse_sequence(tags, lengths, seq_axis=1, batch_axis=0), math_ops.reduce_max(last, 1)
