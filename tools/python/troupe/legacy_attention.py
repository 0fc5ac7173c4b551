"""The decoder of tf.contrib.legacy_seq2seq that attends (Vinyals et al. 2014)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, math_ops, nest, nn
from troupe.contrib_rnn_wrappers import Linear
from troupe.variable_scope import get_variable, get_variable_scope, variable_scope

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from troupe.rnn_base import RNNCell
    from troupe.tensor import Tensor
    from troupe.typing import DTypeLike, Nest, TensorLike
    from troupe.variable_scope import VariableScope


class _Attention:
    """Heads over a memory [batch, steps, size]: variables AttnW_i and AttnV_i, and in scopes Attention_i what the query goes through."""

    def __init__(self, memory, num_heads, dtype):
        self._dtype = dtype
        self._length = memory.shape.as_list()[1]
        if self._length is None:
            self._length = array_ops.shape(memory)[1]
        self._size = memory.shape.as_list()[2]
        self._hidden = array_ops.reshape(memory, array_ops.stack([-1, self._length, 1, self._size]))
        self._heads = []
        for a in range(num_heads):
            k = get_variable(f"AttnW_{a}", [1, 1, self._size, self._size], dtype=dtype)
            features = nn.conv2d(self._hidden, k, [1, 1, 1, 1], "SAME")
            self._heads.append((features, get_variable(f"AttnV_{a}", [self._size], dtype=dtype)))

    def zeros(self, batch_size):
        made = [array_ops.zeros(array_ops.stack([batch_size, self._size]), dtype=self._dtype) for _ in self._heads]
        for m in made:
            m.set_shape([None, self._size])
        return made

    def __call__(self, query):
        """What each head attends to, [batch, size]."""
        if nest.is_nested(query):
            query = array_ops.concat([q for q in nest.flatten(query) if q.shape.with_rank(2)], 1)
        made = []
        for a, (features, v) in enumerate(self._heads):
            with variable_scope(f"Attention_{a}"):
                y = math_ops.cast(Linear(query, self._size, True)(query), self._dtype)
                scores = math_ops.reduce_sum(v * math_ops.tanh(features + array_ops.reshape(y, [-1, 1, 1, self._size])), [2, 3])
                weights = math_ops.cast(nn.softmax(math_ops.cast(scores, dtypes.float32)), self._dtype)
                weighted = array_ops.reshape(weights, array_ops.stack([-1, self._length, 1, 1])) * self._hidden
                made.append(array_ops.reshape(math_ops.reduce_sum(weighted, [1, 2]), [-1, self._size]))
        return made


def attention_decoder(decoder_inputs: Sequence[TensorLike], initial_state: Nest, attention_states: Tensor, cell: RNNCell,
                      output_size: int | None = None, num_heads: int = 1, loop_function: Callable[[Tensor, int], TensorLike] | None = None,
                      dtype: DTypeLike | None = None, scope: str | VariableScope | None = None,
                      initial_state_attention: bool = False) -> tuple[list[Tensor], Any]:
    """(outputs [batch, output_size], last state) of a cell over a list of inputs, with what it attends to in `attention_states`
    [batch, steps, size] beside each. ValueError without inputs, below one head, and for a size that is not known."""
    if not decoder_inputs:
        raise ValueError("Must provide at least 1 input to attention decoder.")
    if num_heads < 1:
        raise ValueError("With less than 1 heads, use a non-attention decoder.")
    if attention_states.shape.as_list()[2] is None:
        raise ValueError(f"Shape[2] of attention_states must be known: {attention_states.shape}")
    output_size = cell.output_size if output_size is None else output_size
    with variable_scope(scope or "attention_decoder", dtype=dtype) as scope:
        dtype = scope.dtype
        attend = _Attention(attention_states, num_heads, dtype)
        attended = attend.zeros(array_ops.shape(decoder_inputs[0])[0])
        if initial_state_attention:
            attended = attend(initial_state)
        state, outputs, previous = initial_state, [], None
        for i, inputs in enumerate(decoder_inputs):
            if i > 0:
                get_variable_scope().reuse_variables()
            if loop_function is not None and previous is not None:
                with variable_scope("loop_function", reuse=True):
                    inputs = loop_function(previous, i)
            depth = inputs.shape.with_rank(2).as_list()[1]
            if depth is None:
                raise ValueError(f"Could not infer input size from input: {inputs.name}")
            beside = [math_ops.cast(e, dtype) for e in [inputs, *attended]]
            cell_output, state = cell(Linear(beside, depth, True)(beside), state)
            if i == 0 and initial_state_attention:
                with variable_scope(get_variable_scope(), reuse=True):
                    attended = attend(state)
            else:
                attended = attend(state)
            with variable_scope("AttnOutputProjection"):
                beside = [math_ops.cast(cell_output, dtype), *attended]
                output = Linear(beside, output_size, True)(beside)
            if loop_function is not None:
                previous = output
            outputs.append(output)
    return outputs, state
