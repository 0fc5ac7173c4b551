"""Nests as tf.contrib.framework.nest had them."""

import collections

import pytest

import troupe as tf

nest = tf.contrib.framework.nest
Pair = collections.namedtuple("Pair", ("left", "right"))


def test_nests_are_told_from_leaves():
    assert [nest.is_sequence(v) for v in ([1], (), Pair(1, 2), {"a": 1}, "ab", 1, None)] == [True] * 4 + [False] * 3
    assert nest.flatten(Pair([1, {"b": 2, "a": 3}], 4)) == [1, 3, 2, 4]
    assert nest.map_structure(lambda a, b: a + b, Pair(1, [2]), Pair(10, [20])) == Pair(11, [22])


def test_nests_are_flattened_as_far_as_another_goes():
    deep = Pair([1, 2], {"x": (3, 4)})
    assert nest.flatten_up_to(Pair(0, {"x": 0}), deep) == [[1, 2], (3, 4)] and nest.flatten_up_to(0, deep) == [deep]
    assert nest.map_structure_up_to(Pair(0, {"x": 0}), lambda part, n: len(part) * n, deep, Pair(10, {"x": 100})) == Pair(20, {"x": 200})
    for shallow, error in (([0], ValueError), ([0, [0, 0, 0]], TypeError), (Pair(0, {"y": 0}), ValueError), (Pair({"a": 0, "b": 0}, 0), TypeError)):
        with pytest.raises(error):
            nest.assert_shallow_structure(shallow, deep)
    with pytest.raises(ValueError, match="over no sequences"):
        nest.map_structure_up_to([0], len)


def test_a_function_says_how_far_to_go():
    deep = [Pair(1, [2]), (3, 4)]
    assert nest.get_traverse_shallow_structure(lambda part: not isinstance(part, tuple) or isinstance(part, Pair), deep) == [Pair(True, [True]), False]
    with pytest.raises(TypeError, match="non-bool"):
        nest.get_traverse_shallow_structure(lambda part: 1, deep)


def test_keys_that_are_nests_are_taken_apart():
    assert nest.flatten_dict_items({(4, 5, (6, 8)): ("a", "b", ("c", "d")), 9: [1]}) == {4: "a", 5: "b", 6: "c", 8: "d", 9: [1]}
    with pytest.raises(ValueError, match="not unique"):
        nest.flatten_dict_items({(4, 5): (1, 2), 4: 3})
    with pytest.raises(TypeError, match="must be a dictionary"):
        nest.flatten_dict_items([1])


def test_leaves_have_paths():
    deep = Pair([1, {"b": 2, "a": 3}], 4)
    assert nest.flatten_with_joined_string_paths(deep) == [("left/0", 1), ("left/1/a", 3), ("left/1/b", 2), ("right", 4)]
    assert nest.flatten_with_tuple_paths([5, (6,)]) == [((0,), 5), ((1, 0), 6)]
    assert nest.map_structure_with_paths(lambda path, a, b: f"{path}{a + b}", [1, (2,)], [3, (4,)]) == ["04", ("1/06",)]
