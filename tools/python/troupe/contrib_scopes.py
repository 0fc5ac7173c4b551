"""tf.contrib.framework's argument scopes and variables of models."""

from __future__ import annotations

import functools
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from troupe import checkpoint_reader, ops
from troupe.ops import GraphKeys
from troupe.variable_scope import get_variable

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, TypeVar

    from troupe.session import BaseSession
    from troupe.typing import Constraint, CustomGetter, DTypeLike, DeviceLike, Initializer, Partitioner, Regularizer, ShapeLike
    from troupe.variable_scope import VariableScope
    from troupe.variables import Variable

    _Function = TypeVar("_Function", bound=Callable[..., Any])

_local = threading.local()


def _current() -> dict:
    """Function: the defaults of its arguments."""
    return getattr(_local, "scope", {})


def _known(function):
    key = getattr(function, "_arg_scope_key", None)
    if key is None:
        raise ValueError(f"{function} is not decorated with @add_arg_scope")
    return key


@contextmanager
def arg_scope(list_ops_or_scope: Sequence[Callable[..., Any]] | dict[Any, dict[str, Any]], **kwargs: Any) -> Iterator[dict[Any, dict[str, Any]]]:
    """Inside, the functions have these defaults, besides those of scopes around; or those of a scope that was entered before. ValueError for
    functions without add_arg_scope."""
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError("When attempting to re-use a scope by suppling a dictionary, kwargs must be empty.")
        scope = dict(list_ops_or_scope)
    elif isinstance(list_ops_or_scope, (list, tuple)):
        scope = dict(_current())
        for function in list_ops_or_scope:
            key = _known(function)
            scope[key] = {**scope.get(key, {}), **kwargs}
    else:
        raise TypeError("list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)")
    before = _current()
    _local.scope = scope
    try:
        yield scope
    finally:
        _local.scope = before


def add_arg_scope(func: _Function) -> _Function:
    """A decorator: the function takes defaults from scopes."""
    @functools.wraps(func)
    def with_defaults(*args, **kwargs):
        return func(*args, **{**_current().get(with_defaults, {}), **kwargs})

    with_defaults._arg_scope_key = with_defaults  # type: ignore[attr-defined]
    return with_defaults  # type: ignore[return-value]


def has_arg_scope(func: Callable[..., Any]) -> bool:
    return hasattr(func, "_arg_scope_key")


def current_arg_scope() -> dict[Any, dict[str, Any]]:
    return _current()


def arg_scoped_arguments(func: Callable[..., Any]) -> tuple[str, ...]:
    """The names of arguments that scopes have for a function."""
    return tuple(_current().get(_known(func), {}))


@add_arg_scope
def variable(name: str, shape: ShapeLike = None, dtype: DTypeLike | None = None, initializer: Initializer = None,
             regularizer: Regularizer | None = None, trainable: bool = True, collections: Sequence[str] | None = None,
             caching_device: DeviceLike = None, device: DeviceLike = "", partitioner: Partitioner | None = None,
             custom_getter: CustomGetter | None = None, use_resource: bool | None = None, constraint: Constraint | None = None) -> Variable:
    """The variable of this name, on a device: a name or a function of operations. It is in GLOBAL_VARIABLES besides the collections."""
    wanted = list(collections) if collections is not None else [GraphKeys.GLOBAL_VARIABLES]
    if GraphKeys.GLOBAL_VARIABLES not in wanted:
        wanted.append(GraphKeys.GLOBAL_VARIABLES)
    with ops.device(device or None) if device else _nothing():
        return get_variable(name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer, trainable=trainable,
                            collections=wanted, caching_device=caching_device, partitioner=partitioner, custom_getter=custom_getter,
                            use_resource=use_resource, constraint=constraint)


@contextmanager
def _nothing():
    yield


