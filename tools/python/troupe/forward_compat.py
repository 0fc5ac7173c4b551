"""What graphs may use on a day: `tf.compat.forward_compatible`, `tensorflow.python.compat.compat`."""

from __future__ import annotations

import datetime
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_local = threading.local()


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Whether programs of this day or later may be counted on: of today, or of the day that a test says."""
    today = getattr(_local, "day", None) or datetime.date.today()
    return today > datetime.date(year, month, day)


@contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """The block is of this day."""
    before = getattr(_local, "day", None)
    _local.day = datetime.date(year, month, day)
    try:
        yield
    finally:
        _local.day = before
