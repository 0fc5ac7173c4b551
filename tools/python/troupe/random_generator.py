"""Streams of random numbers whose state is a variable, and functions of seeds: `tf.random.Generator` and its like."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

import numpy as np

from troupe import array_ops, dtypes, math_ops, op_call, stacks
from troupe.conversion import convert_to_tensor

if TYPE_CHECKING:
    from troupe.tensor import Operation, Tensor
    from troupe.typing import DTypeLike, ShapeOrTensor, TensorLike
    from troupe.variables import Variable


class Algorithm(enum.Enum):
    """How numbers are drawn. PHILOX, by default."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


_NAMES = {"philox": 1, "threefry": 2, "autoselect": 3}
# Numbers of the state: a counter and a key.
_COUNTERS = {1: 2, 2: 1, 3: 2}


def _algorithm(alg):
    number = alg.value if isinstance(alg, Algorithm) else _NAMES.get(alg.lower().replace("-", "").replace("_", "")) if isinstance(alg, str) else alg
    if not isinstance(number, (int, np.integer)) and number is not None:
        raise TypeError(f"Can't convert argument `alg` (of value {alg} and type {type(alg)}) to int.")
    if number not in _COUNTERS:
        raise ValueError(f"Argument `alg` got unsupported value {alg}. Supported values are 1 for the Philox algorithm, 2 for the ThreeFry algorithm, and 3 for "
                         "auto-selection.")
    return int(number)


def _signed(number):
    return int(np.uint64(number & (2**64 - 1)).astype(np.int64)) if isinstance(number, int) else number


def _shape(shape):
    return convert_to_tensor(shape, dtypes.int32 if isinstance(shape, (list, tuple)) and not shape else None, name="shape")


def create_rng_state(seed: TensorLike, alg: str | int | Algorithm) -> Tensor:
    """The state, an int64 vector, of a generator with this seed: an integer of any size, or a vector."""
    size = _COUNTERS[_algorithm(alg)] + 1
    if isinstance(seed, int):
        seed = [_signed(seed >> (64 * i)) for i in range(size)]
    flat = array_ops.reshape(math_ops.cast(convert_to_tensor(np.array(seed, np.int64) if isinstance(seed, list) else seed), dtypes.int64), [-1])[:size]
    length = flat.shape.as_list()[0]
    missing = size - (array_ops.shape(flat)[0] if length is None else length)
    made = array_ops.concat([array_ops.zeros(array_ops.reshape(missing, [1]), dtypes.int64), flat], 0)
    made.set_shape([size])
    return made


