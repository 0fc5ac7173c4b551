"""What packages about agents, models of sequences and of pictures need."""

import glob
import importlib
import subprocess
import sys

import numpy as np
import pytest

import troupe as tf


@pytest.fixture(autouse=True)
def _new_graph():
    with tf.Graph().as_default():
        yield


def test_events_are_written_below_a_prefix(tmp_path):
    from troupe.core.util import event_pb2
    from troupe.python import pywrap_tensorflow

    writer = pywrap_tensorflow.EventsWriter(str(tmp_path / "events").encode())
    event = event_pb2.Event(step=3, summary=tf.Summary(value=[tf.Summary.Value(tag="a", simple_value=2.0)]))
    writer.WriteEvent(event)
    writer.Flush()
    name = writer.FileName()
    writer.Close()
    assert name.startswith(str(tmp_path / "events.out.tfevents.").encode())
    first, second = tf.train.summary_iterator(name)
    assert first.file_version == "brain.Event:2" and (second.step, second.summary.value[0].simple_value) == (3, 2.0)
    assert pywrap_tensorflow.NewCheckpointReader is tf.train.NewCheckpointReader


@pytest.mark.parametrize("function, shape, weight", [
    (lambda x: tf.reshape(x, [3, 2]), [1, 3, 2], 1.0), (lambda x: tf.reshape(x, [3, 2]), [6], 1.0), (lambda x: x * x, [], 2.0),
    (lambda x: x * x, [3], 2.0)])
def test_weights_of_derivatives_may_have_shapes_that_the_rules_take(function, shape, weight):
    x = tf.constant(np.ones([2, 3], "f"))
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(tf.gradients(function(x), x, tf.ones(shape))[0]), np.full([2, 3], weight))


def test_weights_of_derivatives_that_fit_nothing_are_refused():
    x = tf.constant(np.ones([2, 3], "f"))
    with pytest.raises(ValueError, match="Dimensions must be equal"):
        tf.gradients(tf.exp(x), x, tf.ones([4]))
    with pytest.raises(ValueError, match="Incompatible shapes between op input and calculated input gradient"):
        tf.gradients(tf.exp(x), x, tf.ones([4, 2, 3]))


def test_summaries_are_written_by_operations(tmp_path):
    step = tf.train.get_or_create_global_step()
    assert tf.contrib.summary.scalar("none", 1.0).type == "NoOp"
    writer = tf.contrib.summary.create_file_writer(str(tmp_path), flush_millis=1000)
    with writer.as_default(), tf.contrib.summary.always_record_summaries():
        made = [tf.contrib.summary.scalar("loss", 2.0), tf.contrib.summary.histogram("weights", [1.0, 2.0], step=7)]
        with tf.contrib.summary.never_record_summaries():
            tf.contrib.summary.scalar("never", 3.0)
        with tf.contrib.summary.record_summaries_every_n_global_steps(2, step):
            tf.contrib.summary.scalar("even", 4.0)
        flush = tf.contrib.summary.flush()
    assert tf.contrib.summary.all_summary_ops()[:2] == made
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.contrib.summary.summary_writer_initializer_op()])
        for _ in range(2):
            session.run(tf.contrib.summary.all_summary_ops())
            session.run(step.assign_add(1))
        session.run(flush)
    path, = glob.glob(str(tmp_path / "*"))
    found = sorted((e.summary.value[0].tag, e.step) for e in tf.train.summary_iterator(path) if e.summary.value)
    assert found == [("even", 0), ("loss", 0), ("loss", 1), ("weights", 7), ("weights", 7)]


def test_rows_are_written_in_place():
    from troupe.python.ops import inplace_ops

    x = inplace_ops.empty([3, 2], tf.float32, init=True)
    row = inplace_ops.alias_inplace_update(x, 1, [1.0, 2.0])
    kept = tf.placeholder(tf.float32, [2, 2])
    changed = inplace_ops.inplace_add(kept, None, np.ones([2, 2], "f"))
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(row), [[0, 0], [1, 2], [0, 0]])
        given = np.zeros([2, 2], "f")
        np.testing.assert_array_equal(session.run(changed, {kept: given}), np.ones([2, 2]))
        assert not given.any()


def test_operations_before_and_behind_others_are_found():
    from troupe.contrib import graph_editor
    from troupe.python.ops import op_selector

    a, b = tf.placeholder(tf.float32, name="a"), tf.placeholder(tf.float32, name="b")
    c = tf.add(a, b, name="c")
    with tf.control_dependencies([c]):
        d = tf.exp(b, name="d")
    names = lambda found: [op.name for op in found]
    assert names(op_selector.get_backward_walk_ops(c)) == ["c", "a", "b"]
    assert names(op_selector.get_backward_walk_ops([d.op], inclusive=False)) == ["b"]
    assert set(names(op_selector.get_backward_walk_ops(d, control_inputs=True))) == {"a", "b", "c", "d"}
    assert names(op_selector.get_backward_walk_ops(d, control_inputs=True, stop_at_ts=[b])) == ["d", "c", "a"]
    assert names(op_selector.get_forward_walk_ops([a.op])) == ["a", "c"]
    assert names(op_selector.get_forward_walk_ops({a.op}, within_ops=[a.op])) == ["a"]
    assert names(op_selector.get_walks_intersection_ops([b.op], [c.op])) == ["b", "c"]
    assert graph_editor.filter_ts_from_regex(tf.get_default_graph(), "^c|^d") == [c, d]
    assert names(graph_editor.select_ops("^a", graph=tf.get_default_graph())) == ["a"]


