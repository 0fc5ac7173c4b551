"""What packages take from `tensorflow.python.framework.ops` beside scopes and graphs: messages of collections, names in scopes."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, NamedTuple

from troupe.composite import IndexedSlices, SparseTensor
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_numbers = itertools.count(1)


def uid() -> int:
    """A number that no other call in this process gives."""
    return next(_numbers)


class ProtoFunctions(NamedTuple):
    """How the items of a collection become messages, and come from them."""

    proto_type: Any
    to_proto: Callable[..., Any] | None
    from_proto: Callable[..., Any] | None


_of_collections: dict[str, ProtoFunctions] = {}


def register_proto_function(collection_name: str, proto_type: Any = None, to_proto: Callable[..., Any] | None = None,
                            from_proto: Callable[..., Any] | None = None) -> None:
    """Items of this collection are written into MetaGraphDefs as `to_proto(item, export_scope=...)`, and read back by
    `from_proto(message, import_scope=...)`. TypeError for functions that cannot be called, KeyError for a second registration."""
    if to_proto and not callable(to_proto):
        raise TypeError("to_proto must be callable.")
    if from_proto and not callable(from_proto):
        raise TypeError("from_proto must be callable.")
    if collection_name in _of_collections:
        raise KeyError(f"Registering two proto_list with name '{collection_name}'!")
    _of_collections[collection_name] = ProtoFunctions(proto_type, to_proto, from_proto)


def proto_functions(collection_name: str) -> ProtoFunctions | None:
    """What was registered for a collection, or None."""
    return _of_collections.get(collection_name)


def get_collection_proto_type(collection_name: str) -> Any:
    """The class of messages of a collection, or None."""
    found = proto_functions(collection_name)
    return found and found.proto_type


def get_to_proto_function(collection_name: str) -> Callable[..., Any] | None:
    found = proto_functions(collection_name)
    return found and found.to_proto


def get_from_proto_function(collection_name: str) -> Callable[..., Any] | None:
    found = proto_functions(collection_name)
    return found and found.from_proto


def strip_name_scope(name: str, export_scope: str | None) -> str:
    """A name (of a tensor, `^operation` or `loc:@operation`) without a scope before it."""
    if not export_scope:
        return name
    scope = export_scope[:-1] if export_scope.endswith("/") else export_scope
    return re.sub(rf"([\^]|loc:@|^){re.escape(scope)}[\/]+(.*)", r"\1\2", name, count=1)


def prepend_name_scope(name: str, import_scope: str | None) -> str:
    """The same name with a scope before it."""
    if not import_scope:
        return name
    scope = import_scope[:-1] if import_scope.endswith("/") else import_scope
    return re.sub(r"([\^]|loc:@|^)(.*)", lambda found: f"{found[1]}{scope}/{found[2]}", name, count=1)


class EagerTensor(Tensor):
    """Nothing is one: there are graphs only. `isinstance` is what it is for."""


def is_dense_tensor_like(t: Any) -> bool:
    """Whether it is one tensor, or a variable."""
    from troupe.variables import Variable

    return isinstance(t, (Tensor, Variable)) and not isinstance(t, (IndexedSlices, SparseTensor))
