"""What packages of layers, losses and training found missing, or other than in TensorFlow."""

import os
import unittest

import pytest
import troupe as tf


def test_asserts_of_texts_and_integers_are_one_operation():
    with tf.Graph().as_default() as graph:
        wanted = tf.placeholder(tf.bool, [])
        made = tf.Assert(wanted, ["x is", tf.constant(1)], name="fine")
        assert made.type == "Assert" and made.name == "fine/Assert" and "fine/AssertGuard/Switch" not in {o.name for o in graph.get_operations()}
        tf.Assert(wanted, ["x is", 1.5], name="guarded")
        assert "guarded/AssertGuard/Merge" in {o.name for o in graph.get_operations()}
        with tf.Session() as session:
            session.run(made, {wanted: True})
            with pytest.raises(tf.errors.InvalidArgumentError, match="assertion failed.*x is"):
                session.run(made, {wanted: False})


def test_comparisons_of_what_is_computed_fail_when_they_run():
    with tf.Graph().as_default(), tf.Session() as session:
        check = tf.assert_equal(tf.reduce_max([1, 2]), 3)
        with pytest.raises(tf.errors.InvalidArgumentError, match="assertion failed"):
            session.run(check)
        with pytest.raises(tf.errors.InvalidArgumentError, match="did not hold"):
            tf.assert_equal(tf.shape(tf.zeros([2, 3])), tf.stack([2, 4]))


def test_queues_need_shapes_that_are_known():
    with tf.Graph().as_default():
        for make in (lambda s: tf.FIFOQueue(3, [tf.int32], [s]), lambda s: tf.RandomShuffleQueue(3, 1, [tf.int32], [s]),
                     lambda s: tf.PriorityQueue(3, [tf.int32], [s])):
            make(tf.TensorShape([2, 3]))
            with pytest.raises(ValueError, match="All shapes must be fully defined"):
                make(tf.TensorShape([None, 3]))
        assert tf.PaddingFIFOQueue(3, [tf.int32], [tf.TensorShape([None, 3])]).shapes[0].as_list() == [None, 3]
        with pytest.raises(ValueError, match="All shapes must have a defined rank"):
            tf.PaddingFIFOQueue(3, [tf.int32], [tf.TensorShape(None)])


def test_test_cases_that_set_up_by_themselves_have_sessions():
    class Case(tf.test.TestCase):
        def setUp(self):
            """Does not call the other one."""

        def test(self):
            with self.cached_session() as session:
                self.assertEqual(session.run(tf.constant(3)), 3)
            with self.session(use_gpu=False):
                self.assertDeviceEqual(tf.constant(3).device, "/cpu:0")

    result = unittest.TestResult()
    with tf.Graph().as_default():
        Case("test").run(result)
    assert result.testsRun == 1 and result.wasSuccessful(), result


