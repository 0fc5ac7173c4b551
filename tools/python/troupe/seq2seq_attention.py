"""tf.contrib.seq2seq: what a decoder attends to: scores of its query against all steps of a memory, as probabilities."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from troupe import array_ops, check_ops, dtypes, functional_ops, initializers, math_ops, nest, nn, ops, random_ops
from troupe.conversion import convert_to_tensor
from troupe.layers_core import Dense
from troupe.tensor_algebra import clip_by_value
from troupe.variable_scope import get_variable, variable_scope

if TYPE_CHECKING:
    from collections.abc import Callable

    from troupe.dtypes import DType
    from troupe.layer import Layer
    from troupe.tensor import Tensor
    from troupe.typing import DTypeLike, Nest, TensorLike


def known_or_shape(tensor: Tensor, axis: int) -> Any:
    """The size of a dimension: a number where it is known, else a tensor."""
    known = None if tensor.shape.rank is None else tensor.shape.as_list()[axis]
    return array_ops.shape(tensor)[axis] if known is None else known


def hardmax(logits: TensorLike, name: str | None = None) -> Tensor:
    """1 where the largest of the last dimension is, else 0."""
    with ops.name_scope(name, "Hardmax"):
        logits = convert_to_tensor(logits, name="logits")
        depth = logits.shape.as_list()[-1]
        return array_ops.one_hot(math_ops.argmax(logits, -1), array_ops.shape(logits)[-1] if depth is None else depth, dtype=logits.dtype)


class AttentionMechanism:
    """`alignments, next_state = mechanism(query, state)`, both [batch, steps of the memory]."""

    @property
    def alignments_size(self) -> Any:
        raise NotImplementedError

    @property
    def state_size(self) -> Any:
        raise NotImplementedError


def _prepare_memory(memory, memory_sequence_length, check_inner_dims_defined=True):
    """The memory with zeros behind the ends of sequences."""
    lengths = None if memory_sequence_length is None else convert_to_tensor(memory_sequence_length, name="memory_sequence_length")
    memory = nest.map_structure(lambda m: convert_to_tensor(m, name="memory"), memory)
    if check_inner_dims_defined:
        for m in nest.flatten(memory):
            if not m.shape[2:].is_fully_defined():
                raise ValueError(f"Expected memory {m.name} to have fully defined inner dims, but saw shape: {m.shape}")
    if lengths is None:
        return memory
    first = nest.flatten(memory)[0]
    mask = array_ops.sequence_mask(lengths, array_ops.shape(first)[1], dtype=first.dtype)

    def masked(m):
        if m.shape.rank is None:
            raise ValueError(f"Expected memory {m.name} to have a known rank, but saw shape: {m.shape}")
        ones = array_ops.ones([m.shape.rank - 2], dtypes.int32)
        return m * array_ops.reshape(mask, array_ops.concat([array_ops.shape(mask), ones], 0))

    checks = [check_ops.assert_equal(array_ops.shape(m)[0], array_ops.shape(lengths)[0],
                                     message="memory_sequence_length and memory tensor batch sizes do not match.") for m in nest.flatten(memory)]
    with ops.control_dependencies(checks):
        return nest.map_structure(masked, memory)


class _BaseAttentionMechanism(AttentionMechanism):
    """What mechanisms share: the memory as `values` and, through `memory_layer`, as `keys`, and what becomes probabilities of scores."""

    def __init__(self, query_layer: Layer | None, memory: Nest, probability_fn: Callable[[Tensor, Tensor], Tensor],
                 memory_sequence_length: TensorLike | None = None, memory_layer: Layer | None = None, check_inner_dims_defined: bool = True,
                 score_mask_value: Any = None, custom_key_value_fn: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]] | None = None,
                 name: str | None = None) -> None:
        for layer, what in ((query_layer, "query_layer"), (memory_layer, "memory_layer")):
            if layer is not None and not callable(layer):
                raise TypeError(f"{what} is not a Layer: {type(layer).__name__}")
        if not callable(probability_fn):
            raise TypeError(f"probability_fn must be callable, saw type: {type(probability_fn).__name__}")
        self._query_layer, self._memory_layer = query_layer, memory_layer
        self.dtype = getattr(memory_layer, "dtype", None) or dtypes.float32
        lengths = None if memory_sequence_length is None else convert_to_tensor(memory_sequence_length, name="memory_sequence_length")
        mask_value = self.dtype.as_numpy_dtype(-np.inf) if score_mask_value is None else score_mask_value
        self._probability_fn = lambda score, previous: probability_fn(_maybe_mask_score(score, lengths, mask_value), previous)
        with ops.name_scope(name, "BaseAttentionMechanismInit"):
            self._values = _prepare_memory(memory, lengths, check_inner_dims_defined)
            self._keys = self._values if memory_layer is None else memory_layer(self._values)
            if custom_key_value_fn is not None:
                self._keys, self._values = custom_key_value_fn(self._keys, self._values)
            self._batch_size, self._alignments_size = known_or_shape(self._keys, 0), known_or_shape(self._keys, 1)

    memory_layer: Any = property(lambda self: self._memory_layer)
    query_layer: Any = property(lambda self: self._query_layer)
    values: Any = property(lambda self: self._values)
    keys: Any = property(lambda self: self._keys)
    batch_size: Any = property(lambda self: self._batch_size)

    @property
    def alignments_size(self) -> Any:
        return self._alignments_size

    @property
    def state_size(self) -> Any:
        return self._alignments_size

    def initial_alignments(self, batch_size: int | Tensor, dtype: DTypeLike) -> Any:
        """Zeros [batch, steps of the memory]."""
        made = array_ops.zeros(array_ops.stack([batch_size, self._alignments_size]), dtype)
        made.set_shape([batch_size if isinstance(batch_size, int) else None, self._alignments_size if isinstance(self._alignments_size, int) else None])
        return made

    def initial_state(self, batch_size: int | Tensor, dtype: DTypeLike) -> Any:
        return self.initial_alignments(batch_size, dtype)


def _maybe_mask_score(score, memory_sequence_length, score_mask_value):
    lengths, mask_value = memory_sequence_length, score_mask_value
    if lengths is None:
        return score
    positive = check_ops.assert_positive(lengths, message="All values in memory_sequence_length must greater than zero.")
    with ops.control_dependencies([positive]):
        mask = array_ops.sequence_mask(lengths, maxlen=array_ops.shape(score)[1])
        return array_ops.where(mask, score, mask_value * array_ops.ones_like(score))


def _luong_score(query, keys, scale=None):
    """[batch, steps]: the products of the query with each key."""
    depth, units = query.shape.as_list()[-1], keys.shape.as_list()[-1]
    if depth != units:
        raise ValueError(f"Incompatible or unknown inner dimensions between query and keys.  Query ({query}) has units: {depth}.  Keys ({keys}) have "
                         f"units: {units}.  Perhaps you need to set num_units to the keys' dimension ({units})?")
    score = array_ops.squeeze(math_ops.matmul(array_ops.expand_dims(query, 1), keys, transpose_b=True), [1])
    return score if scale is None else scale * score


def _bahdanau_score(processed_query, keys, attention_v, attention_g=None, attention_b=None):
    """[batch, steps]: v tanh(keys + query), v of length g where it is normalized."""
    hidden = keys + array_ops.expand_dims(processed_query, 1)
    if attention_g is None:
        return math_ops.reduce_sum(attention_v * math_ops.tanh(hidden), [2])
    normed = attention_g * attention_v * math_ops.rsqrt(math_ops.reduce_sum(math_ops.square(attention_v)))
    return math_ops.reduce_sum(normed * math_ops.tanh(hidden + attention_b), [2])


def _dense(units, name, dtype):
    return Dense(units, name=name, use_bias=False, dtype=dtypes.as_dtype(dtype or dtypes.float32))


class _Luong:
    """Variable attention_g where it scales."""

    def _score(self, query, scale):
        g = get_variable("attention_g", [], query.dtype, initializer=initializers.Ones()) if scale else None
        return _luong_score(query, self._keys, g)


class _Bahdanau:
    """Variables attention_v, and where it normalizes attention_g and attention_b."""

    def _score(self, query, normalize):
        query = self._query_layer(query) if self._query_layer is not None else query
        units, g, b = self._num_units, None, None
        v = get_variable("attention_v", [units], query.dtype)
        if normalize:
            g = get_variable("attention_g", [], query.dtype, initializer=initializers.Constant(math.sqrt(1.0 / units)))
            b = get_variable("attention_b", [units], query.dtype, initializer=initializers.Zeros())
        return _bahdanau_score(query, self._keys, v, g, b)


class LuongAttention(_Luong, _BaseAttentionMechanism):
    """Multiplicative attention of Luong et al. 2015: the query must have `num_units`, to which a layer memory_layer brings the memory. `scale`
    multiplies the scores by a variable."""

    def __init__(self, num_units: int, memory: Nest, memory_sequence_length: TensorLike | None = None, scale: bool = False,
                 probability_fn: Callable[[Tensor], Tensor] | None = None, score_mask_value: Any = None, dtype: DTypeLike | None = None,
                 custom_key_value_fn: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]] | None = None, name: str = "LuongAttention") -> None:
        probability = probability_fn or nn.softmax
        super().__init__(None, memory, lambda score, _: probability(score), memory_sequence_length, _dense(num_units, "memory_layer", dtype),
                         score_mask_value=score_mask_value, custom_key_value_fn=custom_key_value_fn, name=name)
        self._num_units, self._scale, self._name = num_units, scale, name

    def __call__(self, query: TensorLike, state: Tensor) -> tuple[Tensor, Tensor]:
        with variable_scope(None, "luong_attention", [query]):
            alignments = self._probability_fn(self._score(query, self._scale), state)
        return alignments, alignments


class BahdanauAttention(_Bahdanau, _BaseAttentionMechanism):
    """Additive attention of Bahdanau et al. 2015, of `num_units`; with `normalize` as Salimans and Kingma 2016 have weights."""

    def __init__(self, num_units: int, memory: Nest, memory_sequence_length: TensorLike | None = None, normalize: bool = False,
                 probability_fn: Callable[[Tensor], Tensor] | None = None, score_mask_value: Any = None, dtype: DTypeLike | None = None,
                 custom_key_value_fn: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]] | None = None, name: str = "BahdanauAttention") -> None:
        probability = probability_fn or nn.softmax
        super().__init__(_dense(num_units, "query_layer", dtype), memory, lambda score, _: probability(score), memory_sequence_length,
                         _dense(num_units, "memory_layer", dtype), score_mask_value=score_mask_value, custom_key_value_fn=custom_key_value_fn, name=name)
        self._num_units, self._normalize, self._name = num_units, normalize, name

    def __call__(self, query: TensorLike, state: Tensor) -> tuple[Tensor, Tensor]:
        with variable_scope(None, "bahdanau_attention", [query]):
            alignments = self._probability_fn(self._score(query, self._normalize), state)
        return alignments, alignments


# Attention that only moves on, of Raffel et al. 2017.


def safe_cumprod(x: TensorLike, *args: Any, **kwargs: Any) -> Tensor:
    """Products of all before, of numbers in [0, 1], as a sum of logarithms: its derivative stays finite where they are 0."""
    with ops.name_scope(None, "SafeCumprod"):
        x = convert_to_tensor(x, name="x")
        tiny = np.finfo(x.dtype.as_numpy_dtype).tiny
        return math_ops.exp(math_ops.cumsum(math_ops.log(clip_by_value(x, tiny, 1)), *args, **kwargs))


def monotonic_attention(p_choose_i: TensorLike, previous_attention: TensorLike, mode: str) -> Tensor:
    """The distribution over the memory, [batch, steps], of the chances to stop at each step and the distribution before. `mode` is "recursive",
    "parallel" or "hard" (where all are 0 or 1). ValueError for another."""
    p, previous = convert_to_tensor(p_choose_i, name="p_choose_i"), convert_to_tensor(previous_attention, name="previous_attention")
    if mode == "recursive":
        rows = known_or_shape(p, 0)
        shifted = array_ops.concat([array_ops.ones(array_ops.stack([rows, 1]), p.dtype), 1 - p[:, :-1]], 1)
        step = lambda before, now: array_ops.reshape(now[0] * before + now[1], array_ops.stack([rows]))
        passed = functional_ops.scan(step, [array_ops.transpose(shifted), array_ops.transpose(previous)],
                                     array_ops.zeros(array_ops.stack([rows]), p.dtype))
        return p * array_ops.transpose(passed)
    if mode == "parallel":
        on = safe_cumprod(1 - p, axis=1, exclusive=True)
        return p * on * math_ops.cumsum(previous / clip_by_value(on, 1e-10, 1.0), axis=1)
    if mode == "hard":
        p = p * math_ops.cumsum(previous, axis=1)
        return p * math_ops.cumprod(1 - p, axis=1, exclusive=True)
    raise ValueError(f"mode must be 'recursive', 'parallel', or 'hard'; saw {mode!r}.")


class _Monotonic:
    """Variable attention_score_bias. It begins at the first step of the memory."""

    def _choose(self, noise, mode, seed):
        """What makes probabilities of scores and the alignments before."""
        def probability(score, previous):
            if noise > 0:
                score = score + noise * random_ops.random_normal(array_ops.shape(score), dtype=score.dtype, seed=seed)
            if mode == "hard":
                choose = math_ops.cast(score > 0, score.dtype)
            else:
                choose = math_ops.sigmoid(score)
            return monotonic_attention(choose, previous, mode)
        return probability

    def initial_alignments(self, batch_size: int | Tensor, dtype: DTypeLike) -> Any:
        return array_ops.one_hot(array_ops.zeros(array_ops.stack([batch_size]), dtypes.int32), self._alignments_size, dtype=dtype)

    def _biased(self, score):
        return score + get_variable("attention_score_bias", dtype=score.dtype, initializer=self._bias)


class BahdanauMonotonicAttention(_Monotonic, _Bahdanau, _BaseAttentionMechanism):
    """BahdanauAttention that only moves on through the memory. `sigmoid_noise` is the deviation of what is added to scores while it trains."""

    def __init__(self, num_units: int, memory: Nest, memory_sequence_length: TensorLike | None = None, normalize: bool = False,
                 score_mask_value: Any = None, sigmoid_noise: float = 0.0, sigmoid_noise_seed: int | None = None, score_bias_init: float = 0.0,
                 mode: str = "parallel", dtype: DTypeLike | None = None, name: str = "BahdanauMonotonicAttention") -> None:
        super().__init__(_dense(num_units, "query_layer", dtype), memory, self._choose(sigmoid_noise, mode, sigmoid_noise_seed),
                         memory_sequence_length, _dense(num_units, "memory_layer", dtype), score_mask_value=score_mask_value, name=name)
        self._num_units, self._normalize, self._bias, self._name = num_units, normalize, float(score_bias_init), name

    def __call__(self, query: TensorLike, state: Tensor) -> tuple[Tensor, Tensor]:
        with variable_scope(None, "bahdanau_monotonic_attention", [query]):
            alignments = self._probability_fn(self._biased(self._score(query, self._normalize)), state)
        return alignments, alignments


class LuongMonotonicAttention(_Monotonic, _Luong, _BaseAttentionMechanism):
    """LuongAttention that only moves on through the memory."""

    def __init__(self, num_units: int, memory: Nest, memory_sequence_length: TensorLike | None = None, scale: bool = False,
                 score_mask_value: Any = None, sigmoid_noise: float = 0.0, sigmoid_noise_seed: int | None = None, score_bias_init: float = 0.0,
                 mode: str = "parallel", dtype: DTypeLike | None = None, name: str = "LuongMonotonicAttention") -> None:
        super().__init__(None, memory, self._choose(sigmoid_noise, mode, sigmoid_noise_seed), memory_sequence_length,
                         _dense(num_units, "memory_layer", dtype), score_mask_value=score_mask_value, name=name)
        self._num_units, self._scale, self._bias, self._name = num_units, scale, float(score_bias_init), name

    def __call__(self, query: TensorLike, state: Tensor) -> tuple[Tensor, Tensor]:
        with variable_scope(None, "luong_monotonic_attention", [query]):
            alignments = self._probability_fn(self._biased(self._score(query, self._scale)), state)
        return alignments, alignments
