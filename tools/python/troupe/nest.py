"""Nests of lists, tuples, named tuples and dictionaries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


def is_nested(value: Any) -> bool:
    return isinstance(value, (list, tuple, Mapping))


def flatten(nest: Any) -> list[Any]:
    """The leaves, dictionaries in the order of their sorted keys."""
    if isinstance(nest, Mapping):
        return [leaf for key in sorted(nest) for leaf in flatten(nest[key])]
    if isinstance(nest, (list, tuple)):
        return [leaf for part in nest for leaf in flatten(part)]
    return [nest]


def sequence_leaves(nest: Any) -> Iterator[Any]:
    """The leaves of lists and tuples; dictionaries are leaves."""
    if isinstance(nest, (list, tuple)):
        for n in nest:
            yield from sequence_leaves(n)
    else:
        yield nest


def flatten_shapes(nest: Any) -> list[Any]:
    """The same of a nest of shapes, which are leaves themselves."""
    if isinstance(nest, Mapping):
        return [leaf for key in sorted(nest) for leaf in flatten_shapes(nest[key])]
    if type(nest) is tuple or hasattr(nest, "_fields"):
        return [leaf for part in nest for leaf in flatten_shapes(part)]
    return [nest]


def pack_sequence_as(structure: Any, flat: Iterable[Any]) -> Any:
    """The leaves `flat` in the nest of `structure`. ValueError for another number of them."""
    flat = list(flat)
    rest = iter(flat)
    try:
        packed = _pack(structure, rest)
    except StopIteration:
        raise ValueError(f"Too few elements in flat_sequence. Structure: {structure}, flat_sequence: {flat}") from None
    if len(flatten(structure)) != len(flat):
        raise ValueError(f"Could not pack sequence. Structure had {len(flatten(structure))} atoms, but flat_sequence had {len(flat)} items. "
                         f"Structure: {structure}, flat_sequence: {flat}.")
    return packed


def _pack(structure, rest):
    if isinstance(structure, Mapping):
        made = {key: _pack(structure[key], rest) for key in sorted(structure)}
        return type(structure)((key, made[key]) for key in structure)
    if isinstance(structure, (list, tuple)):
        parts = [_pack(part, rest) for part in structure]
        return type(structure)(*parts) if hasattr(structure, "_fields") else type(structure)(parts)
    return next(rest)


def map_structure(function: Callable[..., Any], *structures: Any) -> Any:
    for other in structures[1:]:
        assert_same_structure(structures[0], other)
    return pack_sequence_as(structures[0], [function(*leaves) for leaves in zip(*map(flatten, structures))])


def assert_same_structure(a: Any, b: Any) -> None:
    """ValueError for nests that are not alike."""
    if is_nested(a) != is_nested(b) or is_nested(a) and len(a) != len(b) or isinstance(a, Mapping) and sorted(a) != sorted(b):
        raise ValueError(f"The two structures don't have the same nested structure.\n\nFirst structure: {a}\n\nSecond structure: {b}")
    if isinstance(a, Mapping):
        for key in a:
            assert_same_structure(a[key], b[key])
    elif isinstance(a, (list, tuple)):
        for x, y in zip(a, b):
            assert_same_structure(x, y)
