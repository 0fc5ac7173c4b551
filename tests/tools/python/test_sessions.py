"""Sessions as objects: how they are made, who runs in them, and how they end."""

import subprocess
import sys
import threading

import numpy as np
import pytest

import troupe as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def product():
    return tf.matmul(tf.constant(6.0, shape=[1, 1]), tf.constant(7.0, shape=[1, 1]), name="product")


def test_s357_a_session_takes_a_graph_or_the_default_one(graph):
    c = product()
    with tf.Session(graph=graph) as session:
        assert session.graph is graph
        assert session.run(c) == 42.0
    with tf.Session() as session:
        assert session.graph is graph
        assert session.run("product:0") == 42.0
    assert tf.Session(b"").sess_str == b""
    assert tf.Session("", graph=tf.Graph()).graph is not graph


def test_s357_many_cpus_are_devices_of_their_own():
    with tf.device("/cpu:5"):
        c = product()
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 6})) as session:
        assert [d.name for d in session.list_devices()] == [f"/job:localhost/replica:0/task:0/device:CPU:{i}" for i in range(6)]
        assert session.run(c) == 42.0
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="device:CPU:5"):
        session.run(c)


def test_s357_threads_may_be_the_sessions_own():
    c = product()
    with tf.Session(config=tf.ConfigProto(use_per_session_threads=True)) as session:
        assert session.run(c) == 42.0


def test_s357_a_run_may_choose_its_pool():
    config = tf.ConfigProto()
    config.session_inter_op_thread_pool.add()
    pool = config.session_inter_op_thread_pool.add()
    pool.num_threads = 1
    pool.global_name = "small"
    c = product()
    with tf.Session(config=config) as session:
        for index in (0, 1):
            assert session.run(c, options=tf.RunOptions(inter_op_thread_pool=index)) == 42.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="2"):
            session.run(c, options=tf.RunOptions(inter_op_thread_pool=2))


def test_s360_a_graph_grows_between_runs():
    c = product()
    with tf.Session() as session:
        assert session.run(c) == 42.0
        d = tf.constant([[1.0, 2.0]])
        e = tf.matmul(c, d)
        np.testing.assert_array_equal(session.run(e), [[42.0, 84.0]])
        v = tf.Variable(e, name="testVariable")
        session.run(v.initializer)
        np.testing.assert_array_equal(session.run(v.assign_add([[1.0, 1.0]])), [[43.0, 85.0]])
        np.testing.assert_array_equal(session.run(v), [[43.0, 85.0]])
        assert session.run("product:0") == 42.0


def test_s361_tensors_and_operations_run_in_the_default_session():
    v = tf.Variable(1.0)
    c = product()
    with tf.Session():
        tf.global_variables_initializer().run()
        assert c.eval() == 42.0
        assert (c + v).eval(feed_dict={c: [[1.0]]}) == 2.0
        v.assign_add(1.0).op.run()
        assert v.eval() == 2.0
    session = tf.Session()
    assert c.eval(session=session) == 42.0


def test_s361_each_thread_has_default_graphs_of_its_own(graph):
    seen = []

    def look():
        seen.append(tf.get_default_graph())
        with tf.Graph().as_default() as own:
            seen.append(tf.get_default_graph() is own)
            a = tf.constant(5.0)
            with tf.Session() as session:
                seen.append(session.run(a))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen[0] is not graph and seen[1:] == [True, 5.0]
    assert tf.get_default_graph() is graph


def in_threads(count, function):
    """Calls function(i) on as many threads at once; the errors."""
    errors = []
    start = threading.Barrier(count)

    def run(i):
        try:
            start.wait()
            function(i)
        except BaseException as e:  # noqa: BLE001, told by the test
            errors.append(e)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return errors


def test_s361_a_hundred_threads_run_at_once():
    x = tf.placeholder(tf.float32, [])
    y = x * 2.0
    results = [None] * 100
    with tf.Session() as session:
        def run(i):
            for _ in range(10):
                results[i] = session.run(y, {x: float(i)})

        assert in_threads(100, run) == []
    assert results == [2.0 * i for i in range(100)]


def test_s361_a_graph_is_built_while_it_runs(graph):
    c = product()
    sums = []
    with tf.Session() as session:
        def run_or_build(i):
            with graph.as_default():
                for k in range(20):
                    if i % 2:
                        assert session.run(c) == 42.0
                    else:
                        sums.append(session.run(tf.constant(float(k)) + c))

        assert in_threads(10, run_or_build) == []
    assert len(sums) == 100
    assert len({op.name for op in graph.get_operations()}) == len(graph.get_operations())


