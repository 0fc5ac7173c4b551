"""Queues: elements that steps put in and take out, and wait for."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from troupe import dtypes as _types
from troupe import op_call, ops
from troupe.array_ops import gather, stack
from troupe.conversion import convert_to_tensor
from troupe.ops import get_seed
from troupe.tensor_shape import TensorShape, as_shape, unknown_shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troupe.tensor import Operation, Tensor
    from troupe.typing import DTypeLike, ShapeLike, TensorLike


def _as_list(values):
    return list(values) if isinstance(values, (list, tuple)) else [values]


def _shapes(shapes, count, padded=False):
    """A list of them, or None. ValueError for shapes that are not known; of those that are padded, their ranks must be."""
    if shapes is None:
        return None
    if isinstance(shapes, TensorShape) or count == 1 and not (shapes and isinstance(shapes, (list, tuple)) and _is_shape(shapes[0])):
        shapes = [shapes]
    shapes = [as_shape(s) for s in shapes]
    if len(shapes) != count:
        raise ValueError(f"Queue shapes must have the same length as dtypes, received len(shapes)={len(shapes)}, len(dtypes)={count}")
    if not all(s.rank is not None if padded else s.is_fully_defined() for s in shapes):
        raise ValueError(f"All shapes must {'have a defined rank' if padded else 'be fully defined'}: {shapes}")
    return shapes


def _is_shape(value):
    return isinstance(value, (list, tuple, TensorShape)) or value is None


class QueueBase:
    """A queue by its handle. Elements are lists of tensors, one of them, or a dictionary where the queue has names. A queue that is closed
    refuses new elements with CancelledError, and ends those who wait in vain with OutOfRangeError."""

    def __init__(self, dtypes: DTypeLike | Sequence[DTypeLike], shapes: Sequence[ShapeLike] | None, names: Sequence[str] | None,
                 queue_ref: Tensor) -> None:
        self._dtypes = [_types.as_dtype(t) for t in _as_list(dtypes)]
        self._shapes = [unknown_shape()] * len(self._dtypes) if shapes is None else [as_shape(s) for s in shapes]
        if len(self._shapes) != len(self._dtypes):
            raise ValueError(f"Queue shapes must have the same length as dtypes, received len(shapes)={len(self._shapes)}, "
                             f"len(dtypes)={len(self._dtypes)}")
        if names is not None and len(names) != len(self._dtypes):
            raise ValueError(f"Queue names must have the same length as dtypes,received len(names)={len(names)},len {len(self._dtypes)}")
        self._names = names
        self._queue_ref = queue_ref
        self._name = queue_ref.op.name.split("/")[-1]

    @staticmethod
    def from_list(index: TensorLike, queues: Sequence[QueueBase]) -> QueueBase:
        """The queue that the tensor `index` names among these, which are alike. TypeError for those that are not."""
        if not queues or not isinstance(queues, list) or not all(isinstance(q, QueueBase) for q in queues):
            raise TypeError("A list of queues expected")
        first = queues[0]
        if any(q.dtypes != first.dtypes for q in queues):
            raise TypeError("Queues do not have matching component dtypes.")
        if any(q.names != first.names for q in queues):
            raise TypeError("Queues do not have matching component names.")
        shapes = [parts[0] if all(p == parts[0] for p in parts) else unknown_shape() for parts in zip(*(q.shapes for q in queues))]
        return QueueBase(first.dtypes, shapes, first.names, gather(stack([q.queue_ref for q in queues]), index))

    @property
    def queue_ref(self) -> Tensor:
        return self._queue_ref

    def __repr__(self):
        return f"<{type(self).__name__} {self.name!r} dtypes={self._dtypes}>"

    @property
    def name(self) -> str:
        return self._queue_ref.op.name

    @property
    def dtypes(self) -> list[_types.DType]:
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        return self._shapes

    @property
    def names(self) -> Sequence[str] | None:
        return self._names

    def _components(self, values):
        """The tensors of an element."""
        if isinstance(values, dict):
            if not self._names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self._names) != sorted(values):
                raise ValueError(f"Keys in dictionary to enqueue do not match names of Queue.  Dictionary: {sorted(values)},"
                                 f"Queue: {sorted(self._names)}")
            values = [values[n] for n in self._names]
        elif self._names:
            raise ValueError("You must enqueue a dictionary in a Queue with names")
        values = _as_list(values)
        if len(values) != len(self._dtypes):
            raise ValueError(f"Expected {len(self._dtypes)} components to enqueue, got {len(values)}")
        return [convert_to_tensor(v, t, name=f"component_{i}") for i, (v, t) in enumerate(zip(values, self._dtypes))]

    def enqueue(self, vals: TensorLike | dict[str, Any], name: str | None = None) -> Operation:
        """The operation that puts an element in, and waits while the queue is full."""
        with ops.name_scope(name, f"{self._name}_enqueue") as scope:
            components = self._components(vals)
            for t, shape in zip(components, self._shapes):
                t.shape.assert_is_compatible_with(shape)
            return op_call.call("QueueEnqueueV2", scope, handle=self._queue_ref, components=components)

    def enqueue_many(self, vals: TensorLike | dict[str, Any], name: str | None = None) -> Operation:
        """The same of as many elements as the first dimension has rows."""
        with ops.name_scope(name, f"{self._name}_EnqueueMany") as scope:
            components = self._components(vals)
            rows = components[0].shape.with_rank_at_least(1)[0]
            for t, shape in zip(components, self._shapes):
                rows.assert_is_compatible_with(t.shape.with_rank_at_least(1)[0])
                t.shape[1:].assert_is_compatible_with(shape)
            return op_call.call("QueueEnqueueManyV2", scope, handle=self._queue_ref, components=components)

    def _taken(self, op, prefix=()):
        for t, shape in zip(op.outputs, self._shapes):
            t.set_shape(as_shape(list(prefix)).concatenate(shape))
        if self._names:
            return dict(zip(self._names, op.outputs))
        return op.outputs[0] if len(op.outputs) == 1 else list(op.outputs)

    def _take(self, op_type, name, prefix=(), **arguments):
        op = op_call.make_operation(op_type, name, dict(arguments, handle=self._queue_ref, component_types=self._dtypes))
        return self._taken(op, prefix)

    def dequeue(self, name: str | None = None) -> Any:
        """An element, which is waited for."""
        return self._take("QueueDequeueV2", name or f"{self._name}_Dequeue")

    def dequeue_many(self, n: TensorLike, name: str | None = None) -> Any:
        """`n` elements, stacked. Their shapes must be known."""
        name = name or f"{self._name}_DequeueMany"
        rows = n if isinstance(n, int) else None
        return self._take("QueueDequeueManyV2", name, (rows,), n=n)

    def dequeue_up_to(self, n: TensorLike, name: str | None = None) -> Any:
        """`n` elements, or the rest of a queue that was closed."""
        return self._take("QueueDequeueUpToV2", name or f"{self._name}_DequeueUpTo", (None,), n=n)

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """The operation that closes the queue; those who wait to put something in may be cancelled."""
        return op_call.call("QueueCloseV2", name or f"{self._name}_Close", handle=self._queue_ref,
                            cancel_pending_enqueues=cancel_pending_enqueues)

    def is_closed(self, name: str | None = None) -> Tensor:
        return op_call.call("QueueIsClosedV2", name or f"{self._name}_Is_Closed", handle=self._queue_ref)

    def size(self, name: str | None = None) -> Tensor:
        return op_call.call("QueueSizeV2", name or f"{self._name}_Size", handle=self._queue_ref)


def _arguments(dtypes, shapes, names, padded=False):
    dtypes = [_types.as_dtype(t) for t in _as_list(dtypes)]
    names = names if names is None else _as_list(names)
    return dtypes, _shapes(shapes, len(dtypes), padded), names


class FIFOQueue(QueueBase):
    """First in, first out."""

    def __init__(self, capacity: int, dtypes: DTypeLike | Sequence[DTypeLike], shapes: ShapeLike | Sequence[ShapeLike] = None,
                 names: str | Sequence[str] | None = None, shared_name: str | None = None, name: str = "fifo_queue") -> None:
        dtypes, shapes, names = _arguments(dtypes, shapes, names)
        super().__init__(dtypes, shapes, names, op_call.call(  # type: ignore[arg-type]
            "FIFOQueueV2", name, component_types=dtypes, shapes=shapes or [], capacity=capacity, shared_name=shared_name or ""))


class RandomShuffleQueue(QueueBase):
    """Any of its elements is out next; `min_after_dequeue` stay in, until it is closed."""

    def __init__(self, capacity: int, min_after_dequeue: int, dtypes: DTypeLike | Sequence[DTypeLike],
                 shapes: ShapeLike | Sequence[ShapeLike] = None, names: str | Sequence[str] | None = None, seed: int | None = None,
                 shared_name: str | None = None, name: str = "random_shuffle_queue") -> None:
        dtypes, shapes, names = _arguments(dtypes, shapes, names)
        seed1, seed2 = get_seed(seed)
        if seed1 is None and seed2 is None:
            seed1 = seed2 = 0
        elif seed is None and shared_name is not None:
            # All sessions that share it have the same.
            seed2 = int(hashlib.md5(f"{seed2}{shared_name}".encode()).hexdigest()[:8], 16) & 0x7FFFFFFF
        super().__init__(dtypes, shapes, names, op_call.call(  # type: ignore[arg-type]
            "RandomShuffleQueueV2", name, component_types=dtypes, shapes=shapes or [], capacity=capacity,
            min_after_dequeue=min_after_dequeue, seed=seed1, seed2=seed2, shared_name=shared_name or ""))


class PaddingFIFOQueue(QueueBase):
    """First in, first out; dimensions that shapes leave open are padded with zeros when elements are taken out together."""

    def __init__(self, capacity: int, dtypes: DTypeLike | Sequence[DTypeLike], shapes: ShapeLike | Sequence[ShapeLike],
                 names: str | Sequence[str] | None = None, shared_name: str | None = None, name: str = "padding_fifo_queue") -> None:
        dtypes, shapes, names = _arguments(dtypes, shapes, names, padded=True)
        if shapes is None or len(shapes) != len(dtypes):  # type: ignore[arg-type]
            raise ValueError("Shapes must be provided for all components, but received "
                             f"{0 if shapes is None else len(shapes)} dtypes and {len(dtypes)} shapes.")  # type: ignore[arg-type]
        super().__init__(dtypes, shapes, names, op_call.call(  # type: ignore[arg-type]
            "PaddingFIFOQueueV2", name, component_types=dtypes, shapes=shapes, capacity=capacity, shared_name=shared_name or ""))


class PriorityQueue(QueueBase):
    """The smallest first: each element begins with its int64 priority, beside what `types` say."""

    def __init__(self, capacity: int, types: DTypeLike | Sequence[DTypeLike], shapes: ShapeLike | Sequence[ShapeLike] = None,
                 names: str | Sequence[str] | None = None, shared_name: str | None = None, name: str = "priority_queue") -> None:
        types, shapes, names = _arguments(types, shapes, names)
        made = op_call.call("PriorityQueueV2", name, component_types=types, shapes=shapes or [], capacity=capacity,
                            shared_name=shared_name or "")
        shapes = None if shapes is None else [TensorShape([]), *shapes]  # type: ignore[misc]
        super().__init__([_types.int64, *types], shapes, names, made)  # type: ignore[misc]
