"""What programs take from `tensorflow.python.util` beside nests and decorators: contexts, lists of names, arguments of functions, sets of objects."""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
import types
from collections.abc import MutableMapping, MutableSet
from contextlib import contextmanager  # tf_contextlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

__all__ = ("LazyLoader", "ObjectIdentityDictionary", "ObjectIdentitySet", "add_dispatch_support", "contextmanager", "enabled", "fn_args",
           "get_func_code", "get_func_name", "has_kwargs", "keyword_args_only", "make_all", "memoize", "np_array", "np_asarray", "np_reshape",
           "np_where", "remove_undocumented", "reveal_undocumented", "should_use_result")


def enabled() -> bool:
    """False: TensorFlow 2's behavior is not on (`tensorflow.python.tf2`)."""
    return False


def make_all(module_name: str, doc_string_modules: Sequence[types.ModuleType] | None = None) -> list[str]:
    """The names without an underscore of a module, and of those whose documentation is its own."""
    modules = doc_string_modules or [sys.modules[module_name]]
    return sorted({n for m in modules for n, v in vars(m).items() if not n.startswith("_") and not inspect.ismodule(v)})


def remove_undocumented(module_name: str, allowed_exception_list: Sequence[str] | None = None,
                        doc_string_modules: Sequence[types.ModuleType] | None = None) -> None:
    """Takes nothing away: what a module has stays (in TensorFlow, names that its text does not mention go)."""


def reveal_undocumented(symbol_name: str, target_module: types.ModuleType | None = None) -> None:
    """Does nothing, for nothing was taken away."""


def fn_args(fn: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a function's arguments, without the object of a method and those that a `functools.partial` has set."""
    if isinstance(fn, functools.partial):
        return tuple(a for a in fn_args(fn.func)[len(fn.args):] if a not in (fn.keywords or {}))
    if not inspect.isfunction(fn) and not inspect.ismethod(fn) and hasattr(fn, "__call__"):
        fn = fn.__call__
    args = inspect.getfullargspec(inspect.unwrap(fn)).args
    return tuple(args[1:] if inspect.ismethod(fn) or args[:1] == ["self"] else args)


def has_kwargs(fn: Callable[..., Any]) -> bool:
    """Whether a function takes `**kwargs`. TypeError for what cannot be called."""
    if isinstance(fn, functools.partial):
        return has_kwargs(fn.func)
    if not callable(fn):
        raise TypeError(f"Argument `fn` should be a callable. Received: fn={fn} (of type {type(fn)})")
    if not inspect.isfunction(fn) and not inspect.ismethod(fn):
        fn = fn.__call__
    return inspect.getfullargspec(fn).varkw is not None


def get_func_name(func: Callable[..., Any]) -> str:
    """The name of what can be called, or its text where it has none."""
    if isinstance(func, functools.partial):
        return get_func_name(func.func)
    return getattr(func, "__qualname__", None) or (f"{type(func).__module__}.{type(func).__qualname__}" if callable(func) else str(func))


def get_func_code(func: Callable[..., Any]) -> types.CodeType | None:
    """The code of a function, or None for what has none."""
    return getattr(inspect.unwrap(func), "__code__", None)


def memoize(func: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is called once for each set of arguments."""
    return functools.lru_cache(maxsize=None)(func)


def add_dispatch_support(target: Any = None, iterable_parameters: Sequence[str] | None = None) -> Any:
    """A decorator that leaves functions as they are: types of a program's own become tensors by `tf.register_tensor_conversion_function`."""
    return (lambda function: function) if target is None else target


def should_use_result(fn: Any = None, warn_in_eager: bool = False, error_in_function: bool = False) -> Any:
    """A decorator that leaves functions as they are: nobody is told of results that are not used."""
    return (lambda function: function) if fn is None else fn


def keyword_args_only(func: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator: ValueError for a call with arguments without names."""
    @functools.wraps(func)
    def called(*args, **kwargs):
        if args:
            raise ValueError(f"The function {func.__name__} only accepts keyword arguments. Do not pass positional arguments. Received the "
                             f"following positional arguments: {args}")
        return func(**kwargs)

    return called


def np_array(values: Any, dtype: Any = None, copy: bool | None = True, order: str = "K") -> np.ndarray:
    """`numpy.array`, whose `copy=None` is "where it must" in all versions."""
    return np.asarray(values, dtype=dtype, order=order) if not copy else np.array(values, dtype=dtype, order=order)


def np_asarray(values: Any, dtype: Any = None, order: str | None = None, copy: bool | None = None) -> np.ndarray:
    return np.array(values, dtype=dtype, order=order or "K") if copy else np.asarray(values, dtype=dtype, order=order)


def np_where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """`numpy.where`, of numbers without dimensions, too."""
    return np.nonzero(np.atleast_1d(condition)) if x is None and y is None else np.where(condition, x, y)


def np_reshape(a: Any, /, shape: Any = None, *, newshape: Any = None, order: str = "C", copy: bool | None = None) -> np.ndarray:
    return np.reshape(a, shape if newshape is None else newshape, order=order)


class LazyLoader(types.ModuleType):
    """A module that is imported when one of its names is asked for."""

    def __init__(self, local_name: str, parent_module_globals: dict[str, Any], name: str, warning: str | None = None) -> None:
        super().__init__(name)
        self._local_name, self._globals = local_name, parent_module_globals

    def __getattr__(self, item: str) -> Any:
        module = importlib.import_module(self.__name__)
        self._globals[self._local_name] = module
        return getattr(module, item)


class ObjectIdentityDictionary(MutableMapping):
    """A dictionary whose keys are objects themselves, whatever they are equal to."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._items: dict[int, tuple[Any, Any]] = {}
        self.update(dict(*args, **kwargs))

    def __getitem__(self, key: Any) -> Any:
        try:
            return self._items[id(key)][1]
        except KeyError:
            raise KeyError(key) from None

    def __setitem__(self, key: Any, value: Any) -> None:
        self._items[id(key)] = key, value

    def __delitem__(self, key: Any) -> None:
        del self._items[id(key)]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Any]:
        return iter([key for key, _ in self._items.values()])

    def __contains__(self, key: object) -> bool:
        return id(key) in self._items

    def __repr__(self) -> str:
        return f"ObjectIdentityDictionary({list(self._items.values())!r})"


class ObjectIdentitySet(MutableSet):
    """A set of objects themselves, whatever they are equal to."""

    def __init__(self, *args: Iterable[Any]) -> None:
        self._items = {id(v): v for a in args for v in a}

    def __contains__(self, value: object) -> bool:
        return id(value) in self._items

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._items.values()))

    def __len__(self) -> int:
        return len(self._items)

    def add(self, value: Any) -> None:
        self._items[id(value)] = value

    def discard(self, value: Any) -> None:
        self._items.pop(id(value), None)

    def update(self, items: Iterable[Any]) -> None:
        """Adds all of them."""
        self._items.update((id(v), v) for v in items)

    def __repr__(self) -> str:
        return f"ObjectIdentitySet({list(self._items.values())!r})"
