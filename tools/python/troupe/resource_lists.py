"""Resources of the graph that are made like variables: `tensorflow.python.ops.resources`."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

from troupe import array_ops, constant_op, control_flow_ops, dtypes, math_ops, ops
from troupe.ops import GraphKeys

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from troupe.tensor import Operation, Tensor

# What a resource is called by, what makes it, and whether it is made.
_Resource = namedtuple("_Resource", ["handle", "create", "is_initialized"])


def register_resource(handle: Tensor, create_op: Operation, is_initialized_op: Tensor, is_shared: bool = True) -> None:
    """Puts a resource among those that all tasks share, or among this session's own."""
    ops.add_to_collection(GraphKeys.RESOURCES if is_shared else GraphKeys.LOCAL_RESOURCES, _Resource(handle, create_op, is_initialized_op))


def shared_resources() -> list[Any]:
    return ops.get_collection(GraphKeys.RESOURCES)


def local_resources() -> list[Any]:
    return ops.get_collection(GraphKeys.LOCAL_RESOURCES)


def report_uninitialized_resources(resource_list: Sequence[Any] | None = None, name: str = "report_uninitialized_resources") -> Tensor:
    """The names of those (or of all) that are not made yet, as a tensor of strings."""
    resource_list = shared_resources() + local_resources() if resource_list is None else list(resource_list)
    with ops.name_scope(name), ops.device("/cpu:0"):
        if not resource_list:
            return constant_op.constant([], dtypes.string)
        missing = math_ops.logical_not(array_ops.stack([r.is_initialized for r in resource_list]))
        return array_ops.boolean_mask(constant_op.constant([r.handle.name for r in resource_list]), missing)


def initialize_resources(resource_list: Sequence[Any], name: str = "init") -> Operation:
    """The operation that makes all of them."""
    if not resource_list:
        return control_flow_ops.no_op(name=name)
    return control_flow_ops.group(*[r.create for r in resource_list], name=name)
