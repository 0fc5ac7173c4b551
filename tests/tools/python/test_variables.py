"""Variables: what they are worth, and how they are shared."""

import numpy as np
import pytest

import troupe as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


@pytest.fixture
def session():
    with tf.Session() as s:
        yield s


both_kinds = pytest.mark.parametrize("use_resource", [False, True])


@both_kinds
def test_a_variable_has_a_value_once_it_was_given_one(session, use_resource):
    v = tf.Variable([1.0, 2.0], name="v", use_resource=use_resource)
    assert v.dtype.base_dtype is tf.float32 and v.shape == [2] and v.name == "v:0" and v.op.name == "v"
    assert session.run(tf.is_variable_initialized(v)) == False  # noqa: E712, NumPy's
    with pytest.raises(tf.errors.FailedPreconditionError, match="v"):
        session.run(v)
    assert session.run(tf.report_uninitialized_variables()).tolist() == [b"v"]
    session.run(tf.global_variables_initializer())
    assert session.run(v).tolist() == [1.0, 2.0]
    assert session.run(tf.report_uninitialized_variables()).size == 0


@both_kinds
def test_a_variable_is_assigned_to(session, use_resource):
    v = tf.Variable([1.0, 2.0], use_resource=use_resource)
    session.run(v.initializer)
    assert session.run(v.assign([3.0, 4.0])).tolist() == [3.0, 4.0]
    assert session.run(tf.assign_add(v, [1.0, 1.0])).tolist() == [4.0, 5.0]
    assert session.run(v.assign_sub([0.5, 0.5])).tolist() == [3.5, 4.5]
    assert session.run(v[1:].assign([9.0])).tolist() == [3.5, 9.0]
    session.run(v.scatter_add(tf.IndexedSlices(tf.constant([10.0, 10.0]), tf.constant([0, 0]))))
    assert session.run(v).tolist() == [23.5, 9.0]
    v.load([0.0, 1.0], session)
    assert v.eval(session).tolist() == [0.0, 1.0]
    with pytest.raises(ValueError):
        v.assign([1.0, 2.0, 3.0])


@both_kinds
def test_a_variable_is_a_tensor_where_one_is_wanted(session, use_resource):
    v = tf.Variable([[1.0, 2.0]], use_resource=use_resource)
    session.run(v.initializer)
    results = session.run([v + 1.0, 2.0 * v, -v, v[0, 1], v @ tf.transpose(v), v > 1.5, tf.reduce_sum(v), tf.gather(tf.transpose(v), [1])])
    for got, expected in zip(results, ([[2, 3]], [[2, 4]], [[-1, -2]], 2, [[5]], [[False, True]], 3, [[2]])):
        np.testing.assert_array_equal(got, expected)


@both_kinds
def test_a_first_value_may_be_a_function(session, use_resource):
    v = tf.Variable(lambda: tf.ones([2]) * 3.0, name="v", use_resource=use_resource)
    w = tf.Variable(v.initialized_value() * 2.0, use_resource=use_resource)
    session.run(w.initializer)
    assert session.run(w).tolist() == [6.0, 6.0]
    assert v.initial_value.op.name.startswith("v/Initializer/")
    with pytest.raises(ValueError, match="initial_value must be specified"):
        tf.Variable()
    with pytest.raises(ValueError, match="initial_value must have a shape specified"):
        tf.Variable(tf.placeholder(tf.float32), use_resource=use_resource)


def test_first_values_may_come_from_another_variable_in_a_loop(session):
    v = tf.while_loop(lambda i: i < 3, lambda i: i + tf.Variable(1, trainable=False, name="inside").initial_value, [0])
    assert session.run(v) == 3


def test_variables_are_made_and_shared_by_name(graph):
    with tf.variable_scope("a"):
        v = tf.get_variable("v", [2])
        with tf.variable_scope("b", initializer=tf.zeros_initializer()):
            w = tf.get_variable("w", [2])
            x = w + 1.0
    assert (v.name, w.name, x.name) == ("a/v:0", "a/b/w:0", "a/b/add:0")
    with tf.variable_scope("a", reuse=True):
        assert tf.get_variable("v") is v and tf.get_variable("b/w", [2]) is w
    with tf.variable_scope("a", reuse=tf.AUTO_REUSE) as scope:
        assert tf.get_variable("v", [2]) is v
        new = tf.get_variable("new", [1])
    with tf.variable_scope(scope, reuse=True):
        assert tf.get_variable("new") is new
        assert tf.constant(1.0).name == "a_3/Const:0"


