"""tf.contrib.slim's data: data sets of records, decoders of Examples, providers that read them through queues, and queues of batches."""

from __future__ import annotations

import abc
from contextlib import contextmanager
from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, input_pipeline, math_ops, nest, ops, parsing_ops, summary
from troupe.composite import SparseTensor
from troupe.control_flow_ops import cond
from troupe.conversion import convert_to_tensor
from troupe.queue_runner import QueueRunner, add_queue_runner, start_queue_runners
from troupe.queues import FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue
from troupe.sparse_ops import sparse_tensor_to_dense

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from troupe.session import BaseSession
    from troupe.tensor import Tensor as GraphTensor
    from troupe.typing import DTypeLike, ShapeLike


class Dataset:
    """Where records are, how they are read and decoded, and how many there are; what else is given are its attributes."""

    def __init__(self, data_sources: str | Sequence[str], reader: Any, decoder: Any, num_samples: int,
                 items_to_descriptions: Mapping[str, str], **kwargs: Any) -> None:
        kwargs.update(data_sources=data_sources, reader=reader, decoder=decoder, num_samples=num_samples,
                      items_to_descriptions=items_to_descriptions)
        self.__dict__.update(kwargs)


class ItemHandler:
    """Makes an item of the features of an Example: `tensors_to_item({key: tensor})`."""

    def __init__(self, keys: str | Sequence[str]) -> None:
        self._keys = [keys] if isinstance(keys, str) else list(keys)

    @property
    def keys(self) -> list[str]:
        return self._keys

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        raise NotImplementedError("tensors_to_item")


class Tensor(ItemHandler):
    """One feature; of a shape, or of the numbers of other features. ValueError for both."""

    def __init__(self, tensor_key: str, shape_keys: str | Sequence[str] | None = None, shape: ShapeLike = None, default_value: Any = 0) -> None:
        if shape_keys and shape is not None:
            raise ValueError("Cannot specify both shape_keys and shape parameters.")
        self._shape_keys = [] if not shape_keys else [shape_keys] if isinstance(shape_keys, str) else list(shape_keys)
        super().__init__([tensor_key, *self._shape_keys])
        self._key, self._shape, self._default = tensor_key, shape, default_value

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        tensor, shape = keys_to_tensors[self._key], self._shape
        if self._shape_keys:
            parts = [keys_to_tensors[k] for k in self._shape_keys]
            shape = array_ops.concat([array_ops.reshape(p.values if isinstance(p, SparseTensor) else p, [-1]) for p in parts], 0)
        if isinstance(tensor, SparseTensor):
            default = "" if tensor.values.dtype.base_dtype is dtypes.string and self._default == 0 else self._default
            if shape is not None:
                tensor = array_ops.reshape(tensor.values, math_ops.cast(shape, dtypes.int32))
            else:
                tensor = sparse_tensor_to_dense(tensor, default)
        elif shape is not None:
            tensor = array_ops.reshape(tensor, shape)
        return tensor


class Image(ItemHandler):
    """A picture (JPEG, PNG, GIF, BMP, or raw bytes of `shape`) of `channels`, as `dtype`."""

    def __init__(self, image_key: str | None = None, format_key: str | None = None, shape: ShapeLike = None, channels: int = 3,
                 dtype: DTypeLike = dtypes.uint8, repeated: bool = False) -> None:
        self._image_key, self._format_key = image_key or "image/encoded", format_key or "image/format"
        super().__init__([self._image_key, self._format_key])
        self._shape, self._channels, self._dtype, self._repeated = shape, channels, dtypes.as_dtype(dtype), repeated

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        buffer, kind = keys_to_tensors[self._image_key], keys_to_tensors[self._format_key]
        if self._repeated:
            from troupe.functional_ops import map_fn

            return map_fn(lambda b: self._decode(b, kind), buffer, dtype=self._dtype)
        return self._decode(buffer, kind)

    def _decode(self, buffer, kind):
        from troupe.image_filters import decode_image
        from troupe.string_ops import decode_raw

        buffer, kind = array_ops.reshape(buffer, []), array_ops.reshape(kind, [])
        pictures = lambda: math_ops.cast(decode_image(buffer, channels=self._channels), self._dtype)
        raw = lambda: array_ops.reshape(decode_raw(buffer, self._dtype), [-1] if self._shape is None else self._shape)
        is_raw = math_ops.logical_or(math_ops.equal(kind, "raw"), math_ops.equal(kind, "RAW"))
        made = pictures() if self._shape is None else cond(is_raw, raw, pictures)
        made.set_shape([None, None, self._channels])
        return made if self._shape is None else array_ops.reshape(made, self._shape)


