#!/usr/bin/env python3
"""python_client.py TROUPE  runs TensorFlow's own Python client against servers of `TROUPE serve`. Exit code 77: there is no TensorFlow here."""
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
try:
    import numpy as np
    import tensorflow.compat.v1 as tf
except ImportError as e:
    print(f"skipped: {e}")
    sys.exit(77)

tf.disable_eager_execution()
tf.logging.set_verbosity(tf.logging.ERROR)
TROUPE = ""


def free_ports(n):
    """Ports that nobody listens on now."""
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Task:
    """A process of `troupe serve --cluster`, a task of the job "worker"; with a door it has a target."""

    def __init__(self, cluster, index, *options):
        self.process = subprocess.Popen([TROUPE, "serve", "--cluster", cluster, "--job", "worker", "--task", str(index), *options],
                                        stdout=subprocess.PIPE, text=True)
        self.says = self.process.stdout.readline()
        assert f"/job:worker/replica:0/task:{index} listens on port" in self.says, self.says
        self.target = self.process.stdout.readline().strip() if "--grpc" in options else None

    def stop(self, sig=signal.SIGTERM):
        self.process.send_signal(sig)
        self.process.stdout.close()
        return self.process.wait(timeout=30)


class Server:
    """A process of `troupe serve`; the same port again when it is given."""

    def __init__(self, address="127.0.0.1:0", *options):
        self.process = subprocess.Popen([TROUPE, "serve", "--grpc", address, *options], stdout=subprocess.PIPE, text=True)
        self.target = self.process.stdout.readline().strip()
        assert self.target.startswith("grpc://"), self.target

    def stop(self, sig=signal.SIGTERM):
        self.process.send_signal(sig)
        self.process.stdout.close()
        return self.process.wait(timeout=30)


class ClientTest(tf.test.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = Server()
        cls.target = cls.server.target

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        super().tearDownClass()

    def setUp(self):
        super().setUp()
        tf.Session.reset(self.target)
        self.graph = tf.Graph()
        context = self.graph.as_default()
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)

    def session(self, **config):
        session = tf.Session(self.target, graph=self.graph, config=tf.ConfigProto(**config))
        self.addCleanup(self.close, session)
        return session

    @staticmethod
    def close(session):
        try:
            session.close()
        except tf.errors.AbortedError as e:  # a reset has ended it
            assert "is not found" in str(e), e


class Runs(ClientTest):
    def test_feeds_and_fetches(self):
        x = tf.placeholder(tf.float32, [None, 2])
        y = tf.matmul(x, [[1.0, 2.0], [3.0, 4.0]])
        self.assertAllEqual(self.session().run(y, {x: [[1, 1]]}), [[4, 6]])

    def test_feeds_and_fetches_every_type(self):
        session = self.session()
        for dtype in (tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16,
                      tf.uint32, tf.uint64, tf.bool, tf.complex64, tf.complex128, tf.string):
            x = tf.placeholder(dtype, [2, 2])
            value = np.array([[0, 1], [1, 0]])
            value = value.astype(str).astype(object) if dtype == tf.string else value.astype(dtype.as_numpy_dtype)
            fetched = session.run(tf.identity(x), {x: value})
            if dtype == tf.string:
                value = np.vectorize(str.encode, otypes=[object])(value)
            self.assertEqual(fetched.dtype, value.dtype)
            self.assertTrue((fetched == value).all(), dtype)

    def test_sends_more_than_64_megabytes_each_way(self):
        x = tf.placeholder(tf.float32, [None])
        value = np.arange(20_000_000, dtype=np.float32)
        self.assertAllEqual(self.session().run(x + 1, {x: value})[-3:], value[-3:] + 1)

    def test_extends_its_graph_between_runs(self):
        a = tf.constant(3.0)
        session = self.session()
        self.assertEqual(session.run(a), 3)
        for i in range(5):
            self.assertEqual(session.run(a * i), 3 * i)

    def test_errors_name_the_node(self):
        x = tf.placeholder(tf.float32, name="x")
        y = tf.check_numerics(x, "bad x", name="checked")
        session = self.session()
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "bad x : Tensor had NaN values") as raised:
            session.run(y, {x: float("nan")})
        self.assertEqual(raised.exception.op.name, "checked")
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "You must feed a value for placeholder tensor 'x'"):
            session.run(y)

    def test_partial_runs(self):
        a, b, c = (tf.placeholder(tf.float32) for _ in range(3))
        r1 = a + b
        r2 = r1 * c
        session = self.session()
        handle = session.partial_run_setup([r1, r2], [a, b, c])
        self.assertEqual(session.partial_run(handle, r1, {a: 1, b: 2}), 3)
        self.assertEqual(session.partial_run(handle, r2, {c: 51}), 153)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "Must run PartialRunSetup"):
            session.partial_run(handle, r2, {c: 3})

    def test_callables(self):
        x = tf.placeholder(tf.float32)
        call = self.session().make_callable(x * 2, [x])
        for i in range(10):
            self.assertEqual(call(i), 2 * i)

    def test_lists_devices(self):
        tf.constant(1.0)
        devices = self.session().list_devices()
        self.assertEqual([d.name for d in devices], ["/job:localhost/replica:0/task:0/device:CPU:0"])
        self.assertNotEqual(devices[0].incarnation, 0)

    def test_metadata(self):
        x = tf.placeholder(tf.float32)
        y = tf.add(x, 1, name="y")
        metadata = tf.RunMetadata()
        self.session().run(y, {x: 1}, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True),
                           run_metadata=metadata)
        self.assertIn("y", [n.node_name for d in metadata.step_stats.dev_stats for n in d.node_stats])
        self.assertEqual(len(metadata.partition_graphs), 1)

    def test_functions_and_loops(self):
        i = tf.while_loop(lambda i: i < 10, lambda i: i + 1, [tf.constant(0)])
        branch = tf.cond(tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(2))
        self.assertEqual(self.session().run([i, branch]), [10, 1])