class Generator:
    """A stream of random numbers. Its state is a variable of the graph, which each step that draws moves on; it begins when the graph's variables do. Made by
    `from_seed` and its like, or as a copy of another."""

    def __init__(self, copy_from: Generator | None = None, state: Any = None, alg: str | int | Algorithm | None = None) -> None:
        from troupe.variables import Variable

        if copy_from is not None:
            self._alg, first = copy_from.algorithm, copy_from.state.initialized_value()
        else:
            if alg is None or state is None:
                raise ValueError("A tf.random.Generator is made of another one, or of `state` and `alg`; see `from_seed`.")
            self._alg, first = _algorithm(alg), state
        if isinstance(first, Variable):
            self._state = first
        else:
            first = [_signed(n) for n in first] if isinstance(first, (list, tuple)) else first
            first = math_ops.cast(convert_to_tensor(first), dtypes.int64)
            first.shape.assert_is_compatible_with([_COUNTERS[self._alg] + 1])
            with stacks.get_default_graph().name_scope("random_generator"):
                self._state = Variable(first, trainable=False, name="StateVar", dtype=dtypes.int64, use_resource=True)

    @classmethod
    def from_state(cls, state: Any, alg: str | int | Algorithm) -> Generator:
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: TensorLike, alg: str | int | Algorithm | None = None) -> Generator:
        alg = _algorithm("philox" if alg is None else alg)
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: str | int | Algorithm | None = None) -> Generator:
        alg = _algorithm("philox" if alg is None else alg)
        return cls(state=op_call.call("NonDeterministicInts", None, shape=[_COUNTERS[alg] + 1], dtype=dtypes.int64), alg=alg)

    @classmethod
    def from_key_counter(cls, key: TensorLike, counter: TensorLike, alg: str | int | Algorithm) -> Generator:
        return cls(state=_state_of(key, counter, _algorithm(alg)), alg=alg)

    # The state.

    @property
    def state(self) -> Variable:
        return self._state

    @property
    def algorithm(self) -> int:
        return self._alg

    @property
    def key(self) -> Tensor:
        return convert_to_tensor(self._state)[-1]

    def reset(self, state: TensorLike) -> Operation | Tensor:
        """The operation that sets the state."""
        state = [_signed(n) for n in state] if isinstance(state, (list, tuple)) else state
        return self._state.assign(math_ops.cast(convert_to_tensor(state), dtypes.int64))

    def reset_from_seed(self, seed: TensorLike) -> Operation | Tensor:
        """The operation that begins again with a seed."""
        return self._state.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: TensorLike, counter: TensorLike) -> Operation | Tensor:
        """The operation that sets the state by its parts."""
        return self._state.assign(_state_of(key, counter, self._alg))

    def skip(self, delta: TensorLike) -> Tensor:
        """The state as it is; then it moves on, as if so many numbers had been drawn."""
        return op_call.call("RngReadAndSkip", None, resource=self._state.handle, alg=convert_to_tensor(self._alg, dtypes.int32),
                            delta=math_ops.cast(delta, dtypes.uint64))

    def _drawn(self, op_type, shape, name=None, **arguments):
        state = self.skip(math_ops.reduce_prod(shape))
        counters = _COUNTERS[self._alg]
        counter, key = (unsigned(part) for part in (state[:counters], state[counters:counters + 1]))
        return op_call.call(op_type, name, shape=shape, key=key, counter=counter, alg=convert_to_tensor(self._alg, dtypes.int32), **arguments)

    # Numbers.

    def _scaled(self, op_type, default, name, shape, mean, stddev, dtype):
        dtype = dtypes.as_dtype(dtype)
        with stacks.get_default_graph().name_scope(name or default) as scope:
            mean, stddev = convert_to_tensor(mean, dtype, name="mean"), convert_to_tensor(stddev, dtype, name="stddev")
            return op_call.call("AddV2", scope, x=self._drawn(op_type, _shape(shape), dtype=dtype) * stddev, y=mean)

    def normal(self, shape: ShapeOrTensor, mean: TensorLike = 0.0, stddev: TensorLike = 1.0, dtype: DTypeLike = dtypes.float32,
               name: str | None = None) -> Tensor:
        return self._scaled("StatelessRandomNormalV2", "stateful_normal", name, shape, mean, stddev, dtype)

    def truncated_normal(self, shape: ShapeOrTensor, mean: TensorLike = 0.0, stddev: TensorLike = 1.0, dtype: DTypeLike = dtypes.float32,
                         name: str | None = None) -> Tensor:
        """Normal numbers no further than two deviations from the mean."""
        return self._scaled("StatelessTruncatedNormalV2", "truncated_normal", name, shape, mean, stddev, dtype)

    def uniform(self, shape: ShapeOrTensor, minval: TensorLike | None = 0, maxval: TensorLike | None = None, dtype: DTypeLike = dtypes.float32,
                name: str | None = None) -> Tensor:
        """Numbers from `minval` to `maxval`, without it; integers of all sizes where both are None. ValueError for integers with one of them."""
        dtype = dtypes.as_dtype(dtype)
        if dtype.is_integer and (minval is None) != (maxval is None):
            raise ValueError(f"For integer dtype {dtype}, minval and maxval must be both `None` or both non-`None`; got minval={minval} and maxval={maxval}")
        if dtype.is_integer and minval is None:
            return self.uniform_full_int(shape, dtype, name)
        with stacks.get_default_graph().name_scope(name or "stateful_uniform") as scope:
            low, high = convert_to_tensor(minval, dtype, name="min"), convert_to_tensor(1 if maxval is None else maxval, dtype, name="max")
            if dtype.is_integer:
                return self._drawn("StatelessRandomUniformIntV2", _shape(shape), scope, minval=low, maxval=high)
            return op_call.call("AddV2", scope, x=self._drawn("StatelessRandomUniformV2", _shape(shape), dtype=dtype) * (high - low), y=low)

    def uniform_full_int(self, shape: ShapeOrTensor, dtype: DTypeLike = dtypes.uint64, name: str | None = None) -> Tensor:
        """Integers of all sizes that the type has."""
        with stacks.get_default_graph().name_scope(name or "stateful_uniform_full_int") as scope:
            return self._drawn("StatelessRandomUniformFullIntV2", _shape(shape), scope, dtype=dtypes.as_dtype(dtype))

    def binomial(self, shape: ShapeOrTensor, counts: TensorLike, probs: TensorLike, dtype: DTypeLike = dtypes.int32, name: str | None = None) -> Tensor:
        """How many of `counts` events of these probabilities happen."""
        with stacks.get_default_graph().name_scope(name or "binomial") as scope:
            probs = convert_to_tensor(probs, name="probs")
            return op_call.call("StatefulRandomBinomial", scope, resource=self._state.handle, algorithm=convert_to_tensor(self._alg, dtypes.int64),
                                shape=_shape(shape), counts=convert_to_tensor(counts, probs.dtype, name="counts"), probs=probs, dtype=dtypes.as_dtype(dtype))

    def make_seeds(self, count: int = 1) -> Tensor:
        """Seeds for stateless functions: int64 [2, count]."""
        keys = self.uniform_full_int([count], dtypes.int64)
        return array_ops.stack([keys, array_ops.zeros_like(keys)])

    def split(self, count: int = 1) -> list[Generator]:
        """Generators that are independent of each other."""
        keys = array_ops.unstack(self.uniform_full_int([count], dtypes.int64), num=count)
        zeros = array_ops.zeros([_COUNTERS[self._alg]], dtypes.int64)
        return [Generator(state=array_ops.concat([zeros, array_ops.expand_dims(key, 0)], 0), alg=self._alg) for key in keys]


