"""What a saver saves: tensors by the names that they have in a checkpoint, and how each is restored."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from troupe import array_ops, op_call, stacks
from troupe.control_flow_ops import group, identity_of
from troupe.partitioned_variables import PartitionedVariable
from troupe.resource_variable import ResourceVariable
from troupe.tensor import Tensor
from troupe.variables import Variable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from troupe.dtypes import DType
    from troupe.tensor import Operation


class SaveSpec:
    """A tensor, or a function that makes it, the slice of a larger one that it is, and its name in a checkpoint."""

    def __init__(self, tensor: Tensor | Callable[[], Tensor], slice_spec: str, name: str, dtype: DType | None = None,
                 device: str | None = None) -> None:
        self._tensor, self.slice_spec, self.name = tensor, slice_spec, name
        self.dtype: DType = tensor.dtype if dtype is None else dtype  # type: ignore[union-attr]
        self.device = device if device is not None or callable(tensor) else tensor.device

    @property
    def tensor(self) -> Tensor:
        return self._tensor() if callable(self._tensor) else self._tensor


class SaveableObject:
    """Several of them that are restored together. A class of its own defines `restore`."""

    def __init__(self, op: Any, specs: Sequence[SaveSpec], name: str) -> None:
        self.op, self.specs, self.name = op, specs, name

    @property
    def device(self) -> str | None:
        return self.specs[0].device

    def restore(self, restored_tensors: Sequence[Tensor], restored_shapes: Sequence[Any] | None) -> Operation | Tensor:
        """The operation that gives it the tensors of a checkpoint, reshaped to `restored_shapes` if these are not None."""
        raise NotImplementedError("Calling an abstract method.")


def _cpu_of(device):
    """The CPU of a device's task."""
    return re.sub(r"/(device:)?GPU:\d+", "/device:CPU:0", device) if device else device


class _ReferenceSaveable(SaveableObject):
    def __init__(self, variable, slice_spec, name):
        self._ref = variable._ref() if isinstance(variable, Variable) else variable
        super().__init__(variable, [SaveSpec(self._ref, slice_spec, name, self._ref.dtype.base_dtype)], name)

    def restore(self, restored_tensors, restored_shapes):
        value = restored_tensors[0]
        if restored_shapes is not None:
            value = array_ops.reshape(value, restored_shapes[0])
        return op_call.call("Assign", None, ref=self._ref, value=value,
                            validate_shape=restored_shapes is None and self._ref.shape.is_fully_defined())


class _ResourceSaveable(SaveableObject):
    def __init__(self, variable, slice_spec, name):
        self._handle, self._shape = variable.handle, variable.shape
        super().__init__(variable, [SaveSpec(variable._graph_element, slice_spec, name, variable.dtype, _cpu_of(variable.device))], name)

    def restore(self, restored_tensors, restored_shapes):
        value = restored_tensors[0]
        if restored_shapes is not None:
            value = array_ops.reshape(value, restored_shapes[0])
        with stacks.get_default_graph().device(_cpu_of(self._handle.device) or None):
            value = identity_of(value)
        value.set_shape(self._shape)
        return op_call.call("AssignVariableOp", None, resource=self._handle, value=value)


def _of(value, name, slice_spec=""):
    if isinstance(value, SaveableObject):
        return value
    if isinstance(value, ResourceVariable):
        return _ResourceSaveable(value, slice_spec, name)
    if isinstance(value, Variable) or isinstance(value, Tensor) and value.dtype._is_ref_dtype:
        return _ReferenceSaveable(value, slice_spec, name)
    raise TypeError(f"names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a variable: {value}")


def _of_parts(parts, name):
    """Of variables that are slices of one tensor."""
    if not all(isinstance(v, Variable) for v in parts):
        raise ValueError(f"Slices must all be Variables: {parts}")
    if any(v._save_slice_info is None for v in parts):
        raise ValueError(f"Slices must all be slices: {parts}")
    names = {v._save_slice_info.full_name for v in parts}
    if len(names) > 1:
        raise ValueError(f"Slices must all be from the same tensor: {' != '.join(sorted(names))}")
    return [_of(v, name, v._save_slice_info.spec) for v in parts]


def _named(objects):
    """{name in the checkpoint: object} of a list."""
    if not isinstance(objects, (list, tuple, set)):
        raise TypeError(f"Variables to save should be passed in a dict or a list: {objects}")
    found = {}
    for value in objects:
        if isinstance(value, Variable) and value._save_slice_info is not None:
            parts = found.setdefault(value._save_slice_info.full_name, [])
            if not isinstance(parts, list):
                raise ValueError(f"Mixing slices and non-slices with the same name: {value._save_slice_info.full_name}")
            parts.append(value)
            continue
        if not isinstance(value, (Variable, SaveableObject, PartitionedVariable)) and not (isinstance(value, Tensor) and value.dtype._is_ref_dtype):
            raise TypeError(f"Variable to save is not a Variable: {value}")
        name = value.name if isinstance(value, (SaveableObject, PartitionedVariable)) else value.op.name
        if name in found:
            raise ValueError(f"At least two variables have the same name: {name}")
        found[name] = value
    return found