def test_what_cannot_be_shared_is_refused():
    with tf.variable_scope("a"):
        tf.get_variable("v", [2])
        with pytest.raises(ValueError, match="Variable a/v already exists, disallowed. Did you mean to set reuse=True"):
            tf.get_variable("v", [2])
    with tf.variable_scope("a", reuse=True):
        with pytest.raises(ValueError, match="Variable a/other does not exist, or was not created with tf.get_variable()"):
            tf.get_variable("other", [2])
        with pytest.raises(ValueError, match=r"Trying to share variable a/v, but specified shape \(3,\) and found shape \(2,\)"):
            tf.get_variable("v", [3])
        with pytest.raises(ValueError, match="specified dtype int32 and found dtype float32"):
            tf.get_variable("v", [2], tf.int32)
    with pytest.raises(ValueError, match="did not get an initializer, so its `shape` argument must be specified"):
        tf.get_variable("unknown")
    with pytest.raises(ValueError, match="should be fully defined"):
        tf.get_variable("unknown", [None])
    with pytest.raises(ValueError, match="If initializer is a constant, do not specify shape"):
        tf.get_variable("constant", [1], initializer=[1.0])


def test_scopes_hand_down_what_variables_take(session):
    seen = []

    def getter(getter, name, **kwargs):
        seen.append(name)
        return getter(name, **kwargs)

    with tf.variable_scope("s", initializer=tf.constant_initializer(3.0), regularizer=lambda v: tf.reduce_sum(v), custom_getter=getter,
                           use_resource=True, dtype=tf.float64):
        v = tf.get_variable("v", [2])
    session.run(v.initializer)
    assert seen == ["s/v"] and v.dtype is tf.float64 and hasattr(v, "handle")
    assert session.run(v).tolist() == [3.0, 3.0]
    assert [session.run(l) for l in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)] == [6.0]


def test_default_names_of_scopes_are_unique():
    made = []
    for _ in range(2):
        with tf.variable_scope(None, default_name="layer"):
            made.append(tf.get_variable("w", [1]).name)
    assert made == ["layer/w:0", "layer_1/w:0"]
    for reuse in (False, True):
        with tf.variable_scope("outer", reuse=reuse):
            with tf.variable_scope(None, default_name="inner"):
                made.append(tf.get_variable("w", [1]).name)
    assert made[2:] == ["outer/inner/w:0"] * 2


@pytest.mark.parametrize("make,check", [
    (tf.zeros_initializer(), lambda v: (v == 0).all()), (tf.ones_initializer(), lambda v: (v == 1).all()),
    (tf.constant_initializer(2.5), lambda v: (v == 2.5).all()),
    (tf.random_uniform_initializer(1.0, 2.0), lambda v: (v >= 1).all() and (v < 2).all() and v.std() > 0.2),
    (tf.random_normal_initializer(5.0, 0.1), lambda v: abs(v.mean() - 5) < 0.05 and 0.05 < v.std() < 0.2),
    (tf.truncated_normal_initializer(), lambda v: (abs(v) <= 2).all() and v.std() > 0.5),
    (tf.glorot_uniform_initializer(), lambda v: (abs(v) <= np.sqrt(6 / 40)).all() and v.std() > 0.1),
    (tf.variance_scaling_initializer(mode="fan_in"), lambda v: 0.15 < v.std() < 0.3),
    (tf.identity_initializer(), lambda v: (v == np.eye(20)).all()),
    (tf.orthogonal_initializer(), lambda v: np.allclose(v @ v.T, np.eye(20), atol=1e-5)),
])
def test_variables_begin_as_initializers_say(session, make, check):
    v = tf.get_variable("v", [20, 20], initializer=make)
    session.run(v.initializer)
    assert check(session.run(v))


def test_local_variables_are_in_a_collection_of_their_own(session):
    v = tf.get_local_variable("v", initializer=1.0)
    assert tf.local_variables() == [v] and tf.trainable_variables() == [] and tf.global_variables() == []
    session.run(tf.local_variables_initializer())
    assert session.run(v) == 1.0


@both_kinds
def test_variables_are_found_again_by_their_protos(session, graph, use_resource):
    v = tf.Variable(3.0, name="v", use_resource=use_resource)
    proto = v.to_proto()
    same = tf.Variable.from_proto(tf.VariableDef.FromString(proto.SerializeToString()))
    session.run(same.initializer)
    assert same.name == v.name and session.run(same + 1.0) == 4.0


def test_values_stay_in_a_session_by_handles(session):
    a = tf.constant([1.0, 2.0])
    handle = session.run(tf.get_session_handle(a * 10.0))
    assert handle.eval().tolist() == [10.0, 20.0]
    holder, value = tf.get_session_tensor(handle.handle, tf.float32)
    assert session.run(value + 1.0, {holder: handle.handle}).tolist() == [11.0, 21.0]
    x = tf.placeholder(tf.float32, [2])
    assert session.run(x * 2.0, {x: handle}).tolist() == [20.0, 40.0]
    handle.delete()
    with pytest.raises(tf.errors.InvalidArgumentError):
        handle.eval()


def test_a_scope_may_begin_to_share(graph):
    with tf.variable_scope("s") as scope:
        v = tf.get_variable("v", [1])
        assert not scope.reuse
        scope.reuse_variables()
        assert tf.get_variable("v") is v
        assert scope.trainable_variables() == [v] and scope.name == "s"
    assert tf.get_variable_scope().reuse is False


