"""Queues that are filled by threads: what inputs were before datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, control_flow_ops, dtypes, math_ops, op_call, ops, queues, random_ops, summary
from troupe.conversion import convert_n_to_tensor, convert_to_tensor
from troupe.ops import GraphKeys
from troupe.queue_runner import QueueRunner, add_queue_runner
from troupe.tensor import Tensor
from troupe.tensor_shape import TensorShape, unknown_shape
from troupe.variables import Variable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from troupe.queues import FIFOQueue
    from troupe.tensor import Operation
    from troupe.typing import ShapeLike, TensorLike


def match_filenames_once(pattern: TensorLike, name: str | None = None) -> Variable:
    """The names of the files that match, as a local variable, which is set when that is initialised.."""
    with ops.name_scope(name, "matching_filenames"):
        return Variable(op_call.call("MatchingFiles", None, pattern=pattern), trainable=False, validate_shape=False, name=name,
                        collections=[GraphKeys.LOCAL_VARIABLES])


def limit_epochs(tensor: TensorLike, num_epochs: int | None = None, name: str | None = None) -> Tensor:
    """The tensor, `num_epochs` times, then OutOfRangeError. It counts in a local variable."""
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with ops.name_scope(name, "limit_epochs", [tensor]) as scope:
        zero = array_ops.constant(0, dtype=dtypes.int64)
        epochs = Variable(zero, name="epochs", trainable=False, collections=[GraphKeys.LOCAL_VARIABLES])
        counted = epochs.count_up_to(num_epochs)
        with ops.control_dependencies([counted]):
            return control_flow_ops.identity_of(tensor, name=scope)


def input_producer(input_tensor: TensorLike, element_shape: ShapeLike = None, num_epochs: int | None = None, shuffle: bool = True,
                   seed: int | None = None, capacity: int = 32, shared_name: str | None = None, summary_name: str | None = None,
                   name: str | None = None, cancel_op: Operation | None = None) -> FIFOQueue:
    """A queue of the rows of a tensor, again and again or `num_epochs` times, each time in another order unless not shuffled."""
    with ops.name_scope(name, "input_producer", [input_tensor]):
        rows = convert_to_tensor(input_tensor, name="input_tensor")
        shape = rows.shape[1:].merge_with(element_shape if element_shape is not None else unknown_shape())
        if not shape.is_fully_defined():
            raise ValueError("Either `input_tensor` must have a fully defined shape or `element_shape` must be specified")
        if shuffle:
            rows = random_ops.random_shuffle(rows, seed=seed)
        rows = limit_epochs(rows, num_epochs)
        queue = queues.FIFOQueue(capacity=capacity, dtypes=[rows.dtype.base_dtype], shapes=[shape], shared_name=shared_name, name=name)
        add_queue_runner(QueueRunner(queue, [queue.enqueue_many(rows)], cancel_op=cancel_op))
        if summary_name is not None:
            summary.scalar(summary_name, math_ops.cast(queue.size(), dtypes.float32) * (1.0 / capacity))
        return queue


def string_input_producer(string_tensor: TensorLike, num_epochs: int | None = None, shuffle: bool = True, seed: int | None = None,
                          capacity: int = 32, shared_name: str | None = None, name: str | None = None,
                          cancel_op: Operation | None = None) -> FIFOQueue:
    """A queue of strings, such as the names of files. ValueError for none; InvalidArgumentError when a tensor turns out to have none."""
    if not isinstance(string_tensor, (Tensor, Variable)) and not string_tensor:
        raise ValueError("string_input_producer requires a non-null input tensor")
    with ops.name_scope(name, "input_producer", [string_tensor]) as scope:
        strings = convert_to_tensor(string_tensor, dtypes.string)
        check = control_flow_ops.Assert(math_ops.greater(array_ops.size(strings), 0), ["string_input_producer requires a non-null input tensor"])
        with ops.control_dependencies([check]):
            strings = control_flow_ops.identity_of(strings)
        return input_producer(strings, element_shape=[], num_epochs=num_epochs, shuffle=shuffle, seed=seed, capacity=capacity,
                              shared_name=shared_name, name=scope, summary_name=f"fraction_of_{capacity}_full", cancel_op=cancel_op)


def range_input_producer(limit: TensorLike, num_epochs: int | None = None, shuffle: bool = True, seed: int | None = None, capacity: int = 32,
                         shared_name: str | None = None, name: str | None = None) -> FIFOQueue:
    """A queue of the numbers below `limit`."""
    with ops.name_scope(name, "input_producer", [limit]) as scope:
        return input_producer(math_ops.range(limit), element_shape=[], num_epochs=num_epochs, shuffle=shuffle, seed=seed, capacity=capacity,
                              shared_name=shared_name, name=scope, summary_name=f"fraction_of_{capacity}_full")


def slice_input_producer(tensor_list: Sequence[TensorLike], num_epochs: int | None = None, shuffle: bool = True, seed: int | None = None,
                         capacity: int = 32, shared_name: str | None = None, name: str | None = None) -> list[Tensor]:
    """A row of each of several tensors, all of one number."""
    with ops.name_scope(name, "input_producer", tensor_list):
        tensors = [convert_to_tensor(t) for t in tensor_list]
        if not tensors:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        index = range_input_producer(array_ops.shape(tensors[0])[0], num_epochs, shuffle, seed, capacity, shared_name).dequeue()
        return [array_ops.gather(t, index) for t in tensors]


def _names_and_lists(tensors_list):
    """(names or None, a list of tensors of each)."""
    if not all(isinstance(t, dict) for t in tensors_list):
        return None, [convert_n_to_tensor(list(t)) for t in tensors_list]
    names = sorted(tensors_list[0])
    if any(sorted(t) != names for t in tensors_list):
        raise ValueError("All dictionaries must have the same keys.")
    return names, [convert_n_to_tensor([t[n] for n in names]) for t in tensors_list]


def _shapes_of(lists, shapes, enqueue_many):
    """The shapes of an element's parts: those given, or what all lists have in common."""
    if shapes is not None:
        return [TensorShape(s) for s in shapes]
    found = []
    for parts in zip(*lists):
        known = [t.shape[1:] if enqueue_many else t.shape for t in parts]
        common = known[0]
        for other in known[1:]:
            if common.rank is None or common.rank != other.rank:
                common = unknown_shape()
            else:
                common = TensorShape([a if a == b else None for a, b in zip(common.as_list(), other.as_list())])
        found.append(common)
    return found


