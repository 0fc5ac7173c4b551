"""Slots: variables that an optimizer or an average keeps for each variable, named after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, stacks
from troupe.initializers import zeros_initializer
from troupe.resource_variable import ResourceVariable
from troupe.save_slice_info import SaveSliceInfo
from troupe.variable_scope import get_variable, get_variable_scope, variable_scope
from troupe.variables import RefVariable, Variable

if TYPE_CHECKING:
    from troupe.tensor import Tensor
    from troupe.tensor_shape import TensorShape
    from troupe.typing import DTypeLike, Initializer


def _slot_variable(primary, value, validate_shape, shape, dtype):
    use_resource = True if isinstance(primary, ResourceVariable) else False if isinstance(primary, RefVariable) else None
    # Slots are in parts where their variables are.
    get_variable_scope().set_partitioner(None)
    slot = get_variable("", initializer=value, trainable=False, use_resource=use_resource, shape=shape if callable(value) else None,
                        dtype=dtype, validate_shape=validate_shape)
    info = getattr(primary, "_save_slice_info", None)
    if info is not None and slot.shape.rank != 0:
        name, rank = slot.op.name.removeprefix(primary.op.name + "/"), slot.shape.rank
        slot._save_slice_info = SaveSliceInfo(f"{info.full_name}/{name}", info.full_shape[:rank], info.var_offset[:rank], info.var_shape[:rank])
    return slot


def _make(primary, value, name, colocate_with_primary, validate_shape=True, shape=None, dtype=None):
    with variable_scope(None, f"{primary.op.name}/{name}"):
        if not colocate_with_primary:
            return _slot_variable(primary, value, validate_shape, shape, dtype)
        with stacks.get_default_graph().colocate_with(primary):
            return _slot_variable(primary, value, validate_shape, shape, dtype)


def create_slot(primary: Variable, val: Tensor, name: str, colocate_with_primary: bool = True) -> Variable:
    """A variable `<primary>/<name>` that begins with the tensor `val`."""
    return _make(primary, val, name, colocate_with_primary, validate_shape=val.shape.is_fully_defined(), dtype=val.dtype.base_dtype)


def create_slot_with_initializer(primary: Variable, initializer: Initializer, shape: TensorShape, dtype: DTypeLike, name: str,
                                 colocate_with_primary: bool = True) -> Variable:
    """The same, of what `initializer` gives for a shape and a type."""
    return _make(primary, initializer, name, colocate_with_primary, shape.is_fully_defined(), shape, dtype)


def create_zeros_slot(primary: Variable, name: str, dtype: DTypeLike | None = None, colocate_with_primary: bool = True) -> Variable:
    """The same of zeros, with the shape of the variable."""
    dtype = primary.dtype.base_dtype if dtype is None else dtypes.as_dtype(dtype)
    if primary.shape.is_fully_defined():
        return create_slot_with_initializer(primary, zeros_initializer(), primary.shape, dtype, name, colocate_with_primary)
    first = primary.initialized_value() if isinstance(primary, Variable) else primary
    return create_slot(primary, array_ops.zeros(array_ops.shape(first), dtype=dtype), name, colocate_with_primary)
