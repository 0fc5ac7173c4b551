"""Functions that wrap others and say which: `tensorflow.python.util.tf_decorator`."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def fullargspec_to_signature(fullargspec: inspect.FullArgSpec) -> inspect.Signature:
    """The signature that the arguments of a function make."""
    spec, kind = fullargspec, inspect.Parameter
    defaults = dict(zip(reversed(spec.args), reversed(spec.defaults or ())))
    defaults.update(spec.kwonlydefaults or {})
    made = [kind(a, kind.POSITIONAL_OR_KEYWORD, default=defaults.get(a, kind.empty)) for a in spec.args]
    if spec.varargs is not None:
        made.append(kind(spec.varargs, kind.VAR_POSITIONAL))
    made += [kind(a, kind.KEYWORD_ONLY, default=defaults.get(a, kind.empty)) for a in spec.kwonlyargs]
    if spec.varkw is not None:
        made.append(kind(spec.varkw, kind.VAR_KEYWORD))
    return inspect.Signature(made)


class TFDecorator:
    """What a decorator did to its target. It is called as the target is."""

    def __init__(self, decorator_name: str, target: Any, decorator_doc: str = "", decorator_argspec: inspect.FullArgSpec | None = None) -> None:
        self.decorated_target, self._name, self._doc, self._argspec = target, decorator_name, decorator_doc, decorator_argspec
        for name in ("__name__", "__qualname__"):
            if hasattr(target, name):
                setattr(self, name, getattr(target, name))
        self.__doc__ = decorator_doc or getattr(target, "__doc__", None) or ""
        signature = _signature(target, decorator_argspec)
        if signature is not None:
            self.__signature__ = signature

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self.decorated_target.__get__(instance, owner)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.decorated_target(*args, **kwargs)

    @property
    def decorator_name(self) -> str:
        return self._name

    @property
    def decorator_doc(self) -> str:
        return self._doc

    @property
    def decorator_argspec(self) -> inspect.FullArgSpec | None:
        """The arguments that it has instead of its target's, or None."""
        return self._argspec


def _signature(target, argspec):
    if argspec:
        return fullargspec_to_signature(argspec)
    try:
        return inspect.signature(target)
    except (TypeError, ValueError):
        return None


def make_decorator(target: Any, decorator_func: Any, decorator_name: str | None = None, decorator_doc: str = "",
                   decorator_argspec: inspect.FullArgSpec | None = None) -> Any:
    """`decorator_func`, which wraps `target`, with the target's name, text and attributes. The decorator's name is that of the function that
    calls this unless told."""
    if decorator_name is None:
        frame = inspect.currentframe()
        assert frame is not None and frame.f_back is not None
        decorator_name = frame.f_back.f_code.co_name
    decorator = TFDecorator(decorator_name, target, decorator_doc, decorator_argspec)
    decorator_func._tf_decorator = decorator
    for name in ("__name__", "__qualname__", "__module__"):
        if hasattr(target, name):
            setattr(decorator_func, name, getattr(target, name))
    for name, value in getattr(target, "__dict__", {}).items():
        decorator_func.__dict__.setdefault(name, value)
    decorator_func.__doc__ = decorator.__doc__
    decorator_func.__wrapped__ = decorator_func.__original_wrapped__ = target
    signature = _signature(target, decorator_argspec)
    if signature is not None:
        instance = None if decorator_argspec else _bound_instance(target)
        if instance is not None and "self" in signature.parameters:
            signature = inspect.Signature(list(signature.parameters.values())[1:])
            decorator_func.__self__ = instance
        decorator_func.__signature__ = signature
    return decorator_func


def _bound_instance(target):
    return next((d.decorated_target.__self__ for d in unwrap(target)[0] if inspect.ismethod(d.decorated_target)), None)


def _decorator_of(value):
    if isinstance(value, TFDecorator):
        return value
    found = getattr(value, "_tf_decorator", None)
    return found if isinstance(found, TFDecorator) else None


def rewrap(decorator_func: Any, previous_target: Any, new_target: Any) -> Any:
    """Sets another target for the innermost decorator of `previous_target`; a function without decorators is the new target itself."""
    current, innermost, decorator = decorator_func, None, None
    while isinstance(getattr(current, "_tf_decorator", None), TFDecorator):
        innermost, decorator = current, current._tf_decorator
        if decorator.decorated_target is previous_target:
            break
        current = decorator.decorated_target
    if decorator is None:
        assert decorator_func is previous_target
        return new_target
    decorator.decorated_target = new_target
    getattr(innermost, "__func__", innermost).__wrapped__ = new_target  # type: ignore[union-attr]
    return decorator_func


def unwrap(maybe_tf_decorator: Callable[..., Any]) -> tuple[list[TFDecorator], Any]:
    """(the decorators of a function, outermost first, what is inside)."""
    decorators: list[TFDecorator] = []
    current: Any = maybe_tf_decorator
    while (decorator := _decorator_of(current)) is not None:
        decorators.append(decorator)
        current = decorator.decorated_target
    return decorators, current
