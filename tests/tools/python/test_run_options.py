"""Options of sessions and runs, what a run tells, and callables."""

import numpy as np
import pytest

import troupe as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def product():
    return tf.matmul(tf.constant(6.0, shape=[1, 1]), tf.constant(7.0, shape=[1, 1]))


def full_trace():
    return tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)


def test_s369_a_callable_takes_its_feeds_in_order():
    a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [2])
    c = a * b
    with tf.Session() as session:
        run = session.make_callable(c, [a, b])
        for factor in (1.0, 2.0):
            np.testing.assert_array_equal(run(factor, [3, 4]), [3 * factor, 4 * factor])
        nested = session.make_callable({"both": (c, a)}, feed_list=(a, "Placeholder_1:0"))
        got = nested(2.0, [1, 1])["both"]
        np.testing.assert_array_equal(got[0], [2, 2])
        assert got[1] == 2.0
        with pytest.raises(ValueError, match="Cannot feed value of shape"):
            run(1.0, [1, 2, 3])


def test_s369_a_callable_may_take_nothing():
    v = tf.Variable(0.0)
    with tf.Session() as session:
        assert session.make_callable(v.initializer)() is None
        add = session.make_callable(v.assign_add(1.0))
        assert [add() for _ in range(3)] == [1.0, 2.0, 3.0]
        assert session.make_callable([v, v.op])() == [3.0, None]


def test_s369_a_callable_lives_on_when_the_graph_grows():
    x = tf.placeholder(tf.float32, [])
    with tf.Session() as session:
        run = session.make_callable(x + 1.0, [x])
        assert run(1.0) == 2.0
        assert session.run(x * 5.0, {x: 2.0}) == 10.0
        assert run(2.0) == 3.0


@pytest.mark.parametrize("feeds", [False, True])
def test_s369_a_callable_may_take_options_and_tell_what_happened(feeds):
    x = tf.placeholder_with_default(1.0, [])
    with tf.Session() as session:
        run = session.make_callable(x + 41.0, [x] if feeds else None, accept_options=True)
        arguments = (1.0,) if feeds else ()
        metadata = tf.RunMetadata()
        assert run(*arguments, options=full_trace(), run_metadata=metadata) == 42.0
        assert len(metadata.step_stats.dev_stats) > 0
        assert run(*arguments) == 42.0


def test_s369_the_feeds_of_a_callable_are_a_list():
    x = tf.placeholder(tf.float32, [])
    with tf.Session() as session, pytest.raises(TypeError, match="Argument `feed_list` must be a list or tuple"):
        session.make_callable(x + 1.0, x)


def test_s369_a_callable_is_described_by_options():
    a = tf.placeholder(tf.float32, [2], name="a")
    v = tf.Variable(0.0, name="v")
    tf.add(a, 1.0, name="b")
    counted = v.assign_add(1.0)
    with tf.Session() as session:
        session.run(v.initializer)
        options = tf.CallableOptions(feed=["a:0"], fetch=["b:0"], target=[counted.op.name], run_options=full_trace())
        run = session._make_callable_from_options(options)
        for i in range(3):
            value, = run(np.array([i, 2.0], np.float32))
            np.testing.assert_array_equal(value, [i + 1.0, 3.0])
        metadata = tf.RunMetadata()
        run([1.0, 2.0], run_metadata=metadata)
        assert "b" in [n.node_name for d in metadata.step_stats.dev_stats for n in d.node_stats]
        assert session.run(v) == 4.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="Expected 1 feed tensors, but got 0"):
            run()
        with pytest.raises(tf.errors.InvalidArgumentError, match="Tensor nothing:0.* was not found in the Graph"):
            session._make_callable_from_options(tf.CallableOptions(fetch=["nothing:0"]))


def test_s369_a_callable_connects_tensors():
    x, y = tf.placeholder(tf.float32, [], name="x"), tf.constant(3.0, name="y")
    tf.multiply(x, 2.0, name="z")
    options = tf.CallableOptions(fetch=["z:0"])
    connection = options.tensor_connection.add()
    connection.from_tensor, connection.to_tensor = y.name, x.name
    with tf.Session() as session:
        assert session._make_callable_from_options(options)() == [6.0]


def test_s374_statistics_are_there_when_they_were_asked_for():
    c = product()
    with tf.Session() as session:
        metadata = tf.RunMetadata()
        assert session.run(c, options=None, run_metadata=None) == 42.0
        assert session.run(c, options=tf.RunOptions(), run_metadata=metadata) == 42.0
        assert not metadata.HasField("step_stats")
        assert session.run(c, options=full_trace(), run_metadata=metadata) == 42.0
        assert metadata.HasField("step_stats")
        assert len(metadata.step_stats.dev_stats) == 1
        assert "MatMul" in [n.node_name for d in metadata.step_stats.dev_stats for n in d.node_stats]


def test_s374_options_and_what_is_told_may_each_be_left_out():
    c = product()
    with tf.Session() as session:
        assert session.run(c, options=full_trace()) == 42.0
        metadata = tf.RunMetadata()
        assert session.run(c, run_metadata=metadata) == 42.0
        assert not metadata.HasField("step_stats")
        assert session.run(c, options=full_trace().SerializeToString(), run_metadata=metadata) == 42.0
        assert metadata.HasField("step_stats")
        with pytest.raises(TypeError, match="Argument `options` must be a tf.RunOptions"):
            session.run(c, options=tf.ConfigProto())


def test_s376_nodes_carry_the_shapes_of_their_outputs():
    c = product()
    config = tf.ConfigProto(graph_options={"infer_shapes": True})
    metadata = tf.RunMetadata()
    with tf.Session(config=config) as session:
        session.run(c, options=tf.RunOptions(output_partition_graphs=True), run_metadata=metadata)
    nodes = {n.name: n for g in metadata.partition_graphs for n in g.node}
    shapes = [list(d.size for d in s.dim) for s in nodes["MatMul"].attr["_output_shapes"].list.shape]
    assert shapes == [[1, 1]]


def test_s376_a_graph_def_has_shapes_when_they_are_asked_for(graph):
    product()
    def_ = graph.as_graph_def(add_shapes=True)
    matmul = next(n for n in def_.node if n.op == "MatMul")
    assert [d.size for d in matmul.attr["_output_shapes"].list.shape[0].dim] == [1, 1]
    assert "_output_shapes" not in graph.as_graph_def().node[2].attr


def test_s377_a_cost_model_is_told_every_so_many_runs():
    v = tf.Variable([[1.0, 2.0]]) * 3.0
    config = tf.ConfigProto(graph_options={"build_cost_model": 100})
    told = []
    with tf.Session(config=config) as session:
        session.run(tf.global_variables_initializer())
        for _ in range(120):
            metadata = tf.RunMetadata()
            session.run(v, run_metadata=metadata)
            told.append(metadata.HasField("cost_graph"))
    assert [i for i, t in enumerate(told) if t] == [99]


def test_s378_partition_graphs_are_there_when_they_were_asked_for():
    c = product()
    with tf.Session() as session:
        metadata = tf.RunMetadata()
        wanted = tf.RunOptions(output_partition_graphs=True)
        assert session.run(c, options=tf.RunOptions(), run_metadata=metadata) == 42.0
        assert len(metadata.partition_graphs) == 0
        assert session.run(c, options=wanted, run_metadata=metadata) == 42.0
        assert len(metadata.partition_graphs) >= 1
        # What the next run tells takes the place of what is there.
        assert session.run(c, options=tf.RunOptions(), run_metadata=metadata) == 42.0
        assert len(metadata.partition_graphs) == 0
