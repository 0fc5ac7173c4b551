"""Python functions in graphs. What is compared with was seen in TensorFlow 2.21."""

import gc
import threading

import numpy as np
import pytest

import troupe as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def run(function, inputs, output_types, **others):
    with tf.Session() as session:
        return session.run(tf.py_func(function, inputs, output_types, **others))


def failure(error, function, output_types=tf.float32):
    with pytest.raises(error) as raised:
        run(function, [], output_types)
    return raised.value.message


def test_a_function_gets_arrays_scalars_and_bytes():
    got = []
    run(lambda *args: got.extend(args), [1.0, [1, 2], "a", ["x", b"yy"], True], [])
    assert [type(g) for g in got] == [np.float32, np.ndarray, bytes, np.ndarray, np.bool_]
    assert got[1].dtype == np.int32 and got[1].tolist() == [1, 2]
    assert got[2] == b"a" and got[3].tolist() == [b"x", b"yy"]


def test_one_type_gives_a_tensor_and_a_list_a_list(graph):
    one = tf.py_func(np.sinh, [1.0], tf.float32)
    many = tf.py_func(lambda x: (x + 1, b"yes"), [[1.0, 2.0]], [tf.float32, tf.string])
    assert isinstance(one, tf.Tensor) and one.shape.rank is None
    assert [op.name for op in graph.get_operations()] == ["PyFunc/input_0", "PyFunc", "PyFunc_1/input_0", "PyFunc_1"]
    with tf.Session() as session:
        assert session.run(one) == np.sinh(np.float32(1))
        numbers, text = session.run(many)
    assert numbers.tolist() == [2, 3] and text == b"yes"


def test_texts_become_bytes():
    assert run(lambda: "\u00e9", [], tf.string) == b"\xc3\xa9"
    assert run(lambda: np.array(["a", "bcd"]), [], tf.string).tolist() == [b"a", b"bcd"]
    assert run(lambda: b"a\0", [], tf.string) == b"a\0"


def test_large_arrays_come_and_go_whole():
    x = np.arange(100000, dtype=np.float64).reshape(1000, 100)
    placeholder = tf.placeholder(tf.float64)
    doubled = tf.py_func(lambda a: a * 2, [placeholder], tf.float64)
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(doubled, {placeholder: x}), x * 2)
        assert x[3, 4] == 304


def test_numbers_are_not_converted():
    assert "is double, but expects float" in failure(tf.errors.InvalidArgumentError, lambda: 1.5)
    assert "is int64, but expects float" in failure(tf.errors.InvalidArgumentError, lambda: 1)
    assert "returns 2 values, but expects to see 1 values." in failure(tf.errors.InvalidArgumentError, lambda: [1.0, 2.0])
    assert "returns 0 values, but expects to see 1 values." in failure(tf.errors.InvalidArgumentError, lambda: None)
    assert "Unsupported object type dict" in failure(tf.errors.InvalidArgumentError, lambda: {})


@pytest.mark.parametrize("raised, told", [
    (ValueError, tf.errors.InvalidArgumentError), (TypeError, tf.errors.InvalidArgumentError), (StopIteration, tf.errors.OutOfRangeError),
    (MemoryError, tf.errors.ResourceExhaustedError), (NotImplementedError, tf.errors.UnimplementedError), (KeyError, tf.errors.UnknownError)])
def test_what_it_raises_the_step_fails_with(raised, told):
    def boom():
        raise raised("boom")

    message = failure(told, boom)
    assert message.startswith(f"{raised.__name__}: ")
    assert "boom" in message and "in boom" in message and "PyFunc" in message


def test_it_is_called_in_each_step_that_wants_it():
    calls = []
    counted = tf.py_func(lambda: calls.append(1) or np.int64(len(calls)), [], tf.int64)
    with tf.Session() as session:
        assert [session.run(counted) for _ in range(3)] == [1, 2, 3]
        assert session.run([counted, counted + 1]) == [4, 5]


def test_it_may_run_a_session_and_wait_for_other_threads():
    inner = tf.constant(20.0) + 1
    release = threading.Event()
    with tf.Session() as session:
        outer = tf.py_func(lambda: np.float32(session.run(inner) * 2), [], tf.float32)
        assert session.run(outer) == 42
        waiting = [tf.py_func(lambda: release.wait(20) and np.float32(1), [], tf.float32) for _ in range(8)]
        opening = tf.py_func(lambda: release.set(), [], [])
        assert session.run([*waiting, opening])[:8] == [1] * 8


def test_it_runs_in_loops_and_in_functions_of_datasets():
    total = tf.while_loop(lambda i, t: i < 4, lambda i, t: (i + 1, t + tf.py_func(lambda x: x * x, [i], tf.int32)), [0, 0],
                          shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)])[1]
    dataset = tf.data.Dataset.range(3).map(lambda x: tf.py_func(lambda v: v * 10, [x], tf.int64))
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    gc.collect()
    with tf.Session() as session:
        assert session.run(total) == 14
        assert [session.run(element) for _ in range(3)] == [0, 10, 20]


def test_numpy_function_decorates():
    @tf.numpy_function(Tout=tf.float32)
    def hypotenuse(a, b):
        return np.hypot(a, b)

    with tf.Session() as session:
        assert session.run(hypotenuse(3.0, 4.0)) == 5
        assert session.run(tf.numpy_function(np.sqrt, [4.0], [tf.float32], name="root")) == [2]


def test_a_graph_of_another_process_has_no_functions(graph):
    tf.py_func(lambda: np.float32(1), [], tf.float32, name="p")
    definition = graph.as_graph_def()
    definition.node[0].attr["token"].s = b"pyfunc_999999"
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(definition, name="")
        with pytest.raises(tf.errors.InvalidArgumentError, match="Could not find callback with key=pyfunc_999999 in the registry."):
            session.run("p:0")


def test_a_function_lives_as_long_as_its_graph():
    import weakref

    class Doubler:
        def __call__(self, x):
            return x * 2

    doubler = Doubler()
    alive = weakref.ref(doubler)
    with tf.Graph().as_default():
        tf.py_func(doubler, [1.0], tf.float32)
    del doubler
    gc.collect()
    assert alive() is None


def test_what_is_no_function_is_refused():
    with pytest.raises(ValueError, match="Expected func to be callable."):
        tf.py_func(1, [], tf.float32)
