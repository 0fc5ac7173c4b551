"""Variables whose first values are those of a checkpoint of another model."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from troupe import op_call, ops, stacks
from troupe.checkpoint_reader import load_checkpoint
from troupe.checkpoint_state import latest_checkpoint
from troupe.partitioned_variables import PartitionedVariable, parts_of
from troupe.saveable import saveables_of
from troupe.tensor_shape import TensorShape
from troupe.variables import Variable, global_variables

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def init_from_checkpoint(ckpt_dir_or_file: str | os.PathLike[str], assignment_map: dict[str, Any] | Iterable[tuple[str, Any]]) -> None:
    """From now on the initializers of these variables restore them. `assignment_map`: {name in the checkpoint: variable or its name}, or
    {"scope of the checkpoint/": "scope/"}, "/" being all. ValueError for names that are not there and for other shapes."""
    reader = load_checkpoint(ckpt_dir_or_file)
    path = os.fsdecode(ckpt_dir_or_file)
    path = latest_checkpoint(path) if os.path.isdir(path) else path
    shapes = reader.get_variable_to_shape_map()
    for name, target in assignment_map.items() if isinstance(assignment_map, dict) else assignment_map:
        for tensor_name, variable in _pairs(name, target, shapes, ckpt_dir_or_file):
            _check(tensor_name, variable, shapes, ckpt_dir_or_file)
            _set_initializer(variable, path, tensor_name)


def _pairs(name, target, shapes, where):
    """(name in the checkpoint, variable) of an item of the map."""
    if isinstance(target, (Variable, PartitionedVariable)):
        return [(name, v) for v in parts_of(target)]
    known = {}
    for v in global_variables():
        known.setdefault(_name_of(v), []).append(v)
    if target in known:
        return [(name, v) for v in known[target]]
    if name and not name.endswith("/"):
        raise ValueError(f"Assignment map with scope only name {target} should map to scope only {name}. Should be 'scope/': 'other_scope/'.")
    scope = "" if target == "/" else target.rstrip("/") + "/"
    prefix = "" if name == "/" else name
    found = [(prefix + n[len(scope):], v) for n, variables in known.items() if n.startswith(scope) for v in variables]
    if not found:
        raise ValueError(f"Assignment map with scope {target} has no variables in the graph.")
    for tensor_name, variable in found:
        if tensor_name not in shapes:
            raise ValueError(f"Tensor {tensor_name} ({variable.op.name[len(scope):]} in {target}) is not found in {where} checkpoint")
    return found


def _name_of(variable):
    """In checkpoints: of a part that of the whole."""
    info = variable._save_slice_info
    return variable.op.name if info is None else info.full_name


def _check(tensor_name, variable, shapes, where):
    if tensor_name not in shapes:
        raise ValueError(f"Tensor {tensor_name} is not found in {where} checkpoint {shapes}")
    shape = variable.shape if variable._save_slice_info is None else TensorShape(variable._save_slice_info.full_shape)
    if not shape.is_compatible_with(shapes[tensor_name]):
        raise ValueError(f"Shape of variable {variable.name} ({shape}) doesn't match with shape of tensor {tensor_name} "
                         f"({shapes[tensor_name]}) from checkpoint reader.")


def _set_initializer(variable, path, tensor_name):
    graph = stacks.get_default_graph()
    with ops.init_scope(), graph.name_scope(None), graph.device(variable.device or None), graph.device("/cpu:0"):
        value = op_call.call("RestoreV2", "checkpoint_initializer", prefix=path, tensor_names=[tensor_name],
                             shape_and_slices=["" if variable._save_slice_info is None else variable._save_slice_info.spec], dtypes=[variable.dtype.base_dtype])[0]
        value.set_shape(variable.shape)
        saveable, = saveables_of([variable])
        made = saveable.restore([value], None)
    variable._initializer_op = getattr(made, "op", made)
    variable._initial_value = value