def _enqueue(queue, tensors, enqueue_many, keep_input):
    put = queue.enqueue_many if enqueue_many else queue.enqueue
    if keep_input is True:
        return put(tensors)
    return control_flow_ops.cond(keep_input, lambda: put(tensors), control_flow_ops.no_op)


def _batched(scope, names, queue, batch_size, smaller):
    taken = queue.dequeue_up_to(batch_size, name=scope) if smaller else queue.dequeue_many(batch_size, name=scope)
    taken = taken if isinstance(taken, list) else [taken]
    if names is not None:
        return dict(zip(names, taken))
    return taken[0] if len(taken) == 1 else taken


def _fifo_batch(tensors_list, batch_size, threads, capacity, enqueue_many, shapes, dynamic_pad, smaller, shared_name, name, default,
                keep_input=True):
    with ops.name_scope(name, default) as scope:
        names, lists = _names_and_lists(tensors_list)
        shapes = _shapes_of(lists, shapes, enqueue_many)
        make = queues.PaddingFIFOQueue if dynamic_pad else queues.FIFOQueue
        if not dynamic_pad and not all(s.is_fully_defined() for s in shapes):
            raise ValueError(f"All shapes must be fully defined: {shapes}")
        queue = make(capacity=capacity, dtypes=[t.dtype.base_dtype for t in lists[0]], shapes=shapes, shared_name=shared_name)
        # The threads of one list share its operation.
        enqueue_ops = [_enqueue(queue, tensors, enqueue_many, keep_input) for tensors in lists]
        add_queue_runner(QueueRunner(queue, enqueue_ops * threads))
        summary.scalar(f"fraction_of_{capacity}_full", math_ops.cast(queue.size(), dtypes.float32) * (1.0 / capacity))
        return _batched(scope, names, queue, batch_size, smaller)


def batch(tensors: Any, batch_size: TensorLike, num_threads: int = 1, capacity: int = 32, enqueue_many: bool = False, shapes: Any = None,
          dynamic_pad: bool = False, allow_smaller_final_batch: bool = False, shared_name: str | None = None, name: str | None = None) -> Any:
    """`batch_size` elements of a list or dictionary of tensors, stacked. Their shapes must be known, or are padded with dynamic_pad. The rest
    of an input that ends is given only if a smaller batch is allowed."""
    return _fifo_batch([tensors if isinstance(tensors, dict) else _listed(tensors)], batch_size, num_threads, capacity, enqueue_many, shapes,
                       dynamic_pad, allow_smaller_final_batch, shared_name, name, "batch")


def maybe_batch(tensors: Any, keep_input: TensorLike, batch_size: TensorLike, num_threads: int = 1, capacity: int = 32, enqueue_many: bool = False,
                shapes: Any = None, dynamic_pad: bool = False, allow_smaller_final_batch: bool = False, shared_name: str | None = None,
                name: str | None = None) -> Any:
    """The same of the elements that `keep_input`, a boolean scalar, is true for."""
    return _fifo_batch([tensors if isinstance(tensors, dict) else _listed(tensors)], batch_size, num_threads, capacity, enqueue_many, shapes,
                       dynamic_pad, allow_smaller_final_batch, shared_name, name, "maybe_batch", keep_input)


