"""What keeps values between steps beside queues: barriers, staging areas, and records read ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troupe import array_ops, dtypes, op_call, stacks, tensor_util
from troupe.control_flow_ops import no_op
from troupe.conversion import convert_to_tensor
from troupe.ops import colocate_with, name_scope
from troupe.tensor_shape import TensorShape, as_shape, unknown_shape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from troupe.tensor import Operation, Tensor
    from troupe.typing import DTypeLike, ShapeLike, TensorLike


class Barrier:
    """Values of several components by keys; they are taken when all components are there, in the order of their first ones."""

    def __init__(self, types: DTypeLike | Sequence[DTypeLike], shapes: Any = None, shared_name: str | None = None, name: str = "barrier") -> None:
        self._types = [dtypes.as_dtype(t) for t in (types if isinstance(types, (list, tuple)) else [types])]
        if shapes is None:
            self._shapes = [unknown_shape()] * len(self._types)
        else:
            self._shapes = [as_shape(s) for s in (shapes if len(self._types) > 1 or shapes and isinstance(shapes[0], (list, tuple, TensorShape))
                                                  else [shapes])]
            for index, shape in enumerate(self._shapes):
                if shape.num_elements() == 0:
                    raise ValueError(f"Empty tensors are not supported, but received shape '{shape}' at index {index}")
        self._barrier_ref = op_call.call("Barrier", name, component_types=self._types, shapes=self._shapes, shared_name=shared_name or "")
        self._name = self._barrier_ref.op.name.split("/")[-1]

    @property
    def barrier_ref(self) -> Tensor:
        """The handle."""
        return self._barrier_ref

    @property
    def name(self) -> str:
        return self._barrier_ref.op.name

    def insert_many(self, component_index: int, keys: TensorLike, values: TensorLike, name: str | None = None) -> Operation:
        """Sets one component of each key's value."""
        return op_call.call("BarrierInsertMany", name or f"{self._name}_BarrierInsertMany", handle=self._barrier_ref, keys=keys, values=values,
                            component_index=component_index)

    def take_many(self, num_elements: TensorLike, allow_small_batch: bool = False, timeout: int | None = None, name: str | None = None) -> Any:
        """(when the first component came, from -2^63 on, keys, values) of so many complete ones, for which it waits; of fewer, where the barrier
        is closed, if that is allowed."""
        made = op_call.call("BarrierTakeMany", name or f"{self._name}_BarrierTakeMany", handle=self._barrier_ref, num_elements=num_elements,
                            component_types=self._types, allow_small_batch=allow_small_batch, timeout_ms=-1 if timeout is None else timeout)
        op = made[0].op
        known = None if allow_small_batch else tensor_util.constant_value(op.inputs[1])
        count = TensorShape([None if known is None else int(known)])
        for output, shape in zip(op.outputs, [TensorShape([]), TensorShape([]), *self._shapes]):
            output.set_shape(count.concatenate(shape))
        return made

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """New keys are refused from then on; those that are there may be completed unless told otherwise."""
        return op_call.call("BarrierClose", name or f"{self._name}_BarrierClose", handle=self._barrier_ref,
                            cancel_pending_enqueues=cancel_pending_enqueues)

    def ready_size(self, name: str | None = None) -> Tensor:
        """How many are complete."""
        return op_call.call("BarrierReadySize", name or f"{self._name}_BarrierReadySize", handle=self._barrier_ref)

    def incomplete_size(self, name: str | None = None) -> Tensor:
        return op_call.call("BarrierIncompleteSize", name or f"{self._name}_BarrierIncompleteSize", handle=self._barrier_ref)


