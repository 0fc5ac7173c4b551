"""tf.contrib.seq2seq: what decides the inputs of a decoder: sequences that are known, or what the decoder gave before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troupe import array_ops, dtypes, math_ops, nest, ops
from troupe.control_flow_ops import cond
from troupe.conversion import convert_to_tensor
from troupe.tensor_array_ops import TensorArray
from troupe.tensor_shape import TensorShape, as_shape

if TYPE_CHECKING:
    from collections.abc import Callable

    from troupe.layer import Layer
    from troupe.tensor import Tensor
    from troupe.typing import DTypeLike, Nest, ShapeLike, TensorLike


def batch_and_time_swapped(x: Any) -> Any:
    """[batch, time, ...] as [time, batch, ...] and back; tensors of fewer dimensions as they are."""
    if not hasattr(x, "shape") or x.shape.rank is not None and x.shape.rank < 2:
        return x
    made = array_ops.transpose(x, array_ops.concat([[1, 0], math_ops.range(2, array_ops.rank(x))], 0))
    if x.shape.rank is not None:
        dims = x.shape.as_list()
        made.set_shape([dims[1], dims[0], *dims[2:]])
    return made


def _array_of(x):
    return TensorArray(x.dtype.base_dtype, size=array_ops.shape(x)[0], element_shape=x.shape[1:]).unstack(x)


def embedding_function(embedding: Any) -> Callable[[Any], Tensor]:
    """`embedding` if it is a function, else what looks up rows of it."""
    if callable(embedding):
        return embedding
    from troupe import nn

    return lambda ids: nn.embedding_lookup(embedding, ids)


class Helper:
    """What a BasicDecoder asks. A subclass has these properties and methods."""

    @property
    def batch_size(self) -> Any:
        raise NotImplementedError("batch_size has not been implemented")

    @property
    def sample_ids_shape(self) -> Any:
        raise NotImplementedError("sample_ids_shape has not been implemented")

    @property
    def sample_ids_dtype(self) -> Any:
        raise NotImplementedError("sample_ids_dtype has not been implemented")

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """(finished [batch], first inputs)."""
        raise NotImplementedError("initialize has not been implemented")

    def sample(self, time: Tensor, outputs: Any, state: Any, name: str | None = None) -> Any:
        """What is chosen of the outputs."""
        raise NotImplementedError("sample has not been implemented")

    def next_inputs(self, time: Tensor, outputs: Any, state: Any, sample_ids: Any, name: str | None = None) -> tuple[Any, Any, Any]:
        """(finished [batch], next inputs, next state)."""
        raise NotImplementedError("next_inputs has not been implemented")


class CustomHelper(Helper):
    """Of three functions: `initialize_fn()`, `sample_fn(time=, outputs=, state=)`, `next_inputs_fn(time=, outputs=, state=, sample_ids=)`."""

    def __init__(self, initialize_fn: Callable[..., Any], sample_fn: Callable[..., Any], next_inputs_fn: Callable[..., Any],
                 sample_ids_shape: ShapeLike = None, sample_ids_dtype: DTypeLike | None = None) -> None:
        self._initialize_fn, self._sample_fn, self._next_inputs_fn = initialize_fn, sample_fn, next_inputs_fn
        self._batch_size: Any = None
        self._sample_ids_shape = TensorShape([]) if sample_ids_shape is None else as_shape(sample_ids_shape)
        self._sample_ids_dtype = sample_ids_dtype or dtypes.int32

    @property
    def batch_size(self) -> Any:
        if self._batch_size is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        return self._sample_ids_shape

    @property
    def sample_ids_dtype(self) -> Any:
        return self._sample_ids_dtype

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        with ops.name_scope(name, "CustomHelperInitialize"):
            finished, inputs = self._initialize_fn()
            if self._batch_size is None:
                self._batch_size = array_ops.size(finished)
        return finished, inputs

    def sample(self, time: Tensor, outputs: Any, state: Any, name: str | None = None) -> Any:
        with ops.name_scope(name, "CustomHelperSample"):
            return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(self, time: Tensor, outputs: Any, state: Any, sample_ids: Any, name: str | None = None) -> tuple[Any, Any, Any]:
        with ops.name_scope(name, "CustomHelperNextInputs"):
            return self._next_inputs_fn(time=time, outputs=outputs, state=state, sample_ids=sample_ids)


class _OfIds(Helper):
    """Whose samples are numbers of classes."""

    _batch_size: Any

    @property
    def batch_size(self) -> Any:
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        return TensorShape([])

    @property
    def sample_ids_dtype(self) -> Any:
        return dtypes.int32


class TrainingHelper(_OfIds):
    """Reads the inputs [batch, time, ...] (time first with `time_major`) up to the ends that `sequence_length` [batch] says; samples are the
    largest outputs. ValueError for lengths that are no vector."""

    def __init__(self, inputs: Nest, sequence_length: TensorLike, time_major: bool = False, name: str | None = None) -> None:
        with ops.name_scope(name, "TrainingHelper"):
            inputs = self._inputs = nest.map_structure(lambda x: convert_to_tensor(x, name="inputs"), inputs)
            if not time_major:
                inputs = nest.map_structure(batch_and_time_swapped, inputs)
            self._input_tas = nest.map_structure(_array_of, inputs)
            self._sequence_length = convert_to_tensor(sequence_length, name="sequence_length")
            if self._sequence_length.shape.rank != 1:
                raise ValueError(f"Expected sequence_length to be a vector, but received shape: {self._sequence_length.shape}")
            self._zero_inputs = nest.map_structure(lambda x: array_ops.zeros_like(x[0, :]), inputs)
            self._batch_size = array_ops.size(self._sequence_length)

    inputs: Any = property(lambda self: self._inputs)
    sequence_length: Any = property(lambda self: self._sequence_length)

    def _read(self, finished, time):
        """The inputs of a step, or zeros where no sequence is so long."""
        parts = cond(math_ops.reduce_all(finished), lambda: nest.flatten(self._zero_inputs),
                     lambda: [array.read(time) for array in nest.flatten(self._input_tas)], strict=True)
        for part, zero in zip(parts, nest.flatten(self._zero_inputs)):
            part.set_shape(zero.shape)
        return nest.pack_sequence_as(self._zero_inputs, parts)

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        with ops.name_scope(name, "TrainingHelperInitialize"):
            finished = math_ops.equal(0, self._sequence_length)
            return finished, self._read(finished, 0)

    def sample(self, time: Tensor, outputs: Any, state: Any, name: str | None = None) -> Any:
        with ops.name_scope(name, "TrainingHelperSample"):
            return math_ops.cast(math_ops.argmax(outputs, axis=-1), dtypes.int32)

    def next_inputs(self, time: Tensor, outputs: Any, state: Any, sample_ids: Any, name: str | None = None) -> tuple[Any, Any, Any]:
        with ops.name_scope(name, "TrainingHelperNextInputs"):
            finished = math_ops.greater_equal(time + 1, self._sequence_length)
            return finished, self._read(finished, time + 1), state


def _sampled(name, probability, batch_size, seed):
    """[batch] of bool: which of the batch take what the decoder gave."""
    from troupe.distributions_counts import Bernoulli

    return Bernoulli(probs=probability, dtype=dtypes.bool_).sample(sample_shape=batch_size, seed=seed)


def _mixed(chosen, inputs, make):
    """Rows of `inputs`, but `make(their numbers)` in the rows that are chosen."""
    where_chosen = math_ops.cast(array_ops.where(chosen), dtypes.int32)
    others = math_ops.cast(array_ops.where(math_ops.logical_not(chosen)), dtypes.int32)
    from troupe.gather_ops import gather_nd

    shape = array_ops.shape(inputs)
    made = (array_ops.scatter_nd(where_chosen, make(where_chosen), shape) + array_ops.scatter_nd(others, gather_nd(inputs, others), shape))
    made.set_shape(inputs.shape)
    return made


def _probability(value):
    value = convert_to_tensor(value, name="sampling_probability")
    if value.shape.rank not in (0, 1):
        raise ValueError(f"sampling_probability must be either a scalar or a vector. saw shape: {value.shape}")
    return value


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """A TrainingHelper that gives with a probability the embeddings of what is drawn from the outputs instead. Samples are -1 where nothing
    was drawn. ValueError for a probability that is neither a scalar nor a vector."""

    def __init__(self, inputs: Nest, sequence_length: TensorLike, embedding: Any, sampling_probability: TensorLike, time_major: bool = False,
                 seed: int | None = None, scheduling_seed: int | None = None, name: str | None = None) -> None:
        with ops.name_scope(name, "ScheduledEmbeddingSamplingWrapper"):
            self._embedding_fn, self._sampling_probability = embedding_function(embedding), _probability(sampling_probability)
            self._seed, self._scheduling_seed = seed, scheduling_seed
            super().__init__(inputs, sequence_length, time_major, name)

    def sample(self, time: Tensor, outputs: Any, state: Any, name: str | None = None) -> Any:
        from troupe.distributions_counts import Categorical

        with ops.name_scope(name, "ScheduledEmbeddingTrainingHelperSample"):
            chosen = _sampled(name, self._sampling_probability, self.batch_size, self._scheduling_seed)
            drawn = Categorical(logits=outputs).sample(seed=self._seed)
            return array_ops.where(chosen, drawn, array_ops.fill(array_ops.shape(drawn), -1))

    def next_inputs(self, time: Tensor, outputs: Any, state: Any, sample_ids: Any, name: str | None = None) -> tuple[Any, Any, Any]:
        from troupe.gather_ops import gather_nd

        with ops.name_scope(name, "ScheduledEmbeddingTrainingHelperNextInputs"):
            finished, inputs, state = super().next_inputs(time, outputs, state, sample_ids, name)
            mixed = lambda: _mixed(sample_ids > -1, inputs, lambda rows: self._embedding_fn(gather_nd(sample_ids, rows)))
            made = cond(math_ops.reduce_all(finished), lambda: array_ops.identity(inputs), mixed)
            made.set_shape(inputs.shape)
            return finished, made, state


class ScheduledOutputTrainingHelper(TrainingHelper):
    """A TrainingHelper that gives with a probability the outputs themselves instead, or what `next_inputs_fn(outputs)` makes of them.
    `auxiliary_inputs` stand beside the inputs at each step. Samples say where it was so. ValueError for probabilities of other ranks."""

    def __init__(self, inputs: Nest, sequence_length: TensorLike, sampling_probability: TensorLike, time_major: bool = False, seed: int | None = None,
                 next_inputs_fn: Callable[[Any], Any] | Layer | None = None, auxiliary_inputs: Nest = None, name: str | None = None) -> None:
        with ops.name_scope(name, "ScheduledOutputTrainingHelper"):
            self._sampling_probability, self._seed, self._next_inputs_fn = _probability(sampling_probability), seed, next_inputs_fn
            self._auxiliary = None
            if auxiliary_inputs is not None:
                auxiliary = nest.map_structure(lambda x: convert_to_tensor(x, name="auxiliary_inputs"), auxiliary_inputs)
                inputs = nest.map_structure(lambda x, y: array_ops.concat([x, y], -1), inputs, auxiliary)
                self._auxiliary = nest.map_structure(lambda x: _array_of(x if time_major else batch_and_time_swapped(x)), auxiliary)
            super().__init__(inputs, sequence_length, time_major, name)

    @property
    def sample_ids_dtype(self) -> Any:
        return dtypes.int32

    def sample(self, time: Tensor, outputs: Any, state: Any, name: str | None = None) -> Any:
        with ops.name_scope(name, "ScheduledOutputTrainingHelperSample"):
            return math_ops.cast(_sampled(name, self._sampling_probability, self.batch_size, self._seed), dtypes.int32)

    def next_inputs(self, time: Tensor, outputs: Any, state: Any, sample_ids: Any, name: str | None = None) -> tuple[Any, Any, Any]:
        from troupe.gather_ops import gather_nd

        with ops.name_scope(name, "ScheduledOutputTrainingHelperNextInputs"):
            finished, inputs, state = super().next_inputs(time, outputs, state, sample_ids, name)

            def mixed():
                made = outputs if self._next_inputs_fn is None else self._next_inputs_fn(outputs)
                if self._auxiliary is not None:
                    made = nest.map_structure(lambda x, y: array_ops.concat([x, y.read(time + 1)], -1), made, self._auxiliary)
                parts = [_mixed(math_ops.cast(sample_ids, dtypes.bool_), i, lambda rows, m=m: gather_nd(m, rows))
                         for i, m in zip(nest.flatten(inputs), nest.flatten(made))]
                return nest.pack_sequence_as(inputs, parts)

            drawn = math_ops.reduce_any(math_ops.cast(sample_ids, dtypes.bool_))
            nothing = math_ops.logical_or(math_ops.reduce_all(finished), math_ops.logical_not(drawn))
            made = cond(nothing, lambda: nest.map_structure(array_ops.identity, inputs), mixed, strict=True)
            for part, i in zip(nest.flatten(made), nest.flatten(inputs)):
                part.set_shape(i.shape)
            return finished, made, state


class GreedyEmbeddingHelper(_OfIds):
    """Gives the embeddings of the largest outputs, until that is `end_token`. `embedding` is a matrix or a function of numbers. ValueError for
    `start_tokens` that are no vector and an `end_token` that is no scalar."""

    def __init__(self, embedding: Any, start_tokens: TensorLike, end_token: TensorLike) -> None:
        self._embedding_fn = embedding_function(embedding)
        self._start_tokens = convert_to_tensor(start_tokens, dtypes.int32, name="start_tokens")
        self._end_token = convert_to_tensor(end_token, dtypes.int32, name="end_token")
        if self._start_tokens.shape.rank != 1:
            raise ValueError("start_tokens must be a vector")
        if self._end_token.shape.rank != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size = array_ops.size(self._start_tokens)
        self._start_inputs = self._embedding_fn(self._start_tokens)

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        return array_ops.tile([False], array_ops.stack([self._batch_size])), self._start_inputs

    def sample(self, time: Tensor, outputs: Any, state: Any, name: str | None = None) -> Any:
        return math_ops.argmax(_logits(outputs), axis=-1, output_type=dtypes.int32)

    def next_inputs(self, time: Tensor, outputs: Any, state: Any, sample_ids: Any, name: str | None = None) -> tuple[Any, Any, Any]:
        finished = math_ops.equal(sample_ids, self._end_token)
        inputs = cond(math_ops.reduce_all(finished), lambda: self._start_inputs, lambda: self._embedding_fn(sample_ids))
        inputs.set_shape(self._start_inputs.shape)
        return finished, inputs, state


def _logits(outputs):
    if nest.is_nested(outputs) or not hasattr(outputs, "dtype"):
        raise TypeError(f"Expected outputs to be a single Tensor, got: {type(outputs)}")
    return outputs


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Gives the embeddings of what is drawn from the outputs as logits, divided by `softmax_temperature` where that is given."""

    def __init__(self, embedding: Any, start_tokens: TensorLike, end_token: TensorLike, softmax_temperature: TensorLike | None = None,
                 seed: int | None = None) -> None:
        super().__init__(embedding, start_tokens, end_token)
        self._softmax_temperature, self._seed = softmax_temperature, seed

    def sample(self, time: Tensor, outputs: Any, state: Any, name: str | None = None) -> Any:
        from troupe.distributions_counts import Categorical

        logits = _logits(outputs) if self._softmax_temperature is None else _logits(outputs) / self._softmax_temperature
        return Categorical(logits=logits).sample(seed=self._seed)


