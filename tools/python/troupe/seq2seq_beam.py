"""tf.contrib.seq2seq.BeamSearchDecoder: the best sequences of several that are kept at each step."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

import numpy as np

from troupe import array_ops, check_ops, dtypes, math_ops, nest, nn, ops
from troupe.control_flow_ops import cond, while_loop
from troupe.conversion import convert_to_tensor
from troupe.gather_ops import gather_nd
from troupe.seq2seq_attention import known_or_shape
from troupe.seq2seq_decoder import Decoder, output_shape_of
from troupe.seq2seq_helpers import embedding_function
from troupe.seq2seq_wrapper import AttentionWrapperState
from troupe.tensor import Tensor
from troupe.tensor_array_ops import TensorArray
from troupe.tensor_shape import TensorShape
from troupe.tensor_util import constant_value

if TYPE_CHECKING:
    from troupe.layer import Layer
    from troupe.rnn_base import RNNCell
    from troupe.typing import Nest, TensorLike


class BeamSearchDecoderState(namedtuple("BeamSearchDecoderState", (
        "cell_state", "log_probs", "finished", "lengths", "accumulated_attention_probs"))):
    """The cell's state [batch, beam, ...], and of each beam [batch, beam] its log probability, whether it is finished, its length, and what it has
    attended to (or `()`)."""

    __slots__ = ()


class BeamSearchDecoderOutput(namedtuple("BeamSearchDecoderOutput", ("scores", "predicted_ids", "parent_ids"))):
    """Of each step and beam: the score, the number of what was chosen, and the beam before that it goes on from."""

    __slots__ = ()


class FinalBeamSearchDecoderOutput(namedtuple("FinalBeamSearchDecoderOutput", ("predicted_ids", "beam_search_decoder_output"))):
    """Whole sequences [batch, time, beam], the best first, and the outputs of the steps that they are made of."""

    __slots__ = ()


def tile_batch(t: Nest, multiplier: int, name: str | None = None) -> Any:
    """Each of the batch `multiplier` times, one after the other: [batch, ...] to [batch * multiplier, ...], of each tensor of a nest. ValueError
    for tensors of unknown rank and scalars."""
    with ops.name_scope(name, "tile_batch"):
        return nest.map_structure(lambda part: _tiled(part, multiplier), t)


def _tiled(t, multiplier):
    t = convert_to_tensor(t, name="t")
    if t.shape.rank is None:
        raise ValueError("t must have statically known rank")
    if t.shape.rank == 0:
        raise ValueError("t must have at least rank 1: a scalar has no batch")
    shape = array_ops.shape(t)
    tiled = array_ops.tile(array_ops.expand_dims(t, 1), [1, multiplier, *[1] * (t.shape.rank - 1)])
    tiled = array_ops.reshape(tiled, array_ops.concat([array_ops.reshape(shape[0] * multiplier, [1]), shape[1:]], 0))
    rows, many = t.shape.as_list()[0], constant_value(multiplier) if isinstance(multiplier, Tensor) else multiplier
    tiled.set_shape([None if rows is None or many is None else rows * int(many), *t.shape.as_list()[1:]])
    return tiled


def gather_tree(step_ids: TensorLike, parent_ids: TensorLike, max_sequence_lengths: TensorLike, end_token: TensorLike, name: str | None = None) -> Tensor:
    """Sequences [time, batch, beam] from the choices of each step and the beams that they go on from, all [time, batch, beam]; `end_token` behind
    the first of these, and from `max_sequence_lengths` [batch] on."""
    with ops.name_scope(name, "GatherTree"):
        ids, parents = convert_to_tensor(step_ids, name="step_ids"), convert_to_tensor(parent_ids, dtypes.int32, name="parent_ids")
        longest, end = convert_to_tensor(max_sequence_lengths, dtypes.int32), convert_to_tensor(end_token, ids.dtype)
        time, batch, beam = (known_or_shape(ids, axis) for axis in range(3))
        rows = array_ops.tile(array_ops.expand_dims(math_ops.range(batch), 1), array_ops.stack([1, beam]))
        own = array_ops.tile(array_ops.expand_dims(math_ops.range(beam), 0), array_ops.stack([batch, 1]))
        ends = array_ops.fill(array_ops.stack([batch, beam]), end)

        def back(t, through, made):
            places = array_ops.stack([rows, through], -1)
            within = math_ops.logical_and(array_ops.ones_like(ends, dtypes.bool_), array_ops.expand_dims(t < longest, 1))
            made = made.write(t, array_ops.where(within, gather_nd(ids[t], places), ends))
            return t - 1, array_ops.where(within, gather_nd(parents[t], places), through), made

        first = convert_to_tensor(time, dtypes.int32) - 1
        array = TensorArray(ids.dtype, size=time, element_shape=ids.shape[1:])
        *_, array = while_loop(lambda t, *_: t >= 0, back, [first, own, array], back_prop=False)
        made = array.stack()
        over = math_ops.cumsum(math_ops.cast(math_ops.equal(made, end), dtypes.int32), axis=0, exclusive=True)
        made = array_ops.where(over > 0, array_ops.fill(array_ops.shape(made), end), made)
        made.set_shape(ids.shape)
        return made


def gather_tree_from_array(t: TensorLike | TensorArray, parent_ids: TensorLike, sequence_length: TensorLike) -> Tensor:
    """What an array [time, batch, beam, ...] or [time, batch * beam, ...] tells of the beams that each sequence went through, in its shape."""
    t = t.stack() if isinstance(t, TensorArray) else convert_to_tensor(t)
    parent_ids, lengths = convert_to_tensor(parent_ids), convert_to_tensor(sequence_length)
    time, batch, beam = (known_or_shape(parent_ids, axis) for axis in range(3))
    own = array_ops.tile(array_ops.reshape(math_ops.range(beam), [1, 1, -1]), array_ops.stack([time, batch, 1]))
    longest = math_ops.cast(math_ops.reduce_max(lengths, axis=1), dtypes.int32)
    through = gather_tree(own, parent_ids, longest, beam + 1)
    within = array_ops.transpose(array_ops.sequence_mask(lengths, maxlen=time), perm=[2, 0, 1])
    through = array_ops.where(within, through, own)
    along = lambda count, shape, many: array_ops.tile(array_ops.reshape(math_ops.range(count), shape), array_ops.stack(many))
    indices = array_ops.stack([along(time, [-1, 1, 1], [1, batch, beam]), along(batch, [1, -1, 1], [time, 1, beam]), through], -1)
    ordered = gather_nd(array_ops.reshape(t, array_ops.stack([time, batch, beam, -1])), indices)
    made = array_ops.reshape(ordered, array_ops.shape(t))
    made.set_shape(t.shape)
    return made


def attention_probs_of(cell_state: Any, coverage_penalty_weight: Any) -> Any:
    """What all mechanisms in a state attend to, on average: [batch, beam, steps of the memory]. None without a penalty for it or mechanisms."""
    if isinstance(coverage_penalty_weight, (int, float)) and coverage_penalty_weight == 0.0:
        return None
    found: list[Any] = []

    def look(part):
        if isinstance(part, AttentionWrapperState):
            found.extend(nest.flatten(part.alignments))
        elif isinstance(part, (list, tuple)):
            for p in part:
                look(p)

    look(cell_state)
    if not found:
        return None
    return found[0] if len(found) == 1 else math_ops.add_n(found) / float(len(found))


class BeamSearchDecoder(Decoder):
    """Keeps the `beam_width` best sequences of each of the batch. The cell's state and what it attends to must have been tiled by `tile_batch`.
    Scores are log probabilities over ((5 + length) / 6) ** length_penalty_weight, and with a coverage penalty less where the memory was not
    attended to (Wu et al. 2016). ValueError for `start_tokens` that are no vector and an `end_token` that is no scalar; TypeError for other kinds
    of cell and layer."""

    def __init__(self, cell: RNNCell, embedding: Any, start_tokens: TensorLike, end_token: TensorLike, initial_state: Nest, beam_width: int,
                 output_layer: Layer | None = None, length_penalty_weight: TensorLike = 0.0, coverage_penalty_weight: TensorLike = 0.0,
                 reorder_tensor_arrays: bool = True) -> None:
        if not (hasattr(cell, "state_size") and hasattr(cell, "output_size") and callable(cell)):
            raise TypeError(f"The argument 'cell' ({cell}) is not an RNNCell")
        if output_layer is not None and not callable(output_layer):
            raise TypeError(f"output_layer must be a Layer, received: {type(output_layer)}")
        self._cell, self._output_layer, self._embedding_fn = cell, output_layer, embedding_function(embedding)
        self._start_tokens = convert_to_tensor(start_tokens, dtypes.int32, name="start_tokens")
        self._end_token = convert_to_tensor(end_token, dtypes.int32, name="end_token")
        if self._start_tokens.shape.rank != 1:
            raise ValueError("start_tokens must be a vector")
        if self._end_token.shape.rank != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size = known_or_shape(self._start_tokens, 0)
        self._beam_width, self._reorder_tensor_arrays = beam_width, reorder_tensor_arrays
        self._length_penalty_weight, self._coverage_penalty_weight = length_penalty_weight, coverage_penalty_weight
        self._initial_cell_state = nest.map_structure(self._split, initial_state)
        tokens = array_ops.tile(array_ops.expand_dims(self._start_tokens, 1), [1, beam_width])
        self._start_inputs = self._embedding_fn(tokens)
        others = math_ops.not_equal(array_ops.expand_dims(math_ops.range(beam_width), 0), 0)
        self._finished = array_ops.tile(others, array_ops.stack([self._batch_size, 1]))

    @property
    def batch_size(self) -> Any:
        return self._batch_size

    @property
    def output_size(self) -> Any:
        beam = TensorShape([self._beam_width])
        return BeamSearchDecoderOutput(beam, beam, beam)

    @property
    def output_dtype(self) -> Any:
        return BeamSearchDecoderOutput(nest.flatten(self._initial_cell_state)[0].dtype, dtypes.int32, dtypes.int32)

    @property
    def tracks_own_finished(self) -> bool:
        return True

    def _rnn_output_size(self):
        size = self._cell.output_size
        return size if self._output_layer is None else output_shape_of(self._output_layer, size)

    # [batch * beam, ...] and [batch, beam, ...]. Scalars and arrays are as they are.

    def _split(self, t):
        if isinstance(t, TensorArray):
            return t
        t = convert_to_tensor(t)
        if t.shape.rank is None:
            raise ValueError(f"Expected tensor ({t}) to have known rank, but ndims == None.")
        if t.shape.rank == 0:
            return t
        made = array_ops.reshape(t, array_ops.concat([array_ops.stack([self._batch_size, self._beam_width]), array_ops.shape(t)[1:]], 0))
        made.set_shape([self._known_batch(), self._beam_width, *t.shape.as_list()[1:]])
        return made

    def _merge(self, t):
        if isinstance(t, TensorArray) or t.shape.rank == 0:
            return t
        made = array_ops.reshape(t, array_ops.concat([array_ops.reshape(self._batch_size * self._beam_width, [1]), array_ops.shape(t)[2:]], 0))
        known = self._known_batch()
        made.set_shape([None if known is None else known * self._beam_width, *t.shape.as_list()[2:]])
        return made

    def _known_batch(self):
        return self._batch_size if isinstance(self._batch_size, int) else None

    def initialize(self, name: str | None = None) -> tuple[Any, Any, Any]:
        dtype = nest.flatten(self._initial_cell_state)[0].dtype
        first = array_ops.one_hot(array_ops.zeros(array_ops.stack([self._batch_size]), dtypes.int32), self._beam_width, on_value=0.0,
                                  off_value=-np.inf, dtype=dtype)
        attended = attention_probs_of(self._initial_cell_state, self._coverage_penalty_weight)
        state = BeamSearchDecoderState(
            cell_state=self._initial_cell_state, log_probs=first, finished=self._finished,
            lengths=array_ops.zeros(array_ops.stack([self._batch_size, self._beam_width]), dtypes.int64),
            accumulated_attention_probs=() if attended is None else array_ops.zeros_like(attended))
        return self._finished, self._start_inputs, state

    def step(self, time: Tensor, inputs: Any, state: Any, name: str | None = None) -> tuple[Any, Any, Any, Any]:
        with ops.name_scope(name, "BeamSearchDecoderStep"):
            merged = nest.map_structure(self._merge, (inputs, state.cell_state))
            logits, cell_state = self._cell(*merged)
            logits = nest.map_structure(self._split, logits)
            if self._output_layer is not None:
                logits = self._output_layer(logits)
            output, next_state = self._choose(logits, nest.map_structure(self._split, cell_state), state)
            next_inputs = cond(math_ops.reduce_all(next_state.finished), lambda: self._start_inputs, lambda: self._embedding_fn(output.predicted_ids))
            next_inputs.set_shape(self._start_inputs.shape)
            return output, next_state, next_inputs, next_state.finished

    def _choose(self, logits, cell_state, state):
        """(output, next state): the best of all continuations of all beams."""
        finished, going = state.finished, math_ops.logical_not(state.finished)
        vocabulary = known_or_shape(logits, -1)
        totals = array_ops.expand_dims(state.log_probs, 2) + self._step_log_probs(logits, finished, vocabulary)
        ends = array_ops.one_hot(self._end_token, vocabulary, on_value=0, off_value=1, dtype=dtypes.int64)
        lengths = array_ops.expand_dims(state.lengths, 2) + ends * array_ops.expand_dims(math_ops.cast(going, dtypes.int64), 2)
        attended = attention_probs_of(cell_state, self._coverage_penalty_weight)
        if attended is not None:
            attended = state.accumulated_attention_probs + attended * array_ops.expand_dims(math_ops.cast(going, attended.dtype), 2)
        scores = self._scores(totals, lengths, attended, math_ops.reduce_all(finished, axis=1, keepdims=True))
        rows = array_ops.stack([self._batch_size, -1])
        best, places = nn.top_k(array_ops.reshape(scores, rows), k=self._beam_width)
        for t in (best, places):
            t.set_shape([self._known_batch(), self._beam_width])
        words = math_ops.floormod(places, vocabulary, name="next_beam_word_ids")
        parents = math_ops.floordiv(places, vocabulary, name="next_beam_parent_ids")
        following = self._following(array_ops.reshape(totals, rows), places, words, parents, state, attended, cell_state)
        return BeamSearchDecoderOutput(scores=best, predicted_ids=words, parent_ids=parents), following

    def _following(self, totals, places, words, parents, state, attended, cell_state):
        before = self._taken(state.finished, parents)
        lengths = self._taken(state.lengths, parents) + math_ops.cast(math_ops.logical_not(before), dtypes.int64)
        return BeamSearchDecoderState(
            cell_state=nest.map_structure(lambda t: self._taken(t, parents), cell_state), log_probs=self._taken(totals, places),
            finished=math_ops.logical_or(before, math_ops.equal(words, self._end_token)), lengths=lengths,
            accumulated_attention_probs=() if attended is None else self._taken(attended, parents))

    def _taken(self, t, places):
        """t[b, places[b, i], ...]: [batch, beam, ...]."""
        if isinstance(t, TensorArray) or t.shape.rank == 0:
            return t
        rows = array_ops.tile(array_ops.expand_dims(math_ops.range(self._batch_size), 1), [1, self._beam_width])
        made = gather_nd(t, array_ops.stack([rows, places], -1))
        made.set_shape([self._known_batch(), self._beam_width, *t.shape.as_list()[2:]])
        return made

    def _step_log_probs(self, logits, finished, vocabulary):
        """[batch, beam, vocabulary]. Beams that are finished go on with nothing but the end."""
        only_end = array_ops.one_hot(self._end_token, vocabulary, on_value=0.0, off_value=logits.dtype.min, dtype=logits.dtype)
        over = array_ops.expand_dims(math_ops.cast(finished, logits.dtype), 2)
        return over * only_end + (1.0 - over) * nn.log_softmax(logits)

    def _scores(self, totals, lengths, attended, all_finished):
        scores = totals
        if not (isinstance(self._length_penalty_weight, (int, float)) and self._length_penalty_weight == 0.0):
            weight = convert_to_tensor(self._length_penalty_weight, dtypes.float32, name="length_penalty_weight")
            if weight.shape.rank != 0:
                raise ValueError(f"penalty_factor should be a scalar, but saw shape: {weight.shape}")
            penalty = math_ops.pow((5.0 + math_ops.cast(lengths, dtypes.float32)) / 6.0, weight)
            scores = scores / math_ops.cast(penalty, scores.dtype)
        if attended is None:
            return scores
        weight = convert_to_tensor(self._coverage_penalty_weight, scores.dtype, name="coverage_penalty_weight")
        if weight.shape.rank != 0:
            raise ValueError(f"coverage_penalty_weight should be a scalar, but saw shape: {weight.shape}")
        penalty = math_ops.reduce_sum(math_ops.log(math_ops.minimum(attended, 1.0)), 2) * (1.0 - math_ops.cast(all_finished, scores.dtype))
        return scores + array_ops.expand_dims(penalty * weight, 2)

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Tensor) -> tuple[Any, Any]:
        longest = math_ops.cast(math_ops.reduce_max(final_state.lengths, axis=1), dtypes.int32)
        ids = gather_tree(outputs.predicted_ids, outputs.parent_ids, longest, self._end_token)
        if self._reorder_tensor_arrays:
            in_order = lambda t: self._ordered(t, outputs.parent_ids, final_state.lengths) if isinstance(t, TensorArray) else t
            final_state = final_state._replace(cell_state=nest.map_structure(in_order, final_state.cell_state))
        return FinalBeamSearchDecoderOutput(beam_search_decoder_output=outputs, predicted_ids=ids), final_state

    def _ordered(self, array, parent_ids, lengths):
        """What an array says of the beams at the end, [time, batch * beam, ...]; arrays of other things are left."""
        shape, known = array.element_shape, self._known_batch()
        if shape.rank is None or shape.rank == 0 or known is not None and shape.as_list()[0] not in (None, known * self._beam_width):
            return array
        made = array.stack()
        same = check_ops.assert_equal(array_ops.shape(made)[1], self._batch_size * self._beam_width,
                                      message="TensorArray reordering expects elements to be reshapable to [batch_size, beam_size, -1] which is "
                                      "incompatible with the elements' first dimension. Consider setting reorder_tensor_arrays to False")
        with ops.control_dependencies([same]):
            return gather_tree_from_array(array_ops.identity(made), parent_ids, lengths)
