"""Datasets of windows of others, of what functions make of a state, and of a Python generator's values."""

from __future__ import annotations

import copy
import itertools
import threading
from typing import TYPE_CHECKING

import numpy as np

from troupe import dtypes, nest, op_call, script_ops
from troupe.captured_function import CapturedFunction, normalized
from troupe.conversion import convert_to_tensor
from troupe.dataset_specs import DatasetSpec, element_of, structure_of, wire, wire_types
from troupe.dataset_states import with_state
from troupe.tensor_shape import TensorShape, as_shape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from troupe.dataset_ops import Dataset
    from troupe.tensor import Tensor
    from troupe.typing import Nest, TensorLike


def _int64(value, name):
    return convert_to_tensor(value, dtypes.int64, name=name)


class Transformations:
    """Methods of Dataset that few programs need."""

    def window(self, size: TensorLike, shift: TensorLike | None = None, stride: TensorLike = 1, drop_remainder: bool | Tensor = False,
               name: str | None = None) -> Dataset:
        """Datasets of `size` elements each, which begin `shift` elements apart (`size` by default) and take each `stride`-th; in the nest of an
        element, where it is one."""
        pairs = list(zip(nest.flatten(self._types), nest.flatten_shapes(self._shapes)))
        types = nest.pack_sequence_as(self._types, [DatasetSpec(t, s) for t, s in pairs])
        shapes = nest.pack_sequence_as(self._types, [TensorShape([]) for _ in pairs])
        return self._like("WindowDataset", types, shapes, size=_int64(size, "size"), shift=_int64(size if shift is None else shift, "shift"),
                          stride=_int64(stride, "stride"), drop_remainder=convert_to_tensor(drop_remainder, dtypes.bool_, name="drop_remainder"))

    def group_by_window(self, key_func: Callable[..., TensorLike], reduce_func: Callable[[Tensor, Any], Dataset],
                        window_size: TensorLike | None = None, window_size_func: Callable[[Tensor], TensorLike] | None = None, name: str | None = None) -> Dataset:
        """The elements of the datasets that `reduce_func` makes of (key, dataset of up to `window_size` elements with this key). ValueError unless
        one of `window_size` and `window_size_func`, a function of the key, is given."""
        if (window_size is None) == (window_size_func is None):
            raise ValueError("Either the `window_size` argument or the `window_size_func` argument must be specified, "
                             "but not both.")
        sizes = window_size_func if window_size_func is not None else lambda key: window_size
        key = self._function(lambda *e: _int64(key_func(*e), "key"), "group_by_window_key")
        size = CapturedFunction(lambda k: _int64(sizes(k), "size"), dtypes.int64, TensorShape([]), "Dataset_group_by_window_size")
        made = CapturedFunction(reduce_func, (dtypes.int64, DatasetSpec(self._types, self._shapes)), (TensorShape([]), TensorShape([])),
                                "Dataset_group_by_window_reduce")
        if not isinstance(made.result, Transformations):
            raise TypeError(f"The `reduce_func` argument must return a `Dataset` object. Got {type(made.result)!r}.")
        return self._like("GroupByWindowDataset", made.result._types, made.result._shapes, key_func=key, key_func_other_arguments=key.arguments(),
                          reduce_func=made, reduce_func_other_arguments=made.arguments(), window_size_func=size,
                          window_size_func_other_arguments=size.arguments())

    def bucket_by_sequence_length(self, element_length_func: Callable[..., TensorLike], bucket_boundaries: Sequence[int],
                                  bucket_batch_sizes: Sequence[int], padded_shapes: Nest = None, padding_values: Nest = None,
                                  pad_to_bucket_boundary: bool = False, no_padding: bool = False, drop_remainder: bool | Tensor = False,
                                  name: str | None = None) -> Dataset:
        """Batches of elements of similar lengths: a bucket is between two boundaries. They are padded to the longest of the batch, or, with
        pad_to_bucket_boundary, to one less than the upper boundary; InvalidArgumentError from the step for elements that are longer than all.
        ValueError unless there is a batch size more than there are boundaries."""
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError(f"`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but `len(bucket_batch_sizes)={len(bucket_batch_sizes)}` "
                             f"and `len(bucket_boundaries)={len(bucket_boundaries)}`.")
        from troupe import array_ops, check_ops, math_ops, stacks

        def bucket(*element):
            length = convert_to_tensor(element_length_func(*element))
            return math_ops.reduce_sum(math_ops.cast(math_ops.greater_equal(length, np.array(bucket_boundaries, np.int32)), dtypes.int64))

        def size_of(key):
            return convert_to_tensor(np.array(bucket_batch_sizes, np.int64))[key]

        def up_to_boundary(key, shapes):
            checked = check_ops.assert_less(key, np.int64(len(bucket_boundaries)),
                                            message="When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries).")
            with stacks.get_default_graph().control_dependencies([checked]):
                length = convert_to_tensor(np.array(bucket_boundaries, np.int64))[key] - 1
            flat = [as_shape(s).as_list() for s in _flatten_up_to_shapes(self._types, shapes)]
            vectors = [array_ops.stack([length if d is None else np.int64(d) for d in s]) if s else np.zeros([0], np.int64) for s in flat]
            return nest.pack_sequence_as(self._types, [convert_to_tensor(v, dtypes.int64) for v in vectors])

        def batch(key, grouped):
            if no_padding:
                return grouped.batch(size_of(key), drop_remainder=drop_remainder)
            shapes = self._shapes if padded_shapes is None else padded_shapes
            return grouped.padded_batch(size_of(key), up_to_boundary(key, shapes) if pad_to_bucket_boundary else shapes, padding_values, drop_remainder)

        return self.group_by_window(bucket, batch, window_size_func=size_of)

    def scan(self, initial_state: Nest, scan_func: Callable[[Any, Any], tuple[Any, Any]], name: str | None = None) -> Dataset:
        """The second of what a function of (state, element) gives; the first is the state that comes with the next element."""
        state = normalized(initial_state)
        made, _ = with_state(scan_func, structure_of(state), (self._types, self._shapes), "Dataset_scan", _first_of_pair, "scan_func")
        return self._like("ScanDataset", *structure_of(made.result[1]), initial_state=[wire(t) for t in nest.flatten(state)], other_arguments=made.arguments(),
                          f=made, preserve_cardinality=True)

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Dataset:
        """Without the elements whose making fails."""
        return self._like("IgnoreErrorsDataset", log_warning=log_warning)

    def unique(self, name: str | None = None) -> Dataset:
        """Each element once."""
        return self._like("UniqueDataset")

    def cardinality(self, name: str | None = None) -> Tensor:
        """How many elements it has, as a tensor: -1 for no end, -2 where nobody knows."""
        return op_call.call("DatasetCardinality", None, input_dataset=self._variant)

    def get_single_element(self, name: str | None = None) -> Any:
        """The one element. InvalidArgumentError in runs where there are more or none."""
        made = op_call.make_operation("DatasetToSingleElement", name, dict(dataset=self._variant, **self._flat()))
        return element_of(self._types, made.outputs, self._shapes)

    def options(self) -> Options:
        """The options that `with_options` gave."""
        return self.__dict__.get("_options", Options())

    def with_options(self, options: Options, name: str | None = None) -> Dataset:
        """The same, which knows these options besides those that it has."""
        made = copy.copy(self)
        made._options = copy.copy(self.options())
        vars(made._options).update(vars(options))
        return made


