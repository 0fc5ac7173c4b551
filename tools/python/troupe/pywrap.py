"""What programs took from `tensorflow.python.pywrap_tensorflow`, TensorFlow's library itself: readers of checkpoints and writers of events."""

from __future__ import annotations

import os
import socket
import time
from typing import TYPE_CHECKING

from troupe import dtypes
from troupe.checkpoint_reader import CheckpointReader, NewCheckpointReader
from troupe.event_writer import EventsFile

if TYPE_CHECKING:
    from typing import Any

    from troupe.graph import Graph
    from troupe.typing import Message, Path

__all__ = ["CheckpointReader", "EventsWriter", "IsGoogleCudaEnabled", "NewCheckpointReader", "TF_TryEvaluateConstant_wrapper",
           "TF_bfloat16_type"]


def TF_TryEvaluateConstant_wrapper(graph: Graph, output: tuple[int, int]) -> Any:  # noqa: N802
    """The value that an output of `tensor._as_tf_output()` has in every run, or None; `graph` is what `_c_graph` gives."""
    return graph._native.constant_value(output)


class EventsWriter:
    """Writes events into a file whose name begins with a path. The file is made with the first event."""

    def __init__(self, filename_prefix: Path) -> None:
        self._prefix = os.fsdecode(filename_prefix)
        self._suffix = ""
        self._file: EventsFile | None = None

    def InitWithSuffix(self, suffix: str | bytes) -> None:  # noqa: N802
        """Makes the file, with this end of its name."""
        self._suffix = os.fsdecode(suffix)
        self.Init()

    def Init(self) -> None:  # noqa: N802
        """Makes the file, unless it is there."""
        if self._file is None:
            name = f"{self._prefix}.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}{self._suffix}"
            self._file = EventsFile(os.path.dirname(name), path=name)

    def FileName(self) -> bytes:  # noqa: N802
        self.Init()
        return os.fsencode(self._file.path)  # type: ignore[union-attr]

    def WriteEvent(self, event: Message) -> None:  # noqa: N802
        self.Init()
        self._file.add(event)  # type: ignore[union-attr]

    def Flush(self) -> None:  # noqa: N802
        """Puts on the disk what was written."""
        if self._file is not None:
            self._file.flush()

    def Close(self) -> None:  # noqa: N802
        """Ends the file: another event begins a new one."""
        if self._file is not None:
            self._file.close()
            self._file = None


def IsGoogleCudaEnabled() -> bool:  # noqa: N802
    from troupe.test import is_built_with_cuda

    return is_built_with_cuda()


def TF_bfloat16_type() -> type:  # noqa: N802
    """NumPy's type of bfloat16."""
    return dtypes.bfloat16.as_numpy_dtype
