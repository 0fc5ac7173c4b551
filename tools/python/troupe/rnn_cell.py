"""tf.nn.rnn_cell of TensorFlow 1.15: what recurrent networks do at one point of time."""

from __future__ import annotations

import hashlib
from collections import namedtuple

from troupe import array_ops, dtypes, initializers, math_ops, nest, op_call, stacks, tensor_util
from troupe.constant_op import constant
from troupe.conversion import convert_to_tensor
from troupe.layer import Layer, named_function, named_initializer
from troupe.tensor import Tensor
from troupe.tensor_algebra import clip_by_value
from troupe.tensor_shape import TensorShape, as_shape
from troupe.variable_scope import get_variable_scope, variable_scope


class LSTMStateTuple(namedtuple("LSTMStateTuple", ("c", "h"))):
    """The state of an LSTM cell: c, and the output h."""

    __slots__ = ()

    @property
    def dtype(self):
        """Of both. TypeError when they differ."""
        if self.c.dtype != self.h.dtype:
            raise TypeError(f"Inconsistent internal state: {self.c.dtype} vs {self.h.dtype}")
        return self.c.dtype


def static_dims(size) -> list:
    """A size of a state or output, a number or a shape, as dimensions."""
    return as_shape([size] if isinstance(size, int) else size).as_list()


def zeros_of(sizes, batch_size, dtype):
    """Zeros [batch, size] for each size of a nest."""
    batch = tensor_util.constant_value(batch_size) if isinstance(batch_size, Tensor) else batch_size

    def zeros(size):
        dims = constant(static_dims(size), dtypes.int32)
        front = array_ops.expand_dims(batch_size, 0) if isinstance(batch_size, Tensor) else constant([int(batch_size)], dtypes.int32)
        made = array_ops.zeros(array_ops.concat([front, dims], 0), dtype)
        made.set_shape([None if batch is None else int(batch), *static_dims(size)])
        return made

    return _map_sizes(zeros, sizes)


def _map_sizes(function, sizes):
    """Over a nest whose leaves are sizes; a TensorShape is one leaf."""
    return nest.pack_sequence_as(sizes, [function(s) for s in nest.flatten(sizes)])


class RNNCell(Layer):
    """`output, new_state = cell(inputs, state)`: inputs [batch, depth], output [batch, output_size], states [batch, ...] in the nest of
    `state_size`. Its variables are in the scope where it is called first."""

    def __call__(self, inputs, state, scope=None):
        if scope is not None:
            with variable_scope(scope) as scope:
                return super().__call__(inputs, state, scope=scope)
        with variable_scope(get_variable_scope()):
            return super().__call__(inputs, state)

    @property
    def state_size(self):
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self):
        raise NotImplementedError("Abstract method")

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        """Zeros for the batch of `inputs`, or of this size and type. ValueError for neither."""
        if inputs is not None:
            inputs = convert_to_tensor(inputs, name="inputs")
            known = inputs.shape.as_list()[0]
            batch_size, dtype = known if known is not None else array_ops.shape(inputs)[0], inputs.dtype
        if batch_size is None or dtype is None:
            raise ValueError(f"batch_size and dtype cannot be None while constructing initial state: batch_size={batch_size}, dtype={dtype}")
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size, dtype):
        """Zeros [batch_size, ...] in the nest of state_size."""
        with stacks.get_default_graph().name_scope(type(self).__name__ + "ZeroState"):
            return zeros_of(self.state_size, batch_size, dtype)


class LayerRNNCell(RNNCell):
    """A cell whose variables are in a scope of its own, as a layer's."""

    exact_ndim = 2

    def __call__(self, inputs, state, scope=None, *args, **kwargs):
        return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)

    def _depth(self, input_shape: TensorShape) -> int:
        depth = input_shape.as_list()[-1]
        if depth is None:
            raise ValueError(f"Expected inputs.shape[-1] to be known, saw shape: {input_shape}")
        return depth


def _linear(values: list, kernel, bias):
    product = math_ops.matmul(array_ops.concat(values, 1), kernel)
    return op_call.call("BiasAdd", None, value=product, bias=bias)


class BasicRNNCell(LayerRNNCell):
    """output = new_state = activation([inputs, state] @ kernel + bias)."""

    def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        self._num_units = num_units
        self._activation = named_function(activation) or math_ops.tanh

    state_size = output_size = property(lambda self: self._num_units)

    def build(self, input_shape):
        self._kernel = self.add_weight("kernel", [self._depth(input_shape) + self._num_units, self._num_units])
        self._bias = self.add_weight("bias", [self._num_units], initializer=initializers.Zeros())
        self.built = True

    def call(self, inputs, state):
        output = self._activation(_linear([inputs, state], self._kernel, self._bias))
        return output, output


