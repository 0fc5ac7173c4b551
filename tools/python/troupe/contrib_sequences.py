"""tf.contrib.crf, tf.contrib.legacy_seq2seq, and what tf.contrib.rnn has beyond tf.nn: sequences of labels and of steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, dtypes, math_ops, nn, ops, rnn
from troupe.conversion import convert_to_tensor
from troupe.rnn_base import RNNCell
from troupe.rnn_cell import MultiRNNCell
from troupe.variable_scope import get_variable, get_variable_scope, variable_scope

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from troupe.tensor import Tensor
    from troupe.typing import ArrayLike, DTypeLike, Nest, TensorLike
    from troupe.variable_scope import VariableScope

# Labels that follow each other: scores [batch, time, labels] of their own, and [labels, labels] of each after each.


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
    """[batch]: the scores of sequences of labels."""
    return crf_unary_score(tag_indices, sequence_lengths, inputs) + crf_binary_score(tag_indices, sequence_lengths, transition_params)


class CrfForwardRnnCell(RNNCell):
    """Its state is the logarithm of the sum over all sequences that end in a label."""

    def __init__(self, transition_params: TensorLike) -> None:
        super().__init__()
        params = convert_to_tensor(transition_params)
        self._params = array_ops.expand_dims(params, 0)
        self._labels = params.shape.as_list()[0]

    state_size = output_size = property(lambda self: self._labels)

    def __call__(self, inputs, state, scope=None):
        now = inputs + math_ops.reduce_logsumexp(array_ops.expand_dims(state, 2) + self._params, [1])
        return now, now


def crf_log_norm(inputs: TensorLike, sequence_lengths: TensorLike, transition_params: TensorLike) -> Tensor:
    """[batch]: the logarithms of the sums over all sequences of labels."""
    inputs = convert_to_tensor(inputs)
    first = inputs[:, 0, :]
    lengths = math_ops.maximum(convert_to_tensor(sequence_lengths) - 1, 0)
    _, last = rnn.dynamic_rnn(CrfForwardRnnCell(transition_params), inputs[:, 1:, :], lengths, first, dtype=inputs.dtype)
    norm = math_ops.reduce_logsumexp(last, [1])
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


# Steps that are built one after the other.


def rnn_decoder(decoder_inputs: Sequence[TensorLike], initial_state: Nest, cell: RNNCell,
                loop_function: Callable[[Tensor, int], TensorLike] | None = None, scope: str | VariableScope | None = None) -> tuple[list[Tensor], Any]:
    """(outputs, last state) of a cell over a list of inputs. `loop_function(output, step)` makes the next input of an output, but for the
    first."""
    with variable_scope(scope or "rnn_decoder"):
        state, outputs, previous = initial_state, [], None
        for i, inputs in enumerate(decoder_inputs):
            if loop_function is not None and previous is not None:
                with variable_scope("loop_function", reuse=True):
                    inputs = loop_function(previous, i)
            if i > 0:
                get_variable_scope().reuse_variables()
            output, state = cell(inputs, state)
            outputs.append(output)
            if loop_function is not None:
                previous = output
        return outputs, state


def basic_rnn_seq2seq(encoder_inputs: Sequence[TensorLike], decoder_inputs: Sequence[TensorLike], cell: RNNCell,
                      dtype: DTypeLike = dtypes.float32, scope: str | VariableScope | None = None) -> tuple[list[Tensor], Any]:
    """(outputs, last state): the cell reads the first list, and another such cell goes on from its state over the second."""
    import copy

    with variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = rnn.static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def sequence_loss_by_example(logits: Sequence[TensorLike], targets: Sequence[TensorLike], weights: Sequence[TensorLike],
                             average_across_timesteps: bool = True, softmax_loss_function: Callable[..., Tensor] | None = None,
                             name: str | None = None) -> Tensor:
    """[batch]: the weighted cross entropies of lists over time: logits [batch, classes], targets and weights [batch]. ValueError for lists of
    different lengths."""
    if not len(logits) == len(targets) == len(weights):
        raise ValueError(f"Lengths of logits, weights, and targets must be the same {len(logits)}, {len(weights)}, {len(targets)}.")
    with ops.name_scope(name, "sequence_loss_by_example"):
        losses = []
        for logit, target, weight in zip(logits, targets, weights):
            if softmax_loss_function is None:
                loss = nn.sparse_softmax_cross_entropy_with_logits(labels=array_ops.reshape(target, [-1]), logits=logit)
            else:
                loss = softmax_loss_function(labels=target, logits=logit)
            losses.append(loss * weight)
        total = math_ops.add_n(losses)
        return total / (math_ops.add_n(list(weights)) + 1e-12) if average_across_timesteps else total


def sequence_loss(logits: Sequence[TensorLike], targets: Sequence[TensorLike], weights: Sequence[TensorLike], average_across_timesteps: bool = True,
                  average_across_batch: bool = True, softmax_loss_function: Callable[..., Tensor] | None = None, name: str | None = None) -> Tensor:
    """The sum of sequence_loss_by_example, over the number of examples unless it says otherwise."""
    with ops.name_scope(name, "sequence_loss"):
        cost = math_ops.reduce_sum(sequence_loss_by_example(logits, targets, weights, average_across_timesteps, softmax_loss_function))
        return cost / math_ops.cast(array_ops.shape(targets[0])[0], cost.dtype) if average_across_batch else cost


def stack_bidirectional_dynamic_rnn(cells_fw: Sequence[RNNCell], cells_bw: Sequence[RNNCell], inputs: TensorLike,
                                    initial_states_fw: Sequence[Nest] | None = None, initial_states_bw: Sequence[Nest] | None = None,
                                    dtype: DTypeLike | None = None, sequence_length: TensorLike | None = None, parallel_iterations: int | None = None,
                                    time_major: bool = False, scope: str | VariableScope | None = None,
                                    swap_memory: bool = False) -> tuple[Tensor, tuple[Any, ...], tuple[Any, ...]]:
    """(outputs, states forward, states backward) of layers that each go both ways over the outputs of the one before. ValueError for other than
    two lists of as many cells."""
    for cells, what in ((cells_fw, "cells_fw"), (cells_bw, "cells_bw")):
        if not isinstance(cells, list) or not cells or any(isinstance(c, MultiRNNCell) for c in cells):
            raise ValueError(f"Must specify at least one fw cell for BidirectionalRNN: {what} must be a list of RNNCells (one per layer).")
    if len(cells_fw) != len(cells_bw):
        raise ValueError("Forward and Backward cells must have the same depth.")
    states = [], []
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for i, pair in enumerate(zip(cells_fw, cells_bw)):
            first = [None if given is None else given[i] for given in (initial_states_fw, initial_states_bw)]
            with variable_scope(f"cell_{i}"):
                outputs, last = rnn.bidirectional_dynamic_rnn(*pair, inputs, sequence_length, *first, dtype=dtype, time_major=time_major,
                                                              parallel_iterations=parallel_iterations, swap_memory=swap_memory)
                inputs = array_ops.concat(outputs, 2)
            states[0].append(last[0]), states[1].append(last[1])
    return inputs, tuple(states[0]), tuple(states[1])