class BoundingBox(ItemHandler):
    """Boxes [number, 4] of four features, "ymin", "xmin", "ymax" and "xmax" behind a prefix. ValueError for other than four."""

    def __init__(self, keys: Sequence[str] | None = None, prefix: str = "") -> None:
        keys = list(keys or ("ymin", "xmin", "ymax", "xmax"))
        if len(keys) != 4:
            raise ValueError(f"BoundingBox expects 4 keys but got {len(keys)}")
        self._full_keys = [prefix + k for k in keys]
        super().__init__(self._full_keys)

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        sides = [keys_to_tensors[k] for k in self._full_keys]
        return array_ops.transpose(array_ops.stack([array_ops.reshape(s.values if isinstance(s, SparseTensor) else s, [-1]) for s in sides]))


class DataDecoder(abc.ABC):
    """What makes tensors of data."""

    @abc.abstractmethod
    def decode(self, data: Any, items: Any) -> Any:
        """The tensors of some items, in their order."""

    @abc.abstractmethod
    def list_items(self) -> Any:
        """The names of all items."""


class TFExampleDecoder(DataDecoder):
    """Items {name: handler} of Examples of features {key: kind}."""

    def __init__(self, keys_to_features: Mapping[str, Any], items_to_handlers: Mapping[str, ItemHandler]) -> None:
        self._features, self._handlers = dict(keys_to_features), dict(items_to_handlers)

    def list_items(self) -> list[str]:
        return list(self._handlers)

    def decode(self, serialized_example: Any, items: Sequence[str] | None = None) -> list[Any]:
        """The items of an Example's bytes, in their order."""
        example = parsing_ops.parse_single_example(serialized_example, self._features)
        for key, kind in self._features.items():
            if isinstance(kind, parsing_ops.FixedLenFeature) and not kind.shape:
                example[key] = array_ops.reshape(example[key], [])
        return [self._handlers[i].tensors_to_item({k: example[k] for k in self._handlers[i].keys}) for i in items or self.list_items()]


def parallel_read(data_sources: str | Sequence[str], reader_class: Any, num_epochs: int | None = None, num_readers: int = 4,
                  reader_kwargs: Mapping[str, Any] | None = None, shuffle: bool = True, dtypes: Sequence[DTypeLike] | None = None,  # noqa: A002
                  capacity: int = 256, min_after_dequeue: int = 128, seed: int | None = None, scope: str | None = None,
                  ) -> tuple[GraphTensor, GraphTensor]:
    """(key, value) of the records of files, through a queue that several readers fill. ValueError for no readers."""
    if num_readers < 1:
        raise ValueError("num_readers should be >= 1")
    types = list(dtypes or ("string", "string"))
    with ops.name_scope(scope, "parallel_read"):
        names = input_pipeline.string_input_producer(get_data_files(data_sources), num_epochs=num_epochs, shuffle=shuffle, seed=seed,
                                                     name="filenames")
        if shuffle:
            common = RandomShuffleQueue(capacity, min_after_dequeue, types, seed=seed, name="common_queue")
        else:
            common = FIFOQueue(capacity, types, name="common_queue")
        summary.scalar("fraction_of_full", math_ops.cast(common.size(), "float32") * (1.0 / capacity))
        readers = [reader_class(**(reader_kwargs or {})) for _ in range(num_readers)]
        add_queue_runner(QueueRunner(common, [common.enqueue(list(r.read(names))) for r in readers]))
        key, value = common.dequeue()
        key.set_shape([]), value.set_shape([])
        return key, value


