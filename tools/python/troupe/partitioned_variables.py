"""Variables in parts: functions that say how many, and what get_variable makes with one."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from troupe import array_ops, dtypes, stacks
from troupe.conversion import convert_to_tensor, register_tensor_conversion_function
from troupe.save_slice_info import SaveSliceInfo
from troupe.tensor import Tensor
from troupe.tensor_shape import TensorShape, as_shape
from troupe.variable_scope import _default_initializer, get_variable, variable_scope

if TYPE_CHECKING:
    from collections.abc import Iterator

    from troupe.dtypes import DType
    from troupe.typing import DTypeLike, Initializer, Partitioner, ShapeLike, TensorLike
    from troupe.variable_scope import _ReuseMode
    from troupe.variables import Variable


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """This many parts along an axis, or as many as there are rows."""
    def partitioner(shape, **unused):
        return _only(axis, min(num_shards, shape.as_list()[axis]), shape)

    return partitioner


def variable_axis_size_partitioner(max_shard_bytes: int, axis: int = 0, bytes_per_string_element: int = 16,
                                   max_shards: int | None = None) -> Partitioner:
    """Parts of at most `max_shard_bytes` along an axis, each of one row at least, and no more than `max_shards`. ValueError for what is not
    positive."""
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError("Both max_shard_bytes and bytes_per_string_element must be positive. "
                         f"Currently, max_shard_bytes is {max_shard_bytes} and bytes_per_string_element is {bytes_per_string_element}")
    if max_shards and max_shards < 1:
        raise ValueError("max_shards must be positive.")

    def partitioner(shape, dtype):
        if not isinstance(shape, TensorShape):
            raise ValueError(f"shape is not a TensorShape: {shape}")
        if not shape.is_fully_defined():
            raise ValueError(f"shape is not fully defined: {shape}")
        rows = shape.as_list()[axis]
        bytes_per_row = shape.num_elements() / rows * _element_bytes(dtype, bytes_per_string_element)
        parts = math.ceil(rows / max(1, math.floor(max_shard_bytes / bytes_per_row)))
        return _only(axis, min(max_shards, parts) if max_shards else parts, shape)

    return partitioner


def min_max_variable_partitioner(max_partitions: int = 1, axis: int = 0, min_slice_size: int = 256 << 10,
                                 bytes_per_string_element: int = 16) -> Partitioner:
    """Parts of at least `min_slice_size` bytes along an axis, at most `max_partitions`. ValueError for an axis that is not there."""
    def partitioner(shape, dtype):
        if axis >= len(shape):
            raise ValueError(f"Cannot partition variable along axis {axis} when shape is only {shape}")
        parts = math.ceil(shape.num_elements() * _element_bytes(dtype, bytes_per_string_element) / min_slice_size)
        return _only(axis, max(1, min(shape.as_list()[axis], max_partitions, parts)), shape)

    return partitioner


def _only(axis, count, shape):
    parts = [1] * len(shape)
    parts[axis] = count
    return parts


def _element_bytes(dtype, of_string):
    dtype = dtypes.as_dtype(dtype).base_dtype
    return of_string if dtype is dtypes.string else dtype.size


class PartitionedVariable:
    """Variables that are a larger one, cut along one axis, in the order of their offsets. As a tensor it is all of them together."""

    def __init__(self, name: str, shape: TensorShape | Sequence[int], dtype: DType, variable_list: Sequence[Variable],
                 partitions: Sequence[int]) -> None:
        if not isinstance(variable_list, (list, tuple)):
            raise TypeError(f"variable_list is not a list or tuple: {variable_list}")
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(f"partitions is not a list or tuple: {partitions}")
        if not all(p >= 1 for p in partitions):
            raise ValueError(f"partition values must be positive: {partitions}")
        if not variable_list:
            raise ValueError("variable_list may not be empty")
        if any(v._save_slice_info is None for v in variable_list):
            raise ValueError(f"All variables must have a save_slice_info available: {[v.name for v in variable_list]}")
        if len(shape) != len(partitions):
            raise ValueError(f"len(shape) != len(partitions): {shape} vs. {partitions}")
        self._variable_list = sorted(variable_list, key=lambda v: v._save_slice_info.var_offset)
        self._name, self._shape, self._dtype, self._partitions = name, as_shape(shape), dtype, partitions

    name = property(lambda self: self._name)
    dtype = property(lambda self: self._dtype)
    shape = property(lambda self: self._shape)

    def get_shape(self) -> TensorShape:
        return self._shape

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._variable_list)

    def __len__(self) -> int:
        return len(self._variable_list)

    def _get_variable_list(self):
        return self._variable_list

    def _get_partitions(self):
        return self._partitions

    def _axis(self):
        return next((i for i, p in enumerate(self._partitions) if p > 1), 0)

    def as_tensor(self) -> Tensor:
        """The values of all parts, one after the other; it waits for nothing that blocks outside say."""
        graph = self._variable_list[0].graph
        with graph.control_dependencies(None):
            together = self._variable_list[0]
            if len(self._variable_list) > 1:
                with graph.name_scope(self._name + "/ConcatPartitions/"):
                    together = array_ops.concat(self._variable_list, self._axis())
            with graph.name_scope(None):
                return array_ops.identity(together, name=self._name)

    def _each(self, method, value, options):
        if isinstance(value, list):
            if len(value) != len(self):
                raise ValueError(f"Expected {len(self)} values, one for each part of {self._name}, got {len(value)}")
            values = value
        elif isinstance(value, PartitionedVariable):
            values = list(value)
        else:
            axis = self._axis()
            values = array_ops.split(value, [v.shape.as_list()[axis] for v in self], axis=axis)
        return [getattr(v, method)(part, **options) for v, part in zip(self, values)]

    def assign(self, value: TensorLike | PartitionedVariable, use_locking: bool = False, name: str | None = None,
               read_value: bool = True) -> list[Any]:
        """Assigns parts of a value, of a list or of another such variable: what each part's assignment gives."""
        return self._each("assign", value, dict(use_locking=use_locking, name=name, read_value=read_value))

    def assign_add(self, value: TensorLike | PartitionedVariable, use_locking: bool = False, name: str | None = None,
                   read_value: bool = True) -> list[Any]:
        return self._each("assign_add", value, dict(use_locking=use_locking, name=name, read_value=read_value))

    def assign_sub(self, value: TensorLike | PartitionedVariable, use_locking: bool = False, name: str | None = None,
                   read_value: bool = True) -> list[Any]:
        return self._each("assign_sub", value, dict(use_locking=use_locking, name=name, read_value=read_value))


