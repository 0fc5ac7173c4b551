"""Nests of lists, tuples, named tuples and dictionaries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


def is_nested(seq: Any) -> bool:
    return isinstance(seq, (list, tuple, Mapping))


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves, dictionaries in the order of their sorted keys; with expand_composites sparse tensors and their like are nests of their tensors."""
    if isinstance(structure, Mapping):
        return [leaf for key in sorted(structure) for leaf in flatten(structure[key], expand_composites)]
    if isinstance(structure, (list, tuple)):
        return [leaf for part in structure for leaf in flatten(part, expand_composites)]
    parts = _parts_of(structure) if expand_composites else None
    return [structure] if parts is None else parts


def _parts_of(value):
    from troupe import composite, ragged_tensor

    if isinstance(value, ragged_tensor.RaggedTensor):
        return [value.flat_values, *value.nested_row_splits]
    return list(composite.parts_of(value)) if composite.is_composite(value) else None


def _of_parts(value, parts):
    """What is made like `value` of other parts."""
    from troupe import composite, ragged_tensor

    if isinstance(value, ragged_tensor.RaggedTensor):
        return ragged_tensor.RaggedTensor.from_nested_row_splits(parts[0], parts[1:], validate=False)
    if isinstance(value, composite.SparseTensor):
        return composite.SparseTensor(*parts)
    return composite.IndexedSlices(*parts)


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


def pack_sequence_as(structure: Any, flat_sequence: Iterable[Any], expand_composites: bool = False) -> Any:
    """The leaves `flat_sequence` in the nest of `structure`. ValueError for another number of them."""
    flat = list(flat_sequence)
    rest = iter(flat)
    try:
        packed = _pack(structure, rest, expand_composites)
    except StopIteration:
        raise ValueError(f"Too few elements in flat_sequence. Structure: {structure}, flat_sequence: {flat}") from None
    count = len(flatten(structure, expand_composites))
    if count != len(flat):
        raise ValueError(f"Could not pack sequence. Structure had {count} atoms, but flat_sequence had {len(flat)} items. "
                         f"Structure: {structure}, flat_sequence: {flat}.")
    return packed


def _pack(structure, rest, expand_composites=False):
    if isinstance(structure, Mapping):
        made = {key: _pack(structure[key], rest, expand_composites) for key in sorted(structure)}
        return type(structure)((key, made[key]) for key in structure)
    if isinstance(structure, (list, tuple)):
        parts = [_pack(part, rest, expand_composites) for part in structure]
        return type(structure)(*parts) if hasattr(structure, "_fields") else type(structure)(parts)
    known = _parts_of(structure) if expand_composites else None
    return next(rest) if known is None else _of_parts(structure, [next(rest) for _ in known])


def map_structure(func: Callable[..., Any], *structure: Any, check_types: bool = True, expand_composites: bool = False) -> Any:
    """The nest of what `func` gives for the leaves of nests that are alike. TypeError for what is no function and without nests."""
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand_composites)
    leaves = zip(*(flatten(s, expand_composites) for s in structure))
    return pack_sequence_as(structure[0], [func(*parts) for parts in leaves], expand_composites)


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False) -> None:
    """ValueError for nests that are not alike, TypeError for such of other kinds, unless check_types says that they do not matter."""
    _assert_alike(nest1, nest2, check_types, (nest1, nest2))


def _shown(value):
    return f"type={type(value).__name__} str={value}"


def _raise_unlike(kind, whole, more):
    dots = [repr(map_structure(lambda _: _Dot(), nest)) for nest in whole]
    raise kind(f"The two structures don't have the same nested structure.\n\nFirst structure: {_shown(whole[0])}\n\nSecond structure: "
               f"{_shown(whole[1])}\n\nMore specifically: {more}\nEntire first structure:\n{dots[0]}\nEntire second structure:\n{dots[1]}")


class _Dot:
    """A leaf in an error's picture of a nest."""

    def __repr__(self):
        return "."


def _assert_alike(a, b, check_types, whole):
    if is_nested(a) != is_nested(b):
        nest, leaf = (a, b) if is_nested(a) else (b, a)
        _raise_unlike(ValueError, whole, f'Substructure "{_shown(nest)}" is a sequence, while substructure "{_shown(leaf)}" is not')
    if not is_nested(a):
        return
    if check_types and not _same_kind(a, b):
        _raise_unlike(TypeError, whole, "The two namedtuples don't have the same sequence type. First structure "
                      f"{_shown(a)} has type {type(a).__name__}, while second structure {_shown(b)} has type {type(b).__name__}")
    if isinstance(a, Mapping) and isinstance(b, Mapping) and set(a) != set(b):
        _raise_unlike(ValueError, whole, "The two dictionaries don't have the same set of keys. First structure has keys "
                      f"{_shown(list(a))}, while second structure has keys {_shown(list(b))}")
    if len(a) != len(b):
        _raise_unlike(ValueError, whole, "The two structures don't have the same number of elements. First structure: "
                      f"{_shown(a)}. Second structure: {_shown(b)}")
    values = lambda nest: [nest[key] for key in sorted(nest)] if isinstance(nest, Mapping) else nest
    for x, y in zip(values(a), values(b)):
        _assert_alike(x, y, check_types, whole)


def _same_kind(a, b):
    """Whether two nests are of one type; mappings are alike, and so are named tuples of one name and the same fields."""
    if isinstance(a, Mapping) or isinstance(b, Mapping):
        return isinstance(a, Mapping) and isinstance(b, Mapping)
    fields = getattr(a, "_fields", None), getattr(b, "_fields", None)
    return type(a) is type(b) or fields[0] is not None and fields[0] == fields[1] and type(a).__name__ == type(b).__name__
