"""How far long loads are: a line on standard error, when that is a terminal, which goes away at the end."""

from __future__ import annotations

import sys
import threading
import time

# Seconds before the line is shown at all, and between two of it.
_PATIENCE, _PAUSE = 1.0, 0.25


class Reading:
    """A `with` block that reads so many bytes. How many it has read is what the process has read meanwhile."""

    def __init__(self, what: str, total_bytes: int) -> None:
        self._what, self._total = what, total_bytes
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Reading:
        self._stream = sys.stderr
        if self._stream is not None and self._stream.isatty():
            self._thread = threading.Thread(target=self._tell, args=(time.monotonic(), _bytes_read()), daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _tell(self, begin, before):
        pause, told = _PATIENCE, False
        while not self._over.wait(pause):
            done = min(_bytes_read() - before, self._total)
            self._write(f"\r\033[K{self._what}: {done / 1e6:.0f} of {self._total / 1e6:.0f} MB, {time.monotonic() - begin:.0f} s")
            pause, told = _PAUSE, True
        if told:
            self._write("\r\033[K")

    def _write(self, text):
        self._stream.write(text)
        self._stream.flush()


def _bytes_read():
    """By all of this process's reads so far; 0 where the system does not say."""
    try:
        with open("/proc/self/io") as file:
            return int(next(line.split()[1] for line in file if line.startswith("rchar")))
    except (OSError, StopIteration):
        return 0