@add_arg_scope
def model_variable(name: str, shape: ShapeLike = None, dtype: DTypeLike | None = None, initializer: Initializer = None,
                   regularizer: Regularizer | None = None, trainable: bool = True, collections: Sequence[str] | None = None,
                   caching_device: DeviceLike = None, device: DeviceLike = None, partitioner: Partitioner | None = None,
                   custom_getter: CustomGetter | None = None, use_resource: bool | None = None, constraint: Constraint | None = None) -> Variable:
    """A variable of the collection MODEL_VARIABLES, too."""
    return variable(name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer, trainable=trainable,
                    collections=[*(collections or []), GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES], caching_device=caching_device,
                    device=device, partitioner=partitioner, custom_getter=custom_getter, use_resource=use_resource, constraint=constraint)


def get_variables(scope: str | VariableScope | None = None, suffix: str | None = None,
                  collection: str = GraphKeys.GLOBAL_VARIABLES) -> list[Variable]:
    """Variables of a collection in a scope, whose names end so."""
    scope = getattr(scope, "name", scope)
    if suffix is not None:
        scope = f"{scope or ''}.*{suffix if ':' in suffix else suffix + ':'}"
    return ops.get_collection(collection, scope)


def get_model_variables(scope: str | VariableScope | None = None, suffix: str | None = None) -> list[Variable]:
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope: str | VariableScope | None = None, suffix: str | None = None) -> list[Variable]:
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope: str | VariableScope | None = None, suffix: str | None = None) -> list[Variable]:
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(suffix: str, scope: str | VariableScope | None = None) -> list[Variable]:
    return get_variables(scope, suffix)


def get_variables_by_name(given_name: str, scope: str | VariableScope | None = None) -> list[Variable]:
    """Those whose name ends in this one, as a whole."""
    return get_variables(scope, rf"/{given_name}:|^{given_name}:")


def get_unique_variable(var_op_name: str) -> Variable:
    """The variable of this name. ValueError for none or several."""
    found = [v for v in get_variables(var_op_name) if v.op.name == var_op_name]
    if not found:
        raise ValueError(f"Variable {var_op_name} does not match any variable")
    return found[0]


def get_variables_to_restore(include: Iterable[str | VariableScope] | None = None,
                             exclude: Iterable[str | VariableScope] | None = None) -> list[Variable]:
    """Variables of some scopes, or all, but those of others."""
    inside = get_variables() if include is None else [v for scope in include for v in get_variables(scope)]
    outside = {id(v) for scope in exclude or () for v in get_variables(scope)}
    return [v for v in inside if id(v) not in outside]


def filter_variables(var_list: Iterable[Variable], include_patterns: Sequence[str] | None = None, exclude_patterns: Sequence[str] | None = None,
                     reg_search: bool = True) -> list[Variable]:
    """Variables whose names fit one of the first patterns, if there are any, and none of the others."""
    import re

    matches = re.search if reg_search else re.match
    fit = lambda v, patterns: any(matches(p, v.name) for p in patterns)
    return [v for v in var_list if (not include_patterns or fit(v, include_patterns)) and not fit(v, exclude_patterns or ())]


def assign_from_checkpoint_fn(model_path: str | os.PathLike[str], var_list: Sequence[Variable] | dict[str, Variable],
                              ignore_missing_vars: bool = False, reshape_variables: bool = False) -> Callable[[BaseSession], None] | None:
    """A function of a session, which restores variables: a list, or {name: variable}. `ignore_missing_vars`: but those that the checkpoint has
    not. ValueError when there are none; None when the checkpoint has none."""
    from troupe.saver import Saver

    if not var_list:
        raise ValueError("var_list cannot be empty")
    wanted = dict(var_list) if isinstance(var_list, dict) else {v.op.name: v for v in var_list}
    if ignore_missing_vars:
        reader = checkpoint_reader.NewCheckpointReader(model_path)
        wanted = {name: v for name, v in wanted.items() if reader.has_tensor(name)}
        if not wanted:
            return None
    saver = Saver(wanted, reshape=reshape_variables)
    return lambda session: saver.restore(session, model_path)