class GRUCell(LayerRNNCell):
    """Cho's gated recurrent unit. Variables gates/kernel, gates/bias, candidate/kernel, candidate/bias."""

    def __init__(self, num_units, activation=None, reuse=None, kernel_initializer=None, bias_initializer=None, name=None, dtype=None, **kwargs):
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        self._num_units = num_units
        self._activation = named_function(activation) or math_ops.tanh
        self._kernel_initializer, self._bias_initializer = named_initializer(kernel_initializer), named_initializer(bias_initializer)

    state_size = output_size = property(lambda self: self._num_units)

    def build(self, input_shape):
        units, rows = self._num_units, self._depth(input_shape) + self._num_units
        bias, kernel = self._bias_initializer, self._kernel_initializer
        self._gate_kernel = self.add_weight("gates/kernel", [rows, 2 * units], initializer=kernel)
        self._gate_bias = self.add_weight("gates/bias", [2 * units], initializer=bias or initializers.Constant(1.0))
        self._candidate_kernel = self.add_weight("candidate/kernel", [rows, units], initializer=kernel)
        self._candidate_bias = self.add_weight("candidate/bias", [units], initializer=bias or initializers.Zeros())
        self.built = True

    def call(self, inputs, state):
        gates = math_ops.sigmoid(_linear([inputs, state], self._gate_kernel, self._gate_bias))
        r, u = array_ops.split(gates, 2, axis=1)
        candidate = self._activation(_linear([inputs, r * state], self._candidate_kernel, self._candidate_bias))
        state = u * state + (1 - u) * candidate
        return state, state


class _LSTM(LayerRNNCell):
    """What LSTM cells share: the state, and the four gates of it."""

    def _parts(self, state, h_size):
        if self._state_is_tuple:
            return state
        return state[:, :self._num_units], state[:, self._num_units:self._num_units + h_size]

    def _state_of(self, c, h):
        return LSTMStateTuple(c, h) if self._state_is_tuple else array_ops.concat([c, h], 1)


