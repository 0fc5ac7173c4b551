"""Marks of what is old: `tensorflow.python.util.deprecation`."""

from __future__ import annotations

import functools
import inspect
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from troupe.tf_logging import get_logger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

_PRINT_DEPRECATION_WARNINGS = True
# What no argument is.
_NOTHING = object()


def _check(date, instructions):
    if date is not None and not re.match(r"20\d\d-[01]\d-[0123]\d", date):
        raise ValueError(f"Date must be in format YYYY-MM-DD. Received: {date}")
    if not instructions:
        raise ValueError("Don't deprecate things without conversion instructions! Specify the `instructions` argument.")


def _when(date):
    return "in a future version" if date is None else f"after {date}"


def _warn(message, *args):
    if _PRINT_DEPRECATION_WARNINGS:
        get_logger().warning(message, *args)


def deprecated(date: str | None, instructions: str, warn_once: bool = True) -> Callable[[Any], Any]:
    """A decorator: the first call of a function, or making of a class's first instance, says that it is old, and what to do instead. ValueError
    without instructions, and for a date that is none."""
    _check(date, instructions)

    def decorate(function):
        if inspect.isclass(function):
            function.__init__ = decorate(function.__init__)
            function.__init__.__qualname__ = f"{function.__qualname__}.__init__"
            return function
        told = []

        @functools.wraps(function)
        def called(*args, **kwargs):
            if not (told and warn_once):
                told.append(True)
                _warn("%s is deprecated and will be removed %s.\nInstructions for updating:\n%s", called.__qualname__, _when(date), instructions)
            return function(*args, **kwargs)

        return called

    return decorate


def _old_arguments(date, instructions, warn_once, is_old):
    """A decorator that tells of the arguments for which `is_old` of the name and what was given."""
    _check(date, instructions)

    def decorate(function):
        names = inspect.getfullargspec(function).args
        told = set()

        @functools.wraps(function)
        def called(*args, **kwargs):
            if _PRINT_DEPRECATION_WARNINGS:
                for name, value in (*zip(names, args), *kwargs.items()):
                    shown = is_old(name, value)
                    if shown and not (warn_once and name in told):
                        told.add(name)
                        _warn("calling %s (from %s) with %s is deprecated and will be removed %s.\nInstructions for updating:\n%s", function.__qualname__,
                              function.__module__, shown, _when(date), instructions)
            return function(*args, **kwargs)

        return called

    return decorate


def deprecated_args(date: str | None, instructions: str, *deprecated_arg_names_or_tuples: Any, warn_once: bool = True) -> Callable[[Any], Any]:
    """A decorator: calls with these arguments say that they are old; those of a pair (name, value) do not where they have that value."""
    known = dict(n if isinstance(n, tuple) else (n, _NOTHING) for n in deprecated_arg_names_or_tuples)
    return _old_arguments(date, instructions, warn_once, lambda name, value: name if name in known and not _equal(known[name], value) else None)


def deprecated_arg_values(date: str | None, instructions: str, warn_once: bool = True, **deprecated_kwargs: Any) -> Callable[[Any], Any]:
    """A decorator: calls that give these arguments these values say that they are old."""
    return _old_arguments(date, instructions, warn_once,
                          lambda name, value: f"{name}={value}" if name in deprecated_kwargs and _equal(deprecated_kwargs[name], value) else None)


def _equal(known, value):
    return known is value or (isinstance(known, (str, bytes, int, float, tuple)) and type(known) is type(value) and known == value)


def deprecated_argument_lookup(new_name: str, new_value: Any, old_name: str, old_value: Any) -> Any:
    """The value of an argument that has two names. ValueError where both were given."""
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old_value


def rewrite_argument_docstring(old_doc: str, old_argument: str, new_argument: str) -> str:
    """A text about a function whose argument has another name."""
    return old_doc.replace(f"`{old_argument}`", f"`{new_argument}`").replace(f"{old_argument}:", f"{new_argument}:")


def deprecated_alias(deprecated_name: str, name: str, func_or_class: Any, warn_once: bool = True) -> Any:
    """A function, or a class below it, that says at its first use that it has another name now."""
    told = []

    def tell():
        if not (told and warn_once):
            told.append(True)
            _warn("The name %s is deprecated. Please use %s instead.\n", deprecated_name, name)

    if inspect.isclass(func_or_class):
        def __init__(self, *args, **kwargs):
            tell()
            func_or_class.__init__(self, *args, **kwargs)

        return type(func_or_class.__name__, (func_or_class,), {"__init__": __init__, "__doc__": func_or_class.__doc__, "__module__": func_or_class.__module__})

    @functools.wraps(func_or_class)
    def called(*args, **kwargs):
        tell()
        return func_or_class(*args, **kwargs)

    return called


def deprecated_endpoints(*args: str) -> Callable[[Any], Any]:
    """A decorator that keeps the older names of what is exported."""
    def decorate(function):
        function._tf_deprecated_api_names = args
        return function

    return decorate


@contextmanager
def silence() -> Iterator[None]:
    """The block says nothing of what is old."""
    global _PRINT_DEPRECATION_WARNINGS
    before, _PRINT_DEPRECATION_WARNINGS = _PRINT_DEPRECATION_WARNINGS, False
    try:
        yield
    finally:
        _PRINT_DEPRECATION_WARNINGS = before


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