def test_variables_are_bounds_of_ranges_and_slices():
    start, values = tf.Variable(1), tf.Variable([10.0, 20.0, 30.0])
    resource = tf.get_variable("r", initializer=3, use_resource=True)
    part = values[start]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(tf.range(start, start + 3)).tolist() == [1, 2, 3]
        assert session.run(tf.range(resource)).tolist() == [0, 1, 2]
        assert session.run([part, values[start:resource]])[1].tolist() == [20.0, 30.0]
        session.run(tf.assign(values[start], 5.0))
        assert session.run(values).tolist() == [10.0, 5.0, 30.0]


@pytest.mark.parametrize("path, names", [
    ("python.ops.rnn", "rnn_cell_impl dynamic_rnn math_ops"), ("contrib.rnn.python.ops.core_rnn", "static_rnn static_bidirectional_rnn"),
    ("python.ops.summary_op_util", "summary_scope collect"),
    ("contrib.slim.python.slim.data.data_decoder", "DataDecoder"), ("contrib.summary", "scalar create_file_writer"),
    ("python.debug", "LocalCLIDebugWrapperSession has_inf_or_nan"), ("contrib.eager.python.tfe", "executing_eagerly")])
def test_paths_have_their_names(path, names):
    module = importlib.import_module(f"troupe.{path}")
    for name in names.split():
        assert getattr(module, name) is not None


def test_the_debugger_is_refused_when_it_is_made():
    from troupe.python import debug

    assert debug.has_inf_or_nan(None, np.array([1.0, np.nan])) and not debug.has_inf_or_nan(None, np.array([1]))
    with pytest.raises(NotImplementedError, match="tfdbg is not part of this package"):
        debug.LocalCLIDebugWrapperSession(None)


def test_decoders_of_data_are_abstract():
    from troupe.contrib.slim.python.slim.data import data_decoder

    with pytest.raises(TypeError, match="abstract"):
        data_decoder.DataDecoder()
    assert issubclass(tf.contrib.slim.tfexample_decoder.TFExampleDecoder, data_decoder.DataDecoder)


def test_the_session_beneath_a_monitored_one():
    tf.train.get_or_create_global_step()
    with tf.train.MonitoredSession() as session:
        assert isinstance(session._tf_sess(), tf.Session)


def test_flags_of_absl_are_read_with_those_of_the_package():
    pytest.importorskip("absl")
    program = """
import troupe as tf
from absl import flags
tf.flags.DEFINE_integer("ours", 1, "")
flags.DEFINE_integer("theirs", 1, "")
tf.app.run(lambda rest: print(tf.flags.FLAGS.ours, flags.FLAGS.theirs, rest[1:]))
"""
    done = subprocess.run([sys.executable, "-c", program, "--theirs=2", "word", "--ours", "3"], capture_output=True, text=True)
    assert done.stdout.strip() == "3 2 ['word']", done.stderr


@pytest.mark.parametrize("layer, shape", [
    (tf.layers.Dense(4), [None, 3]), (tf.layers.Dense(4), [2, 5, 3]), (tf.layers.Flatten(), [2, 3, 4]), (tf.layers.Dropout(), [2, 3]),
    (tf.layers.BatchNormalization(), [2, 3]), (tf.layers.Conv1D(4, 3), [2, 8, 3]),
    (tf.layers.Conv2D(4, 3, 2, "same"), [2, 7, 8, 3]), (tf.layers.Conv2D(4, 3, dilation_rate=2), [2, 7, 8, 3]),
    (tf.layers.SeparableConv2D(4, 3), [2, 7, 8, 3]), (tf.layers.Conv2DTranspose(4, 3, 2), [2, 7, 8, 3]),
    (tf.layers.MaxPooling2D(2, 2), [2, 7, 8, 3]), (tf.layers.AveragePooling1D(3, 2, "same"), [2, 7, 3])])
def test_layers_say_which_shapes_they_make(layer, shape):
    assert layer.compute_output_shape(shape).as_list() == layer(tf.placeholder(tf.float32, shape)).shape.as_list()


def test_weights_of_layers_are_lists_that_subclasses_may_extend():
    inner = tf.layers.Dense(2)
    inner(tf.ones([1, 3]))
    outer = tf.layers.Layer()
    outer._trainable_weights.append(inner.kernel)
    assert outer.trainable_weights == [inner.kernel] and inner._trainable_weights == [inner.kernel, inner.bias]
    outer.trainable = False
    assert outer.trainable_weights == [] and outer.non_trainable_weights == [inner.kernel]