class BaseStagingArea:
    """Elements of several tensors, which have names where the area has some."""

    def __init__(self, dtypes: Sequence[DTypeLike], shapes: Sequence[ShapeLike] | None = None, names: Sequence[str] | None = None,
                 shared_name: str | None = None, capacity: int = 0, memory_limit: int = 0) -> None:
        if shared_name is not None and not isinstance(shared_name, str):
            raise ValueError(f"shared_name must be a string, got {shared_name}")
        self._name = stacks.get_default_graph().unique_name(type(self).__name__) if shared_name is None else shared_name
        for what, given in (("shapes", shapes), ("names", names)):
            if given is not None and len(given) != len(dtypes):
                raise ValueError(f"StagingArea {what} must be the same length as dtypes")
        self._dtypes, self._names, self._capacity, self._memory_limit = dtypes, names, capacity, memory_limit
        self._shapes = [unknown_shape() for _ in dtypes] if shapes is None else [as_shape(s) for s in shapes]
        with name_scope(f"{self._name}_root"):
            self._coloc_op = no_op()

    name = property(lambda self: self._name)
    dtypes = property(lambda self: self._dtypes)
    shapes = property(lambda self: self._shapes)
    names = property(lambda self: self._names)
    capacity = property(lambda self: self._capacity)
    memory_limit = property(lambda self: self._memory_limit)

    def _call(self, op_type, name, **arguments):
        return op_call.call(op_type, name, **arguments, shared_name=self._name, capacity=self._capacity, memory_limit=self._memory_limit)

    def _checked(self, values, indices):
        """(tensors, their places in an element). ValueError where they do not fit."""
        if isinstance(values, dict):
            if not self._names:
                raise ValueError("Staging areas must have names to enqueue a dictionary")
            if not set(values) <= set(self._names):
                raise ValueError(f"Keys in dictionary to put do not match names of staging area. Dictionary: {sorted(values)}"
                                 f"Queue: {sorted(self._names)}")
            indices = [i for i, n in enumerate(self._names) if n in values]
            values = [values[self._names[i]] for i in indices]
        elif self._names:
            raise ValueError("You must enqueue a dictionary in a staging area with names")
        elif indices is None:
            raise ValueError("Indices must be supplied when inserting a list of tensors")
        elif len(indices) != len(values):
            raise ValueError(f"Number of indices {len(indices)} doesn't match number of values {len(values)}")
        if len(values) > len(self._dtypes):
            raise ValueError(f"Unexpected number of inputs {len(values)} vs {len(self._dtypes)}")
        for value, i in zip(values, indices):
            if value.dtype != self._dtypes[i]:
                raise ValueError(f"Datatypes do not match. Received val.dtype {value.dtype} and dtype {self._dtypes[i]}")
            value.get_shape().assert_is_compatible_with(self._shapes[i])
        return [convert_to_tensor(v, name=f"component_{i}") for v, i in zip(values, indices)], list(indices)

    def _result(self, tensors, indices):
        tensors = tensors if isinstance(tensors, (list, tuple)) else [tensors]
        if no_op().device != self._coloc_op.device:
            tensors = [array_ops.identity(t) for t in tensors]
        for tensor, i in zip(tensors, indices):
            tensor.set_shape(self._shapes[i])
        return {self._names[i]: t for t, i in zip(tensors, indices)} if self._names else list(tensors)


class StagingArea(BaseStagingArea):
    """Elements that come out in the order in which they were put in."""

    def put(self, values: Tensor | Sequence[Tensor] | Mapping[str, Tensor], name: str | None = None) -> Operation:
        """Puts one in, and waits for room."""
        values = values if isinstance(values, (list, tuple, dict)) else [values]
        with name_scope(name, f"{self._name}_put") as scope:
            tensors, _ = self._checked(values, range(len(values)))
            with colocate_with(self._coloc_op):
                return self._call("Stage", scope, values=tensors)

    def _taken(self, op_type, name, **arguments):
        with colocate_with(self._coloc_op):
            made = self._call(op_type, name, dtypes=self._dtypes, **arguments)
        return self._result(made, range(len(self._dtypes)))

    def get(self, name: str | None = None) -> Any:
        """Takes one out, and waits for it."""
        return self._taken("Unstage", name or f"{self._name}_get")

    def peek(self, index: TensorLike, name: str | None = None) -> Any:
        """The one of this number, which stays; waits for it."""
        return self._taken("StagePeek", name or f"{self._name}_peek", index=index)

    def size(self, name: str | None = None) -> Tensor:
        return self._call("StageSize", name or f"{self._name}_size", dtypes=self._dtypes)

    def clear(self, name: str | None = None) -> Operation:
        return self._call("StageClear", name or f"{self._name}_clear", dtypes=self._dtypes)