def test_initializers_may_be_functions_and_tensors(session):
    v = tf.get_variable("v", initializer=lambda: tf.constant([1.0, 2.0]))
    w = tf.get_variable("w", initializer=tf.constant([3, 4]))
    x = tf.get_variable("x", [2], initializer=tf.zeros_initializer)
    y = tf.get_variable("y", [2], tf.int32)
    session.run(tf.global_variables_initializer())
    assert [session.run(u).tolist() for u in (v, w, x, y)] == [[1.0, 2.0], [3, 4], [0.0, 0.0], [0, 0]]
    assert w.dtype.base_dtype is tf.int32


@both_kinds
def test_rows_of_a_variable_are_changed(session, use_resource):
    v = tf.Variable([1.0, 2.0, 3.0], use_resource=use_resource)
    rows = tf.IndexedSlices(tf.constant([10.0, 20.0]), tf.constant([2, 0]))
    session.run(v.initializer)
    for change, expected in ((v.scatter_add, [21.0, 2.0, 13.0]), (v.scatter_sub, [1.0, 2.0, 3.0]), (v.scatter_update, [20.0, 2.0, 10.0])):
        session.run(change(rows))
        assert session.run(v).tolist() == expected


@both_kinds
def test_what_makes_a_first_value_is_beside_its_variable(use_resource):
    v = tf.get_variable("v", [2], use_resource=use_resource)
    for op in (v.initial_value.op, v.op):
        assert op.get_attr("_class") == [b"loc:@v"]
    if not use_resource:
        assert v.initializer.get_attr("_class") == v.value().op.get_attr("_class") == [b"loc:@v"]
        assert v.assign_add([1.0, 1.0]).op.get_attr("_class") == [b"loc:@v"]
    with tf.get_default_graph()._attr_scope({"_class": None}):
        assert tf.constant(1.0).op.colocation_groups() == [b"loc:@Const"]


@both_kinds
def test_an_assignment_may_be_an_operation(session, use_resource):
    v = tf.Variable(1.0, use_resource=use_resource)
    session.run(v.initializer)
    for change, expected in ((v.assign, 3.0), (v.assign_add, 6.0), (v.assign_sub, 3.0)):
        op = change(3.0, read_value=False)
        assert isinstance(op, tf.Operation) and session.run(op) is None
        assert session.run(v) == expected


@both_kinds
def test_what_waits_for_an_assignment_sees_it(session, use_resource):
    v = tf.get_variable("v", initializer=1.0, use_resource=use_resource)
    with tf.control_dependencies([v.assign_add(1.0)]):
        seen = [tf.identity(v), v + 0.0, tf.cond(tf.constant(True), lambda: v * 1.0, lambda: v), tf.while_loop(lambda i: i < 1, lambda i: i + v, [0.0]),
                tf.gradients(v * v, v)[0] / 2.0]
    for i, value in enumerate(seen):
        session.run(v.initializer)
        assert session.run(value) == 2.0, i


@both_kinds
def test_an_average_follows_the_step_that_it_waits_for(session, use_resource):
    v = tf.get_variable("v", initializer=0.0, use_resource=use_resource)
    average = tf.train.ExponentialMovingAverage(0.5)
    with tf.control_dependencies([v.assign(8.0)]):
        train = average.apply([v])
    session.run(tf.global_variables_initializer())
    for wanted in (4.0, 6.0, 7.0):
        session.run(train)
        assert session.run(average.average(v)) == wanted


@pytest.mark.parametrize("name, config", [
    ("zeros", {"dtype": "float32"}), ("ones", {"dtype": "float32"}), ("constant", {"value": 0, "dtype": "float32"}),
    ("random_uniform", {"minval": 0.0, "maxval": None, "seed": None, "dtype": "float32"}),
    ("random_normal", {"mean": 0.0, "stddev": 1.0, "seed": None, "dtype": "float32"}),
    ("truncated_normal", {"mean": 0.0, "stddev": 1.0, "seed": None, "dtype": "float32"}),
    ("variance_scaling", {"scale": 1.0, "mode": "fan_in", "distribution": "truncated_normal", "seed": None, "dtype": "float32"}),
    ("glorot_uniform", {"seed": None, "dtype": "float32"}), ("orthogonal", {"gain": 1.0, "seed": None, "dtype": "float32"}),
    ("identity", {"gain": 1.0, "dtype": "float32"})])
def test_an_initializer_tells_what_makes_another_like_it(name, config):
    kind = getattr(tf, name + "_initializer")
    assert kind().get_config() == config
    other = {key: {"float32": "float64", None: 3, 0: 5}.get(value, value) for key, value in config.items()}
    assert kind.from_config(other).get_config() == other


def test_a_variable_may_be_assigned_another_shape():
    v = tf.Variable([1.0, 2.0], validate_shape=False)
    grown = tf.assign(v, tf.constant([[3.0, 4.0, 5.0]]), validate_shape=False)
    with pytest.raises(ValueError, match="shape"):
        tf.assign(tf.Variable([1.0]), [1.0, 2.0])
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(grown).tolist() == [[3, 4, 5]] and session.run(v).tolist() == [[3, 4, 5]]
    assert not grown.op.get_attr("validate_shape") and grown.op.get_attr("use_locking")
