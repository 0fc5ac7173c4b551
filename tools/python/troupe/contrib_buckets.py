"""tf.contrib.training.bucket and bucket_by_sequence_length: batches of elements that are alike, by queues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from troupe import array_ops, dtypes, errors, math_ops, ops, queues, summary
from troupe.control_flow_ops import cond, group, no_op
from troupe.conversion import convert_to_tensor
from troupe.input_pipeline import _names_and_lists, _shapes_of
from troupe.layer import smart_cond
from troupe.queue_runner import QueueRunner, add_queue_runner
from troupe.tensor_shape import TensorShape, as_shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troupe.tensor import Tensor
    from troupe.typing import TensorLike


def bucket(tensors: Any, which_bucket: TensorLike, batch_size: int | Sequence[int], num_buckets: int, num_threads: int = 1, capacity: int = 32,
           bucket_capacities: Sequence[int] | None = None, shapes: Any = None, dynamic_pad: bool = False, allow_smaller_final_batch: bool = False,
           keep_input: TensorLike = True, shared_name: str | None = None, name: str | None = None) -> tuple[Tensor, Any]:
    """(number of a bucket, a batch of its elements, in the list or dictionary of `tensors`). Each element goes into the bucket `which_bucket`, whose
    batches are of `batch_size`, or of sizes of their own; with `dynamic_pad` shapes are padded with zeros. ValueError for sizes and capacities
    of another number, and shapes that are not known."""
    sizes = list(batch_size) if isinstance(batch_size, (list, tuple)) else [batch_size] * num_buckets
    for what, given in (("bucket_capacities", bucket_capacities), ("batch_size", sizes)):
        if given is not None and len(given) != num_buckets:
            raise ValueError(f"The list {what} ({given}) must have exactly num_buckets ({num_buckets}) elements")
    with ops.name_scope(name, "bucket"):
        names, lists = _names_and_lists([tensors])
        which = convert_to_tensor(which_bucket, dtypes.int32, name="which_bucket")
        shapes, types = [as_shape(s) for s in _shapes_of(lists, shapes, False)], [t.dtype.base_dtype for t in lists[0]]
        if not dynamic_pad and not all(s.is_fully_defined() for s in shapes):
            raise ValueError(f"All shapes must be fully defined: {shapes}")
        kind = queues.PaddingFIFOQueue if dynamic_pad else queues.FIFOQueue
        inner = [kind(capacity=most, dtypes=types, shapes=shapes, name=f"bucket_queue_{i}", shared_name=shared_name and f"{shared_name}_{i}")
                 for i, most in enumerate(bucket_capacities or [capacity] * num_buckets)]
        rows = None if allow_smaller_final_batch or len(set(sizes)) > 1 else sizes[0]
        # Rows and padded sizes may differ between batches.
        top = queues.PaddingFIFOQueue(capacity=capacity, dtypes=[dtypes.int32, *types], name="top_queue",
                                      shared_name=shared_name and f"{shared_name}_top",
                                      shapes=[TensorShape([]), *(TensorShape([rows]).concatenate(s) for s in shapes)])
        _fill(inner, top, lists[0], which, sizes, num_threads, allow_smaller_final_batch, keep_input)
        summary.scalar(f"bucket/fraction_of_{capacity}_full", math_ops.cast(top.size(), dtypes.float32) * (1.0 / capacity))
        number, *made = top.dequeue(name="dequeue_top")
        return number, _like(tensors, names, made)


def _like(tensors, names, made):
    if names is not None:
        return dict(zip(names, made))
    return made if isinstance(tensors, (list, tuple)) else made[0]


def _fill(inner, top, tensors, which, sizes, threads, smaller, keep_input):
    """Threads from the elements to the queues of buckets, and from these to the one of batches."""
    def enqueue():
        return group(*[cond(math_ops.equal(which, i), lambda q=q: q.enqueue(tensors), no_op) for i, q in enumerate(inner)], name="group_enqueues")

    into = smart_cond(keep_input, enqueue, no_op)
    # The end of the input ends all buckets, and the end of all of these that of batches.
    ends = [group(*[q.close(cancel_pending_enqueues=cancel) for q in inner]) for cancel in (False, True)]
    add_queue_runner(QueueRunner(inner[0], [into] * threads, ends[0], ends[1], (errors.OutOfRangeError, errors.CancelledError)))
    taken = []
    for i, (queue, size) in enumerate(zip(inner, sizes)):
        take = queue.dequeue_up_to if smaller else queue.dequeue_many
        parts = take(size, name=f"read_bucket_{i}")
        taken.append(top.enqueue([convert_to_tensor(i, dtypes.int32), *(parts if isinstance(parts, (list, tuple)) else [parts])],
                                 name=f"enqueue_from_bucket_{i}"))
    add_queue_runner(QueueRunner(top, taken, queue_closed_exception_types=(errors.OutOfRangeError, errors.CancelledError)))


def bucket_by_sequence_length(input_length: TensorLike, tensors: Any, batch_size: int | Sequence[int], bucket_boundaries: Sequence[int],
                              num_threads: int = 1, capacity: int = 32, bucket_capacities: Sequence[int] | None = None, shapes: Any = None,
                              dynamic_pad: bool = False, allow_smaller_final_batch: bool = False, keep_input: TensorLike = True,
                              shared_name: str | None = None, name: str | None = None) -> tuple[Tensor, Any]:
    """(lengths [batch], a batch of elements) whose lengths are between the same boundaries. TypeError for boundaries that are no integers,
    ValueError for none, and for those that do not grow."""
    if not bucket_boundaries:
        raise ValueError("bucket_boundaries must not be empty")
    for before, after in zip([None, *bucket_boundaries], bucket_boundaries):
        if not isinstance(after, int):
            raise TypeError(f"bucket boundaries must be integers, but saw: {before} and {after}")
        if before is not None and before >= after:
            raise ValueError(f"Buckets must contain sequential increasing lengths, but saw: {before} before {after}")
    with ops.name_scope(name, "bucket_by_sequence_length"):
        length = convert_to_tensor(input_length, dtypes.int32, name="input_length")
        limits = np.iinfo(np.int32)
        least, most = np.array([limits.min, *bucket_boundaries], np.int32), np.array([*bucket_boundaries, limits.max], np.int32)
        within = math_ops.logical_and(math_ops.less_equal(least, length), math_ops.less(length, most))
        which = math_ops.cast(math_ops.reduce_min(array_ops.where(within)), dtypes.int32)
        names, lists = _names_and_lists([tensors])
        given = None if shapes is None else [[], *shapes]
        _, (lengths, *made) = bucket([length, *lists[0]], which, batch_size, len(bucket_boundaries) + 1, num_threads, capacity, bucket_capacities,
                                     given, dynamic_pad, allow_smaller_final_batch, keep_input, shared_name)
        return lengths, _like(tensors, names, made)