class BasicLSTMCell(_LSTM):
    """The plain LSTM of Zaremba, Sutskever and Vinyals. The gates are i, j, f, o in the columns of kernel and bias."""

    def __init__(self, num_units, forget_bias=1.0, state_is_tuple=True, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        self._num_units, self._forget_bias, self._state_is_tuple = num_units, forget_bias, state_is_tuple
        self._activation = named_function(activation) or math_ops.tanh

    output_size = property(lambda self: self._num_units)

    @property
    def state_size(self):
        return LSTMStateTuple(self._num_units, self._num_units) if self._state_is_tuple else 2 * self._num_units

    def build(self, input_shape):
        self._kernel = self.add_weight("kernel", [self._depth(input_shape) + self._num_units, 4 * self._num_units])
        self._bias = self.add_weight("bias", [4 * self._num_units], initializer=initializers.Zeros())
        self.built = True

    def call(self, inputs, state):
        c, h = self._parts(state, self._num_units)
        i, j, f, o = array_ops.split(_linear([inputs, h], self._kernel, self._bias), 4, axis=1)
        sigmoid, act = math_ops.sigmoid, self._activation
        new_c = c * sigmoid(f + self._forget_bias) + sigmoid(i) * act(j)
        new_h = act(new_c) * sigmoid(o)
        return new_h, self._state_of(new_c, new_h)


class LSTMCell(_LSTM):
    """An LSTM with peepholes, clipping and a projection of the output. Variables kernel, bias, w_f_diag, w_i_diag, w_o_diag,
    projection/kernel."""

    def __init__(self, num_units, use_peepholes=False, cell_clip=None, initializer=None, num_proj=None, proj_clip=None, num_unit_shards=None,
                 num_proj_shards=None, forget_bias=1.0, state_is_tuple=True, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        if num_unit_shards is not None or num_proj_shards is not None:
            raise NotImplementedError("LSTMCell with partitioned variables")
        self._num_units, self._use_peepholes, self._cell_clip = num_units, use_peepholes, cell_clip
        self._initializer, self._num_proj, self._proj_clip = named_initializer(initializer), num_proj, proj_clip
        self._forget_bias, self._state_is_tuple = forget_bias, state_is_tuple
        self._activation = named_function(activation) or math_ops.tanh

    output_size = property(lambda self: self._num_proj or self._num_units)

    @property
    def state_size(self):
        return LSTMStateTuple(self._num_units, self.output_size) if self._state_is_tuple else self._num_units + self.output_size

    def build(self, input_shape):
        units = self._num_units
        add = lambda name, shape: self.add_weight(name, shape, initializer=self._initializer)
        self._kernel = add("kernel", [self._depth(input_shape) + self.output_size, 4 * units])
        self._bias = self.add_weight("bias", [4 * units], initializer=initializers.Zeros())
        if self._use_peepholes:
            self._w_f, self._w_i, self._w_o = (add(name, [units]) for name in ("w_f_diag", "w_i_diag", "w_o_diag"))
        if self._num_proj is not None:
            self._projection = add("projection/kernel", [units, self._num_proj])
        self.built = True

    def call(self, inputs, state):
        c, h = self._parts(state, self.output_size)
        i, j, f, o = array_ops.split(_linear([inputs, h], self._kernel, self._bias), 4, axis=1)
        sigmoid, act = math_ops.sigmoid, self._activation
        forget = f + self._forget_bias
        if self._use_peepholes:
            c = sigmoid(forget + self._w_f * c) * c + sigmoid(i + self._w_i * c) * act(j)
        else:
            c = sigmoid(forget) * c + sigmoid(i) * act(j)
        if self._cell_clip is not None:
            c = clip_by_value(c, -self._cell_clip, self._cell_clip)
        h = sigmoid(o + self._w_o * c if self._use_peepholes else o) * act(c)
        if self._num_proj is not None:
            h = math_ops.matmul(h, self._projection)
            if self._proj_clip is not None:
                h = clip_by_value(h, -self._proj_clip, self._proj_clip)
        return h, self._state_of(c, h)


class MultiRNNCell(RNNCell):
    """Cells one above the other: each takes the output of the one below. Its state is a tuple of theirs, or one tensor."""

    def __init__(self, cells, state_is_tuple=True):
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not nest.is_nested(cells):
            raise TypeError(f"cells must be a list or tuple, but saw: {cells}.")
        if not state_is_tuple and any(nest.is_nested(c.state_size) for c in cells):
            raise ValueError("Some cells return tuples of states, but the flag state_is_tuple is not set.  State sizes are: "
                             f"{[c.state_size for c in cells]}")
        self._cells, self._state_is_tuple = cells, state_is_tuple

    output_size = property(lambda self: self._cells[-1].output_size)

    @property
    def state_size(self):
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def trainable_weights(self):
        return [v for cell in self._cells for v in cell.trainable_weights] if self.trainable else []

    trainable_variables = trainable_weights

    def zero_state(self, batch_size, dtype):
        with stacks.get_default_graph().name_scope(type(self).__name__ + "ZeroState"):
            if self._state_is_tuple:
                return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
            return super().zero_state(batch_size, dtype)

    def call(self, inputs, state):
        if self._state_is_tuple and not nest.is_nested(state):
            raise ValueError(f"Expected state to be a tuple of length {len(self.state_size)}, but received: {state}")
        states, begin = [], 0
        for number, cell in enumerate(self._cells):
            with variable_scope(f"cell_{number}"):
                own = state[number] if self._state_is_tuple else state[:, begin:begin + cell.state_size]
                begin += 0 if self._state_is_tuple else cell.state_size
                inputs, following = cell(inputs, own)
                states.append(following)
        return inputs, tuple(states) if self._state_is_tuple else array_ops.concat(states, 1)


class _Wrapper(RNNCell):
    """A cell around another, without a scope of its own."""

    def __init__(self, cell, **kwargs):
        super().__init__(**kwargs)
        self._cell = cell

    wrapped_cell = property(lambda self: self._cell)
    state_size = property(lambda self: self._cell.state_size)
    output_size = property(lambda self: self._cell.output_size)
    trainable_weights = trainable_variables = property(lambda self: self._cell.trainable_weights)

    def zero_state(self, batch_size, dtype):
        with stacks.get_default_graph().name_scope(type(self).__name__ + "ZeroState"):
            return self._cell.zero_state(batch_size, dtype)

    def __call__(self, inputs, state, scope=None):
        return self._wrapped(inputs, state, lambda i, s: self._cell(i, s, scope=scope) if scope is not None else self._cell(i, s))


class DropoutWrapper(_Wrapper):
    """Drops out elements of inputs, outputs and states; with variational_recurrent the same ones at each point of time."""

    def __init__(self, cell, input_keep_prob=1.0, output_keep_prob=1.0, state_keep_prob=1.0, variational_recurrent=False, input_size=None,
                 dtype=None, seed=None, dropout_state_filter_visitor=None, **kwargs):
        super().__init__(cell, dtype=dtype, **kwargs)
        self._seed, self._noise = seed, None
        # Of an LSTM's state c is kept as it is.
        self._filter = dropout_state_filter_visitor or (lambda s: LSTMStateTuple(False, True) if isinstance(s, LSTMStateTuple) else True)
        self._keep = {}
        with stacks.get_default_graph().name_scope("DropoutWrapperInit"):
            for what, probability in (("input", input_keep_prob), ("state", state_keep_prob), ("output", output_keep_prob)):
                tensor = convert_to_tensor(probability)
                known = tensor_util.constant_value(tensor)
                if known is not None and not 0 <= known <= 1:
                    raise ValueError(f"Parameter {what}_keep_prob must be between 0 and 1: {known}")
                self._keep[what] = tensor if known is None else float(known)
        if variational_recurrent:
            self._draw_noise(input_size, dtype)

    def _draw_noise(self, input_size, dtype):
        if dtype is None:
            raise ValueError("When variational_recurrent=True, dtype must be provided")
        if self._drops("input") and input_size is None:
            raise ValueError("When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, input_size must be provided")
        from troupe import random_ops

        self._noise = {}
        for what, size in (("input", input_size), ("state", self._cell.state_size), ("output", self._cell.output_size)):
            if what != "input" or self._drops("input"):
                self._noise[what] = [random_ops.random_uniform([1, *static_dims(s)], seed=self._seed_for(what, i), dtype=dtype)
                                     for i, s in enumerate(nest.flatten(size))]

    def _drops(self, what) -> bool:
        return not isinstance(self._keep[what], float) or self._keep[what] < 1

    def _seed_for(self, what: str, index: int) -> int | None:
        """A seed of its own for each tensor, as TensorFlow derives it."""
        if self._seed is None:
            return None
        return int(hashlib.md5(f"{self._seed}{what}_{index}".encode()).hexdigest()[:8], 16) & 0x7FFFFFFF

    def _dropped(self, what: str, values, wanted=None):
        from troupe import nn

        flat = nest.flatten(values)
        wanted = [True] * len(flat) if wanted is None else wanted
        keep, made = self._keep[what], []
        for index, (value, drop) in enumerate(zip(flat, wanted)):
            if not drop:
                made.append(value)
            elif self._noise is None:
                made.append(nn.dropout(value, rate=1.0 - keep, seed=self._seed_for(what, index)))
            else:
                kept = op_call.call("Floor", None, x=keep + self._noise[what][index])
                made.append(value / keep * kept)
                made[-1].set_shape(value.shape)
        return nest.pack_sequence_as(values, made)

    def _wanted(self, state) -> list[bool]:
        """For each leaf of the state, whether the visitor lets it be dropped."""
        said = self._filter(state)
        if nest.is_nested(state) and not nest.is_nested(said):
            return [w for part in state for w in self._wanted(part)] if said else [False] * len(nest.flatten(state))
        return [bool(s) for s in nest.flatten(said)]

    def _wrapped(self, inputs, state, call):
        if self._drops("input"):
            inputs = self._dropped("input", inputs)
        output, state = call(inputs, state)
        if self._drops("state"):
            state = self._dropped("state", state, self._wanted(state))
        if self._drops("output"):
            output = self._dropped("output", output)
        return output, state


class ResidualWrapper(_Wrapper):
    """Adds the inputs to the outputs, or what `residual_fn(inputs, outputs)` makes of both."""

    def __init__(self, cell, residual_fn=None, **kwargs):
        super().__init__(cell, **kwargs)
        self._residual = residual_fn or (lambda inputs, outputs: nest.map_structure(lambda i, o: i + o, inputs, outputs))

    def _wrapped(self, inputs, state, call):
        outputs, state = call(inputs, state)
        return self._residual(inputs, outputs), state


class DeviceWrapper(_Wrapper):
    """The cell on a device."""

    def __init__(self, cell, device, **kwargs):
        super().__init__(cell, **kwargs)
        self._device = device

    def _wrapped(self, inputs, state, call):
        with stacks.get_default_graph().device(self._device):
            return call(inputs, state)
