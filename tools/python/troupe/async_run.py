"""Runs that nobody waits for: awaitables of asyncio, or futures where no event loop runs."""

import sys

from troupe import errors


def begin(session, nest, fed, options, run_metadata):
    """Begins a step; see Session.run_async."""
    loop = _running_loop()
    future = loop.create_future() if loop is not None else _new_future()
    signature = session._signature(tuple(fed), nest)
    if not signature.has_work:
        raise ValueError("run_async needs something to fetch that is not fed, or an operation to run")

    def settle(values, error):
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
            return
        rest = iter(values)
        future.set_result(nest.build([fed[t] if t in fed else next(rest) for t in nest.tensors], session))

    def told(values, error, metadata):
        """On a thread of the runtime."""
        if isinstance(error, errors.OpError):
            error = session._explained(error)
        if run_metadata is not None and error is None:
            run_metadata.ParseFromString(metadata)
        if loop is None:
            future._settle(settle, values, error)
        elif not loop.is_closed():
            loop.call_soon_threadsafe(settle, values, error)

    cancel = session._native.run_async(signature.native, list(fed.values()), options, told)
    if loop is None:
        future._cancel_step = cancel
    else:
        future.add_done_callback(lambda f: cancel("the task was cancelled") if f.cancelled() else None)
    return future


def _running_loop():
    """The event loop of this thread, or None. Where nobody has imported asyncio, none runs."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return None
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _new_future():
    """A future whose cancellation cancels the step, which may run already."""
    import concurrent.futures

    class CancellableFuture(concurrent.futures.Future):
        _cancel_step = None

        def cancel(self):
            cancelled = super().cancel()
            if cancelled and self._cancel_step is not None:
                self._cancel_step("the future was cancelled")
            return cancelled

        def _settle(self, settle, values, error):
            if self.set_running_or_notify_cancel():
                settle(values, error)

    return CancellableFuture()
