"""Runs that nobody waits for: awaitables of asyncio, or futures where no event loop runs."""

from __future__ import annotations

import functools
import sys
import weakref
from typing import TYPE_CHECKING

from troupe import _native, errors

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from typing import Any

    from troupe.session import BaseSession
    from troupe.tensor import Tensor
    from troupe.typing import Message

# Runs whose ends an event loop hears of before it looks after others.
_MOST_AT_ONCE = 256
# By event loop: who hears of the ends of its runs.
_listeners: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


def begin(session: BaseSession, nest: Any, fed: dict[Tensor, Any], options: Any, run_metadata: Message | None) -> Awaitable[Any]:
    """Begins a step; see Session.run_async."""
    signature = session._signature(tuple(fed), nest)
    if not signature.has_work:
        raise ValueError("run_async needs something to fetch that is not fed, or an operation to run")
    loop = _running_loop()
    future = _cancellable_future()() if loop is None else _loop_future()(loop=loop)
    future.session, future.nest, future.fed, future.signature, future.metadata = session, nest, fed, signature, run_metadata
    try:
        if loop is None:
            _begin_alone(future, options)
        else:
            (_listeners.get(loop) or _listen(loop)).begin(future, options)
    except errors.OpError as e:
        raise session._explained(e) from None
    return future


def _settle(future, fetched, metadata):
    """With what the step fetched, or the exception with which it ended."""
    if isinstance(fetched, Exception):
        future.set_exception(future.session._explained(fetched) if isinstance(fetched, errors.OpError) else fetched)
        return
    try:
        value = _value(future, fetched, metadata)
    except Exception as e:  # noqa: BLE001, of what the nest is made of
        future.set_exception(e)
    else:
        future.set_result(value)


def _value(future, fetched, metadata):
    nest, fed = future.nest, future.fed
    if future.metadata is not None:
        future.metadata.ParseFromString(metadata)
    # To compile what has run takes no time: the next run may be of a callable.
    future.signature.has_run = True
    if len(fetched) != len(nest.tensors):
        rest = iter(fetched)
        fetched = [fed[t] if t in fed else next(rest) for t in nest.tensors]
    return nest.build(fetched, future.session)


# Event loops.


def _running_loop():
    """The event loop of this thread, or None. Where nobody has imported asyncio, none runs."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return None
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _listen(loop):
    # What was begun and not heard of when a loop was closed would keep it.
    for other in [other for other in _listeners if other.is_closed()]:
        del _listeners[other]
    listener = _listeners[loop] = _Listener(loop)
    return listener


class _Listener:
    """Hears of the ends of an event loop's runs, many at a time. On the loop's thread only."""

    def __init__(self, loop):
        self.native = _native.LoopRuns()
        self.futures = {}
        self.last = 0
        loop.add_reader(self.native.fileno(), self.hear)

    def begin(self, future, options):
        session, signature, values = future.session, future.signature, list(future.fed.values())
        number = self.last = self.last + 1
        compiled = session._compiled(signature) if future.metadata is None and not options else None
        if compiled is None:
            session._native.begin_run(signature.native, values, options, self.native, number)
        else:
            compiled.begin_run(values, self.native, number)
        future.runs, future.number = self.native, number
        self.futures[number] = future

    def hear(self):
        futures = self.futures
        for number, fetched, metadata in self.native.take(_MOST_AT_ONCE):
            future = futures.pop(number)
            if not future.done():
                _settle(future, fetched, metadata)
            # Whoever keeps the future does not keep arrays that were fed.
            future.fed = None


@functools.cache
def _loop_future():
    """A future of asyncio whose cancellation cancels the step. Only programs that use asyncio import it."""
    import asyncio

    class RunFuture(asyncio.Future):
        __slots__ = ("session", "nest", "fed", "signature", "metadata", "runs", "number")

        @property
        def step_id(self):
            """The number of its step, as `Session.running_steps` has it: 0 before it has begun, and when it is over."""
            return 0 if self.done() else self.runs.step_id(self.number)

        def cancel(self, msg=None):
            cancelled = super().cancel(msg)
            if cancelled:
                self.runs.cancel(self.number, "the task was cancelled")
            return cancelled

    return RunFuture


# No event loop.


def _begin_alone(future, options):
    def told(fetched, error, metadata):
        """On a thread of the runtime."""
        if future.set_running_or_notify_cancel():
            _settle(future, fetched if error is None else error, metadata)
        future.fed = None

    future.run = future.session._native.run_async(future.signature.native, list(future.fed.values()), options, told)


@functools.cache
def _cancellable_future():
    """A future whose cancellation cancels the step, which may run already."""
    import concurrent.futures

    class CancellableFuture(concurrent.futures.Future):
        run = None

        @property
        def step_id(self):
            """The number of its step, as `Session.running_steps` has it: 0 before it has begun, and when it is over."""
            return 0 if self.run is None or self.done() else self.run.step_id

        def cancel(self):
            cancelled = super().cancel()
            if cancelled and self.run is not None:
                self.run.cancel("the future was cancelled")
            return cancelled

    return CancellableFuture
