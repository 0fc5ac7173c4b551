"""What TensorFlow 2's `framework.ops` has beside the names of TensorFlow 1: numbers about operations, and names of scopes and conversions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import stacks
from troupe.composite import IndexedSlices, SparseTensor
from troupe.conversion import convert_n_to_tensor, convert_to_tensor, convert_to_tensor_or_indexed_slices
from troupe.graph_flops import float_operations
from troupe.ops import device, name_scope

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from typing import Any

    from troupe.graph import Graph

name_scope_v1 = internal_name_scope_v1 = name_scope
internal_convert_to_tensor, internal_convert_n_to_tensor = convert_to_tensor, convert_n_to_tensor
internal_convert_to_tensor_or_indexed_slices = convert_to_tensor_or_indexed_slices
_registered: dict[tuple[str, str], Callable[..., Any]] = {}


class OpStats:
    """A number about an operation, such as its "flops", or None."""

    def __init__(self, statistic_type: str, value: Any = None) -> None:
        self.statistic_type, self.value = statistic_type, value

    def __iadd__(self, other: OpStats) -> OpStats:
        if other.statistic_type != self.statistic_type:
            raise ValueError(f"Can't add an OpStat of type {self.statistic_type} to one of {other.statistic_type}.")
        if self.value is None:
            self.value = other.value
        elif other.value is not None:
            self.value += other.value
        return self


class RegisterStatistics:
    """Decorates a function (graph, node) that gives an OpStats for nodes of this op. KeyError where there is one."""

    def __init__(self, op_type: str, statistic_type: str) -> None:
        for what, given in (("op_type", op_type), ("statistic_type", statistic_type)):
            if not isinstance(given, str):
                raise TypeError(f"{what} must be a string.")
            if "," in given:
                raise TypeError(f"{what} must not contain a comma.")
        self._key = op_type, statistic_type

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        if self._key in _registered:
            raise KeyError(f"Registering two statistical functions with name '{','.join(self._key)}'!")
        _registered[self._key] = f
        return f


def get_stats_for_node_def(graph: Graph, node: Any, statistic_type: str) -> OpStats:
    """By the function that is registered, or for "flops" as the profiler counts them; without a value where nobody counts."""
    function = _registered.get((node.op, statistic_type))
    if function is not None:
        return function(graph, node)
    count = float_operations(graph.get_operation_by_name(node.name)) if statistic_type == "flops" else 0
    return OpStats(statistic_type, count or None)


def get_name_scope() -> str:
    """The current scope of names, without the "/" behind."""
    return stacks.get_default_graph().get_name_scope()


def name_from_scope_name(name: str) -> str:
    """A scope's name without the "/" behind."""
    return name[:-1] if name and name[-1] == "/" else name


def device_v2(device_name: Any) -> AbstractContextManager[None]:
    """The same as `device`, but not of functions: RuntimeError."""
    if callable(device_name):
        raise RuntimeError("tf.device does not support functions.")
    return device(device_name)


def internal_convert_n_to_tensor_or_indexed_slices(values: Sequence[Any], dtype: Any = None, name: str | None = None,
                                                   as_ref: bool = False) -> list[Any]:
    """Each of them but None as a tensor, unless it is slices; `name` gets their numbers. TypeError for what is no sequence."""
    if not hasattr(values, "__len__"):
        raise TypeError("Argument `values` must be a sequence.")
    return [v if v is None or isinstance(v, (IndexedSlices, SparseTensor))
            else convert_to_tensor(v, dtype, None if name is None else f"{name}_{i}") for i, v in enumerate(values)]


def convert_n_to_tensor_or_indexed_slices(values: Sequence[Any], dtype: Any = None, name: str | None = None) -> list[Any]:
    """The same."""
    return internal_convert_n_to_tensor_or_indexed_slices(values, dtype, name)
