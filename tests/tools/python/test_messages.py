"""Messages as programs treat them: their repeated fields as lists, their maps as dictionaries, copies and pickles."""

import copy
import pickle

import pytest

import troupe as tf
from troupe import protos


def node(*inputs):
    return protos.NodeDef(name="n", op="NoOp", input=inputs)


@pytest.mark.parametrize("change", [
    lambda x: x.append("e"), lambda x: x.insert(1, "e"), lambda x: x.insert(0, "e"), lambda x: x.insert(9, "e"), lambda x: x.insert(-1, "e"), lambda x: x.pop(),
    lambda x: x.pop(1), lambda x: x.remove("c"), lambda x: x.reverse(), lambda x: x.sort(reverse=True), lambda x: x.clear(), lambda x: x.extend("ef"),
    lambda x: x.__delitem__(slice(None)), lambda x: x.__delitem__(slice(1, 3)), lambda x: x.__delitem__(-1), lambda x: x.__setitem__(0, "e"),
    lambda x: x.__setitem__(slice(1, 2), ["e", "f"])])
def test_repeated_fields_change_as_lists_do(change):
    message, wanted = node("d", "b", "c", "a"), ["d", "b", "c", "a"]
    change(message.input)
    change(wanted)
    assert message.input == wanted and list(message.input) == wanted and len(message.input) == len(wanted)


def test_repeated_fields_are_looked_at_as_lists_are():
    names = node("a", "b", "a").input
    assert "b" in names and "z" not in names and names.index("b") == 1 and names.count("a") == 2 and list(reversed(names)) == ["a", "b", "a"]
    assert names != ["a"] and names[-1] == "a" and names[1:] == ["b", "a"] and str(names) == "['a', 'b', 'a']"
    with pytest.raises(IndexError):
        names[3]


@pytest.mark.parametrize("change", [lambda x: x.append(3), lambda x: x.insert(0, 3), lambda x: x.extend([3]), lambda x: x.__setitem__(0, 3),
                                    lambda x: x.remove("z"), lambda x: x.pop(7)])
def test_a_change_that_is_refused_changes_nothing(change):
    message = node("a", "b")
    with pytest.raises((TypeError, ValueError, IndexError)):
        change(message.input)
    assert message.input == ["a", "b"]


def test_repeated_messages_are_added_with_fields_taken_out_and_put_back():
    graph_def = tf.GraphDef()
    first = graph_def.node.add(name="a", op="Const")
    graph_def.node.add().name = "b"
    del graph_def.node[0]
    assert first.name == "a" and [n.name for n in graph_def.node] == ["b"]
    graph_def.node.insert(0, first)
    assert [n.op for n in graph_def.node] == ["Const", ""]
    for wrong in (tf.ConfigProto(), 3, "a"):
        with pytest.raises(TypeError):
            graph_def.node.append(wrong)


def test_maps_are_dictionaries():
    message = node()
    message.attr["a"].i, message.attr["b"].s = 3, b"x"
    assert sorted(k for k, _ in message.attr.items()) == ["a", "b"] and message.attr.get("z") is None and len(message.attr) == 2
    assert message.attr.pop("a").i == 3 and [v.s for v in message.attr.values()] == [b"x"]
    message.attr.clear()
    assert len(message.attr) == 0
    config = tf.ConfigProto(device_count={"CPU": 3})
    config.device_count.update({"GPU": 1})
    assert dict(config.device_count) == {"CPU": 3, "GPU": 1}


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_messages_are_copied_and_pickled(make):
    config = tf.ConfigProto(device_count={"CPU": 3}, allow_soft_placement=True)
    made = make(config)
    assert made == config and type(made) is type(config)
    made.device_count["CPU"] = 4
    assert config.device_count["CPU"] == 3


def test_fields_that_are_not_there_are_refused():
    with pytest.raises(ValueError, match='no "nothing" field'):
        tf.GraphDef(nothing=1)
    with pytest.raises(AttributeError):
        tf.GraphDef().nothing