def batch_join(tensors_list: Sequence[Any], batch_size: TensorLike, capacity: int = 32, enqueue_many: bool = False, shapes: Any = None,
               dynamic_pad: bool = False, allow_smaller_final_batch: bool = False, shared_name: str | None = None, name: str | None = None) -> Any:
    """The same of several lists, with a thread for each."""
    return _fifo_batch(list(tensors_list), batch_size, 1, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
                       shared_name, name, "batch_join")


def _listed(tensors):
    return list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]


def _shuffled(tensors_list, batch_size, threads, capacity, least, seed, enqueue_many, shapes, smaller, shared_name, name, default,
              keep_input=True):
    with ops.name_scope(name, default) as scope:
        if capacity <= least:
            raise ValueError(f"capacity {capacity} must be bigger than min_after_dequeue {least}.")
        names, lists = _names_and_lists(tensors_list)
        shapes = _shapes_of(lists, shapes, enqueue_many)
        queue = queues.RandomShuffleQueue(capacity=capacity, min_after_dequeue=least, seed=seed, shapes=shapes, shared_name=shared_name,
                                          dtypes=[t.dtype.base_dtype for t in lists[0]])
        enqueue_ops = [_enqueue(queue, tensors, enqueue_many, keep_input) for tensors in lists]
        add_queue_runner(QueueRunner(queue, enqueue_ops * threads))
        full = math_ops.cast(math_ops.maximum(0, queue.size() - least), dtypes.float32) * (1.0 / (capacity - least))
        summary.scalar(f"fraction_over_{least}_of_{capacity - least}_full", full)
        return _batched(scope, names, queue, batch_size, smaller)


def shuffle_batch(tensors: Any, batch_size: TensorLike, capacity: int, min_after_dequeue: int, num_threads: int = 1, seed: int | None = None,
                  enqueue_many: bool = False, shapes: Any = None, allow_smaller_final_batch: bool = False, shared_name: str | None = None,
                  name: str | None = None) -> Any:
    """As `batch`, but any of the elements that wait is next, of which `min_after_dequeue` always wait."""
    return _shuffled([tensors if isinstance(tensors, dict) else _listed(tensors)], batch_size, num_threads, capacity, min_after_dequeue, seed,
                     enqueue_many, shapes, allow_smaller_final_batch, shared_name, name, "shuffle_batch")


def shuffle_batch_join(tensors_list: Sequence[Any], batch_size: TensorLike, capacity: int, min_after_dequeue: int, seed: int | None = None,
                       enqueue_many: bool = False, shapes: Any = None, allow_smaller_final_batch: bool = False, shared_name: str | None = None,
                       name: str | None = None) -> Any:
    """The same of several lists, with a thread for each."""
    return _shuffled(list(tensors_list), batch_size, 1, capacity, min_after_dequeue, seed, enqueue_many, shapes, allow_smaller_final_batch,
                     shared_name, name, "shuffle_batch_join")


def maybe_batch_join(tensors_list: Sequence[Any], keep_input: TensorLike, batch_size: TensorLike, capacity: int = 32, enqueue_many: bool = False,
                     shapes: Any = None, dynamic_pad: bool = False, allow_smaller_final_batch: bool = False, shared_name: str | None = None,
                     name: str | None = None) -> Any:
    """As `batch_join`, of the elements that `keep_input`, a boolean scalar, is true for."""
    return _fifo_batch(list(tensors_list), batch_size, 1, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch, shared_name, name,
                       "maybe_batch_join", keep_input)


def maybe_shuffle_batch(tensors: Any, batch_size: TensorLike, capacity: int, min_after_dequeue: int, keep_input: TensorLike, num_threads: int = 1,
                        seed: int | None = None, enqueue_many: bool = False, shapes: Any = None, allow_smaller_final_batch: bool = False,
                        shared_name: str | None = None, name: str | None = None) -> Any:
    """As `shuffle_batch`, of the elements that `keep_input`, a boolean scalar, is true for."""
    return _shuffled([tensors if isinstance(tensors, dict) else _listed(tensors)], batch_size, num_threads, capacity, min_after_dequeue, seed, enqueue_many,
                     shapes, allow_smaller_final_batch, shared_name, name, "maybe_shuffle_batch", keep_input)


def maybe_shuffle_batch_join(tensors_list: Sequence[Any], batch_size: TensorLike, capacity: int, min_after_dequeue: int, keep_input: TensorLike,
                             seed: int | None = None, enqueue_many: bool = False, shapes: Any = None, allow_smaller_final_batch: bool = False,
                             shared_name: str | None = None, name: str | None = None) -> Any:
    """As `shuffle_batch_join`, of the elements that `keep_input`, a boolean scalar, is true for."""
    return _shuffled(list(tensors_list), batch_size, 1, capacity, min_after_dequeue, seed, enqueue_many, shapes, allow_smaller_final_batch, shared_name, name,
                     "maybe_shuffle_batch_join", keep_input)