class InferenceHelper(Helper):
    """Gives what `sample_fn(outputs)` chooses, or what `next_inputs_fn` makes of that, until `end_fn(samples)` [batch]."""

    def __init__(self, sample_fn: Callable[[Any], Any], sample_shape: ShapeLike, sample_dtype: DTypeLike, start_inputs: TensorLike,
                 end_fn: Callable[[Any], Any], next_inputs_fn: Callable[[Any], Any] | None = None) -> None:
        self._sample_fn, self._end_fn, self._next_inputs_fn = sample_fn, end_fn, next_inputs_fn
        self._sample_shape, self._sample_dtype = as_shape(sample_shape), sample_dtype
        self._start_inputs = convert_to_tensor(start_inputs, name="start_inputs")
        self._batch_size = array_ops.shape(start_inputs)[0]

    @property
    def batch_size(self) -> Any:
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        return self._sample_shape

    @property
    def sample_ids_dtype(self) -> Any:
        return self._sample_dtype

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        return array_ops.tile([False], array_ops.stack([self._batch_size])), self._start_inputs

    def sample(self, time: Tensor, outputs: Any, state: Any, name: str | None = None) -> Any:
        return self._sample_fn(outputs)

    def next_inputs(self, time: Tensor, outputs: Any, state: Any, sample_ids: Any, name: str | None = None) -> tuple[Any, Any, Any]:
        return self._end_fn(sample_ids), sample_ids if self._next_inputs_fn is None else self._next_inputs_fn(sample_ids), state
