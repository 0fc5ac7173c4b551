"""`tf.logging`: the logger "troupe", to which the package itself writes."""

from __future__ import annotations

import logging
import sys
from logging import DEBUG, ERROR, FATAL, INFO
from logging import WARNING as WARN

_logger = logging.getLogger("troupe")
# How often each place of the program has asked.
_counts = {}


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


def log(level, msg, *args, **kwargs) -> None:
    _logger.log(level, msg, *args, stacklevel=2, **kwargs)


def debug(msg, *args, **kwargs) -> None:
    _logger.debug(msg, *args, stacklevel=2, **kwargs)


def info(msg, *args, **kwargs) -> None:
    _logger.info(msg, *args, stacklevel=2, **kwargs)


def warning(msg, *args, **kwargs) -> None:
    _logger.warning(msg, *args, stacklevel=2, **kwargs)


def error(msg, *args, **kwargs) -> None:
    _logger.error(msg, *args, stacklevel=2, **kwargs)


def fatal(msg, *args, **kwargs) -> None:
    """Does not end the process."""
    _logger.fatal(msg, *args, stacklevel=2, **kwargs)


warn, vlog = warning, log


def TaskLevelStatusMessage(msg) -> None:  # noqa: N802, TensorFlow's name
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


def log_every_n(level, msg, n, *args) -> None:
    """The first call of a line of the program, and each n-th behind it."""
    if _count() % n == 0:
        _logger.log(level, msg, *args, stacklevel=2)


def log_first_n(level, msg, n, *args) -> None:
    """The first n calls of a line of the program."""
    if _count() < n:
        _logger.log(level, msg, *args, stacklevel=2)


def log_if(level, msg, condition, *args) -> None:
    if condition:
        _logger.log(level, msg, *args, stacklevel=2)