def parts_of(variables: Any) -> list[Any]:
    """Those in a list, or one, with the parts of partitioned variables in their places."""
    flat: list[Any] = []
    for v in variables if isinstance(variables, (list, tuple)) else [variables]:
        flat.extend(v if isinstance(v, PartitionedVariable) else [v])  # type: ignore[arg-type]
    return flat


def _convert(value, dtype=None, name=None, as_ref=False):
    if dtype is not None and not dtype.is_compatible_with(value.dtype):
        raise ValueError(f"Incompatible type conversion requested to type '{dtype.name}' for variable of type '{value.dtype.name}'")
    if as_ref:
        raise NotImplementedError("PartitionedVariable doesn't support being used as a reference.")
    return value.as_tensor()


register_tensor_conversion_function(PartitionedVariable, _convert)


class _PartitionInfo:
    """What initializers are told of the part that they are for."""

    def __init__(self, full_shape, var_offset):
        self.full_shape, self.var_offset = full_shape, var_offset

    def single_slice_dim(self, shape):
        """The axis that it is cut along; None when it is the whole. ValueError for several."""
        axes = [i for i, (part, full) in enumerate(zip(shape, self.full_shape)) if part != full]
        if len(axes) > 1:
            raise ValueError(f"Cannot use single_slice_dim() with shape {shape} and multiple slices of {self.full_shape}")
        return axes[0] if axes else None

    def single_offset(self, shape):
        axis = self.single_slice_dim(shape)
        return 0 if axis is None else self.var_offset[axis]


def get(store: Any, name: str, partitioner: Partitioner | None, shape: ShapeLike, dtype: DType, initializer: Initializer | None,
        reuse: bool | _ReuseMode | None, **others: Any) -> PartitionedVariable:
    """The variable of this name in parts, as the store of get_variable has or makes it. ValueError for what does not go together."""
    if name in store._by_name:
        raise ValueError(f"A partitioner was provided, but an unpartitioned version of the variable was found: {name}.  Perhaps a variable of the "
                         "same name was already created without partitioning?")
    shape = as_shape(shape)
    if isinstance(initializer, Tensor):
        shape = shape.merge_with(initializer.shape)
    partitions: Any = None if partitioner is None else _partitions(partitioner, shape, dtype)
    found = store._partitioned.get(name)
    if found is not None:
        return _shared(found, name, shape, dtype, partitions, reuse)
    if reuse is True:
        raise ValueError(f"PartitionedVariable {name} does not exist, or was not created with tf.get_variable(). Did you mean to set reuse=False or "
                         "reuse=tf.AUTO_REUSE in VarScope?")
    axis = next((i for i, p in enumerate(partitions) if p > 1), 0)
    variables = []
    for i, (offset, part) in enumerate(_slices(shape.as_list(), partitions[axis], axis)):
        info = _PartitionInfo(shape.as_list(), offset)
        first, part_shape, dtype = _first_of(initializer, f"{name}/part_{i}", info, part, dtype)
        variable = store.get(f"{name}/part_{i}", shape=part_shape, dtype=dtype, initializer=first, reuse=reuse, **others)
        variable._save_slice_info = SaveSliceInfo(name, shape.as_list(), offset, part)  # type: ignore[arg-type]
        variables.append(variable)
    made = store._partitioned[name] = PartitionedVariable(name, shape, dtype, variables, partitions)
    return made


