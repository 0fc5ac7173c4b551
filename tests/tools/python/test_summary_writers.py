"""Summaries that the graph writes itself: tf.contrib.summary."""

import glob
import os

import pytest
import troupe as tf

summary = tf.contrib.summary


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def _events(folder):
    (path,) = glob.glob(os.path.join(folder, "*.v2"))
    return [e for e in tf.train.summary_iterator(path) if e.WhichOneof("what") != "file_version"]


def _values(folder):
    """{(step, tag): kind} of the values."""
    return {(e.step, v.tag): v.WhichOneof("value") for e in _events(folder) if e.WhichOneof("what") == "summary" for v in e.summary.value}


def test_all_kinds(graph, tmp_path):
    step = tf.train.create_global_step()
    x = tf.placeholder(tf.float32, [None])
    writer = summary.create_file_writer(tmp_path)
    with writer.as_default():
        with summary.always_record_summaries():
            with tf.name_scope("in"):
                loss = summary.scalar("loss", tf.reduce_sum(x))
            summary.histogram("h", x, family="all")
            summary.image("im", tf.zeros([2, 3, 3, 1]), max_images=1, step=7)
            summary.audio("au", tf.zeros([1, 8]), 8000.0, 1, step=8)
            summary.generic("any", x, tf.SummaryMetadata(display_name="Any"))
        assert len(summary.all_summary_ops()) == 5 and loss.dtype == tf.bool
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            summary.initialize(graph=graph, session=session)
            for _ in range(2):
                assert all(session.run(summary.all_summary_ops(), {x: [1.0, 2.0]}))
                session.run(tf.assign_add(step, 1))
            session.run(summary.flush())
            values = _values(tmp_path)
            session.run(writer.close())
    assert values == {(0, "in/loss"): "simple_value", (1, "in/loss"): "simple_value", (0, "all/all/h"): "histo", (1, "all/all/h"): "histo",
                      (7, "im/image"): "image", (8, "au/audio"): "audio", (0, "any"): "tensor", (1, "any"): "tensor"}
    (written,) = [e for e in _events(tmp_path) if e.WhichOneof("what") == "graph_def"]
    assert "in/loss" in {n.name for n in tf.GraphDef.FromString(written.graph_def).node}


def test_when_they_are_written(tmp_path):
    step = tf.train.create_global_step()
    with summary.create_file_writer(tmp_path).as_default():
        assert summary.scalar("unsaid", 1.0).op.type == "Const"
        with summary.never_record_summaries():
            summary.scalar("never", 1.0)
        with summary.record_summaries_every_n_global_steps(2):
            summary.scalar("even", 1.0)
            with summary.always_record_summaries():
                summary.scalar("always", 1.0)
        with tf.Session() as session:
            assert not session.run(summary.should_record_summaries())
            session.run(tf.global_variables_initializer())
            summary.initialize(session=session)
            given = [session.run([summary.all_summary_ops(), tf.assign_add(step, 0)])[0]]
            session.run(tf.assign(step, 1))
            given.append(session.run(summary.all_summary_ops()))
            session.run(summary.flush())
    assert given == [[False, False, True, True], [False, False, False, True]]
    assert set(_values(tmp_path)) == {(0, "even"), (0, "always"), (1, "always")}


def test_without_a_writer(tmp_path):
    with summary.always_record_summaries():
        assert summary.scalar("a", 1.0).type == "NoOp" and summary.flush().type == "NoOp"
        with summary.create_file_writer(None).as_default():
            assert summary.scalar("a", 1.0).type == "NoOp" and not summary.all_summary_ops()
    with pytest.raises(RuntimeError, match="No default"):
        summary.initialize()
    with summary.create_file_writer(tmp_path).as_default():
        with pytest.raises(ValueError, match="session"):
            summary.initialize()
        with summary.always_record_summaries(), pytest.raises(ValueError, match=r"must be a scalar.*\(2,\)"):
            summary.scalar("a", 1.0, step=[1, 2])
        with pytest.raises(TypeError, match="tf.Tensor"):
            summary.graph(tf.GraphDef(), 0)
    with pytest.raises(ValueError, match="Invalid argument to flush"):
        summary.flush(3)
    assert summary.eval_dir("a") == os.path.join("a", "eval") and summary.eval_dir("a", "b") == os.path.join("a", "eval_b")


def test_names_of_tf_summary(tmp_path):
    assert tf.summary.all_v2_summary_ops() == [] and "initialize" in dir(tf.summary)
    node = tf.NodeDef(op="TensorSummary")
    node.attr["description"].s = b'{"typeHint": "image"}'
    assert tf.summary.get_summary_description(node).type_hint == "image"
    with pytest.raises(ValueError, match="Can't get_summary_description on Const"):
        tf.summary.get_summary_description(tf.NodeDef(op="Const"))