def single_pass_read(data_sources: str | Sequence[str], reader_class: Any, reader_kwargs: Mapping[str, Any] | None = None,
                     scope: str | None = None) -> tuple[GraphTensor, GraphTensor]:
    """(key, value) of the records of files, once and in their order."""
    with ops.name_scope(scope, "single_pass_read"):
        names = input_pipeline.string_input_producer(get_data_files(data_sources), num_epochs=1, shuffle=False, name="filenames")
        return tuple(reader_class(**(reader_kwargs or {})).read(names))  # type: ignore[return-value]


def get_data_files(data_sources: str | Sequence[str]) -> list[str]:
    """Files of a pattern, or of several. ValueError for none."""
    from troupe import file_io

    if isinstance(data_sources, (list, tuple)):
        return [f for source in data_sources for f in get_data_files(source)]
    found = file_io.glob(data_sources) if any(c in data_sources for c in "*?[") else [data_sources]
    if not found:
        raise ValueError(f"No data files found in {data_sources}")
    return found


class DatasetDataProvider:
    """Items of a Dataset's records, one record at a time."""

    def __init__(self, dataset: Any, num_readers: int = 1, reader_kwargs: Mapping[str, Any] | None = None, shuffle: bool = True,
                 num_epochs: int | None = None, common_queue_capacity: int = 256, common_queue_min: int = 128,
                 record_key: str = "record_key", seed: int | None = None, scope: str | None = None) -> None:
        key, data = parallel_read(dataset.data_sources, dataset.reader, num_epochs, num_readers, reader_kwargs, shuffle, None,
                                  common_queue_capacity, common_queue_min, seed, scope)
        items = dataset.decoder.list_items()
        if record_key in items:
            raise ValueError(f"The item name used for `record_key` cannot also be used for a dataset item: {record_key}")
        self._items = {**dict(zip(items, dataset.decoder.decode(data, items))), record_key: key}
        self._num_samples = dataset.num_samples

    def list_items(self) -> list[str]:
        return list(self._items)

    def num_samples(self) -> int:
        return self._num_samples

    def get(self, items: Sequence[str]) -> list[Any]:
        """The tensors of some items. ValueError for one that is not there."""
        unknown = [i for i in items if i not in self._items]
        if unknown:
            raise ValueError(f"Unknown item: {unknown[0]}, the items are {self.list_items()}")
        return [self._items[i] for i in items]


def prefetch_queue(tensors: Any, capacity: int = 8, num_threads: int = 1, dynamic_pad: bool = False, shared_name: str | None = None,
                   name: str | None = None) -> FIFOQueue | PaddingFIFOQueue:
    """A queue of such nests of tensors, which threads fill: `dequeue()` gives one."""
    flat = [convert_to_tensor(t) for t in nest.flatten(tensors)]
    names = list(tensors) if isinstance(tensors, dict) else None
    if names:
        flat = [convert_to_tensor(tensors[n]) for n in names]
    with ops.name_scope(name, "prefetch_queue", flat) as scope:
        make = PaddingFIFOQueue if dynamic_pad else FIFOQueue
        shapes = [t.shape for t in flat] if dynamic_pad or all(t.shape.is_fully_defined() for t in flat) else None
        queue = make(capacity, [t.dtype.base_dtype for t in flat], shapes, names=names, shared_name=shared_name, name=scope.rstrip("/"))
        given: Any = dict(zip(names, flat)) if names else flat
        add_queue_runner(QueueRunner(queue, [queue.enqueue(given)] * num_threads))
        summary.scalar("fraction_of_%d_full" % capacity, math_ops.cast(queue.size(), "float32") * (1.0 / capacity))
        return queue


@contextmanager
def QueueRunners(session: BaseSession) -> Iterator[None]:  # noqa: N802, TensorFlow's name
    """The graph's queue runners in a `with` block, which stops them at its end."""
    from troupe.coordinator import Coordinator

    coordinator = Coordinator()
    threads = start_queue_runners(session, coordinator)
    try:
        yield
    finally:
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=120)