class MapStagingArea(BaseStagingArea):
    """Elements by int64 keys; they may be put in and taken out in parts."""

    def __init__(self, dtypes: Sequence[DTypeLike], shapes: Sequence[ShapeLike] | None = None, names: Sequence[str] | None = None,
                 shared_name: str | None = None, ordered: bool = False, capacity: int = 0, memory_limit: int = 0) -> None:
        super().__init__(dtypes, shapes, names, shared_name, capacity, memory_limit)
        self._ordered = ordered
        self._prefix = "OrderedMap" if ordered else "Map"

    def put(self, key: TensorLike, vals: Sequence[Tensor] | Mapping[str, Tensor], indices: Sequence[int] | None = None,
            name: str | None = None) -> Operation:
        """Puts components in, all or those of the names or indices."""
        with name_scope(name, f"{self._name}_put") as scope:
            tensors, places = self._checked(vals, indices)
            with colocate_with(self._coloc_op):
                return self._call(f"{self._prefix}Stage", scope, key=key, indices=places, values=tensors, dtypes=self._dtypes)

    def _places(self, indices):
        if indices is None:
            indices = list(range(len(self._dtypes)))
        if not isinstance(indices, (tuple, list)):
            raise TypeError(f"Invalid indices type {type(indices)}")
        if not indices:
            raise ValueError("Empty indices")
        if all(isinstance(i, str) for i in indices):
            if self._names is None:
                raise ValueError(f"String indices provided {indices}, but this Staging Area was not created with names.")
            if not set(indices) <= set(self._names):
                raise ValueError(f"Named index not in Staging Area names {self._names}")
            return [list(self._names).index(n) for n in indices]
        if not all(isinstance(i, int) for i in indices):
            raise TypeError(f"Mixed types in indices {indices}. May only be str or int")
        return list(indices)

    def _taken(self, op_type, name, indices, **key):
        places = self._places(indices)
        with colocate_with(self._coloc_op):
            return places, self._call(self._prefix + op_type, name, indices=places, dtypes=[self._dtypes[i] for i in places], **key)

    def peek(self, key: TensorLike, indices: Sequence[int | str] | None = None, name: str | None = None) -> Any:
        """A key's components, which stay; waits for them."""
        places, made = self._taken("Peek", name or f"{self._name}_pop", indices, key=key)
        return self._result(made, places)

    def get(self, key: TensorLike | None = None, indices: Sequence[int | str] | None = None, name: str | None = None) -> Any:
        """(key, components), which it takes out and waits for; without a key those of any, or of the least where they are in order."""
        if key is not None:
            places, made = self._taken("Unstage", name or f"{self._name}_get", indices, key=key)
            return key, self._result(made, places)
        places, (key, made) = self._taken("UnstageNoKey", name or f"{self._name}_get_nokey", indices)
        return key, self._result(made, places)

    def _whole(self, op_type, name):
        return self._call(self._prefix + op_type, name, dtypes=self._dtypes)

    def size(self, name: str | None = None) -> Tensor:
        return self._whole("Size", name or f"{self._name}_size")

    def incomplete_size(self, name: str | None = None) -> Tensor:
        """How many have come in part."""
        return self._whole("IncompleteSize", name or f"{self._name}_incomplete_size")

    def clear(self, name: str | None = None) -> Operation:
        return self._whole("Clear", name or f"{self._name}_clear")


class RecordInput:
    """Records of files, read ahead by threads and given in random order, time after time."""

    def __init__(self, file_pattern: str, batch_size: int = 1, buffer_size: int = 1, parallelism: int = 1, shift_ratio: float = 0, seed: int = 0,
                 name: str | None = None, batches: int | None = None, compression_type: int | None = None) -> None:
        self._batch_size = batch_size * (1 if batches is None else batches)
        self._batches, self._name = batches, name
        self._arguments = dict(file_pattern=file_pattern, file_buffer_size=buffer_size, file_parallelism=parallelism,
                               file_shuffle_shift_ratio=float(shift_ratio), file_random_seed=seed,
                               compression_type=("", "ZLIB", "GZIP")[compression_type or 0])

    def get_yield_op(self) -> Any:
        """The next records; with `batches` that many lists of them."""
        records = op_call.call("RecordInput", self._name, batch_size=self._batch_size, **self._arguments)
        if self._batches is None:
            return records
        with name_scope(self._name):
            single = [array_ops.reshape(r, []) for r in array_ops.split(records, self._batch_size, 0)]
            return [single[i::self._batches] for i in range(self._batches)]
