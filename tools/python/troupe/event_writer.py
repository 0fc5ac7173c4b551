"""Event files, which TensorBoard reads."""

from __future__ import annotations

import atexit
import os
import socket
import threading
import time
import weakref
from typing import TYPE_CHECKING

from troupe import protos
from troupe.record_io import framed, tf_record_iterator

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from troupe.graph import Graph
    from troupe.session import BaseSession
    from troupe.tensor import Tensor
    from troupe.typing import Message, Path
    from troupe.variables import Variable

_VERSION = "brain.Event:2"


class EventsFile:
    """A file of events in a folder. Any thread may add to it. What was added is on the disk after `flush` and `close`, after
    `max_queue` more events, and with the first event `flush_secs` seconds later."""

    def __init__(self, logdir: Path, max_queue: int = 10, flush_secs: int = 120, filename_suffix: str | None = None,
                 path: str | None = None) -> None:
        os.makedirs(logdir or ".", exist_ok=True)
        name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}.{_next_number()}{filename_suffix or ''}"
        # `path`: the name is the caller's.
        self.path = path or os.path.join(logdir, name)
        self._max_queue, self._flush_secs = max(1, max_queue), flush_secs
        self._lock = threading.Lock()
        self._file = open(self.path, "ab")
        self._waiting, self._flushed_at = 0, time.monotonic()
        atexit.register(_close, weakref.ref(self))
        self.add(protos.Event(wall_time=time.time(), file_version=_VERSION))
        self.flush()

    def add(self, event: Message) -> None:
        data = framed(event.SerializeToString())
        with self._lock:
            if self._file is None:
                return
            self._file.write(data)
            self._waiting += 1
            if self._waiting >= self._max_queue or time.monotonic() - self._flushed_at >= self._flush_secs:
                self._flush()

    def _flush(self):
        self._file.flush()
        self._waiting, self._flushed_at = 0, time.monotonic()

    def flush(self) -> None:
        with self._lock:
            if self._file is not None:
                self._flush()

    def close(self) -> None:
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None


_numbers = iter(range(1 << 62))


def _next_number():
    return next(_numbers)


def _close(reference):
    file = reference()
    if file is not None:
        file.close()


class FileWriter:
    """Writes summaries, graphs and what runs told into an event file of `logdir`. Closed, it is opened again, with another file, by the next
    event after `reopen`. May be a `with` block."""

    def __init__(self, logdir: Path, graph: Graph | None = None, max_queue: int = 10, flush_secs: int = 120, graph_def: Message | None = None,
                 filename_suffix: str | None = None, session: BaseSession | None = None) -> None:
        self._logdir = os.fsdecode(logdir)
        self._make = lambda: EventsFile(self._logdir, max_queue, flush_secs, filename_suffix)
        self._file = self._make()
        self._closed = False
        self._known_tags = set()
        if graph is not None or graph_def is not None:
            self.add_graph(graph=graph, graph_def=graph_def)
            if graph is not None:
                from troupe.meta_graph import create_meta_graph_def

                self.add_meta_graph(create_meta_graph_def(graph_def=graph.as_graph_def(add_shapes=True), graph=graph))

    def __repr__(self):
        return f"<FileWriter to {self._logdir!r}>"

    def get_logdir(self) -> str:
        return self._logdir

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def add_event(self, event: Message) -> None:
        if not self._closed:
            self._file.add(event)

    def _add(self, global_step, **fields):
        event = protos.Event(wall_time=time.time(), **fields)
        if global_step is not None:
            event.step = int(global_step)
        self.add_event(event)

    def add_summary(self, summary: Message | bytes | str, global_step: Tensor | Variable | None = None) -> None:
        """A Summary or its bytes, which a summary operation gives."""
        if isinstance(summary, bytes):
            summary = protos.Summary.FromString(summary)
        else:
            summary = protos.Summary.FromString(summary.SerializeToString())
        for value in summary.value:
            # What a plugin is told of a tag is told once.
            if value.HasField("metadata"):
                if value.tag in self._known_tags:
                    value.ClearField("metadata")
                self._known_tags.add(value.tag)
        self._add(global_step, summary=summary)

    def add_session_log(self, session_log: Message, global_step: Tensor | Variable | None = None) -> None:
        self._add(global_step, session_log=session_log)

    def add_graph(self, graph: Graph, global_step: Tensor | Variable | None = None, graph_def: Message | None = None) -> None:
        """A Graph, or a GraphDef. ValueError for both or none."""
        if graph is not None and graph_def is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
        if graph is None and graph_def is None:
            raise TypeError("The passed graph must be an instance of `Graph` or the deprecated `GraphDef`")
        if graph is not None:
            graph_def = graph.as_graph_def(add_shapes=True) if hasattr(graph, "as_graph_def") else graph
        self._add(global_step, graph_def=graph_def.SerializeToString())

    def add_meta_graph(self, meta_graph_def: Message, global_step: Tensor | Variable | None = None) -> None:
        self._add(global_step, meta_graph_def=meta_graph_def.SerializeToString())

    def add_run_metadata(self, run_metadata: Message, tag: str, global_step: Tensor | Variable | None = None) -> None:
        """What a run told, under a tag that was not used before. ValueError for one that was."""
        if tag in self._known_tags:
            raise ValueError("The provided tag was already used for this event type")
        self._known_tags.add(tag)
        self._add(global_step, tagged_run_metadata=protos.TaggedRunMetadata(tag=tag, run_metadata=run_metadata.SerializeToString()))

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        self._file.close()
        self._closed = True

    def reopen(self) -> None:
        if self._closed:
            self._file = self._make()
            self._closed = False


class FileWriterCache:
    """One writer for each folder."""

    _lock = threading.Lock()
    _writers = {}

    @classmethod
    def get(cls, logdir: Path) -> FileWriter:
        with cls._lock:
            if logdir not in cls._writers:
                from troupe import stacks

                cls._writers[logdir] = FileWriter(logdir, graph=stacks.get_default_graph())
            return cls._writers[logdir]

    @classmethod
    def clear(cls) -> None:
        """Closes them all."""
        with cls._lock:
            for writer in cls._writers.values():
                writer.close()
            cls._writers.clear()


def summary_iterator(path: Path) -> Iterator[Any]:
    """Each Event of a file."""
    for record in tf_record_iterator(path):
        yield protos.Event.FromString(record)