def test_s363_a_closed_session_runs_nothing():
    c = product()
    session = tf.Session()
    assert session.run(c) == 42.0
    run = session.make_callable(c)
    session.close()
    session.close()
    for use in (lambda: session.run(c), run, lambda: session.partial_run_setup([c], []), lambda: session.run_async(c)):
        with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
            use()
    for use in (lambda: session.make_callable(c), session.list_devices):
        with pytest.raises(tf.errors.CancelledError, match="Session has been closed"):
            use()


def test_s363_a_thread_that_runs_hears_that_the_session_was_closed():
    c = product()
    session = tf.Session()
    heard = []
    running = threading.Event()

    def run():
        while not heard:
            try:
                session.run(c)
            except tf.errors.CancelledError:
                # It was running when the session was closed.
                continue
            except RuntimeError as e:
                heard.append(str(e))
            running.set()

    thread = threading.Thread(target=run)
    thread.start()
    running.wait()
    session.close()
    thread.join()
    assert heard == ["Attempted to use a closed Session."]


@pytest.mark.parametrize("fetches", [[], (), {}])
def test_s364_an_empty_graph_runs_nothing(fetches):
    with tf.Session() as session, pytest.raises(RuntimeError, match="The Session graph is empty"):
        session.run(fetches)


def test_s367_two_sessions_share_a_graph_and_no_variables(graph):
    v = tf.Variable(1.0)
    with tf.Session() as first, tf.Session(graph=graph) as second:
        for session in (first, second):
            session.run(v.initializer)
        assert first.run(v.assign_add(2.0)) == 3.0
        assert second.run(v) == 1.0
        c = product()
        assert first.run(c) == second.run(c) == 42.0


def test_s371_a_target_that_nobody_serves_is_not_found():
    with pytest.raises(tf.errors.NotFoundError, match="No session factory registered for the given session options"):
        tf.Session("INVALID_TARGET")


def test_s380_arguments_of_other_types_are_refused():
    with pytest.raises(TypeError, match="Argument `target` must be a string"):
        tf.Session(37)
    with pytest.raises(TypeError, match="Argument `config` must be a tf.ConfigProto"):
        tf.Session(config=37)
    with pytest.raises(TypeError, match="Argument `graph` must be a tf.Graph"):
        tf.Session(graph=37)
    with pytest.raises(TypeError, match="Argument `config` must be a tf.ConfigProto"):
        tf.Session(config=tf.RunOptions())
    with pytest.raises(TypeError, match=r'Did you do "Session\(config\)" instead of'):
        tf.Session(tf.ConfigProto())


def test_s381_a_deadline_ends_what_waits_and_nothing_else():
    queue = tf.raw_ops.FIFOQueueV2(component_types=[tf.float32])
    dequeue = tf.raw_ops.QueueDequeueV2(handle=queue, component_types=[tf.float32])
    c = product()
    with tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=50)) as session:
        assert session.run(c) == 42.0
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(dequeue)
    with tf.Session() as session, pytest.raises(tf.errors.DeadlineExceededError):
        session.run(dequeue, options=tf.RunOptions(timeout_in_ms=50))


PLACEMENT = """
import troupe as tf
a, b = tf.constant(1), tf.constant(2)
with tf.Session(config=tf.ConfigProto(log_device_placement=True)) as session:
    session.run(a + b)
"""


def test_s383_placements_are_logged_to_stderr():
    child = subprocess.run([sys.executable, "-c", PLACEMENT], capture_output=True, text=True, timeout=60)
    assert child.returncode == 0, child.stderr
    for name in ("add", "Const", "Const_1"):
        assert f"{name}: ({'AddV2' if name == 'add' else 'Const'}): /job:localhost/replica:0/task:0/device:CPU:0" in child.stderr


def test_a_callable_wants_as_many_values_as_it_has_feeds():
    x = tf.placeholder(tf.float32, [])
    with tf.Session() as session:
        for run in (session.make_callable(x + 1.0, [x]), session.make_callable(x + 1.0, [x], accept_options=True)):
            assert run(2.0) == 3.0
            for values in ((), (1.0, 2.0)):
                with pytest.raises(tf.errors.InvalidArgumentError, match=f"Expected 1 feed tensors, but got {len(values)}"):
                    run(*values)
