"""The devices of this process: `tensorflow.python.client.device_lib`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from troupe.typing import Message


class LocalDevice(NamedTuple):
    """A device of this process; its memory is in bytes."""

    name: str
    device_type: str
    memory_limit: int
    incarnation: int
    physical_device_desc: str


def list_local_devices(session_config: Message | None = None) -> list[LocalDevice]:
    """The devices that a session with this ConfigProto has."""
    from troupe.graph import Graph
    from troupe.session import Session

    with Session(graph=Graph(), config=session_config) as session:
        found = session.list_devices()
    return [LocalDevice("/device:" + d.name.rpartition("/device:")[2], d.device_type, d.memory_limit_bytes, d.incarnation, "") for d in found]
