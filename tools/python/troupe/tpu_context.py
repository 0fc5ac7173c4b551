"""What programs ask of TPUs whether or not there are any: there are none. `tensorflow.python.tpu.tpu_function`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


class TpuContext:
    """How many replicas a computation has: None, for it is not on TPUs until a program says otherwise."""

    def __init__(self) -> None:
        self._number_of_shards: int | None = None

    @property
    def number_of_shards(self) -> int | None:
        return self._number_of_shards

    def set_number_of_shards(self, number_of_shards: int | None) -> None:
        self._number_of_shards = number_of_shards


_context = TpuContext()


def get_tpu_context() -> TpuContext:
    """The process's."""
    return _context


def cross_replica_sum(x: Any, group_assignment: Any = None, name: str | None = None) -> Any:
    """The sum over the replicas, of which there is one."""
    from troupe import array_ops

    return array_ops.identity(x, name or "CrossReplicaSum")
