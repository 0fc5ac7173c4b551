"""What programs do to the package that may bring a process down: signals, forks, threads, recursion, objects that are gone, huge shapes. Each runs in
a process of its own, which must end by itself."""

import subprocess
import sys
import textwrap

import pytest

_BEGIN = """
import gc, os, signal, sys, threading, time
import numpy as np
import troupe as tf
"""

PROGRAMS = {
    "a child process that leaves at once": """
        x = tf.constant(1.0)
        session = tf.Session()
        session.run(x)
        child = os.fork()
        if child == 0:
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert session.run(x) == 1.0
        """,
    "a child process that only builds": """
        with tf.Session() as session:
            session.run(tf.constant(1.0))
        child = os.fork()
        if child == 0:
            with tf.Graph().as_default():
                made = tf.constant(2.0) + 1.0
            os._exit(0 if made.op.type == "AddV2" else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        """,
    "a handler of an alarm": """
        heard = []
        signal.signal(signal.SIGALRM, lambda *_: heard.append(1))
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        loop = tf.while_loop(lambda i: i < 20000, lambda i: i + 1, [0])
        with tf.Session() as session:
            for _ in range(3):
                assert session.run(loop) == 20000
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert heard
        """,
    "an exception from a handler": """
        def alarm(*_):
            raise TimeoutError("late")
        signal.signal(signal.SIGALRM, alarm)
        with tf.Session() as session:
            x = tf.constant(1.0)
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            try:
                while True:
                    session.run(x)
            except TimeoutError:
                pass
            assert session.run(x) == 1.0
        """,
    "recursion without end in a branch": """
        def deeper(x):
            return tf.cond(x > 0, lambda: deeper(x - 1), lambda: x)
        sys.setrecursionlimit(300)
        try:
            deeper(tf.constant(1))
            raise SystemExit("it ended")
        except RecursionError:
            pass
        sys.setrecursionlimit(1000)
        with tf.Graph().as_default(), tf.Session() as session:
            assert session.run(tf.constant(3)) == 3
        """,
    "threads whose first numbers come at once": """
        x = tf.placeholder(tf.float32, [])
        graph = tf.get_default_graph()
        begin = threading.Barrier(16)
        made = []
        def work(number):
            begin.wait()
            with graph.as_default():
                made.append(x * float(number))
        sys.setswitchinterval(1e-6)
        threads = [threading.Thread(target=work, args=[n]) for n in range(16)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        assert len(made) == 16
        """,
    "threads that build, run and close": """
        x = tf.placeholder(tf.float32, [])
        graph = tf.get_default_graph()
        sessions = [tf.Session() for _ in range(4)]
        faults = []
        def work(number):
            with graph.as_default():
                for i in range(30):
                    try:
                        made = x * float(i)
                        assert sessions[(number + i) % 4].run(made, {x: 2.0}) == 2.0 * i
                    except (RuntimeError, tf.errors.CancelledError):
                        pass
                    except Exception as e:
                        faults.append(e)
                    if i == 20:
                        sessions[number].close()
        threads = [threading.Thread(target=work, args=[n]) for n in range(4)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        assert not faults, faults
        """,
    "tensors that outlive their graphs and sessions": """
        def make():
            with tf.Graph().as_default():
                c = tf.constant([1.0, 2.0])
                with tf.Session() as session:
                    return c * 2.0, session.run(c * 3.0), session
        tensor, array, session = make()
        gc.collect()
        assert tensor.shape.as_list() == [2] and array.tolist() == [3.0, 6.0] and tensor.graph.get_operations()
        try:
            session.run(tensor)
        except RuntimeError:
            pass
        del tensor, session
        gc.collect()
        assert array.tolist() == [3.0, 6.0]
        """,
    "a fed array that is gone when the variable is read": """
        x = tf.placeholder(tf.float32, [100000])
        v = tf.Variable(tf.zeros([100000]), use_resource=True)
        assign = v.assign(x)
        with tf.Session() as session:
            session.run(assign, {x: np.full(100000, 7.0, np.float32)})
            gc.collect()
            junk = [np.random.rand(100000) for _ in range(10)]
            assert (session.run(v) == 7.0).all()
        """,
    "a session that a thread still runs": """
        queue = tf.FIFOQueue(1, [tf.float32])
        get = queue.dequeue()
        session = tf.Session()
        def wait():
            try:
                session.run(get)
            except tf.errors.OpError:
                pass
        threading.Thread(target=wait, daemon=True).start()
        time.sleep(0.1)
        """,
    "threads that still run sessions": """
        x = tf.placeholder(tf.float32, [])
        y = x + 1.0
        session = tf.Session()
        def work():
            while True:
                session.run(y, {x: 1.0})
        for _ in range(8):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.1)
        """,
    "runs that are still to be told of": """
        x = tf.placeholder(tf.float32, [])
        y = x + 1.0
        session = tf.Session()
        futures = [session.run_async(y, {x: 1.0}) for _ in range(3000)]
        """,
    "a Python function of a step that never ends": """
        began = threading.Event()
        def work():
            began.set()
            while True:
                pass
        session = tf.Session()
        future = session.run_async(tf.py_func(work, [], []))
        began.wait(60)
        """,
    "a dataset that a Python function still fills": """
        def numbers():
            while True:
                yield 1
        dataset = tf.data.Dataset.from_generator(numbers, tf.int64, []).map(lambda n: n + 1, num_parallel_calls=4).prefetch(10)
        following = tf.data.make_one_shot_iterator(dataset).get_next()
        session = tf.Session()
        assert session.run(following) == 2
        """,
    "sessions that are dropped while datasets run": """
        def numbers():
            while True:
                yield 1
        for number in range(10):
            with tf.Graph().as_default():
                dataset = tf.data.Dataset.from_generator(numbers, tf.int64, []).map(lambda n: tf.py_func(lambda v: v, [n], tf.int64), 4)
                session = tf.Session()
                following = session.make_callable(tf.data.make_one_shot_iterator(dataset.prefetch(10)).get_next())
                assert [following() for _ in range(3)] == [1, 1, 1]
                if number % 2:
                    session.close()
                del following, session
                gc.collect()
        """,
    "shapes that no memory holds": """
        n = tf.placeholder(tf.int64, [None])
        with tf.Session() as session:
            for shape in ([2**40, 2**20], [2**62, 2], [2**63 - 1], [-1], [2**50]):
                for made in (tf.zeros(n), tf.fill(n, 1.0), tf.random_uniform(n), tf.reshape(tf.constant([1.0]), n)):
                    try:
                        session.run(tf.size(made, out_type=tf.int64) if made.op.type == "Reshape" else made, {n: shape})
                        assert made.op.type == "Reshape" and shape == [-1], (shape, made)
                    except (tf.errors.InvalidArgumentError, tf.errors.ResourceExhaustedError):
                        pass
            assert session.run(tf.constant(1)) == 1
        """,
    "an end in the middle of everything": """
        with tf.Session() as session:
            x = tf.placeholder(tf.float32, [])
            handle = session.partial_run_setup([x + 1.0], [x])
            future = tf.Session().make_callable(x + 1.0, [x])
            sys.exit(0)
        """}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_process_ends_by_itself(name):
    ended = subprocess.run([sys.executable, "-W", "ignore", "-c", _BEGIN + textwrap.dedent(PROGRAMS[name])], capture_output=True, text=True, timeout=100)
    assert ended.returncode == 0, ended.stderr[-2000:]
