"""What tests of TensorFlow's own take beside `tf.test`: modules by later paths, decorators, assertions about plain values."""

import importlib
import unittest

import numpy as np
import pytest

import troupe as tf
from troupe.import_paths_later import LATER
from troupe.python.framework import combinations, ops, tensor_spec, test_util
from troupe.python.ops import gradient_checker_v2
from troupe.python.platform import test


def _run(cls):
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(cls).run(result)
    return result


@pytest.mark.parametrize("path", sorted(LATER))
def test_what_a_later_path_names_is_there(path):
    module = importlib.import_module(f"troupe.{path}")
    for place in LATER[path].split():
        if not place.startswith("."):
            importlib.import_module(f"troupe.{place}")
    # Looks through all places.
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        _ = module.no_such_name
    assert module.float32 is tf.float32


def test_names_of_later_paths():
    from troupe.python.data.experimental.ops import grouping
    from troupe.python.eager import context
    from troupe.python.ops import array_ops_stack, cond, control_flow_case, map_fn, while_loop
    from troupe.python.ops.ragged import ragged_factory_ops, ragged_tensor
    from troupe.python.ops.signal import fft_ops, window_ops

    assert array_ops_stack.stack is tf.stack and cond.cond is tf.cond and while_loop.while_loop is tf.while_loop
    assert control_flow_case.case is tf.case and map_fn.map_fn is tf.map_fn and ragged_tensor.RaggedTensor is tf.RaggedTensor
    assert ragged_factory_ops.constant is tf.ragged.constant and fft_ops.rfft is tf.signal.rfft and window_ops.hann_window is tf.signal.hann_window
    assert tensor_spec.TensorSpec is tf.TensorSpec and grouping.group_by_window is tf.data.experimental.group_by_window
    assert not context.executing_eagerly() and test_util.TensorFlowTestCase is tf.test.TestCase is test.TestCase
    with context.graph_mode(), ops.name_scope("a"):
        assert context.scope_name() == "a"
    with pytest.raises(NotImplementedError):
        context.eager_mode()
    assert combinations is not None


def test_decorators_of_tests():
    seen = []

    @test_util.run_all_in_graph_and_eager_modes
    class Both(test.TestCase):
        def test_value(self):
            seen.append(self.evaluate(tf.constant(3)) == tf.get_default_session().run(tf.constant(3)))

    class Single(test_util.TensorFlowTestCase):
        @test_util.run_deprecated_v1
        @test_util.disable_xla("said why")
        def test_a(self):
            with self.session(use_gpu=True), test_util.use_gpu():
                seen.append(tf.constant(1).eval())

        @test_util.run_v2_only
        def test_later(self):
            seen.append("never")

        @test_util.run_gpu_only
        def test_gpu(self):
            seen.append(test.is_gpu_available())

        @test_util.skip_if(lambda: True)
        def test_skipped(self):
            seen.append("never")

        def test_error(self):
            with test_util.skip_if_error(self, ValueError, "some"):
                raise ValueError("some text")

        def test_other_error(self):
            with test_util.skip_if_error(self, ValueError, ["none"]):
                raise ValueError("some text")

    result = _run(Both)
    assert result.testsRun == 2 and not result.failures and not result.errors  # With test_session, which skips itself.
    result = _run(Single)
    gpu = test.is_gpu_available()
    assert "some text" in result.errors[0][1] and len(result.errors) == 1 and not result.failures
    assert len(result.skipped) == 5 - gpu and "never" not in seen and seen[:2] == [True, 1]
    with pytest.raises(ValueError, match="only supports test methods"):
        test_util.run_in_graph_and_eager_modes(Single)


