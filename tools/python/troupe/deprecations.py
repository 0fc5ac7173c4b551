"""Functions and arguments that are old: `tensorflow.python.util.deprecation`, with the decorators of exported names around it."""

from __future__ import annotations

import functools
import inspect
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from troupe.tf_logging import get_logger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

_local = threading.local()


def _tell(what, date, instructions):
    if getattr(_local, "silent", 0):
        return
    when = "in a future version" if date is None else f"after {date}"
    get_logger().warning("%s is deprecated and will be removed %s.\nInstructions for updating:\n%s", what, when, instructions)


@contextmanager
def silence() -> Iterator[None]:
    """The block says nothing of what is old, in this thread."""
    _local.silent = getattr(_local, "silent", 0) + 1
    try:
        yield
    finally:
        _local.silent -= 1


def deprecated(date: str | None, instructions: str, warn_once: bool = True) -> Callable[[Any], Any]:
    """A decorator: the first call of a function (or of a class) says that it is old, and what to do instead."""
    def decorate(function):
        told = []

        def tell():
            if not (told and warn_once):
                told.append(True)
                _tell(function.__qualname__, date, instructions)

        if inspect.isclass(function):
            made = function.__init__

            @functools.wraps(made)
            def init(self, *args, **kwargs):
                tell()
                made(self, *args, **kwargs)

            function.__init__ = init
            return function

        @functools.wraps(function)
        def called(*args, **kwargs):
            tell()
            return function(*args, **kwargs)

        return called

    return decorate


def _decorator_of_calls(date, instructions, warn_once, is_old):
    def decorate(function):
        told = []

        @functools.wraps(function)
        def called(*args, **kwargs):
            old = is_old(function, args, kwargs)
            if old and not (told and warn_once):
                told.append(True)
                _tell(f"{function.__qualname__} ({', '.join(old)})", date, instructions)
            return function(*args, **kwargs)

        return called

    return decorate


def deprecated_args(date: str | None, instructions: str, *deprecated_arg_names_or_tuples: Any, warn_once: bool = True) -> Callable[[Any], Any]:
    """A decorator: calls with these arguments say that they are old; of a tuple (name, value), those with another value."""
    fine = {n[0]: n[1:] for n in (n if isinstance(n, tuple) else (n,) for n in deprecated_arg_names_or_tuples)}

    def is_old(function, args, kwargs):
        names = [p for p in inspect.signature(function).parameters]
        given = {**dict(zip(names, args)), **kwargs}
        return [n for n in fine if n in given and not any(given[n] is value or given[n] == value for value in fine[n])]

    return _decorator_of_calls(date, instructions, warn_once, is_old)


def deprecated_arg_values(date: str | None, instructions: str, warn_once: bool = True, **deprecated_kwargs: Any) -> Callable[[Any], Any]:
    """A decorator: calls whose arguments have these values say that they are old."""
    def is_old(function, args, kwargs):
        given = inspect.signature(function).bind_partial(*args, **kwargs).arguments
        return [f"{n}={v!r}" for n, v in deprecated_kwargs.items() if n in given and given[n] == v]

    return _decorator_of_calls(date, instructions, warn_once, is_old)


def deprecated_alias(deprecated_name: str, name: str, func_or_class: Any, warn_once: bool = True) -> Any:
    """What is called as `func_or_class` is, by a name that is old."""
    @functools.wraps(func_or_class)
    def called(*args, **kwargs):
        return func_or_class(*args, **kwargs)

    called.__qualname__ = deprecated_name
    return deprecated(None, f"Please use {name} instead.", warn_once)(called)


def deprecated_argument_lookup(new_name: str, new_value: Any, old_name: str, old_value: Any) -> Any:
    """The value of an argument that has two names. ValueError when both are given."""
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old_value


def deprecated_endpoints(*args: str) -> Callable[[Any], Any]:
    """A decorator that notes by which names something is exported no more."""
    def decorate(function):
        function._tf_deprecated_api_names = args
        return function

    return decorate


class tf_export:  # noqa: N801
    """A decorator that notes by which names something is exported: nothing follows from it. Its second form is `keras_export`."""

    def __init__(self, *args: str, **kwargs: Any) -> None:
        self._names, self._first = args, kwargs.get("v1", args)

    def __call__(self, func: Any) -> Any:
        try:
            func._tf_api_names, func._tf_api_names_v1 = self._names, self._first
        except AttributeError:
            pass  # A name of something that takes no attributes.
        return func

    def export_constant(self, module_name: str, name: str) -> None:
        """Notes nothing: what is exported is found by the tables of `tf`."""


keras_export = tf_export
