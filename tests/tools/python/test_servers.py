"""Servers of this process, from the descriptions of clusters."""

import socket
import subprocess
import sys
import threading

import numpy as np
import pytest

import troupe as tf


@pytest.fixture
def server():
    try:
        return tf.train.Server.create_local_server(config=tf.ConfigProto(device_count={"CPU": 2}))
    except tf.errors.UnimplementedError as e:
        pytest.skip(str(e))


def test_a_server_says_where_it_is(server):
    assert server.target.startswith("grpc://") and int(server.target.rpartition(":")[2]) > 0
    definition = server.server_def
    assert (definition.job_name, definition.task_index, definition.protocol) == ("localhost", 0, "grpc")
    assert definition.default_session_config.device_count["CPU"] == 2
    server.start()


def test_servers_have_ports_of_their_own(server):
    assert tf.train.Server(tf.train.ClusterSpec({"localhost": ["localhost:0"]})).target != server.target


def test_a_server_def_is_completed():
    definition = tf.train.ServerDef(cluster=tf.train.ClusterSpec({"worker": ["localhost:0"]}).as_cluster_def(), job_name="worker", protocol="none")
    with pytest.raises(tf.errors.NotFoundError):
        tf.train.Server(definition)
    with pytest.raises((tf.errors.InternalError, tf.errors.InvalidArgumentError)):
        tf.train.Server(definition, job_name="other", protocol="grpc")


# Servers of clusters of several tasks: parameter servers and workers, as scripts of distributed training have them.


def _cluster(**tasks):
    """{job: number of tasks} at ports that nobody has."""
    sockets, jobs = [], {}
    for job, number in tasks.items():
        for _ in range(number):
            listening = socket.socket()
            listening.bind(("localhost", 0))
            sockets.append(listening)
            jobs.setdefault(job, []).append(f"localhost:{listening.getsockname()[1]}")
    for listening in sockets:
        listening.close()
    return tf.train.ClusterSpec(jobs)


def _servers(cluster):
    try:
        return {(job, i): tf.train.Server(cluster, job_name=job, task_index=i) for job in cluster.jobs for i in cluster.task_indices(job)}
    except tf.errors.UnimplementedError as e:
        pytest.skip(str(e))


def _regression(worker, cluster):
    """y = 2 x + 1 by gradient descent, with the variables on the parameter servers."""
    with tf.device(tf.train.replica_device_setter(worker_device=f"/job:worker/task:{worker}", cluster=cluster)):
        x = tf.constant([[0.0], [1.0], [2.0], [3.0]])
        y = 2 * x + 1
        w = tf.get_variable("w", [1, 1], initializer=tf.zeros_initializer())
        b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
        step = tf.train.get_or_create_global_step()
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    return loss, step, train, w, b


def test_workers_train_the_variables_of_a_parameter_server():
    cluster = _cluster(ps=1, worker=2)
    servers = _servers(cluster)
    graph = tf.Graph()
    with graph.as_default():
        loss, step, train, w, b = _regression(0, cluster)
        assert w.device == "/job:ps/task:0" and loss.op.device == "/job:worker/task:0"
        with tf.Session(servers["worker", 0].target) as session:
            session.run(tf.global_variables_initializer())
            for _ in range(300):
                session.run(train)
            assert session.run(loss) < 1e-3
    # The other worker sees what the first has trained, and goes on.
    with tf.Graph().as_default():
        loss, step, train, w, b = _regression(1, cluster)
        with tf.Session(servers["worker", 1].target) as session:
            assert session.run(step) == 300
            session.run(train)
            np.testing.assert_allclose(session.run(w), [[2.0]], atol=0.05)
            np.testing.assert_allclose(session.run(b), [1.0], atol=0.05)


def test_monitored_sessions_of_two_workers_train_together():
    cluster = _cluster(ps=1, worker=2)
    servers = _servers(cluster)
    ended = []

    def work(worker):
        with tf.Graph().as_default():
            loss, step, train, _, _ = _regression(worker, cluster)
            hooks = [tf.train.StopAtStepHook(last_step=200)]
            with tf.train.MonitoredTrainingSession(master=servers["worker", worker].target, is_chief=worker == 0, hooks=hooks) as session:
                while not session.should_stop():
                    _, last = session.run([train, loss])
            ended.append(last)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ended) == 2 and max(ended) < 1e-2


_TASK = """
import sys
import troupe as tf
cluster = tf.train.ClusterSpec({cluster!r})
server = tf.train.Server(cluster, job_name={job!r}, task_index={index})
print(server.target, flush=True)
server.join()
"""


def test_tasks_are_processes():
    cluster = _cluster(ps=2, worker=1)
    server = tf.train.Server(cluster, job_name="worker", task_index=0)
    tasks = [subprocess.Popen([sys.executable, "-c", _TASK.format(cluster=cluster.as_dict(), job="ps", index=i)], stdout=subprocess.PIPE)
             for i in range(2)]
    try:
        with tf.Graph().as_default():
            _use_all_tasks(server, tasks)
    finally:
        for task in tasks:
            task.kill()
            task.wait()


def _use_all_tasks(server, tasks):
    with tf.device("/job:worker/task:0"):
        a = tf.get_variable("a", [], initializer=tf.constant_initializer(1.0))
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(3.0)
    with tf.device("/job:ps/task:1"):
        w = tf.Variable(4.0)
    with tf.device("/job:worker/task:0"):
        total = a + v * w
    # Opening waits for the processes.
    with tf.Session(server.target) as session:
        session.run(tf.global_variables_initializer())
        assert session.run(total) == 13.0
        assert {d.name for d in session.list_devices()} == {f"/job:{task}/device:CPU:0" for task in (
            "ps/replica:0/task:0", "ps/replica:0/task:1", "worker/replica:0/task:0")}
        tasks[1].kill()
        with pytest.raises((tf.errors.AbortedError, tf.errors.UnavailableError)) as lost:
            session.run(w.assign_add(1.0))
        assert "/job:ps/replica:0/task:1" in str(lost.value)
