"""What makes variables: the creators of the blocks of `tf.variable_creator_scope` around."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from troupe import stacks

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from typing import Any

_ON_READ = 3


class CreatedByCreators(type):
    """Of Variable: `Variable(...)` is what the creators make of it. Classes that derive from it are as others."""

    if not TYPE_CHECKING:
        def __call__(cls, *args, **kwargs):
            creators = stacks.get_default_graph()._scopes.creators if "_by_creators" in vars(cls) else ()
            return _created(cls, creators, *args, **kwargs) if creators else super().__call__(*args, **kwargs)


def _created(cls, creators, initial_value=None, trainable=None, collections=None, validate_shape=True, caching_device=None, name=None,
             variable_def=None, dtype=None, expected_shape=None, import_scope=None, constraint=None, use_resource=None, synchronization=0,
             aggregation=0, shape=None):
    """What the creators make: the innermost block's is called first, with what makes the variable without it."""
    def without_any(experimental_enable_variable_lifting=None, **kwargs):
        return type.__call__(cls, **kwargs)

    create: Callable[..., Any] = without_any
    for creator in creators:
        create = functools.partial(creator, create)
    return create(initial_value=initial_value, trainable=trainable, validate_shape=validate_shape, caching_device=caching_device, name=name,
                  variable_def=variable_def, dtype=dtype, import_scope=import_scope, constraint=constraint, synchronization=synchronization,
                  aggregation=0 if aggregation is None else aggregation, shape=shape, experimental_enable_variable_lifting=None,
                  expected_shape=expected_shape, collections=collections, use_resource=use_resource)


def is_trainable(trainable: bool | None, synchronization: int) -> bool:
    """Whether a variable is, where it need not be said. ValueError for one that is synchronized when it is read."""
    if trainable and synchronization == _ON_READ:
        raise ValueError("Synchronization value can be set to VariableSynchronization.ON_READ only for non-trainable variables. You have specified "
                         "trainable=True and synchronization=VariableSynchronization.ON_READ.")
    return synchronization != _ON_READ if trainable is None else trainable


def is_resource(use_resource: bool | None, otherwise: bool) -> bool:
    """Whether a variable is behind a handle: what it says itself, else what the scope of variables around does."""
    if use_resource is None:
        scope = getattr(stacks.get_default_graph()._scopes, "variable_scope", None)
        use_resource = None if scope is None else scope.use_resource
    return otherwise if use_resource is None else use_resource


def variable_creator_scope(variable_creator: Callable[..., Any]) -> AbstractContextManager[None]:
    """In this block variables of the default graph are what `variable_creator(next_creator, **kwargs)` gives. `next_creator(**kwargs)` makes one as
    it would be made without it: by the creator of the block around, or by tf.Variable, whose arguments `kwargs` are. tf.get_variable asks creators
    for variables that are new."""
    return stacks.get_default_graph()._variable_creator_scope(variable_creator)
