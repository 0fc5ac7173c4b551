"""Cells around cells."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from troupe import nest, op_call, stacks, tensor_util
from troupe.conversion import convert_to_tensor
from troupe.rnn_base import LSTMStateTuple, RNNCell, static_dims

if TYPE_CHECKING:
    from collections.abc import Callable

    from troupe.typing import DeviceLike, DTypeLike, Nest, TensorLike


class _Wrapper(RNNCell):
    """A cell around another, without a scope of its own."""

    def __init__(self, cell: RNNCell, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._cell = cell

    wrapped_cell = property(lambda self: self._cell)
    state_size = property(lambda self: self._cell.state_size)
    output_size = property(lambda self: self._cell.output_size)
    trainable_weights = trainable_variables = property(lambda self: self._cell.trainable_weights)  # type: ignore[assignment]

    def zero_state(self, batch_size: TensorLike, dtype: DTypeLike) -> Any:
        with stacks.get_default_graph().name_scope(type(self).__name__ + "ZeroState"):
            return self._cell.zero_state(batch_size, dtype)

    def __call__(self, inputs, state, scope=None):
        return self._wrapped(inputs, state, lambda i, s: self._cell(i, s, scope=scope) if scope is not None else self._cell(i, s))


class DropoutWrapper(_Wrapper):
    """Drops out elements of inputs, outputs and states; with variational_recurrent the same ones at each point of time."""

    def __init__(self, cell: RNNCell, input_keep_prob: TensorLike = 1.0, output_keep_prob: TensorLike = 1.0, state_keep_prob: TensorLike = 1.0,
                 variational_recurrent: bool = False, input_size: Nest = None, dtype: DTypeLike | None = None, seed: int | None = None,
                 dropout_state_filter_visitor: Callable[[Any], Any] | None = None, **kwargs: Any) -> None:
        super().__init__(cell, dtype=dtype, **kwargs)
        self._seed, self._noise = seed, None
        # Of an LSTM's state c is kept as it is.
        self._filter = dropout_state_filter_visitor or (lambda s: LSTMStateTuple(False, True) if isinstance(s, LSTMStateTuple) else True)
        self._keep: dict[str, Any] = {}
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

    def __init__(self, cell: RNNCell, residual_fn: Callable[[Any, Any], Any] | None = None, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._residual = residual_fn or (lambda inputs, outputs: nest.map_structure(lambda i, o: i + o, inputs, outputs))

    def _wrapped(self, inputs, state, call):
        outputs, state = call(inputs, state)
        return self._residual(inputs, outputs), state


class DeviceWrapper(_Wrapper):
    """The cell on a device."""

    def __init__(self, cell: RNNCell, device: DeviceLike, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._device = device

    def _wrapped(self, inputs, state, call):
        with stacks.get_default_graph().device(self._device):
            return call(inputs, state)