class Options:
    """Wishes about how a dataset is made, by any name. They are kept for who asks; elements come as they come without."""

    def __getattr__(self, name):
        """What was not set is None; groups of wishes (`threading`, `experimental_optimization`, ...) are there when they are asked for."""
        if name.startswith("__"):
            raise AttributeError(name)
        if name in _GROUPS:
            vars(self)[name] = Options()
            return vars(self)[name]
        return None

    def __eq__(self, other):
        return isinstance(other, Options) and vars(self) == vars(other)

    __hash__ = None


_GROUPS = ("autotune", "distribute", "experimental_distribute", "experimental_optimization", "experimental_threading", "threading")


def _first_of_pair(result):
    if not isinstance(result, tuple) or len(result) != 2:
        raise TypeError("Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the output value but its return "
                        f"type is {type(result)}.")
    return result[0]


class _Generators:
    """What a generator function gave each iterator, by number."""

    def __init__(self, function, types, shapes):
        self._function, self._types = function, types
        self._flat_types = nest.flatten(types)
        self._flat_shapes = [as_shape(s) for s in nest.flatten_shapes(shapes)]
        self._numbers, self._lock = itertools.count(), threading.Lock()
        self._running = {}

    def begin(self, *args):
        made = iter(self._function(*args))
        with self._lock:
            number = next(self._numbers)
            self._running[number] = made
        return np.int64(number)

    def step(self, number):
        # StopIteration is the end of the dataset.
        values = next(self._running[int(number)])
        try:
            flat = _flatten_up_to(self._types, values)
        except (TypeError, ValueError) as e:
            raise TypeError("`generator` yielded an element that did not match the expected structure. The expected structure was "
                            f"{self._types}, but the yielded element was {values}.") from e
        return [self._checked(*part) for part in zip(flat, self._flat_types, self._flat_shapes)]

    @staticmethod
    def _checked(value, dtype, shape):
        from troupe.constant_op import to_numpy

        try:
            array = np.asarray(to_numpy(value, dtype))
        except (TypeError, ValueError) as e:
            raise TypeError(f"`generator` yielded an element that could not be converted to the expected type. The expected type was {dtype.name}, "
                            f"but the yielded element was {value}.") from e
        if not shape.is_compatible_with(array.shape):
            raise TypeError(f"`generator` yielded an element of shape {array.shape} where an element of shape {shape} was expected.")
        return array

    def end(self, number):
        self._running.pop(int(number), None)
        return np.int64(0)


