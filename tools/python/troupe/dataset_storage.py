"""Elements of datasets in folders: written once, read again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from troupe import dtypes, file_io, nest, op_call, protos
from troupe.captured_function import CapturedFunction
from troupe.conversion import convert_to_tensor
from troupe.dataset_specs import DatasetSpec
from troupe.tensor_shape import TensorShape
from troupe.type_specs import RaggedTensorSpec, SparseTensorSpec, TensorSpec, types_and_shapes

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from troupe.dataset_ops import Dataset
    from troupe.tensor import Operation
    from troupe.typing import TensorLike

_SPEC_FILE = "dataset_spec.pb"


def _reader(types, shapes, reader_func):
    """The function that makes one dataset of those of the folder's parts."""
    if reader_func is None:
        def reader_func(datasets):
            return datasets.interleave(lambda part: part, cycle_length=os.cpu_count() or 1, num_parallel_calls=-1)

    inner = DatasetSpec(types, shapes)
    made = CapturedFunction(reader_func, DatasetSpec(inner, TensorShape([])), TensorShape([]), "Dataset_reader")
    if not hasattr(made.result, "_variant"):
        raise TypeError(f"The `reader_func` argument must return a `Dataset` object. Got {type(made.result)!r}.")
    return made


def save(dataset: Dataset, path: str, compression: str | None = None, shard_func: Callable[..., TensorLike] | None = None) -> Operation:
    """The operation that writes all elements into the folder `path`, which this makes, in the parts whose numbers `shard_func` gives; `compression`: None or
    "GZIP". What the elements are like is written now."""
    function = dataset._function(shard_func if shard_func is not None else lambda *_: convert_to_tensor(0, dtypes.int64), "save_shard")
    file_io.makedirs(path)
    with file_io.GFile(os.path.join(path, _SPEC_FILE), "wb") as file:
        file.write(_encoded(dataset.element_spec).SerializeToString())
    return op_call.call("SaveDataset", None, input_dataset=dataset._variant, path=path, shard_func_other_args=function.arguments(),
                        compression=compression or "", shard_func=function, use_shard_func=shard_func is not None)


def load(path: str, element_spec: Any = None, compression: str | None = None, reader_func: Callable[[Dataset], Dataset] | None = None,
         wait: bool = False) -> Dataset:
    """The elements of a folder that `save` wrote. `element_spec`: what they are like, if the folder is not there yet: NotFoundError without. ValueError for
    `wait`: nothing here writes a folder while it is read."""
    from troupe.dataset_ops import Dataset

    if wait:
        raise ValueError("Argument `wait` of Dataset.load is for snapshots that other processes write; here a folder is read when it is complete.")
    if element_spec is None:
        with file_io.GFile(os.path.join(path, _SPEC_FILE), "rb") as file:
            element_spec = _decoded(protos.StructuredValue.FromString(file.read()))
    types, shapes = types_and_shapes(element_spec)
    reader = _reader(types, shapes, reader_func)
    return Dataset._of_op("LoadDataset", types, shapes, path=path, reader_func_other_args=reader.arguments(), compression=compression or "",
                          reader_func=reader)


def snapshot(dataset: Dataset, path: TensorLike, compression: str | None = "AUTO", reader_func: Callable[[Dataset], Dataset] | None = None,
             shard_func: Callable[..., TensorLike] | None = None) -> Dataset:
    """The elements, which the first epoch writes into the folder `path` and later ones read there. TypeError for a `shard_func` that gives no integers."""
    if shard_func is None:
        numbered = dataset.enumerate()
        parts = os.cpu_count() or 1
        return _snapshot(numbered, path, compression, reader_func, lambda index, _: index % parts).map(lambda _, element: element)
    return _snapshot(dataset, path, compression, reader_func, shard_func)


def _snapshot(dataset, path, compression, reader_func, shard_func):
    shard = dataset._function(shard_func, "snapshot_shard")
    if nest.is_nested(shard.result) or shard.result.dtype.base_dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(f"Invalid `shard_func`. `shard_func` must return `tf.int64` scalar tensor but its return type is {shard.result}.")
    reader = _reader(dataset._types, dataset._shapes, reader_func)
    return dataset._like("SnapshotDatasetV2", path=path, reader_func_other_args=reader.arguments(), shard_func_other_args=shard.arguments(),
                         compression=compression or "", reader_func=reader, shard_func=shard)


# What elements are like, as messages.


def _shape_value(shape):
    return protos.StructuredValue(tensor_shape_value=shape.as_proto())


def _type_value(dtype):
    return protos.StructuredValue(tensor_dtype_value=dtype.as_datatype_enum)


def _encoded(spec):
    made = protos.StructuredValue()
    if isinstance(spec, dict):
        for key, value in spec.items():
            made.dict_value.fields[key].CopyFrom(_encoded(value))
        made.dict_value.SetInParent()
    elif isinstance(spec, tuple):
        made.tuple_value.SetInParent()
        made.tuple_value.values.extend([_encoded(s) for s in spec])
    elif isinstance(spec, TensorSpec):
        made.tensor_spec_value.shape.CopyFrom(spec.shape.as_proto())
        made.tensor_spec_value.dtype = spec.dtype.as_datatype_enum
    elif isinstance(spec, SparseTensorSpec):
        _encode_class(made, "SPARSE_TENSOR_SPEC", "SparseTensorSpec", [_shape_value(spec.shape), _type_value(spec.dtype)])
    elif isinstance(spec, RaggedTensorSpec):
        _encode_class(made, "RAGGED_TENSOR_SPEC", "RaggedTensorSpec", [
            _shape_value(spec.shape), _type_value(spec.dtype), protos.StructuredValue(int64_value=spec.ragged_rank), _type_value(spec.row_splits_dtype)])
    else:
        raise TypeError(f"A dataset of elements like {spec!r} cannot be saved.")
    return made


def _encode_class(message, number, name, parts):
    target = message.type_spec_value
    target.type_spec_class = getattr(protos.TypeSpecProto, number)
    target.type_spec_class_name = name
    target.type_state.tuple_value.values.extend(parts)


def _decoded(message):
    kind = message.WhichOneof("kind")
    if kind == "dict_value":
        return {key: _decoded(message.dict_value.fields[key]) for key in sorted(message.dict_value.fields)}
    if kind == "tuple_value":
        return tuple(map(_decoded, message.tuple_value.values))
    if kind == "named_tuple_value":
        return tuple(_decoded(pair.value) for pair in message.named_tuple_value.values)
    if kind == "tensor_spec_value":
        return TensorSpec(TensorShape(message.tensor_spec_value.shape), message.tensor_spec_value.dtype)
    if kind == "type_spec_value" and message.type_spec_value.type_spec_class_name in ("SparseTensorSpec", "RaggedTensorSpec"):
        parts = [_part(part) for part in message.type_spec_value.type_state.tuple_value.values]
        return SparseTensorSpec(*parts) if len(parts) == 2 else RaggedTensorSpec(*parts[:4])
    raise ValueError(f"The elements of the dataset are of a kind that is not known here: {message}")


def _part(message):
    kind = message.WhichOneof("kind")
    value = getattr(message, kind)
    return TensorShape(value) if kind == "tensor_shape_value" else dtypes.as_dtype(value) if kind == "tensor_dtype_value" else int(value)
