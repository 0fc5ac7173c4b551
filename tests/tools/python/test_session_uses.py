"""Sessions as programs use them: faults, functions, devices, resets and containers."""

import pytest

import troupe as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def test_s384_a_graph_with_a_fault_is_told_by_the_run():
    data = tf.placeholder(tf.float32, [])
    enters = [tf.raw_ops.Enter(data=data, frame_name=f) for f in ("foo_1", "foo_2")]
    result = tf.add(*enters)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="has inputs from different frames"):
        session.run(result, {data: 1.0})


def test_s385_functions_are_added_after_the_first_run():
    from troupe.function import Defun

    @Defun(tf.float32)
    def foo(x):
        return x + 1.0

    @Defun(tf.float32)
    def bar(x):
        return foo(x) * 2.0

    x = tf.constant(1.0)
    with tf.Session() as session:
        assert session.run(x) == 1.0
        called = foo(x)
        assert session.run(called) == 2.0
        assert session.run(bar(called)) == 6.0


def test_s386_sessions_that_run_nothing_end_well():
    for _ in range(100):
        tf.Session().close()
    with tf.Session():
        pass
    for _ in range(10):
        tf.Session()


def test_s387_devices_are_listed():
    devices = tf.Session().list_devices()
    assert [d.name for d in devices] == ["/job:localhost/replica:0/task:0/device:CPU:0"]
    assert [d.device_type for d in devices] == ["CPU"]
    assert all(d.incarnation != 0 for d in devices)


def test_a_reset_closes_sessions_and_drops_what_they_keep():
    v = tf.Variable(1.0)
    first, second = tf.Session(), tf.Session()
    first.run(v.initializer)
    tf.Session.reset("")
    with pytest.raises(tf.errors.CancelledError, match="Session has been closed"):
        first.run(v)
    with pytest.raises(tf.errors.CancelledError, match="Session has been closed"):
        second.run(v)
    with tf.Session() as after, pytest.raises(tf.errors.FailedPreconditionError):
        after.run(v)


def test_containers_are_where_blocks_say(graph):
    with graph.container("mine"):
        queue = tf.raw_ops.FIFOQueueV2(component_types=[tf.float32])
        v = tf.Variable(1.0, use_resource=True)
    assert queue.op.get_attr("container") == b"mine" and v.handle.op.get_attr("container") == b"mine"
    assert tf.raw_ops.FIFOQueueV2(component_types=[tf.float32]).op.get_attr("container") == b""
