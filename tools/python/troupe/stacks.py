"""What is the default in a thread: its graph, its session; and the frames of the caller."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType
    from typing import Any

    from troupe.graph import Graph
    from troupe.session import BaseSession


class DefaultStack(threading.local):
    """What `with` blocks have made the default, innermost last; one for each thread."""

    def __init__(self) -> None:
        self.stack: list[Any] = []

    def get(self) -> Any:
        return self.stack[-1] if self.stack else None

    @contextmanager
    def push(self, item: Any, nested: bool = True) -> Iterator[Any]:
        """`item` is the default inside. Not `nested`: it may end before those inside it."""
        self.stack.append(item)
        try:
            yield item
        finally:
            # None: the stack was reset meanwhile.
            if self.stack:
                if nested:
                    if self.stack[-1] is not item:
                        raise AssertionError(f"Nesting violated for default stack of {type(item)} objects")
                    self.stack.pop()
                elif item in self.stack:
                    self.stack.remove(item)


class _GraphStack(DefaultStack):
    """The default graph; where no block says which, one for the whole process."""

    _shared = None

    def get(self):
        if self.stack:
            return self.stack[-1]
        if _GraphStack._shared is None:
            from troupe.graph import Graph

            _GraphStack._shared = Graph()
        return _GraphStack._shared

    def reset(self):
        if self.stack:
            raise AssertionError("Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared graph, "
                                 "exit the nesting and create a new graph.")
        _GraphStack._shared = None


graphs = _GraphStack()
sessions = DefaultStack()
# What sessions are configured by that are given no ConfigProto: tf.config sets it.
session_config: Any = None


def get_default_graph() -> Graph:
    return graphs.get()


def reset_default_graph() -> None:
    """Replaces the process's default graph by an empty one."""
    graphs.reset()


def get_default_session() -> BaseSession | None:
    return sessions.get()


_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_MOST_FRAMES = 30


def caller_frames() -> list[tuple[CodeType, int]]:
    """(code, line) of the frames outside this package, innermost first."""
    frames = []
    frame = sys._getframe(1)
    while frame is not None and len(frames) < _MOST_FRAMES:
        if not frame.f_code.co_filename.startswith(_PACKAGE):
            frames.append((frame.f_code, frame.f_lineno))
        frame = frame.f_back
    return frames