class State(ClientTest):
    def test_training(self):
        x, y = tf.placeholder(tf.float32, [None, 1]), tf.placeholder(tf.float32, [None, 1])
        w, b = tf.get_variable("w", [1, 1], initializer=tf.zeros_initializer()), tf.get_variable("b", [1], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
        train = tf.train.AdamOptimizer(0.1).minimize(loss)
        session = self.session()
        session.run(tf.global_variables_initializer())
        data = np.linspace(-1, 1, 32, dtype=np.float32).reshape(-1, 1)
        for _ in range(300):
            session.run(train, {x: data, y: 3 * data + 2})
        self.assertNear(session.run(w)[0][0], 3, 0.05)
        self.assertNear(session.run(b)[0], 2, 0.05)

    def test_sessions_share_variables_unless_isolated(self):
        for resource in (False, True):
            v = tf.get_variable(f"v{resource}", initializer=1.0, use_resource=resource)
            self.session().run(v.initializer)
            self.assertEqual(self.session().run(v.assign_add(1.0) if resource else tf.assign_add(v, 1.0)), 2)
            self.assertEqual(self.session().run(v), 2)
            with self.assertRaises(tf.errors.FailedPreconditionError):
                self.session(isolate_session_state=True).run(v)

    def test_sessions_share_queues(self):
        queue = tf.FIFOQueue(10, tf.int32, shared_name="q")
        self.session().run(queue.enqueue_many([[1, 2, 3]]))
        self.assertEqual(self.session().run(queue.dequeue()), 1)

    def test_reset_clears_containers_and_ends_sessions(self):
        with tf.container("mine"):
            v = tf.get_variable("v", initializer=1.0, use_resource=True)
        session = self.session()
        session.run(v.initializer)
        tf.Session.reset(self.target, ["other"])
        with self.assertRaisesRegex(tf.errors.AbortedError, "is not found"):
            session.run(v)
        self.assertEqual(self.session().run(v), 1)
        tf.Session.reset(self.target, ["mine"])
        with self.assertRaises(tf.errors.FailedPreconditionError):
            self.session().run(v)

    def test_reset_answers_while_a_run_is_blocked(self):
        queue = tf.FIFOQueue(10, tf.int32)
        blocked = queue.dequeue()
        session = self.session()
        session.run(tf.constant(1))
        ended = []

        def run():
            try:
                session.run(blocked)
            except tf.errors.OpError as e:
                ended.append(e)

        thread = threading.Thread(target=run)
        thread.start()
        time.sleep(0.5)
        tf.Session.reset(self.target)
        thread.join(20)
        self.assertFalse(thread.is_alive())
        self.assertEqual(len(ended), 1)


class Cancelling(ClientTest):
    def test_deadlines(self):
        blocked = tf.FIFOQueue(10, tf.int32).dequeue()
        with self.assertRaises(tf.errors.DeadlineExceededError):
            self.session().run(blocked, options=tf.RunOptions(timeout_in_ms=200))
        with self.assertRaises(tf.errors.DeadlineExceededError):
            self.session(operation_timeout_in_ms=200).run(blocked)

    def test_closing_a_session_ends_its_runs(self):
        blocked = tf.FIFOQueue(10, tf.int32).dequeue()
        session = tf.Session(self.target, graph=self.graph)
        session.run(tf.constant(1))
        threading.Timer(0.5, session.close).start()
        with self.assertRaises(tf.errors.OpError):
            session.run(blocked)

    def test_a_killed_clients_run_ends(self):
        """A child blocks in a run and is killed: what it held back, another gets."""
        child = subprocess.Popen([sys.executable, "-c", f"""
import os
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
queue = tf.FIFOQueue(10, tf.int32, shared_name="killed")
with tf.Session("{self.target}") as session:
    print("ready", session.run(tf.constant(1)), flush=True)
    session.run(queue.dequeue())
"""], stdout=subprocess.PIPE, text=True)
        self.assertIn("ready", child.stdout.readline())
        time.sleep(1)
        child.kill()
        child.wait()
        child.stdout.close()
        time.sleep(1)
        queue = tf.FIFOQueue(10, tf.int32, shared_name="killed")
        session = self.session()
        session.run(queue.enqueue(7))
        self.assertEqual(session.run(queue.dequeue(), options=tf.RunOptions(timeout_in_ms=10_000)), 7)


class Ends(tf.test.TestCase):
    def test_sigterm_during_a_run_is_aborted_soon(self):
        server = Server()
        address = server.target[len("grpc://"):]
        with tf.Graph().as_default() as graph:
            blocked = tf.FIFOQueue(10, tf.int32).dequeue()
            session = tf.Session(server.target, graph=graph)
            session.run(tf.constant(1))
            threading.Timer(0.5, server.process.terminate).start()
            began = time.time()
            with self.assertRaisesRegex(tf.errors.AbortedError, "shutting down"):
                session.run(blocked)
            self.assertLess(time.time() - began, 10)
            self.assertEqual(server.stop(), 0)
            # A client without a deadline waits for ever for a server that is gone, when it closes its session too.
            server = Server(address)
            with self.assertRaisesRegex(tf.errors.AbortedError, "is not found"):
                session.close()
            server.stop()

    def test_a_monitored_session_outlives_its_server(self):
        server = Server()
        address = server.target[len("grpc://"):]
        with tf.Graph().as_default():
            v = tf.get_variable("v", initializer=1.0)
            more = tf.assign_add(v, 1.0)
            creator = tf.train.ChiefSessionCreator(master=server.target)
            with tf.train.MonitoredSession(creator) as session:
                self.assertEqual(session.run(more), 2)
                self.assertEqual(session.run(more), 3)
                server.stop(signal.SIGKILL)
                server = Server(address)
                self.assertEqual(session.run(more), 2)
        server.stop()

    def test_it_serves_two_devices(self):
        server = Server("localhost:0", "--config", 'device_count { key: "CPU" value: 2 }')
        with tf.Graph().as_default() as graph:
            with tf.device("/cpu:1"):
                a = tf.constant(["crossed"])
            with tf.device("/cpu:0"):
                b = tf.identity(a)
            with tf.Session(server.target, graph=graph) as session:
                self.assertAllEqual(session.run(b), [b"crossed"])
                self.assertEqual(len(session.list_devices()), 2)
        server.stop()


class Clusters(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.cluster = "worker=" + ",".join(f"127.0.0.1:{port}" for port in free_ports(2))
        self.tasks = [Task(self.cluster, 0, "--grpc", "127.0.0.1:0"), Task(self.cluster, 1)]
        self.target = self.tasks[0].target
        self.addCleanup(lambda: [task.stop() for task in self.tasks])

    def test_a_session_runs_on_both_tasks(self):
        with tf.Graph().as_default() as graph:
            x = tf.placeholder(tf.float32)
            with tf.device("/job:worker/task:1"):
                y = x + x
            with tf.device("/job:worker/task:0"):
                z = y * y
            with tf.Session(self.target, graph=graph) as session:
                self.assertEqual([session.run(z, {x: i}) for i in range(4)], [0, 4, 16, 36])
                self.assertEqual([d.name for d in session.list_devices()],
                                 [f"/job:worker/replica:0/task:{i}/device:CPU:0" for i in range(2)])

    def test_training_with_variables_on_the_other_task(self):
        with tf.Graph().as_default() as graph:
            x, y = tf.placeholder(tf.float32, [None, 1]), tf.placeholder(tf.float32, [None, 1])
            with tf.device("/job:worker/task:1"):
                w, b = tf.get_variable("w", initializer=[[0.0]]), tf.get_variable("b", initializer=[0.0])
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
            train = tf.train.AdamOptimizer(0.1).minimize(loss)
            init = tf.global_variables_initializer()
            data = np.linspace(-1, 1, 32, dtype=np.float32).reshape(-1, 1)
            with tf.Session(self.target, graph=graph) as session:
                session.run(init)
                for _ in range(300):
                    session.run(train, {x: data, y: 3 * data + 2})
                self.assertNear(session.run(w)[0][0], 3, 0.05)
                self.assertNear(session.run(b)[0], 2, 0.05)

    def test_a_monitored_session_goes_on_when_a_task_comes_back(self):
        with tf.Graph().as_default():
            with tf.device("/job:worker/task:1"):
                v = tf.get_variable("v", initializer=1.0, use_resource=True)
            more = v.assign_add(1.0)
            with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(master=self.target)) as session:
                self.assertEqual(session.run(more), 2)
                self.tasks[1].stop(signal.SIGKILL)
                self.tasks[1] = Task(self.cluster, 1)
                # What it had is lost.
                self.assertEqual(session.run(more), 2)

    def test_device_filters_leave_a_task_out(self):
        self.tasks.pop().stop()
        with tf.Graph().as_default() as graph:
            y = tf.constant(2.0) + 3.0
            config = tf.ConfigProto(device_filters=["/job:worker/task:0"])
            with tf.Session(self.target, graph=graph, config=config) as session:
                self.assertEqual(session.run(y), 5)


if __name__ == "__main__":
    TROUPE = sys.argv.pop(1)
    unittest.main()
