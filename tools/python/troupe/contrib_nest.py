"""tf.contrib.framework.nest: nests as functions of TensorFlow 1 knew them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from troupe import nest
from troupe.nest import (  # noqa: F401, they are of this module, too
    assert_same_structure, flatten, is_nested, map_structure, pack_sequence_as)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


def is_sequence(seq: Any) -> bool:
    """Whether it is a list, a tuple or a dictionary."""
    return is_nested(seq)


def _parts(structure):
    """[(key, part)] of what is not a leaf."""
    if isinstance(structure, Mapping):
        return [(key, structure[key]) for key in sorted(structure)]
    names = getattr(structure, "_fields", range(len(structure)))
    return list(zip(names, structure))


def assert_shallow_structure(shallow_tree: Any, input_tree: Any, check_types: bool = True) -> None:
    """TypeError and ValueError where the second has not the nests that the first has; it may have more below its leaves."""
    if not is_nested(shallow_tree):
        return
    if not is_nested(input_tree):
        raise TypeError(f"If shallow structure is a sequence, input must also be a sequence. Input has type: {type(input_tree)}.")
    if check_types and isinstance(shallow_tree, Mapping) != isinstance(input_tree, Mapping):
        raise TypeError("The two structures don't have the same sequence type. Input structure has type "
                        f"{type(input_tree)}, while shallow structure has type {type(shallow_tree)}.")
    if len(shallow_tree) != len(input_tree):
        raise ValueError(f"The two structures don't have the same sequence length. Input structure has length {len(input_tree)}, while shallow "
                         f"structure has length {len(shallow_tree)}.")
    if isinstance(shallow_tree, Mapping) and set(shallow_tree) != set(input_tree):
        raise ValueError(f"The two structures don't have the same keys. Input structure has keys {list(input_tree)}, while shallow structure has "
                         f"keys {list(shallow_tree)}.")
    for (_, shallow), (_, part) in zip(_parts(shallow_tree), _parts(input_tree)):
        assert_shallow_structure(shallow, part, check_types)


def flatten_up_to(shallow_tree: Any, input_tree: Any, check_types: bool = True) -> list[Any]:
    """The parts of the second that stand where the first has leaves."""
    assert_shallow_structure(shallow_tree, input_tree, check_types)
    return list(_up_to(shallow_tree, input_tree))


def _up_to(shallow, tree):
    if not is_nested(shallow):
        yield tree
        return
    for (_, s), (_, part) in zip(_parts(shallow), _parts(tree)):
        yield from _up_to(s, part)


def map_structure_up_to(shallow_tree: Any, func: Callable[..., Any], *inputs: Any, check_types: bool = True) -> Any:
    """The first nest with what the function gives of the others' parts. ValueError without others."""
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    flat = [flatten_up_to(shallow_tree, i, check_types) for i in inputs]
    return pack_sequence_as(shallow_tree, [func(*parts) for parts in zip(*flat)])


def get_traverse_shallow_structure(traverse_fn: Callable[[Any], Any], structure: Any) -> Any:
    """A nest of True and False: where the function says of a part whether to go into it. TypeError for other answers."""
    said = traverse_fn(structure)
    if not is_nested(said):
        if not isinstance(said, bool):
            raise TypeError(f"traverse_fn returned a non-bool value: {said}.")
        if not said or not is_nested(structure):
            return said
        parts = [get_traverse_shallow_structure(traverse_fn, part) for _, part in _parts(structure)]
        if isinstance(structure, Mapping):
            return type(structure)(zip(sorted(structure), parts))
        return type(structure)(*parts) if hasattr(structure, "_fields") else type(structure)(parts)
    assert_shallow_structure(said, structure)
    return said


def flatten_dict_items(dictionary: Mapping[Any, Any]) -> dict[Any, Any]:
    """{part of a key: part of its value} of a dictionary whose keys may be nests. TypeError for what is no dictionary, ValueError for keys twice."""
    if not isinstance(dictionary, Mapping):
        raise TypeError("input must be a dictionary")
    made: dict[Any, Any] = {}
    for key, value in dictionary.items():
        if is_nested(key):
            assert_same_structure(list(key), list(value))
        pairs = zip(flatten(key), flatten(value)) if is_nested(key) else [(key, value)]
        for k, v in pairs:
            if k in made:
                raise ValueError(f"Could not flatten dictionary: the key {k} is not unique.")
            made[k] = v
    return made


def yield_flattened_paths(structure: Any) -> Iterator[tuple[Any, ...]]:
    """The keys, names and places that lead to each leaf."""
    if not is_nested(structure):
        yield ()
        return
    for key, part in _parts(structure):
        for path in yield_flattened_paths(part):
            yield (key, *path)


def flatten_with_joined_string_paths(structure: Any, separator: str = "/") -> list[tuple[str, Any]]:
    """[(where a leaf is, the leaf)]."""
    return list(zip((separator.join(map(str, path)) for path in yield_flattened_paths(structure)), nest.flatten(structure)))


def flatten_with_tuple_paths(structure: Any) -> list[tuple[tuple[Any, ...], Any]]:
    """The same, with tuples."""
    return list(zip(yield_flattened_paths(structure), nest.flatten(structure)))


def map_structure_with_paths(func: Callable[..., Any], *structure: Any) -> Any:
    """map_structure of a function that is also told where each leaf is, as "a/0"."""
    for other in structure[1:]:
        assert_same_structure(structure[0], other)
    paths = ("/".join(map(str, path)) for path in yield_flattened_paths(structure[0]))
    return pack_sequence_as(structure[0], [func(path, *leaves) for path, *leaves in zip(paths, *map(flatten, structure))])