def unsigned(tensor: Tensor) -> Tensor:
    """The bits of int64 numbers as uint64."""
    return op_call.call("Bitcast", None, input=tensor, type=dtypes.uint64)


def _state_of(key, counter, alg):
    counter, key = (math_ops.cast(convert_to_tensor(_signed(t) if isinstance(t, int) else t), dtypes.int64) for t in (counter, key))
    counter.shape.assert_is_compatible_with([_COUNTERS[alg]])
    key.shape.assert_is_compatible_with([])
    return array_ops.concat([counter, array_ops.reshape(key, [1])], 0)


def get_global_generator() -> Generator:
    """The generator of the default graph, of a state that nobody knows unless it was set."""
    graph = stacks.get_default_graph()
    held = graph.get_collection_ref(("__global_generator",))
    if not held:
        with graph.control_dependencies(None):
            held.append(Generator.from_non_deterministic_state())
    return held[0]


def set_global_generator(generator: Generator) -> None:
    """The generator of the default graph from now on."""
    stacks.get_default_graph().get_collection_ref(("__global_generator",))[:] = [generator]


# Functions of seeds, two integers.


def _key_counter(seed):
    key, counter = op_call.call("StatelessRandomGetKeyCounter", None, seed=seed)
    return {"key": key, "counter": counter, "alg": convert_to_tensor(3, dtypes.int32)}


def split(seed: TensorLike, num: int = 2, alg: str = "auto_select") -> Tensor:
    """`num` seeds of one: [num, 2]."""
    seed = convert_to_tensor(seed)
    return op_call.call("StatelessRandomUniformFullIntV2", None, shape=[num, 2], dtype=seed.dtype, **_key_counter(seed))


