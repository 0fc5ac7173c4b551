"""What is called around the runs of a monitored session."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from troupe.coordinator import Coordinator
    from troupe.session import BaseSession
    from troupe.typing import FeedDict, Message

SessionRunValues = namedtuple("SessionRunValues", ["results", "options", "run_metadata"])


class SessionRunArgs(namedtuple("SessionRunArgs", ["fetches", "feed_dict", "options"])):
    """What a hook adds to a run."""

    def __new__(cls, fetches: Any, feed_dict: FeedDict | None = None, options: Message | None = None) -> SessionRunArgs:
        return super().__new__(cls, fetches, feed_dict, options)


class SessionRunContext:
    """A run: what was asked for, its session, and whether it is to be the last."""

    def __init__(self, original_args: SessionRunArgs, session: BaseSession) -> None:
        self.original_args, self.session, self.stop_requested = original_args, session, False

    def request_stop(self) -> None:
        """No run after this one."""
        self.stop_requested = True


class SessionRunHook:
    """The base of hooks; each method may be left as it is."""

    def begin(self) -> None:
        """Once, before there is a session; the graph may still be changed."""

    def after_create_session(self, session: BaseSession, coord: Coordinator) -> None:
        """After each making of a session, whose variables have values; the graph is finalized."""

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Before each run: SessionRunArgs to add, or None."""
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """After each run, with the values of what was added."""

    def end(self, session: BaseSession) -> None:
        """Once at the end, but not after an exception."""
