"""Names of devices, of which parts may be left open: "/job:worker/task:1/device:CPU:0"."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

# Types of devices that are known without "device:" before them.
_ALONE = ("CPU", "GPU", "TPU", "CUSTOM", "XLA_CPU", "XLA_GPU")
_PARTS = ("job", "replica", "task", "device_type", "device_index")


class DeviceSpec:
    """A name in parts; None is left open. Immutable."""

    __slots__ = _PARTS

    def __init__(self, job: str | None = None, replica: int | None = None, task: int | None = None, device_type: str | None = None,
                 device_index: int | None = None) -> None:
        self.job = None if job is None else str(job)
        self.replica = None if replica is None else int(replica)
        self.task = None if task is None else int(task)
        self.device_type = None if device_type is None else str(device_type).upper()
        self.device_index = None if device_index is None else int(device_index)

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """ValueError for a text that is none."""
        found = {}

        def put(part, value):
            if part == "device_type" and part in found:
                raise ValueError(f"Multiple device types are not allowed while parsing the device spec: {spec}.")
            found[part] = value

        for part in spec.split("/"):
            if not part:
                continue
            pieces = part.split(":")
            if len(pieces) == 2 and pieces[0] in ("job", "replica", "task"):
                put(pieces[0], pieces[1])
            elif pieces[0] == "device" and len(pieces) in (2, 3) or len(pieces) <= 2 and pieces[0].upper() in _ALONE:
                pieces = pieces[1:] if pieces[0] == "device" else pieces
                put("device_type", pieces[0])
                found["device_index"] = pieces[1] if len(pieces) == 2 and pieces[1] != "*" else None
            else:
                raise ValueError(f"Unknown attribute '{pieces[0]}' is encountered while parsing the device spec: '{spec}'.")
        return cls(**found)

    def to_string(self) -> str:
        text = "".join(f"/{p}:{getattr(self, p)}" for p in ("job", "replica", "task") if getattr(self, p) is not None)
        if self.device_type is not None:
            text += f"/device:{self.device_type}:{'*' if self.device_index is None else self.device_index}"
        return text

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """This, with what `dev` says in its place."""
        values = {p: getattr(self, p) if getattr(dev, p) is None else getattr(dev, p) for p in _PARTS}
        if dev.device_type is not None and dev.device_index is None:
            values["device_index"] = self.device_index if self.device_type == dev.device_type else None
        return DeviceSpec(**values)

    def replace(self, **kwargs: Any) -> DeviceSpec:
        """This, with other parts."""
        return DeviceSpec(**{**{p: getattr(self, p) for p in _PARTS}, **kwargs})

    def __eq__(self, other):
        return isinstance(other, DeviceSpec) and self.to_string() == other.to_string()

    def __hash__(self):
        return hash(self.to_string())

    def __repr__(self):
        return f"DeviceSpec({self.to_string()!r})"


class DeviceAttributes:
    """A device of a session, as `session.list_devices()` tells it. The limit is in bytes."""

    def __init__(self, name: str, device_type: str, memory_limit_bytes: int, incarnation: int) -> None:
        self.name, self.device_type, self.memory_limit_bytes, self.incarnation = name, device_type, memory_limit_bytes, incarnation

    def __repr__(self):
        return f"_DeviceAttributes({self.name}, {self.device_type}, {self.memory_limit_bytes}, {self.incarnation})"


@functools.lru_cache(maxsize=1024)
def merge(outer: str, inner: str) -> str:
    """The device of an operation that says `inner`, in a block that says `outer`; both are texts."""
    return DeviceSpec.from_string(outer).make_merged_spec(DeviceSpec.from_string(inner)).to_string()


@functools.lru_cache(maxsize=1024)
def canonical(text: str) -> str:
    return DeviceSpec.from_string(text).to_string() if text else ""
