"""tf.contrib.legacy_seq2seq: sequences to sequences, as lists of steps that are built one after the other."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, math_ops, nest, nn, ops, rnn
from troupe.contrib_rnn_wrappers import EmbeddingWrapper, OutputProjectionWrapper
from troupe.control_flow_ops import cond
from troupe.conversion import convert_to_tensor
from troupe.legacy_attention import attention_decoder
from troupe.variable_scope import get_variable, get_variable_scope, variable_scope

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from troupe.rnn_base import RNNCell
    from troupe.tensor import Tensor
    from troupe.typing import DTypeLike, Nest, TensorLike
    from troupe.variable_scope import VariableScope


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
    with variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = rnn.static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(encoder_inputs: Sequence[TensorLike], decoder_inputs: Sequence[TensorLike], cell: RNNCell,
                     loop_function: Callable[[Tensor, int], TensorLike] | None = None, dtype: DTypeLike = dtypes.float32,
                     scope: str | VariableScope | None = None) -> tuple[list[Tensor], Any]:
    """(outputs, last state): one cell reads the first list and goes on over the second."""
    with variable_scope("combined_tied_rnn_seq2seq"):
        scope = scope or "tied_rnn_seq2seq"
        _, state = rnn.static_rnn(cell, encoder_inputs, dtype=dtype, scope=scope)
        get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function=loop_function, scope=scope)


# Of numbers of words.


def _embedding_of_largest(embedding, output_projection=None, update_embedding=True):
    """A loop function: the embedding of the largest output."""
    def loop_function(previous, _):
        if output_projection is not None:
            previous = nn.xw_plus_b(previous, output_projection[0], output_projection[1])
        made = nn.embedding_lookup(embedding, math_ops.argmax(previous, 1))
        return made if update_embedding else array_ops.stop_gradient(made)

    return loop_function


def _check_projection(output_projection, num_symbols, dtype=None):
    """ValueError for an output projection of other shapes."""
    if output_projection is None:
        return
    weights, biases = (convert_to_tensor(p, dtype) for p in output_projection)
    weights.shape.assert_is_compatible_with([None, num_symbols])
    biases.shape.assert_is_compatible_with([num_symbols])


def embedding_rnn_decoder(decoder_inputs: Sequence[TensorLike], initial_state: Nest, cell: RNNCell, num_symbols: int, embedding_size: int,
                          output_projection: tuple[TensorLike, TensorLike] | None = None, feed_previous: bool = False,
                          update_embedding_for_previous: bool = True, scope: str | VariableScope | None = None) -> tuple[list[Tensor], Any]:
    """(outputs, last state) of a cell over the embeddings of numbers [batch]; with `feed_previous` over those of its largest outputs, through the
    projection where there is one, but for the first. ValueError for a projection of other shapes."""
    with variable_scope(scope or "embedding_rnn_decoder") as scope:
        _check_projection(output_projection, num_symbols, scope.dtype)
        embedding = get_variable("embedding", [num_symbols, embedding_size])
        loop_function = _embedding_of_largest(embedding, output_projection, update_embedding_for_previous) if feed_previous else None
        inputs = [nn.embedding_lookup(embedding, i) for i in decoder_inputs]
        return rnn_decoder(inputs, initial_state, cell, loop_function=loop_function)


def _whether_fed(feed_previous, decode, like):
    """What `decode(feed_previous)` gives; of a tensor, either."""
    if isinstance(feed_previous, bool):
        return decode(feed_previous, True)

    def branch(fed):
        with variable_scope(get_variable_scope(), reuse=None if fed else True):
            outputs, state = decode(fed, False)
            return outputs + nest.flatten(state)

    made = cond(feed_previous, lambda: branch(True), lambda: branch(False), strict=True)
    number = len(made) - len(nest.flatten(like))
    return made[:number], nest.pack_sequence_as(like, made[number:])


def _scope_dtype(scope, dtype):
    """The dtype of a scope, which is this where it is given."""
    if dtype is not None:
        scope.set_dtype(dtype)
    return scope.dtype


def embedding_rnn_seq2seq(encoder_inputs: Sequence[TensorLike], decoder_inputs: Sequence[TensorLike], cell: RNNCell, num_encoder_symbols: int,
                          num_decoder_symbols: int, embedding_size: int, output_projection: tuple[TensorLike, TensorLike] | None = None,
                          feed_previous: bool | Tensor = False, dtype: DTypeLike | None = None,
                          scope: str | VariableScope | None = None) -> tuple[list[Tensor], Any]:
    """(outputs, last state): basic_rnn_seq2seq over embeddings of numbers. Outputs are logits [batch, num_decoder_symbols], or without
    `output_projection` given what the cell gives."""
    with variable_scope(scope or "embedding_rnn_seq2seq") as scope:
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        _, encoded = rnn.static_rnn(encoder, encoder_inputs, dtype=_scope_dtype(scope, dtype))
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
        return _whether_fed(feed_previous, lambda fed, update: embedding_rnn_decoder(
            decoder_inputs, encoded, cell, num_decoder_symbols, embedding_size, output_projection, fed, update), encoded)


def embedding_tied_rnn_seq2seq(encoder_inputs: Sequence[TensorLike], decoder_inputs: Sequence[TensorLike], cell: RNNCell, num_symbols: int,
                               embedding_size: int, num_decoder_symbols: int | None = None,
                               output_projection: tuple[TensorLike, TensorLike] | None = None, feed_previous: bool | Tensor = False,
                               dtype: DTypeLike | None = None, scope: str | VariableScope | None = None) -> tuple[list[Tensor], Any]:
    """(outputs, last state): one cell and one embedding for both lists."""
    with variable_scope(scope or "embedding_tied_rnn_seq2seq", dtype=dtype) as scope:
        dtype = scope.dtype
        _check_projection(output_projection, num_symbols if num_decoder_symbols is None else num_decoder_symbols, dtype)
        embedding = get_variable("embedding", [num_symbols, embedding_size], dtype=dtype)
        encoder, decoder = ([nn.embedding_lookup(embedding, x) for x in inputs] for inputs in (encoder_inputs, decoder_inputs))
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_symbols if num_decoder_symbols is None else num_decoder_symbols)

        def decode(fed, update):
            loop_function = _embedding_of_largest(embedding, output_projection, update) if fed else None
            return tied_rnn_seq2seq(encoder, decoder, cell, loop_function=loop_function, dtype=dtype)

        return _whether_fed(feed_previous, decode, cell.state_size)


def embedding_attention_decoder(decoder_inputs: Sequence[TensorLike], initial_state: Nest, attention_states: Tensor, cell: RNNCell,
                                num_symbols: int, embedding_size: int, num_heads: int = 1, output_size: int | None = None,
                                output_projection: tuple[TensorLike, TensorLike] | None = None, feed_previous: bool = False,
                                update_embedding_for_previous: bool = True, dtype: DTypeLike | None = None,
                                scope: str | VariableScope | None = None, initial_state_attention: bool = False) -> tuple[list[Tensor], Any]:
    """(outputs, last state): an attention_decoder over embeddings of numbers; see embedding_rnn_decoder."""
    output_size = cell.output_size if output_size is None else output_size
    if output_projection is not None:
        convert_to_tensor(output_projection[1]).shape.assert_is_compatible_with([num_symbols])
    with variable_scope(scope or "embedding_attention_decoder", dtype=dtype):
        embedding = get_variable("embedding", [num_symbols, embedding_size])
        loop_function = _embedding_of_largest(embedding, output_projection, update_embedding_for_previous) if feed_previous else None
        inputs = [nn.embedding_lookup(embedding, i) for i in decoder_inputs]
        return attention_decoder(inputs, initial_state, attention_states, cell, output_size=output_size, num_heads=num_heads,
                                 loop_function=loop_function, initial_state_attention=initial_state_attention)


def embedding_attention_seq2seq(encoder_inputs: Sequence[TensorLike], decoder_inputs: Sequence[TensorLike], cell: RNNCell,
                                num_encoder_symbols: int, num_decoder_symbols: int, embedding_size: int, num_heads: int = 1,
                                output_projection: tuple[TensorLike, TensorLike] | None = None, feed_previous: bool | Tensor = False,
                                dtype: DTypeLike | None = None, scope: str | VariableScope | None = None,
                                initial_state_attention: bool = False) -> tuple[list[Tensor], Any]:
    """(outputs, last state): embedding_rnn_seq2seq whose decoder attends to all outputs of the encoder."""
    with variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as scope:
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        outputs, encoded = rnn.static_rnn(encoder, encoder_inputs, dtype=scope.dtype)
        memory = array_ops.concat([array_ops.reshape(o, [-1, 1, cell.output_size]) for o in outputs], 1)
        output_size = None
        if output_projection is None:
            cell, output_size = OutputProjectionWrapper(cell, num_decoder_symbols), num_decoder_symbols
        return _whether_fed(feed_previous, lambda fed, update: embedding_attention_decoder(
            decoder_inputs, encoded, memory, cell, num_decoder_symbols, embedding_size, num_heads, output_size, output_projection, fed, update,
            initial_state_attention=initial_state_attention), encoded)


def one2many_rnn_seq2seq(encoder_inputs: Sequence[TensorLike], decoder_inputs_dict: Mapping[str, Sequence[TensorLike]], enc_cell: RNNCell,
                         dec_cells_dict: Mapping[str, RNNCell], num_encoder_symbols: int, num_decoder_symbols_dict: Mapping[str, int],
                         embedding_size: int, feed_previous: bool | Tensor = False, dtype: DTypeLike | None = None,
                         scope: str | VariableScope | None = None) -> tuple[dict[str, list[Tensor]], dict[str, Any]]:
    """({name: outputs}, {name: last state}) of several decoders of one encoder."""
    outputs, states = {}, {}
    with variable_scope(scope or "one2many_rnn_seq2seq", dtype=dtype) as scope:
        encoder = EmbeddingWrapper(enc_cell, num_encoder_symbols, embedding_size)
        _, encoded = rnn.static_rnn(encoder, encoder_inputs, dtype=scope.dtype)
        for name, inputs in decoder_inputs_dict.items():
            symbols = num_decoder_symbols_dict[name]
            with variable_scope("one2many_decoder_" + str(name)):
                cell = OutputProjectionWrapper(dec_cells_dict[name], symbols)
                outputs[name], states[name] = _whether_fed(
                    feed_previous, lambda fed, update, inputs=inputs, cell=cell, symbols=symbols: embedding_rnn_decoder(
                        inputs, encoded, cell, symbols, embedding_size, feed_previous=fed, update_embedding_for_previous=update), encoded)
    return outputs, states


# Losses.


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


def model_with_buckets(encoder_inputs: Sequence[TensorLike], decoder_inputs: Sequence[TensorLike], targets: Sequence[TensorLike],
                       weights: Sequence[TensorLike], buckets: Sequence[tuple[int, int]], seq2seq: Callable[..., Any],
                       softmax_loss_function: Callable[..., Tensor] | None = None, per_example_loss: bool = False,
                       name: str | None = None) -> tuple[list[Any], list[Tensor]]:
    """(outputs, losses) for each bucket (length of the encoder, of the decoder), of `seq2seq(encoder inputs, decoder inputs)`, all with the same
    variables. ValueError for lists that are shorter than the last bucket."""
    longest = buckets[-1]
    for what, given, length in (("encoder_inputs", encoder_inputs, longest[0]), ("targets", targets, longest[1]), ("weights", weights, longest[1])):
        if len(given) < length:
            raise ValueError(f"Length of {what} ({len(given)}) must be at least that of last bucket ({length}).")
    outputs, losses = [], []
    loss_of = sequence_loss_by_example if per_example_loss else sequence_loss
    with ops.name_scope(name, "model_with_buckets"):
        for j, (inner, outer) in enumerate(buckets):
            with variable_scope(get_variable_scope(), reuse=True if j > 0 else None):
                made, _ = seq2seq(encoder_inputs[:inner], decoder_inputs[:outer])
                outputs.append(made)
                losses.append(loss_of(made, targets[:outer], weights[:outer], softmax_loss_function=softmax_loss_function))
    return outputs, losses