def fold_in(seed: TensorLike, data: TensorLike, alg: str = "auto_select") -> Tensor:
    """A seed of another and a number."""
    data = convert_to_tensor(data)
    first = op_call.call("StatelessRandomUniformFullIntV2", None, shape=convert_to_tensor([], dtypes.int32), dtype=data.dtype,
                         **_key_counter(convert_to_tensor(seed)))
    return array_ops.stack([first, data])


def stateless_shuffle(value: TensorLike, seed: TensorLike, alg: str = "auto_select", name: str | None = None) -> Tensor:
    """The rows in another order."""
    with stacks.get_default_graph().name_scope(name or "stateless_shuffle"):
        return op_call.call("StatelessShuffle", None, value=value, **_key_counter(convert_to_tensor(seed)))


def index_shuffle(index: TensorLike, seed: TensorLike, max_index: TensorLike) -> Tensor:
    """Where `index` is in a shuffled row of the numbers up to `max_index`."""
    seed = convert_to_tensor(seed)
    paddings = [[1, 0], *[[0, 0]] * ((seed.shape.rank or 1) - 1)]
    return op_call.call("RandomIndexShuffle", None, index=index, seed=array_ops.pad(seed, paddings, constant_values=498247692), max_index=max_index, rounds=4)


def stateless_random_binomial(shape: ShapeOrTensor, seed: TensorLike, counts: TensorLike, probs: TensorLike, output_dtype: DTypeLike = dtypes.int32,
                              name: str | None = None) -> Tensor:
    """How many of `counts` events of these probabilities happen."""
    with stacks.get_default_graph().name_scope(name or "stateless_random_binomial"):
        probs = convert_to_tensor(probs, dtype_hint=dtypes.float32, name="probs")
        counts = convert_to_tensor(counts, dtype_hint=probs.dtype, name="counts")
        return op_call.call("StatelessRandomBinomial", None, shape=_shape(shape), seed=seed, counts=counts, probs=probs, dtype=dtypes.as_dtype(output_dtype))


def stateless_random_gamma(shape: ShapeOrTensor, seed: TensorLike, alpha: TensorLike, beta: TensorLike | None = None,
                           dtype: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    """Numbers of gamma distributions: the last dimensions of `shape` are those of alpha and beta."""
    dtype = dtypes.as_dtype(dtype)
    with stacks.get_default_graph().name_scope(name or "stateless_random_gamma"):
        alpha, beta = convert_to_tensor(alpha, dtype, name="alpha"), convert_to_tensor(1 if beta is None else beta, dtype, name="beta")
        both = array_ops.broadcast_to(alpha, array_ops.broadcast_dynamic_shape(array_ops.shape(alpha), array_ops.shape(beta)))
        drawn = op_call.call("StatelessRandomGammaV3", None, shape=_shape(shape), alpha=both, **_key_counter(convert_to_tensor(seed)))
        return math_ops.maximum(np.finfo(dtype.as_numpy_dtype).tiny, drawn / beta)


def stateless_random_poisson(shape: ShapeOrTensor, seed: TensorLike, lam: TensorLike, dtype: DTypeLike = dtypes.int32, name: str | None = None) -> Tensor:
    """Numbers of Poisson distributions of these rates."""
    with stacks.get_default_graph().name_scope(name or "stateless_random_poisson"):
        return op_call.call("StatelessRandomPoisson", None, shape=_shape(shape), seed=seed, lam=lam, dtype=dtypes.as_dtype(dtype))


def stateless_parameterized_truncated_normal(shape: ShapeOrTensor, seed: TensorLike, means: TensorLike = 0.0, stddevs: TensorLike = 1.0,
                                             minvals: TensorLike = -2.0, maxvals: TensorLike = 2.0, name: str | None = None) -> Tensor:
    """Normal numbers between these limits."""
    with stacks.get_default_graph().name_scope(name or "stateless_parameterized_truncated_normal"):
        means = convert_to_tensor(means, name="means")
        others = {n: convert_to_tensor(v, means.dtype, name=n) for n, v in (("stddevs", stddevs), ("minvals", minvals), ("maxvals", maxvals))}
        return op_call.call("StatelessParameterizedTruncatedNormal", None, shape=_shape(shape), seed=seed, means=means, **others)