def _flatten_up_to(types, values):
    """The parts of a value that stand where types do; a list may be one part."""
    if isinstance(types, dict):
        if sorted(types) != sorted(values):
            raise ValueError("other keys")
        return [part for key in sorted(types) for part in _flatten_up_to(types[key], values[key])]
    if isinstance(types, (tuple, list)):
        if len(types) != len(values):
            raise ValueError("another length")
        return [part for t, v in zip(types, values) for part in _flatten_up_to(t, v)]
    return [values]


def from_generator(dataset_class: type[Dataset], generator: Callable[..., Iterable[Any]], output_types: Nest, output_shapes: Nest = None,
                   args: Sequence[TensorLike] | None = None) -> Dataset:
    """What a Python function's iterator gives, in this process: it is called when an iterator of the dataset begins, with the values of `args`.
    TypeError in runs for what has not these types and shapes."""
    if not callable(generator):
        raise TypeError("`generator` must be a Python callable.")
    types = nest.pack_sequence_as(output_types, [dtypes.as_dtype(t) for t in nest.flatten(output_types)])
    if output_shapes is None:
        shapes = nest.pack_sequence_as(types, [TensorShape(None) for _ in nest.flatten(types)])
    else:
        shapes = nest.pack_sequence_as(types, [as_shape(s) for s in _flatten_up_to_shapes(types, output_shapes)])
    running = _Generators(generator, types, shapes)
    arguments = [convert_to_tensor(a) for a in args or ()]
    flat = wire_types(types)

    def call(function, inputs, types):
        return script_ops.py_func(function, inputs, types)

    def begin():
        made = call(running.begin, arguments, dtypes.int64)
        made.set_shape([])
        return made

    def step(number):
        made = call(running.step, [number], flat)
        for t, s in zip(made, nest.flatten_shapes(shapes)):
            t.set_shape(s)
        return nest.pack_sequence_as(types, made)

    init = CapturedFunction(begin, (), (), "Dataset_from_generator_begin")
    next_ = CapturedFunction(step, dtypes.int64, TensorShape([]), "Dataset_from_generator_next")
    end = CapturedFunction(lambda number: call(running.end, [number], dtypes.int64), dtypes.int64, TensorShape([]), "Dataset_from_generator_end")
    return dataset_class._of_op("GeneratorDataset", types, shapes, init_func=init, init_func_other_args=init.arguments(), next_func=next_,
                                next_func_other_args=next_.arguments(), finalize_func=end, finalize_func_other_args=end.arguments())


def _flatten_up_to_shapes(types, shapes):
    """The shapes that stand where types do; a list of numbers is one."""
    if isinstance(types, dict):
        return [s for key in sorted(types) for s in _flatten_up_to_shapes(types[key], shapes[key])]
    if isinstance(types, (tuple, list)):
        return [s for t, part in zip(types, shapes, strict=True) for s in _flatten_up_to_shapes(t, part)]
    return [shapes]