def test_savers_of_the_first_format_write_the_second(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(3.0, name="v")
        saver = tf.train.Saver(write_version=tf.train.SaverDef.V1)
        session.run(v.initializer)
        path = saver.save(session, str(tmp_path / "model"))
        assert tf.train.checkpoint_exists(path) and os.path.exists(path + ".index")
        session.run(v.assign(4.0))
        saver.restore(session, path)
        assert session.run(v) == 3.0


def test_layers_demand_what_their_specs_say():
    from troupe.python.keras.engine import input_spec
    from troupe.python.layers import base

    assert base.InputSpec is input_spec.InputSpec
    assert repr(base.InputSpec(shape=(None, 3))) == "InputSpec(shape=(None, 3), ndim=2)"
    with pytest.raises(ValueError, match="Axis 3 is greater than the maximum allowed value: 2"):
        base.InputSpec(ndim=3, axes={3: 1})

    class Checked(tf.layers.Layer):
        def __init__(self, spec):
            super().__init__(name="checked")
            self.input_spec = spec

    with tf.Graph().as_default():
        two, four = tf.zeros([2, 3]), tf.zeros([2, 3, 4, 4])
        assert Checked(base.InputSpec(ndim=2, axes={-1: 3}))(two).shape == [2, 3]
        assert Checked([base.InputSpec(ndim=2), None])([two, four])[0].shape == [2, 3]
        for spec, value, message in ((base.InputSpec(ndim=3), two, "expected ndim=3, found ndim=2"),
                                     (base.InputSpec(max_ndim=3), four, "expected max_ndim=3, found ndim=4"),
                                     (base.InputSpec(min_ndim=3), two, "expected min_ndim=3, found ndim=2"),
                                     (base.InputSpec(axes={-1: 4}), two, r"expected axis -1 of input shape to have value 4 but .* \[2, 3\]"),
                                     (base.InputSpec(shape=(None, 4)), two, r"expected shape=\(None, 4\), found shape=\[2, 3\]"),
                                     (base.InputSpec(dtype="int32"), two, "expected dtype=int32, found dtype=float32"),
                                     ([base.InputSpec(), base.InputSpec()], two, "expects 2 inputs, but it received 1 input tensors")):
            with pytest.raises(ValueError, match=message):
                Checked(spec)(value)


def test_functions_that_packages_call_by_their_paths():
    from troupe.python.framework import device_spec, ops
    from troupe.python.layers import convolutional
    from troupe.python.ops import array_ops, confusion_matrix, control_flow_util, variable_scope, variables
    from troupe.python.training import evaluation

    assert convolutional.Convolution2D is tf.layers.Conv2D and device_spec.DeviceSpecV1 is tf.DeviceSpec
    assert evaluation._evaluate_once and evaluation._StopAfterNEvalsHook(3) and variables.PartitionedVariable
    with tf.Graph().as_default() as graph:
        v = variable_scope.variable(3.0, trainable=False, name="v")
        assert v.op.name == "v" and not tf.trainable_variables() and not control_flow_util.GraphOrParentsInXlaContext(graph)
        labels, predictions = confusion_matrix.remove_squeezable_dimensions(tf.zeros([2, 1]), tf.zeros([2]))
        assert labels.shape == predictions.shape == [2] and array_ops.shape_internal(labels, optimize=False).op.type == "Shape"
        assert ops._get_graph_from_inputs([labels]) is graph
    with tf.Graph().as_default():
        assert ops._get_graph_from_inputs([labels]) is graph
        with pytest.raises(ValueError, match="not from the passed-in graph"):
            ops._get_graph_from_inputs([labels], tf.get_default_graph())


def test_parts_of_metrics():
    from troupe.python.ops import metrics_impl

    with tf.Graph().as_default(), tf.Session() as session:
        predictions, labels, weights = metrics_impl._remove_squeezable_dimensions(tf.zeros([2]), None, tf.ones([2, 1]))
        assert labels is None and predictions.shape == weights.shape == [2]
        values, updates = metrics_impl._confusion_matrix_at_thresholds([True, False, True], [0.9, 0.6, 0.1], [0.5], includes=("tp", "fp"))
        with pytest.raises(ValueError, match="Invalid key: other"):
            metrics_impl._confusion_matrix_at_thresholds([True], [0.9], [0.5], includes=("other",))
        value, update = metrics_impl._streaming_sparse_average_precision_at_top_k(
            labels=tf.constant([[0], [2]], tf.int64), predictions_idx=tf.constant([[0, 1], [1, 2]], tf.int64))
        quotients = [metrics_impl._safe_scalar_div(tf.constant(1.0), tf.constant(d), "quotient") for d in (0.0, 4.0)]
        session.run(tf.local_variables_initializer())
        session.run([updates, update])
        assert {k: v.tolist() for k, v in session.run(values).items()} == {"tp": [1.0], "fp": [1.0]}
        assert session.run(value) == 0.75 and session.run(quotients) == [0.0, 0.25]
        aggregated = metrics_impl._aggregate_variable(tf.Variable(2.0), "found")
        assert tf.get_collection("found") == [aggregated]


def test_files_as_a_whole(tmp_path):
    from troupe.python.lib.io import file_io

    path = str(tmp_path / "text")
    file_io.write_string_to_file(path, "ä\n")
    assert file_io.read_file_to_string(path) == "ä\n" and file_io.read_file_to_string(path, binary_mode=True) == "ä\n".encode()
    file_io.atomic_write_string_to_file(path, "other")
    assert file_io.read_file_to_string(path) == "other" and os.listdir(tmp_path) == ["text"]
    with pytest.raises(tf.errors.AlreadyExistsError):
        file_io.atomic_write_string_to_file(path, "third", overwrite=False)
    assert os.listdir(tmp_path) == ["text"]
