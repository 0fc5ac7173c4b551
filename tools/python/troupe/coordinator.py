"""Threads that stop together."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from troupe import errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any


class Coordinator:
    """What threads ask whether to stop, and tell why: `while not coord.should_stop(): ...`. The first exception that one of them stops with
    is raised by `join`. OutOfRangeError, or `clean_stop_exception_types`, is an end like any other."""

    def __init__(self, clean_stop_exception_types: Sequence[type[BaseException]] | None = None) -> None:
        self._clean = tuple(clean_stop_exception_types or (errors.OutOfRangeError,))
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._exception = None
        self._joined = False
        self._threads = set()

    def _clean_or_itself(self, exception):
        """None for an exception that is a clean end."""
        value = exception[1] if isinstance(exception, tuple) else exception
        return None if isinstance(value, self._clean) else value

    def request_stop(self, ex: BaseException | tuple[Any, Any, Any] | None = None) -> None:
        """Ends them all; because of an exception, or of what sys.exc_info() gives. RuntimeError after `join`, which nobody hears."""
        with self._lock:
            ex = self._clean_or_itself(ex) if ex is not None else None
            if self._joined:
                if ex is not None:
                    raise ex
                return
            if not self._stop.is_set():
                self._exception = ex
                self._stop.set()

    def clear_stop(self) -> None:
        """As if nobody had asked."""
        with self._lock:
            self._joined = False
            self._exception = None
            self._stop.clear()

    def should_stop(self) -> bool:
        return self._stop.is_set()

    @contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """An exception of the block ends them all, and is raised by `join`."""
        try:
            yield
        except BaseException:
            self.request_stop(ex=sys.exc_info())

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits until somebody asks, or for so many seconds."""
        return self._stop.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """`join` waits for it, too."""
        with self._lock:
            self._threads.add(thread)

    def join(self, threads: Iterable[threading.Thread] | None = None, stop_grace_period_secs: float = 120,
             ignore_live_threads: bool = False) -> None:
        """Waits for the threads, once somebody asked for so many seconds only. Raises what stopped them; RuntimeError for threads that do
        not end, unless `ignore_live_threads`."""
        with self._lock:
            threads = list(self._threads | set(threads or ()))
        while any(t.is_alive() for t in threads) and not self.wait_for_stop(0.02):
            pass
        deadline = time.monotonic() + stop_grace_period_secs
        for t in threads:
            while t.is_alive() and (left := deadline - time.monotonic()) > 0:
                t.join(min(left, 1.0))
        alive = [t.name for t in threads if t.is_alive()]
        with self._lock:
            self._joined = True
            self._threads.clear()
            exception = self._exception
        if exception is not None:
            raise exception
        if alive and not ignore_live_threads:
            raise RuntimeError(f"Coordinator stopped with threads still running: {' '.join(alive)}")

    @property
    def joined(self) -> bool:
        return self._joined

    def raise_requested_exception(self) -> None:
        """Raises what stopped them, if anything did."""
        with self._lock:
            exception = self._exception
        if exception is not None:
            raise exception


class LooperThread(threading.Thread):
    """Calls `target`, or `run_loop`, every `timer_interval_secs` seconds, or without a pause, until the coordinator stops."""

    def __init__(self, coord: Coordinator, timer_interval_secs: float | None, target: Callable[..., Any] | None = None,
                 args: Sequence[Any] | None = None, kwargs: Mapping[str, Any] | None = None) -> None:
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        super().__init__(daemon=True)
        self._coord, self._interval = coord, timer_interval_secs
        self._looped, self._args, self._kwargs = target, args or (), kwargs or {}
        if target is None and (args or kwargs):
            raise ValueError("'args' and 'kwargs' argument require that you also pass 'target'")
        coord.register_thread(self)

    @staticmethod
    def loop(coord: Coordinator, timer_interval_secs: float | None, target: Callable[..., Any], args: Sequence[Any] | None = None,
             kwargs: Mapping[str, Any] | None = None) -> LooperThread:
        """Starts one."""
        made = LooperThread(coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        made.start()
        return made

    def run(self) -> None:
        with self._coord.stop_on_exception():
            self.start_loop()
            if self._interval is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                following = time.time()
                while not self._coord.wait_for_stop(max(0.0, following - time.time())):
                    following += self._interval
                    self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Called once, first."""

    def stop_loop(self) -> None:
        """Called once, at the end."""

    def run_loop(self) -> None:
        if self._looped:
            self._looped(*self._args, **self._kwargs)
