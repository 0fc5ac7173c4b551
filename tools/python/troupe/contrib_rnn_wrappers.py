"""Cells around cells that tf.contrib.rnn had beyond tf.nn.rnn_cell: projections, embeddings, carried inputs, attention to states before."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from troupe import array_ops, initializers, math_ops, nest, nn, ops
from troupe.layer import named_function
from troupe.rnn_base import RNNCell
from troupe.rnn_wrappers import _Wrapper
from troupe.variable_scope import get_variable, get_variable_scope, variable_scope

if TYPE_CHECKING:
    from collections.abc import Callable

    from troupe.tensor import Tensor
    from troupe.typing import Activation, DTypeLike, Initializer, Nest


class Linear:
    """Tensors [batch, depth] beside each other, times a variable kernel, plus a variable bias, which stand in the scope where it is made.
    ValueError for other ranks and depths that are not known."""

    def __init__(self, args: Nest, output_size: int, build_bias: bool, bias_initializer: Initializer = None,
                 kernel_initializer: Initializer = None) -> None:
        parts = args if nest.is_nested(args) else [args]
        if args is None or not parts:
            raise ValueError("`args` must be specified")
        shapes = [p.shape for p in parts]
        if any(s.rank != 2 for s in shapes):
            raise ValueError(f"linear is expecting 2D arguments: {shapes}")
        depths = [s.as_list()[1] for s in shapes]
        if None in depths:
            raise ValueError(f"linear expects shape[1] to be provided for shape {shapes[depths.index(None)]}, but saw None")
        dtype = parts[0].dtype.base_dtype
        self._weights = get_variable("kernel", [sum(depths), output_size], dtype, kernel_initializer)
        self._biases = None
        if build_bias:
            with variable_scope(get_variable_scope()) as inner:
                inner.set_partitioner(None)
                self._biases = get_variable("bias", [output_size], dtype, initializers.Zeros() if bias_initializer is None else bias_initializer)

    def __call__(self, args: Nest) -> Tensor:
        parts = list(args) if nest.is_nested(args) else [args]
        product = math_ops.matmul(parts[0] if len(parts) == 1 else array_ops.concat(parts, 1), self._weights)
        return product if self._biases is None else nn.bias_add(product, self._biases)


def linear(args: Nest, output_size: int, bias: bool, bias_initializer: Initializer = None, kernel_initializer: Initializer = None) -> Tensor:
    """The same as a function: its variables are those of the scope."""
    return Linear(args, output_size, bias, bias_initializer, kernel_initializer)(args)


class _Around(RNNCell):
    """A cell around another, in a scope of its own."""

    def __init__(self, cell: RNNCell, reuse: bool | None = None) -> None:
        super().__init__(_reuse=reuse)
        if not (hasattr(cell, "state_size") and hasattr(cell, "output_size") and callable(cell)):
            raise TypeError(f"The argument 'cell' ({cell}) is not an RNNCell")
        self._cell, self._linear = cell, None

    state_size = property(lambda self: self._cell.state_size)
    output_size = property(lambda self: self._cell.output_size)

    def zero_state(self, batch_size: int | Tensor, dtype: DTypeLike) -> Nest:
        with ops.name_scope(None, type(self).__name__ + "ZeroState"):
            return self._cell.zero_state(batch_size, dtype)

    def _projected(self, values, size, activation):
        if self._linear is None:
            self._linear = Linear(values, size, True)
        made = self._linear(values)
        return made if activation is None else activation(made)


class EmbeddingWrapper(_Around):
    """Gives the cell rows of a variable "embedding" for inputs [batch, 1] or [batch] of numbers. ValueError where it would have no rows or
    columns."""

    def __init__(self, cell: RNNCell, embedding_classes: int, embedding_size: int, initializer: Initializer = None, reuse: bool | None = None) -> None:
        super().__init__(cell, reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(f"Both embedding_classes and embedding_size must be > 0: {embedding_classes}, {embedding_size}.")
        self._shape, self._initializer, self._embedding = [embedding_classes, embedding_size], initializer, None

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        with ops.device("/cpu:0"):
            if self._embedding is None:
                first = self._initializer or get_variable_scope().initializer or initializers.RandomUniform(-math.sqrt(3), math.sqrt(3))
                self._embedding = get_variable("embedding", self._shape, nest.flatten(state)[0].dtype, first)
            embedded = nn.embedding_lookup(self._embedding, array_ops.reshape(inputs, [-1]))
        return self._cell(embedded, state)


class InputProjectionWrapper(_Around):
    """A linear layer, kernel and bias, in front of the cell."""

    def __init__(self, cell: RNNCell, num_proj: int, activation: Activation | str | None = None, input_size: int | None = None,
                 reuse: bool | None = None) -> None:
        super().__init__(cell, reuse)
        self._num_proj, self._activation = num_proj, named_function(activation)

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        return self._cell(self._projected(inputs, self._num_proj, self._activation), state)


class OutputProjectionWrapper(_Around):
    """A linear layer, kernel and bias, behind the cell. ValueError for a size below 1."""

    def __init__(self, cell: RNNCell, output_size: int, activation: Activation | str | None = None, reuse: bool | None = None) -> None:
        super().__init__(cell, reuse)
        if output_size < 1:
            raise ValueError(f"Parameter output_size must be > 0: {output_size}.")
        self._output_size, self._activation = output_size, named_function(activation)

    output_size = property(lambda self: self._output_size)

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        output, following = self._cell(inputs, state)
        return self._projected(output, self._output_size, self._activation), following


class HighwayWrapper(_Wrapper):
    """Carries inputs past the cell as far as a gate says: variables carry_w and carry_b, and transform_w and transform_b unless both gates are
    one. `carry_bias_init` is the first value of the bias."""

    def __init__(self, cell: RNNCell, couple_carry_transform_gates: bool = True, carry_bias_init: float = 1.0) -> None:
        super().__init__(cell)
        self._couple, self._carry_bias_init = couple_carry_transform_gates, carry_bias_init

    def _gate(self, name, inputs, bias):
        depth = inputs.shape.with_rank(2).as_list()[1]
        weight = get_variable(f"{name}_w", [depth, depth])
        bias = get_variable(f"{name}_b", [depth], initializer=initializers.Constant(bias))
        return math_ops.sigmoid(nn.xw_plus_b(inputs, weight, bias))

    def _highway(self, inputs, outputs):
        inputs.shape.assert_is_compatible_with(outputs.shape)
        carry = self._gate("carry", inputs, self._carry_bias_init)
        transform = 1 - carry if self._couple else self._gate("transform", inputs, -self._carry_bias_init)
        return inputs * carry + outputs * transform

    def _wrapped(self, inputs, state, call):
        outputs, state = call(inputs, state)
        nest.assert_same_structure(inputs, outputs)
        return nest.map_structure(self._highway, inputs, outputs), state


class AttentionCellWrapper(_Around):
    """Attends to the last `attn_length` of its outputs (Bahdanau et al. 2015). The state is (the cell's, attention, outputs before). ValueError
    for a length below 1, and for states that are tuples on one side only."""

    def __init__(self, cell: RNNCell, attn_length: int, attn_size: int | None = None, attn_vec_size: int | None = None,
                 input_size: int | None = None, state_is_tuple: bool = True, reuse: bool | None = None) -> None:
        super().__init__(cell, reuse)
        if nest.is_nested(cell.state_size) and not state_is_tuple:
            raise ValueError(f"Cell returns tuple of states, but the flag state_is_tuple is not set. State size is: {cell.state_size}")
        if attn_length <= 0:
            raise ValueError(f"attn_length should be greater than zero, got {attn_length}")
        self._length, self._size = attn_length, cell.output_size if attn_size is None else attn_size
        self._vec_size = self._size if attn_vec_size is None else attn_vec_size
        self._input_size, self._state_is_tuple = input_size, state_is_tuple
        self._linears: dict[str, Linear] = {}

    output_size = property(lambda self: self._size)

    @property
    def state_size(self) -> Any:
        sizes = (self._cell.state_size, self._size, self._size * self._length)
        return sizes if self._state_is_tuple else sum(sizes)

    def zero_state(self, batch_size: int | Tensor, dtype: DTypeLike) -> Any:
        return RNNCell.zero_state(self, batch_size, dtype)

    def _linear_of(self, what, values, size):
        if what not in self._linears:
            self._linears[what] = Linear(values, size, True)
        return self._linears[what](values)

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        if self._state_is_tuple:
            state, attention, before = state
        else:
            own = self._cell.state_size
            state, attention, before = state[:, :own], state[:, own:own + self._size], state[:, own + self._size:]
        before = array_ops.reshape(before, [-1, self._length, self._size])
        inputs = self._linear_of("inputs", [inputs, attention], self._input_size or inputs.shape.as_list()[1])
        cell_output, following = self._cell(inputs, state)
        query = array_ops.concat(nest.flatten(following), 1) if self._state_is_tuple else following
        attention, rest = self._attend(query, before)
        with variable_scope("attn_output_projection"):
            output = self._linear_of("outputs", [cell_output, attention], self._size)
        now = array_ops.reshape(array_ops.concat([rest, array_ops.expand_dims(output, 1)], 1), [-1, self._length * self._size])
        made = (following, attention, now)
        return output, made if self._state_is_tuple else array_ops.concat(list(made), 1)

    def _attend(self, query, before):
        """(attention [batch, size], the outputs before but the oldest)."""
        with variable_scope("attention"):
            k = get_variable("attn_w", [1, 1, self._size, self._vec_size])
            v = get_variable("attn_v", [self._vec_size])
            hidden = array_ops.reshape(before, [-1, self._length, 1, self._size])
            features = nn.conv2d(hidden, k, [1, 1, 1, 1], "SAME")
            y = array_ops.reshape(self._linear_of("query", query, self._vec_size), [-1, 1, 1, self._vec_size])
            a = nn.softmax(math_ops.reduce_sum(v * math_ops.tanh(features + y), [2, 3]))
            d = math_ops.reduce_sum(array_ops.reshape(a, [-1, self._length, 1, 1]) * hidden, [1, 2])
            return array_ops.reshape(d, [-1, self._size]), before[:, 1:, :]


class CompiledWrapper(_Wrapper):
    """The cell as it is: nothing is compiled here."""

    def __init__(self, cell: RNNCell, compile_stateful: bool = False) -> None:
        super().__init__(cell)

    def _wrapped(self, inputs: Any, state: Any, call: Callable[..., Any]) -> Any:
        return call(inputs, state)
