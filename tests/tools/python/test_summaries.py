"""Summaries and the files that they are written to."""

import struct

import numpy as np
import pytest

import troupe as tf
from troupe import crc32c, record_io


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def _value(session, tensor):
    [value] = tf.Summary.FromString(session.run(tensor)).value
    return value


def test_numbers_have_the_tag_of_their_scope():
    with tf.name_scope("outer"):
        plain = tf.summary.scalar("a b", tf.constant(2.0))
        of_family = tf.summary.scalar("loss", tf.constant(3.0), family="eval")
    assert plain.name == "outer/a_b:0" and of_family.name == "outer/eval/loss:0"
    assert tf.get_collection(tf.GraphKeys.SUMMARIES) == [plain, of_family]
    with tf.Session() as session:
        value = _value(session, plain)
        assert (value.tag, value.simple_value) == ("outer/a_b", 2.0)
        assert _value(session, of_family).tag == "eval/outer/eval/loss"


def test_histograms_images_sounds_and_texts():
    histogram = tf.summary.histogram("h", tf.constant([1.0, 2.0, 3.0]))
    image = tf.summary.image("i", tf.zeros([2, 4, 5, 3]), max_outputs=1)
    audio = tf.summary.audio("s", tf.zeros([1, 8]), 8000.0, max_outputs=1)
    text = tf.summary.text("t", tf.constant("words"))
    with tf.Session() as session:
        value = _value(session, histogram)
        assert (value.histo.num, value.histo.sum, value.histo.min, value.histo.max) == (3.0, 6.0, 1.0, 3.0)
        value = _value(session, image)
        assert (value.tag, value.image.height, value.image.width, value.image.colorspace) == ("i/image", 4, 5, 3)
        assert value.image.encoded_image_string.startswith(b"\x89PNG")
        value = _value(session, audio)
        assert (value.tag, value.audio.sample_rate, value.audio.length_frames) == ("s/audio", 8000.0, 8)
        value = _value(session, text)
        assert (value.tag, value.metadata.plugin_data.plugin_name) == ("t", "text")
        assert tf.make_ndarray(value.tensor) == b"words"


def test_all_of_a_collection_are_merged():
    assert tf.summary.merge_all() is None
    tf.summary.scalar("x", tf.constant(1.0))
    tf.summary.scalar("y", tf.constant(2.0))
    merged = tf.summary.merge_all()
    assert merged.name == "Merge/MergeSummary:0"
    with tf.Session() as session:
        assert [v.tag for v in tf.Summary.FromString(session.run(merged)).value] == ["x", "y"]


def test_a_file_of_events_has_what_was_written(graph, tmp_path):
    loss = tf.summary.scalar("loss", tf.constant(0.5))
    with tf.summary.FileWriter(str(tmp_path), graph) as writer, tf.Session() as session:
        writer.add_summary(session.run(loss), 3)
        writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="x", simple_value=1.0)]), 4)
        metadata = tf.RunMetadata()
        session.run(loss, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
        writer.add_run_metadata(metadata, "run", 4)
        with pytest.raises(ValueError, match="already used"):
            writer.add_run_metadata(metadata, "run", 5)
    [path] = tmp_path.iterdir()
    assert path.name.startswith("events.out.tfevents.")
    events = list(tf.train.summary_iterator(str(path)))
    assert events[0].file_version == "brain.Event:2"
    assert [n.name for n in tf.GraphDef.FromString(events[1].graph_def).node] == [op.name for op in graph.get_operations()]
    assert tf.MetaGraphDef.FromString(events[2].meta_graph_def).collection_def["summaries"].node_list.value[0] == "loss:0"
    assert [(e.step, e.summary.value[0].tag, e.summary.value[0].simple_value) for e in events[3:5]] == [(3, "loss", 0.5), (4, "x", 1.0)]
    assert events[5].tagged_run_metadata.tag == "run"
    assert all(e.wall_time > 1e9 for e in events)


def test_a_writer_is_reopened_with_another_file(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path))
    writer.close()
    writer.add_summary(tf.Summary(), 1)
    writer.reopen()
    writer.add_summary(tf.Summary(), 2)
    writer.flush()
    steps = [[e.step for e in tf.train.summary_iterator(str(p))] for p in sorted(tmp_path.iterdir(), key=lambda p: (len(p.name), p.name))]
    assert steps == [[0], [0, 2]]
    writer.close()


def test_checksums_are_castagnolis():
    # The values of RFC 3720, B.4.
    assert crc32c.crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c.crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c.crc32c(bytes(range(32))) == 0x46DD794E
    data = np.random.RandomState(1).bytes(50021)
    assert crc32c.crc32c(data) == crc32c._by_bytes(0xFFFFFFFF, data) ^ 0xFFFFFFFF


def test_a_record_is_framed_as_tensorflow_frames_it(tmp_path):
    # A file that TensorFlow 2.21's TFRecordWriter wrote.
    recorded = bytes.fromhex("0500000000000000eab2043e68656c6c6fbb1f1c19")
    assert record_io.framed(b"hello") == recorded
    path = tmp_path / "records"
    path.write_bytes(recorded + recorded[:-1] + bytes([recorded[-1] ^ 1]))
    records = tf.python_io.tf_record_iterator(str(path))
    assert next(records) == b"hello"
    with pytest.raises(tf.errors.DataLossError, match="corrupted record"):
        next(records)
    assert struct.unpack("<Q", recorded[:8]) == (5,)


@pytest.mark.parametrize("compression", ["", "ZLIB", "GZIP"])
def test_records_are_read_as_they_were_written(tmp_path, compression):
    path = str(tmp_path / "records")
    with tf.python_io.TFRecordWriter(path, tf.python_io.TFRecordOptions(compression)) as writer:
        writer.write(b"first")
        writer.write(b"")
    assert list(tf.python_io.tf_record_iterator(path, tf.python_io.TFRecordOptions(compression))) == [b"first", b""]