def _partitions(partitioner, shape, dtype):
    if not shape.is_fully_defined():
        raise ValueError(f"Shape of a new partitioned variable must be fully defined, but instead was {shape}.")
    if shape.rank < 1:
        raise ValueError(f"A partitioned Variable must have rank at least 1, shape: {shape}")
    parts = partitioner(shape=shape, dtype=dtype)
    if not isinstance(parts, Sequence):
        raise ValueError(f"Partitioner must return a sequence, but saw: {parts}")
    if len(parts) != shape.rank:
        raise ValueError(f"Partitioner returned a partition list that does not match the Variable's rank: {parts} vs. {shape}")
    if any(p < 1 for p in parts):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {parts}")
    if sum(p > 1 for p in parts) > 1:
        raise ValueError(f"Can only slice a variable along one dimension: shape: {shape}, partitioning: {parts}")
    return parts


def _shared(found, name, shape, dtype, partitions, reuse):
    if not reuse:
        raise ValueError(f"Partitioned variable with name {name} already exists. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope?")
    what = None
    if not shape.is_compatible_with(found.shape):
        what = f"shape {shape} and found shape {found.shape}"
    elif not dtype.is_compatible_with(found.dtype):
        what = f"dtype {dtype.name} and found dtype {found.dtype.name}"
    elif partitions is not None and list(partitions) != list(found._partitions):
        what = f"partitions {partitions} and found partitions {found._partitions}"
    if what is not None:
        raise ValueError(f"Trying to reuse partitioned variable {name}, but specified {what}.")
    return found


def _slices(full, count, axis):
    """(offset, shape) of each part; the first are longer by one where it does not come out even."""
    offset, longer = [0] * len(full), full[axis] % count
    for i in range(count):
        part = list(full)
        part[axis] = full[axis] // count + (i < longer)
        yield list(offset), part
        offset[axis] += part[axis]


def _first_of(initializer, name, info, part, dtype):
    """(initializer, shape or None, dtype) of a part."""
    if isinstance(initializer, type):
        initializer = initializer(dtype=dtype)
    if initializer is None:
        initializer = _default_initializer(name, dtype)
    if callable(initializer):
        if "partition_info" in inspect.signature(initializer).parameters:
            initializer = functools.partial(initializer, partition_info=info)
        return initializer, part, dtype
    with stacks.get_default_graph().name_scope(f"{name}/PartitionedInitializer"):
        whole = initializer if isinstance(initializer, Tensor) else convert_to_tensor(initializer, dtype)
        value = array_ops.slice(whole, info.var_offset, part)
    return value, None, value.dtype.base_dtype


def create_partitioned_variables(shape: TensorShape | Sequence[int], slicing: Sequence[int], initializer: Initializer,
                                 dtype: DTypeLike = dtypes.float32, trainable: bool = True, collections: Sequence[str] | None = None,
                                 name: str | None = None, reuse: bool | _ReuseMode | None = None) -> list[Variable]:
    """The parts of a variable of this shape, `slicing[i]` along axis i, of which one may be larger than 1."""
    if len(shape) != len(slicing):
        raise ValueError(f"The 'shape' and 'slicing' of a partitioned Variable must have the length: shape: {shape}, slicing: {slicing}")
    if len(shape) < 1:
        raise ValueError(f"A partitioned Variable must have rank at least 1: shape: {shape}")
    with variable_scope(name, "PartitionedVariable", reuse=reuse) as scope:
        # It is called after the scope itself.
        getter = lambda get, full, *args, **given: get(scope.name, *args, **given)
        return list(get_variable("", shape, dtype, initializer, trainable=trainable, collections=collections, custom_getter=getter,
                                 partitioner=lambda **unused: slicing))
