"""tf.test: test cases, as programs write them, and derivatives by differences."""

import os

import numpy as np
import pytest

import troupe as tf


class Case(tf.test.TestCase):
    __test__ = False

    def runTest(self):  # noqa: N802
        """Nothing: its assertions are called by the tests below."""


@pytest.fixture
def case():
    made = Case()
    made.setUp()
    yield made
    made.tearDown()


HOLD = {
    "arrays": lambda c: c.assertAllEqual([[1, 2]], np.array([[1, 2]])),
    "not a number": lambda c: c.assertAllEqual([1.0, np.nan], np.array([1.0, np.nan])),
    "texts": lambda c: c.assertAllEqual([b"a", b"b"], tf.constant(["a", "b"])),
    "a tensor": lambda c: c.assertAllEqual(tf.constant([1, 2]) + 1, [2, 3]),
    "close": lambda c: c.assertAllClose([1.0, 2.0], [1.0 + 5e-7, 2.0]),
    "nests": lambda c: c.assertAllClose({"a": [tf.constant(1.0), [2.0, 3.0]]}, {"a": [1.0, [2.0, 3.0]]}),
    "loose": lambda c: c.assertAllClose([1.0], [1.05], rtol=0.1),
    "by type": lambda c: c.assertAllCloseAccordingToType(np.float16([1.0]), np.float16([1.001])),
    "greater": lambda c: c.assertAllGreater([2, 3], 1),
    "in range": lambda c: c.assertAllInRange([1, 2], 1, 2),
    "in set": lambda c: c.assertAllInSet([1, 2, 1], {1, 2}),
    "near": lambda c: c.assertNear(1.0, 1.05, 0.1),
    "array near": lambda c: c.assertArrayNear([1.0, 2.0], [1.01, 1.99], 0.1),
    "shapes": lambda c: c.assertShapeEqual(np.zeros([2, 3]), tf.zeros([2, 3])),
    "dtypes": lambda c: c.assertDTypeEqual(tf.constant(1.0), np.float32),
    "devices": lambda c: c.assertDeviceEqual("/job:a/cpu:0", "/job:a/device:CPU:0"),
    "messages": lambda c: c.assertProtoEquals('op: "A" name: "a"', tf.NodeDef(name="a", op="A")),
    "different": lambda c: c.assertNotAllClose([1.0], [1.1]),
}
FAIL = {
    "arrays": lambda c: c.assertAllEqual([1, 2], [1, 3]),
    "shapes of arrays": lambda c: c.assertAllEqual([1], [[1]]),
    "not a number": lambda c: c.assertAllEqual([1.0], [np.nan]),
    "close": lambda c: c.assertAllClose([1.0, 2.0], [1.0, 2.1]),
    "keys": lambda c: c.assertAllClose({"a": 1.0}, {"b": 1.0}),
    "lengths": lambda c: c.assertAllClose([1.0, [2.0]], [1.0, [2.0], 3.0]),
    "by type": lambda c: c.assertAllCloseAccordingToType(np.float32([1.0]), np.float32([1.001])),
    "greater": lambda c: c.assertAllGreater([2, 1], 1),
    "in range": lambda c: c.assertAllInRange([1, 2], 1, 2, open_upper_bound=True),
    "in set": lambda c: c.assertAllInSet([1, 3], {1, 2}),
    "near": lambda c: c.assertNear(1.0, 1.2, 0.1),
    "shapes": lambda c: c.assertShapeEqual(np.zeros([2, 3]), tf.zeros([3])),
    "dtypes": lambda c: c.assertDTypeEqual(tf.constant(1.0), np.float64),
    "messages": lambda c: c.assertProtoEquals('op: "B" name: "a"', tf.NodeDef(name="a", op="A")),
    "equal": lambda c: c.assertNotAllEqual([1], [1]),
}


@pytest.mark.parametrize("what", HOLD)
def test_an_assertion_holds(case, what):
    HOLD[what](case)


@pytest.mark.parametrize("what", FAIL)
def test_an_assertion_fails(case, what):
    with pytest.raises(AssertionError):
        FAIL[what](case)


def test_sessions_are_kept_or_new(case):
    v = tf.Variable(1.0)
    with case.cached_session() as first:
        first.run(v.initializer)
    with case.test_session() as second:
        assert second is first and case.evaluate(v) == 1 and v.eval() == 1
    with case.session() as other:
        assert other is not first
        with case.assertRaisesOpError("uninitialized value"):
            v.eval()
    with pytest.raises(ValueError):
        with case.cached_session(config=tf.ConfigProto(device_count={"CPU": 2})):
            pass


def test_errors_are_looked_at(case):
    with case.assertRaisesWithPredicateMatch(ValueError, lambda e: "x" in str(e)):
        raise ValueError("x")
    with pytest.raises(AssertionError):
        with case.assertRaisesWithPredicateMatch(ValueError, "other"):
            raise ValueError("x")
    with pytest.raises(AssertionError):
        with case.assertRaisesOpError("nothing is raised"):
            pass


def test_each_test_begins_anew(case):
    first = tf.random_uniform([])
    number = case.evaluate(first)
    directory = case.get_temp_dir()
    assert os.path.isdir(directory) and directory.startswith(tf.test.get_temp_dir()) and directory == case.get_temp_dir()
    case.setUp()
    assert first.graph is not tf.get_default_graph() and case.evaluate(tf.random_uniform([])) == number


def test_derivatives_are_those_of_differences(case):
    x = tf.placeholder_with_default(tf.ones([2, 3], tf.float64), [2, 3])
    table = tf.placeholder(tf.float64, [4])
    with case.session():
        theoretical, numerical = tf.test.compute_gradient(x, [2, 3], tf.reduce_sum(x * x, 1), [2], x_init_value=np.arange(6.0).reshape(2, 3))
        assert theoretical.tolist() == [[0, 0], [2, 0], [4, 0], [0, 6], [0, 8], [0, 10]]
        np.testing.assert_allclose(numerical, theoretical, atol=1e-9)
        assert tf.test.compute_gradient_error(table, [4], tf.gather(table, [3, 0, 3]), [3]) < 1e-9
        wrong = x + tf.stop_gradient(x)
        assert tf.test.compute_gradient_error(x, [2, 3], wrong, [2, 3]) == pytest.approx(1.0)
        both = tf.test.compute_gradient([x, table], [[2, 3], [4]], tf.reduce_sum(x) * table, [4])
        assert [pair[0].shape for pair in both] == [(6, 4), (4, 4)]
        np.testing.assert_allclose(both[1][0], both[1][1], atol=1e-9)


def test_graphs_are_compared(case):
    graphs = []
    for value in (1.0, 1.0, 2.0):
        with tf.Graph().as_default() as g:
            tf.constant(value, name="c")
            graphs.append(g.as_graph_def())
    tf.test.assert_equal_graph_def(graphs[0], graphs[1])
    with pytest.raises(AssertionError, match="Node c differs"):
        tf.test.assert_equal_graph_def(graphs[0], graphs[2])


def test_what_this_build_has():
    assert tf.test.gpu_device_name() == "" and not tf.test.is_gpu_available() and not tf.test.is_built_with_cuda()
