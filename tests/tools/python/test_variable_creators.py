"""tf.variable_creator_scope, and what says which kind of variable is made."""

import pytest
import troupe as tf
from troupe.resource_variable import ResourceVariable
from troupe.variables import RefVariable

KEYS = """aggregation caching_device collections constraint dtype expected_shape experimental_enable_variable_lifting import_scope initial_value name
    shape synchronization trainable use_resource validate_shape variable_def""".split()


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


class Recorder:
    """A creator that remembers what it was asked for."""

    def __init__(self, **changed):
        self.asked, self._changed = [], changed

    def __call__(self, next_creator, **kwargs):
        self.asked.append(kwargs)
        return next_creator(**{**kwargs, **self._changed})


def test_a_creator_gets_all_arguments_of_variable():
    creator = Recorder()
    with tf.variable_creator_scope(creator):
        v = tf.Variable(1.0)
    assert type(v) is RefVariable
    assert sorted(creator.asked[0]) == KEYS
    given = {k: x for k, x in creator.asked[0].items() if x is not None}
    assert given == {"initial_value": 1.0, "validate_shape": True, "synchronization": 0, "aggregation": 0}


def test_get_variable_asks_creators_for_what_is_new():
    creator = Recorder()
    with tf.variable_creator_scope(creator), tf.variable_scope("s", use_resource=True, reuse=tf.AUTO_REUSE):
        v = tf.get_variable("a", [2], trainable=False, collections=["u"], synchronization=tf.VariableSynchronization.ON_READ,
                            aggregation=tf.VariableAggregation.SUM)
        assert tf.get_variable("a", [2]) is v
    assert len(creator.asked) == 1 and type(v) is ResourceVariable and tf.get_collection("u") == [v]
    assert callable(creator.asked[0].pop("initial_value"))
    given = {k: x for k, x in creator.asked[0].items() if x is not None}
    assert given == {"name": "s/a", "dtype": tf.float32, "shape": tf.TensorShape([2]), "trainable": False, "collections": ["u"], "use_resource": True,
                     "validate_shape": True, "synchronization": 3, "aggregation": 1}
    assert (v.synchronization, v.aggregation) == (3, 1)


def test_get_variable_says_whether_it_is_trained_and_which_kind():
    creator = Recorder()
    with tf.variable_creator_scope(creator):
        tf.get_variable("a", [2])
        tf.get_variable("c", initializer=tf.constant(1.0))
        tf.get_local_variable("d", [2])
    assert [(k["trainable"], k["use_resource"], k["shape"]) for k in creator.asked] == [(True, False, [2]), (True, False, None), (False, False, [2])]


def test_the_innermost_creator_is_called_first():
    order = []

    def named(name):
        def create(next_creator, **kwargs):
            order.append(name)
            return next_creator(**kwargs)

        return create

    with tf.variable_creator_scope(named("outer")):
        with tf.variable_creator_scope(named("inner")):
            tf.Variable(1.0)
        tf.Variable(1.0)
    tf.Variable(1.0)
    assert order == ["inner", "outer", "outer"]


def test_a_creator_changes_what_is_made():
    with tf.variable_creator_scope(Recorder(initial_value=5.0, name="renamed", use_resource=True)):
        v = tf.Variable(1.0)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(v) == 5.0
    assert v.name == "renamed:0" and type(v) is ResourceVariable


def test_a_creator_may_give_what_is_there():
    v = tf.Variable(1.0)
    with tf.variable_creator_scope(lambda next_creator, **kwargs: v):
        assert tf.Variable(2.0) is v and tf.get_variable("x", [3]) is v
    assert tf.global_variables() == [v]


def test_creators_are_of_one_graph():
    creator = Recorder()
    with tf.variable_creator_scope(creator), tf.Graph().as_default():
        tf.Variable(1.0)
    assert creator.asked == []


def test_variables_of_messages_are_not_created():
    v, creator = tf.Variable(1.0), Recorder()
    with tf.variable_creator_scope(creator):
        assert tf.Variable.from_proto(v.to_proto()).name == v.name
    assert creator.asked == []


def test_each_part_of_a_variable_is_created():
    creator = Recorder()
    with tf.variable_creator_scope(creator):
        tf.get_variable("p", [4], partitioner=tf.fixed_size_partitioner(2))
    assert [(k["name"], k["shape"]) for k in creator.asked] == [("p/part_0", [2]), ("p/part_1", [2])]


def test_blocks_must_end_in_their_order():
    inner = tf.variable_creator_scope(Recorder())
    with pytest.raises(RuntimeError, match="Exiting variable_creator_scope without proper nesting"):
        with tf.variable_creator_scope(Recorder()):
            inner.__enter__()


def test_the_scope_says_which_kind_of_variable():
    with tf.variable_scope("s", use_resource=True):
        assert type(tf.Variable(1.0)) is ResourceVariable and type(tf.Variable(1.0, use_resource=False)) is RefVariable


def test_what_is_synchronized_when_read_is_not_trained():
    on_read = tf.VariableSynchronization.ON_READ
    assert not tf.Variable(1.0, synchronization=on_read).trainable and tf.trainable_variables() == []
    with pytest.raises(ValueError, match="ON_READ only for non-trainable variables"):
        tf.get_variable("a", [], trainable=True, synchronization=on_read)
