"""Decorators and files of TensorFlow's test cases."""

import os
import sys

import pytest
import troupe as tf
from troupe.python.framework import test_util


class _Case(tf.test.TestCase):
    def runTest(self):  # noqa: N802
        pass


@pytest.fixture
def case():
    made = _Case()
    made.setUp()
    yield made
    made.tearDown()


def test_files_of_a_test(case):
    file = case.create_tempfile("a/b.txt", "text")
    assert file.read_text() == "text" and os.fspath(file) == file.full_path and file.full_path.startswith(case.get_temp_dir())
    folder = case.create_tempdir("c")
    folder.create_file("d", b"\1").write_bytes(b"\2", mode="ab")
    assert os.listdir(folder) == ["d"] and TempFileBytes(folder, "d") == b"\1\2" and os.path.isdir(folder.mkdir("e").full_path)


def TempFileBytes(folder, name):  # noqa: N802
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


def test_what_is_written_to_a_stream(case, capfd):
    with case.captureWritesToStream(sys.stderr) as captured:
        print("from Python", file=sys.stderr)
        os.write(sys.stderr.fileno(), b"from below")
    assert captured.contents() == "from Python\nfrom below" and capfd.readouterr().err == ""
    print("after", file=sys.stderr)
    assert capfd.readouterr().err == "after\n"


def test_shapes_that_do_not_go_together(case):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32)
        with case.assertRaisesIncompatibleShapesError():
            session.run(x + [1.0, 2.0], {x: [1.0, 2.0, 3.0]})
        with case.assertRaisesIncompatibleShapesError(ValueError):
            tf.constant([1.0, 2.0]) + tf.constant([1.0, 2.0, 3.0])


def test_tensors_that_remain(case):
    kept = []

    @test_util.assert_no_new_tensors
    def clean(self):
        tf.constant(1) + 1

    @test_util.assert_no_new_tensors
    def keeping(self):
        kept.append(tf.constant(1))

    clean(case)
    with pytest.raises(AssertionError, match="not deallocated"):
        keeping(case)


def test_circles_that_remain(case):
    @test_util.assert_no_garbage_created
    def circle(self):
        made = []
        made.append(made)

    test_util.assert_no_garbage_created(lambda self: None)(case)
    with pytest.raises(AssertionError, match="list"):
        circle(case)


def test_days_flags_and_ports(monkeypatch):
    from troupe import compat

    seen = []

    @test_util.with_forward_compatibility_horizons(None, (2030, 1, 2))
    def test():
        seen.append(compat.forward_compatible(2030, 1, 1))

    test()
    assert seen == [False, True]
    monkeypatch.setenv("XLA_FLAGS", "--a")
    assert test_util.set_xla_env_flag("--b")(lambda: os.environ["XLA_FLAGS"])() == "--a --b" and os.environ["XLA_FLAGS"] == "--a"
    assert 0 < test_util.pick_unused_port() < 65536


def test_layouts_in_fours():
    assert test_util.NHWCToNCHW_VECT_C([1, 2, 3, 8]) == [1, 2, 2, 3, 4] and test_util.NCHW_VECT_CToNHWC([1, 2, 2, 3, 4]) == [1, 2, 3, 8]
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.reshape(tf.range(48), [1, 2, 3, 8])
        there = test_util.NHWCToNCHW_VECT_C(x)
        assert session.run(tf.reduce_all(tf.equal(test_util.NCHW_VECT_CToNHWC(there), x))) and there.shape.as_list() == [1, 2, 2, 3, 4]
    with pytest.raises(ValueError, match="divisible by 4"):
        test_util.NHWCToNCHW_VECT_C([1, 2, 3, 3])


def test_errors_are_logged(caplog):
    import logging

    with tf.Graph().as_default(), test_util.ErrorLoggingSession() as session:
        x = tf.placeholder(tf.float32)
        logger = logging.getLogger("troupe")
        logger.addHandler(caplog.handler)
        try:
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(x)
        finally:
            logger.removeHandler(caplog.handler)
    assert "You must feed a value" in caplog.text
