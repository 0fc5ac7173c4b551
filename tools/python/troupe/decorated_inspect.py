"""Python's `inspect` of what is inside decorators: `tensorflow.python.util.tf_inspect`."""

from __future__ import annotations

import collections
import functools
import inspect
from inspect import FullArgSpec, Parameter, Signature, currentframe, getframeinfo, stack  # noqa: F401
from typing import TYPE_CHECKING

from troupe.decorated import unwrap

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

ArgSpec = collections.namedtuple("ArgSpec", "args varargs keywords defaults")


def signature(obj: Any, *, follow_wrapped: bool = True) -> Signature:
    """Of a function, or of what its decorators say instead."""
    return inspect.signature(obj, follow_wrapped=follow_wrapped)


def _plain(function):
    spec = inspect.getfullargspec(function)
    return ArgSpec(spec.args, spec.varargs, spec.varkw, spec.defaults)


def getargspec(obj: Any) -> Any:
    """The arguments that are not by keyword alone, of the outermost decorator that says some, or of what is inside; of a class, its
    constructor's. ValueError for a partial function that has no such."""
    if isinstance(obj, functools.partial):
        return _of_partial(obj)
    decorators, target = unwrap(obj)
    for decorator in decorators:
        if decorator.decorator_argspec is not None:
            return decorator.decorator_argspec
    if inspect.isclass(target):
        return _plain(target.__init__ if target.__init__ is not object.__init__ else target.__new__)
    return _plain(target if inspect.isfunction(target) or inspect.ismethod(target) else type(target).__call__)


def _of_partial(partial):
    args, varargs, keywords, defaults = getargspec(partial.func)[:4]
    known = dict(zip(reversed(args), reversed(defaults or ())))
    for name, value in partial.keywords.items():
        if name in args:
            known[name] = value
        elif not keywords:
            raise ValueError(f"{partial} does not have a **kwargs parameter, but contains an unknown partial keyword {name}.")
    args = args[len(partial.args):]
    first = next((i for i, a in enumerate(args) if a in known), None)
    if first is None:
        return ArgSpec(args, varargs, keywords, None)
    without = [a for a in args[first:] if a not in known]
    if without:
        raise ValueError(f"{partial} has some keyword-only arguments, which are not supported: {without}.")
    return ArgSpec(args, varargs, keywords, tuple(known[a] for a in args[first:]))


def getfullargspec(obj: Any) -> FullArgSpec:
    """The arguments of the outermost decorator that says some, or of what is inside. Hints of this package's functions are left out: those of
    TensorFlow 1 had none, and programs compare them with their own."""
    decorators, target = unwrap(obj)
    for decorator in decorators:
        spec = decorator.decorator_argspec
        if isinstance(spec, FullArgSpec):
            return spec
        if spec is not None:
            return FullArgSpec(spec.args, spec.varargs, spec.keywords, spec.defaults, [], None, {})
    spec = inspect.getfullargspec(target)
    return spec._replace(annotations={}) if (getattr(target, "__module__", None) or "").startswith("troupe.") else spec


def getcallargs(*func_and_positional: Any, **named: Any) -> dict[str, Any]:
    """{argument: what it would be} if the function were called so."""
    function, *positional = func_and_positional
    spec = getfullargspec(function)
    if ismethod(function) and getattr(function, "__self__", None) is not None:
        positional.insert(0, function.__self__)
    defaults = dict(zip(reversed(spec.args), reversed(spec.defaults or ())))
    return {**(spec.kwonlydefaults or {}), **defaults, **named, **dict(zip((a for a in spec.args if a not in named), positional))}


def _inside(name: str) -> Callable[..., Any]:
    plain = getattr(inspect, name)

    @functools.wraps(plain)
    def of_target(object: Any, *args: Any) -> Any:
        return plain(unwrap(object)[1], *args)

    return of_target


getfile, getmodule, getsource, getsourcefile, getsourcelines = map(
    _inside, ("getfile", "getmodule", "getsource", "getsourcefile", "getsourcelines"))
isbuiltin, isclass, isfunction, isframe, isgenerator, isgeneratorfunction, ismethod, ismodule, isroutine = map(
    _inside, ("isbuiltin", "isclass", "isfunction", "isframe", "isgenerator", "isgeneratorfunction", "ismethod", "ismodule", "isroutine"))
getdoc, getmembers, getmro = inspect.getdoc, inspect.getmembers, inspect.getmro


def isanytargetmethod(object: Any) -> bool:
    """Whether it, or what one of its decorators wraps, has its first argument bound."""
    decorators, target = unwrap(object)
    if any(inspect.ismethod(d.decorated_target) for d in decorators):
        return True
    while isinstance(target, functools.partial):
        target = target.func
    return callable(target) and not inspect.isfunction(target)