def saveables_of(objects: dict[str, Any] | Iterable[Any]) -> list[SaveableObject]:
    """SaveableObjects of variables in a list, or in a dictionary by their names in the checkpoint, in the order of names. TypeError for what
    is no variable, ValueError for one that is there twice."""
    named = objects if isinstance(objects, dict) else _named(objects)
    made, seen = [], set()
    for name in sorted(named):
        if not isinstance(name, str):
            raise TypeError(f"names_to_saveables must be a dict mapping string names to Tensors/Variables. Name is not a string: {name}")
        value = named[name]
        for saveable in _of_parts(list(value), name) if isinstance(value, (list, PartitionedVariable)) else [_of(value, name)]:
            if saveable.op in seen:
                raise ValueError(f"The same saveable will be restored with two names: {saveable.name}")
            seen.add(saveable.op)
            made.append(saveable)
    return made


class SaverBuilder:
    """The operations of a saver, with TensorFlow's names."""

    def __init__(self, saveables: Sequence[SaveableObject], restore_sequentially: bool, reshape: bool) -> None:
        self._saveables, self._sequentially, self._reshape = saveables, restore_sequentially, reshape

    @staticmethod
    def save(prefix: Tensor, saveables: Sequence[SaveableObject]) -> Tensor:
        """SaveV2 of these, then the prefix."""
        specs = [spec for s in saveables for spec in s.specs]
        saved = op_call.call("SaveV2", None, prefix=prefix, tensor_names=[s.name for s in specs],
                             shape_and_slices=[s.slice_spec for s in specs], tensors=[s.tensor for s in specs])
        graph = stacks.get_default_graph()
        with graph.control_dependencies([saved]), graph.colocate_with(prefix.op):
            return op_call.call("Identity", "control_dependency", input=prefix)

    def save_sharded(self, prefix: Tensor) -> Tensor:
        """A shard for each device, which are merged: the prefix after that."""
        graph = stacks.get_default_graph()
        devices = self.by_device()
        with graph.device("/device:CPU:*"):
            plain = op_call.call("StaticRegexFullMatch", None, input=prefix, pattern="^s3://.*")
            suffix = op_call.call("Select", None, condition=plain, t=array_ops.constant(".part"), e=array_ops.constant("_temp/part"))
            temporary = op_call.call("StringJoin", None, inputs=[prefix, suffix])
        count = array_ops.constant(len(devices), name="num_shards")
        saved = []
        for shard, (device, saveables) in enumerate(devices):
            with graph.device(_cpu_of(device) or "/device:CPU:0"):
                name = op_call.call("ShardedFilename", None, basename=temporary, shard=shard, num_shards=count)
                saved.append((name, self.save(name, saveables)))
        with graph.device(_cpu_of(devices[-1][0]) or "/device:CPU:0"), graph.control_dependencies([s for _, s in saved]):
            merged = op_call.call("MergeV2Checkpoints", None, checkpoint_prefixes=[n for n, _ in saved], destination_prefix=prefix,
                                  delete_old_dirs=True)
            with graph.control_dependencies([merged]):
                return op_call.call("Identity", None, input=prefix)

    def by_device(self) -> list[tuple[str, list[SaveableObject]]]:
        """[(device, saveables)] in the order of devices."""
        found: dict[str, list[SaveableObject]] = {}
        for s in self._saveables:
            found.setdefault(s.device or "", []).append(s)
        return sorted(found.items())

    def restore(self, prefix: Tensor, saveables: Sequence[SaveableObject], name: str = "restore_all") -> Operation:
        """The operation that restores them."""
        graph = stacks.get_default_graph()
        specs = [spec for s in saveables for spec in s.specs]
        with graph.device("/device:CPU:0"):
            tensors = op_call.call("RestoreV2", None, prefix=prefix, tensor_names=[s.name for s in specs],
                                   shape_and_slices=[s.slice_spec for s in specs], dtypes=[s.dtype.base_dtype for s in specs])
        assigned: list[Operation | Tensor]
        assigned, at = [], 0
        for s in saveables:
            mine, at = tensors[at:at + len(s.specs)], at + len(s.specs)
            with graph.control_dependencies(assigned[-1:] if self._sequentially else []):
                assigned.append(s.restore(mine, self._shapes_of(s)))
        return group(*assigned, name=name)

    def _shapes_of(self, saveable):
        if not self._reshape:
            return None
        known = [s.tensor.shape for s in saveable.specs]
        return [shape.as_list() if shape.is_fully_defined() else array_ops.shape(s.tensor) for shape, s in zip(known, saveable.specs)]

    def restore_sharded(self, prefix: Tensor) -> Operation:
        made = []
        for device, saveables in self.by_device():
            with stacks.get_default_graph().device(device or None):
                made.append(self.restore(prefix, saveables, name="restore_shard"))
        return group(*made, name="restore_all")
