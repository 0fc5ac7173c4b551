"""`tf.logging`: the logger "troupe", to which the package itself writes."""

from __future__ import annotations

import logging
import sys
from logging import DEBUG, ERROR, FATAL, INFO
from logging import WARNING as WARN
from typing import Any

_logger = logging.getLogger("troupe")
# How often each place of the program has asked.
_counts: dict[tuple[str, int], int] = {}


def _set_up():
    """Writes to stderr, and from INFO on to stdout of a shell, unless the program has set up logging."""
    if logging.getLogger().handlers or _logger.handlers:
        return
    interactive = hasattr(sys, "ps1") or sys.flags.interactive
    if interactive:
        _logger.setLevel(INFO)
    handler = logging.StreamHandler(sys.stdout if interactive else sys.stderr)
    handler.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
    _logger.addHandler(handler)


_set_up()


def get_logger() -> logging.Logger:
    return _logger


def get_verbosity() -> int:
    return _logger.getEffectiveLevel()


def set_verbosity(v: int) -> None:
    """From this level on messages are written."""
    _logger.setLevel(v)


def log(level: int, msg: object, *args: Any, **kwargs: Any) -> None:
    _logger.log(level, msg, *args, stacklevel=2, **kwargs)


def debug(msg: object, *args: Any, **kwargs: Any) -> None:
    _logger.debug(msg, *args, stacklevel=2, **kwargs)


def info(msg: object, *args: Any, **kwargs: Any) -> None:
    _logger.info(msg, *args, stacklevel=2, **kwargs)


def warning(msg: object, *args: Any, **kwargs: Any) -> None:
    _logger.warning(msg, *args, stacklevel=2, **kwargs)


def error(msg: object, *args: Any, **kwargs: Any) -> None:
    _logger.error(msg, *args, stacklevel=2, **kwargs)


def fatal(msg: object, *args: Any, **kwargs: Any) -> None:
    """Does not end the process."""
    _logger.fatal(msg, *args, stacklevel=2, **kwargs)


warn, vlog = warning, log


def TaskLevelStatusMessage(msg: object) -> None:  # noqa: N802, TensorFlow's name
    error(msg)


def flush() -> None:
    for handler in _logger.handlers:
        handler.flush()


def _count():
    """How often this was called for the caller's line before."""
    frame = sys._getframe(2)
    place = frame.f_code.co_filename, frame.f_lineno
    _counts[place] = _counts.get(place, -1) + 1
    return _counts[place]


def log_every_n(level: int, msg: object, n: int, *args: Any) -> None:
    """The first call of a line of the program, and each n-th behind it."""
    if _count() % n == 0:
        _logger.log(level, msg, *args, stacklevel=2)


def log_first_n(level: int, msg: object, n: int, *args: Any) -> None:
    """The first n calls of a line of the program."""
    if _count() < n:
        _logger.log(level, msg, *args, stacklevel=2)


def log_if(level: int, msg: object, condition: bool, *args: Any) -> None:
    if condition:
        _logger.log(level, msg, *args, stacklevel=2)