def test_helpers_of_graphs():
    a = tf.ones([2, 3, 4, 5], name="a")
    assert test_util.NHWCToNCHW(a).shape == [2, 5, 3, 4] and test_util.NCHWToNHWC([2, 5, 3, 4]) == [2, 3, 4, 5]
    graph = tf.get_default_graph()
    assert test_util.assert_ops_in_graph({"a": "Const"}, graph)["a"].op == "Const"
    for wanted, text in (({"a": "Add"}, "Expected op for node a is different. Add vs Const"), ({"b": "Const"}, "Not all expected ops are present")):
        with pytest.raises(ValueError, match=text):
            test_util.assert_ops_in_graph(wanted, graph)
    definition = graph.as_graph_def()
    assert test_util.get_node_def_from_graph("a", definition).op == "Const" and test_util.get_node_def_from_graph("b", definition) is None
    with tf.Graph().as_default() as other:
        test_util.set_producer_version(other, 7)
        assert other.graph_def_versions.producer == 7
    assert test_util.generate_combinations_with_testcase_name(a=[1, 2], b=["x-y"]) == [
        {"a": 1, "b": "x-y", "testcase_name": "_test_a_1_b_xy"}, {"a": 2, "b": "x-y", "testcase_name": "_test_a_2_b_xy"}]


def test_derivatives_of_functions():
    with tf.Session().as_default():
        by_rules, by_differences = gradient_checker_v2.compute_gradient(lambda x, y: tf.reduce_sum(x * y, 1),
                                                                         [np.ones([2, 3], np.float32), [[2.0, 3.0, 4.0]] * 2])
        assert by_rules[0].shape == (2, 6) and by_rules[0][0].tolist() == [2, 3, 4, 0, 0, 0]
        assert gradient_checker_v2.max_error(by_rules, by_differences) < 1e-2
        with pytest.raises(ValueError, match="must be a list or tuple"):
            gradient_checker_v2.compute_gradient(tf.abs, 1.0)
    assert gradient_checker_v2.max_error([np.array([np.nan, 1])], [np.array([np.nan, 1.5])]) == 0.5
    assert gradient_checker_v2.max_error([np.array([np.nan, 1])], [np.array([0, 1])]) == np.inf


@pytest.mark.parametrize("name, good, bad", [
    ("assertBetween", (1, 0, 1), (2, 0, 1)), ("assertStartsWith", ("ab", "a"), ("ab", "b")), ("assertNotStartsWith", ("ab", "b"), ("ab", "a")),
    ("assertEndsWith", ("ab", "b"), ("ab", "a")), ("assertNotEndsWith", ("ab", "a"), ("ab", "b")), ("assertContainsSubset", ([1], [1, 2]), ([3], [1])),
    ("assertNoCommonElements", ([1], [2]), ([1], [1])), ("assertSameElements", ([1, 1, 2], [2, 1]), ([1], [2])),
    ("assertContainsInOrder", (["a", "b"], "xaxb"), (["b", "a"], "xaxb")), ("assertSequenceStartsWith", ([1], [1, 2]), ([2], [1, 2])),
    ("assertSequenceAlmostEqual", ([1], [1.00000001]), ([1], [1.1])), ("assertDictAlmostEqual", ({1: 1.0}, {1: 1.0}), ({1: 1}, {1: 2})),
    ("assertIsSubclass", (bool, int), (int, bool)), ("assertTotallyOrdered", ([1, 1.0], [2]), ([2], [1])),
    ("assertRegexMatch", ("abc", ["x", "b."]), ("abc", ["x"])), ("assertSameStructure", ({"a": [1, (2,)]}, {"a": [1, (2,)]}), ({"a": [1]}, {"a": [2]})),
])
def test_assertions_about_plain_values(name, good, bad):
    case = tf.test.TestCase()
    getattr(case, name)(*good)
    with pytest.raises(AssertionError):
        getattr(case, name)(*bad)


def test_threads_and_versions_and_texts():
    case = tf.test.TestCase()
    thread = case.checkedThread(target=case.assertEqual, args=(1, 2))
    thread.start()
    with pytest.raises(AssertionError, match="1 != 2"):
        thread.join()
    with case.assertRaisesWithLiteralMatch(ValueError, "a.c"):
        raise ValueError("a.c")
    with pytest.raises(AssertionError), case.assertRaisesWithLiteralMatch(ValueError, "a.c"):
        raise ValueError("abc")
    with tf.Graph().as_default() as graph:
        tf.no_op(name="n")
    case.assertProtoEqualsVersion("node { name: 'n' op: 'NoOp' }", graph.as_graph_def())
    with pytest.raises(AssertionError):
        case.assertProtoEqualsVersion("node { name: 'n' op: 'NoOp' }", graph.as_graph_def(), producer=5)
