"""Runs that nobody waits for: awaitables of asyncio, or futures where no event loop runs."""

import functools
import sys
import weakref

from troupe import _native, errors

# Runs whose ends an event loop hears of before it looks after others.
_MOST_AT_ONCE = 256
# By event loop: who hears of the ends of its runs.
_listeners = weakref.WeakKeyDictionary()


def begin(session, nest, fed, options, run_metadata):
    """Begins a step; see Session.run_async."""
    signature = session._signature(tuple(fed), nest)
    if not signature.has_work:
        raise ValueError("run_async needs something to fetch that is not fed, or an operation to run")
    run = _Run(session, nest, fed, signature, run_metadata)
    loop = _running_loop()
    try:
        return _begin_future(run, options) if loop is None else (_listeners.get(loop) or _listen(loop)).begin(run, loop, options)
    except errors.OpError as e:
        raise session._explained(e) from None


class _Run:
    """What becomes of a step: the values that its future is to have."""

    __slots__ = ("session", "nest", "fed", "signature", "metadata", "future")

    def __init__(self, session, nest, fed, signature, metadata):
        self.session, self.nest, self.fed, self.signature, self.metadata = session, nest, fed, signature, metadata

    def settle(self, fetched, metadata):
        """Of what the step fetched, or the exception with which it ended."""
        future = self.future
        if future.done():
            return
        if isinstance(fetched, Exception):
            future.set_exception(self.session._explained(fetched) if isinstance(fetched, errors.OpError) else fetched)
            return
        try:
            value = self.value(fetched, metadata)
        except Exception as e:
            future.set_exception(e)
        else:
            future.set_result(value)

    def value(self, fetched, metadata):
        nest, fed = self.nest, self.fed
        if self.metadata is not None:
            self.metadata.ParseFromString(metadata)
        # It is known now: its next run may compile it without waiting for long.
        self.signature.has_run = True
        if fed:
            rest = iter(fetched)
            fetched = [fed[t] if t in fed else next(rest) for t in nest.tensors]
        return nest.build(fetched, self.session)


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
        self.ended = _native.EndedRuns()
        self.runs = {}
        self.last = 0
        self.future = _future_class()
        loop.add_reader(self.ended.fileno(), self.hear)

    def begin(self, run, loop, options):
        future = run.future = self.future(loop=loop)
        session, signature, values = run.session, run.signature, list(run.fed.values())
        number = self.last = self.last + 1
        if options or run.metadata is not None:
            future.run = session._native.begin_run(signature.native, values, options, self.ended, number)
        else:
            compiled = session._compiled(signature)
            future.run = (session._native.begin_run(signature.native, values, b"", self.ended, number) if compiled is None
                          else compiled.begin_run(values, self.ended, number))
        self.runs[number] = run
        return future

    def hear(self):
        runs = self.runs
        for number, fetched, metadata in self.ended.take(_MOST_AT_ONCE):
            runs.pop(number).settle(fetched, metadata)


@functools.cache
def _future_class():
    """A future of asyncio whose cancellation cancels the step. Only programs that use asyncio import it."""
    import asyncio

    class RunFuture(asyncio.Future):
        def cancel(self, msg=None):
            cancelled = super().cancel(msg)
            if cancelled:
                self.run.cancel("the task was cancelled")
            return cancelled

    return RunFuture


# No event loop.


def _begin_future(run, options):
    future = run.future = _cancellable_future()()

    def told(fetched, error, metadata):
        """On a thread of the runtime."""
        if future.set_running_or_notify_cancel():
            run.settle(fetched if error is None else error, metadata)

    future.run = run.session._native.run_async(run.signature.native, list(run.fed.values()), options, told)
    return future


@functools.cache
def _cancellable_future():
    """A future whose cancellation cancels the step, which may run already."""
    import concurrent.futures

    class CancellableFuture(concurrent.futures.Future):
        run = None

        def cancel(self):
            cancelled = super().cancel()
            if cancelled and self.run is not None:
                self.run.cancel("the future was cancelled")
            return cancelled

    return CancellableFuture
