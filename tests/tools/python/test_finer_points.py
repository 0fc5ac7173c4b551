"""What programs ask of functions once in a while, and TensorFlow 2.21 answers so: shapes that are known in part, sessions that are closed, learning
rates that are functions, names of arguments, messages of errors."""

import subprocess
import sys

import numpy as np
import pytest

import troupe as tf
from troupe import tensor_util


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def _shapes():
    n = tf.placeholder(tf.int32, [])
    p = tf.placeholder(tf.float32, [2, None, 4])
    return {
        "a constant": (tf.constant([1, -1, 3]), [1, None, 3]), "less than -1": (tf.constant([1, -2]), [1, None]), "nothing": (tf.constant(-1), None),
        "stacked": (tf.stack([1, n, -1]), [1, None, None]), "stacked tensors": (tf.stack([n, tf.constant(-1), tf.constant(4)]), [None, None, 4]),
        "joined": (tf.concat([[1], tf.stack([n]), [-1]], 0), [1, None, None]), "a shape": (tf.shape(p), [2, None, 4]),
        "its end": (tf.shape(p)[1:], [None, 4]), "its beginning": (tf.shape(p)[:-1], [2, None]), "every other": (tf.shape(p)[::2], [2, 4]),
        "cast": (tf.cast(tf.shape(p), tf.int64), [2, None, 4]), "fed": (tf.placeholder(tf.int32, [3]), [None] * 3),
        "fed of any size": (tf.placeholder(tf.int32), None), "filled": (tf.fill([2], 3), [3, 3]),
        "a default": (tf.placeholder_with_default([1, -1], [2]), [None, None])}


def test_shapes_are_known_as_far_as_what_they_are_made_of():
    for name, (tensor, wanted) in _shapes().items():
        found = tensor_util.constant_value_as_shape(tensor)
        assert (None if found.rank is None else found.as_list()) == wanted, name


@pytest.mark.parametrize("value, error", [(5, ValueError), ([[1]], ValueError), ([1.5], TypeError)])
def test_what_is_no_shape_is_refused(value, error):
    with pytest.raises(error):
        tensor_util.constant_value_as_shape(tf.constant(value))


def test_moments_have_axes_that_are_fed():
    axes = tf.placeholder(tf.int32, [1])
    x = tf.constant([[1.0, 2.0, 6.0], [3.0, 4.0, 5.0]])
    with tf.Session() as session:
        for function in (lambda: tf.nn.moments(x, axes), lambda: tf.nn.weighted_moments(x, axes, 1.0)):
            mean, variance = session.run(function(), {axes: [1]})
            np.testing.assert_allclose(mean, [3, 4])
            np.testing.assert_allclose(variance, [14 / 3, 2 / 3], rtol=1e-6)


@pytest.mark.parametrize("make", [
    lambda r: tf.train.FtrlOptimizer(r, l2_regularization_strength=0.1, beta=0.5), lambda r: tf.train.ProximalAdagradOptimizer(r),
    lambda r: tf.train.ProximalGradientDescentOptimizer(r, 0.1), lambda r: tf.train.AdamOptimizer(r),
    lambda r: tf.train.RMSPropOptimizer(r)])
def test_a_learning_rate_may_be_a_function_or_a_tensor(make):
    values = []
    for rate in (0.5, lambda: 0.5, tf.constant(0.5), np.float32(0.5)):
        v = tf.Variable([1.0, 2.0])
        step = make(rate).minimize(tf.reduce_sum(v * v))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(step)
            values.append(session.run(v))
    assert np.all(values[0] != [1, 2])
    for value in values[1:]:
        np.testing.assert_allclose(value, values[0], rtol=1e-6)


@pytest.mark.parametrize("make", [tf.train.MonitoredSession, tf.train.SingularMonitoredSession])
def test_a_monitored_session_has_none_beneath_once_it_is_closed(make):
    tf.train.get_or_create_global_step()
    session = make()
    assert isinstance(session.raw_session(), tf.Session)
    session.close()
    assert session.raw_session() is None and session.graph is None and session.should_stop()


def test_ragged_tensors_are_evaluated_in_the_default_session():
    rows = tf.ragged.constant([[1], [2, 3]])
    with pytest.raises(ValueError, match="No default session is registered"):
        rows.eval()
    with tf.Session() as session:
        assert rows.eval().to_list() == rows.eval(session=session).to_list() == [[1], [2, 3]]


def test_ragged_tensors_are_fetched_though_nobody_asked_for_the_module():
    program = ("import troupe as tf\nrows = tf.RaggedTensor.from_row_lengths([1, 2, 3], [1, 2])\n"
               "assert tf.Session().run(rows).to_list() == [[1], [2, 3]]")
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_list_with_unknown_numbers_is_no_shape_of_ngrams():
    with pytest.raises(ValueError, match="Rank of data must be known."):
        tf.strings.ngrams(tf.placeholder(tf.string), 2)


# Derivatives of what loops and branches gather.


def _loop(v, turns):
    return tf.while_loop(lambda i, t: i < turns, lambda i, t: (i + 1, t + tf.reduce_sum(tf.gather(v, [i, i + 1]) ** 3)), [0, 0.0])[1]


def test_rows_of_a_loop_add_up_to_the_whole_derivative():
    v, turns = tf.Variable(tf.reshape(tf.range(10.0), [5, 2])), tf.placeholder(tf.int32, [])
    found = tf.gradients(_loop(v, turns), v)[0]
    assert isinstance(found, tf.IndexedSlices) and found.shape.as_list() == [5, 2]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for n in (0, 1, 4):
            times = np.array([(r < n) + (1 <= r <= n) for r in range(5)])[:, None]
            wanted = 3 * np.arange(10.0).reshape(5, 2) ** 2 * times
            np.testing.assert_allclose(session.run(tf.convert_to_tensor(found), {turns: n}), wanted, err_msg=str(n))


def test_rows_have_derivatives_themselves():
    v = tf.Variable([[1.0], [2.0], [3.0]])
    taken = tf.placeholder(tf.bool, [])
    for loss, wanted in ((_loop(v, 2), [[6 * 1.0], [2 * 6 * 2.0], [6 * 3.0]]),
                         (tf.cond(taken, lambda: tf.reduce_sum(tf.gather(v, [0, 2, 2]) ** 3), lambda: 0.0), [[6 * 1.0], [0], [2 * 6 * 3.0]])):
        first = tf.convert_to_tensor(tf.gradients(loss, v)[0])
        second = tf.convert_to_tensor(tf.gradients(first, v)[0])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            np.testing.assert_allclose(session.run(second, {taken: True}), wanted)


def test_derivatives_of_loops_are_taken_inside_of_branches():
    v = tf.Variable([[1.0], [2.0], [3.0]])
    taken = tf.placeholder(tf.bool, [])

    def derivative():
        return tf.convert_to_tensor(tf.gradients(_loop(v, 2), v)[0])

    branch = tf.cond(taken, derivative, lambda: tf.zeros([3, 1]))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        once = np.array([[3.0], [24.0], [27.0]])
        np.testing.assert_allclose(session.run(branch, {taken: True}), once)
        np.testing.assert_allclose(session.run(branch, {taken: False}), np.zeros([3, 1]))


def test_a_sum_of_rows_is_not_run_for_them():
    v = tf.Variable(tf.zeros([1000, 2]))
    found = tf.gradients(_loop(v, 3), v)[0]
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run([found.values, found.indices], options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
    ran = {stats.node_name for device in metadata.step_stats.dev_stats for stats in device.node_stats}
    assert any("TensorListPushBack" in name for name in ran) and not any("UnsortedSegmentSum" in name for name in ran)


# First values of variables.


def test_first_values_wait_for_others_that_wait_for_others():
    a = tf.Variable(1.5, name="a")
    b = tf.Variable(a * 2, name="b")
    c = tf.Variable(b + a, name="c")
    d = tf.Variable(tf.cond(a > 1.0, lambda: c * 2, lambda: c * 3), name="d")
    init = tf.global_variables_initializer()
    # Of what they were made of nothing runs, not even for a branch to begin.
    before = [init]
    for op in before:
        before += [i for i in (*(t.op for t in op.inputs), *op.control_inputs) if i not in before]
    assert not {v.value().op for v in (a, b, c)} & set(before)
    for _ in range(20):
        with tf.Session() as session:
            session.run(init)
            assert session.run([a, b, c, d]) == [1.5, 3.0, 4.5, 9.0]


def test_first_values_of_loops_and_of_updates_stay_as_they_are():
    a = tf.Variable(2.0, name="a")
    looped = tf.Variable(tf.while_loop(lambda x: x < 10, lambda x: x * a, [a]), name="looped", validate_shape=False)
    updated = tf.Variable(a.assign_add(1.0), name="updated")
    assert looped.initializer.inputs[1] is looped.initial_value and updated.initializer.inputs[1] is updated.initial_value
    with tf.Session() as session:
        session.run(a.initializer)
        session.run(looped.initializer)
        assert session.run(looped) == 16.0
        session.run(updated.initializer)
        assert session.run([a, updated]) == [3.0, 3.0]


def test_what_a_first_value_waits_for_is_waited_for_by_its_copy():
    a = tf.Variable(2.0, name="a")
    with tf.control_dependencies([tf.Assert(a < 1.0, ["too large"])]):
        b = tf.Variable(lambda: tf.identity(a.value()) * 1.0, name="b")
    with tf.control_dependencies([tf.Assert(a < 1.0, ["too large"])]):
        value = a.value() * 2
    c = tf.Variable(value, name="c")
    with tf.Session() as session:
        session.run([a.initializer, b.initializer])
        with pytest.raises(tf.errors.InvalidArgumentError, match="too large"):
            session.run(c.initializer)


# Names of arguments, and what errors say.


def test_arguments_have_the_names_of_tensorflow(tmp_path):
    file, copy = str(tmp_path / "a"), str(tmp_path / "b")
    open(file, "w").close()
    tf.gfile.Copy(oldpath=file, newpath=copy)
    tf.gfile.Rename(oldname=copy, newname=copy + "c", overwrite=True)
    tf.gfile.MakeDirs(dirname=str(tmp_path / "d"))
    assert tf.gfile.Exists(filename=file) and tf.gfile.Glob(filename=copy + "*") == [copy + "c"] and tf.gfile.IsDirectory(dirname=str(tmp_path / "d"))
    assert sorted(tf.gfile.ListDirectory(dirname=str(tmp_path))) == ["a", "bc", "d"] and tf.gfile.Stat(filename=file).length == 0
    assert tf.as_dtype(type_value="float32") is tf.float32
    assert tf.DeviceSpec.from_string(spec="/cpu:1").make_merged_spec(dev=tf.DeviceSpec(job="a")).to_string() == "/job:a/device:CPU:1"
    assert tf.errors.exception_type_from_error_code(error_code=5) is tf.errors.NotFoundError
    with tf.get_default_graph().device(device_name_or_function="/cpu:0"):
        assert tf.constant(1.0).device == "/device:CPU:0"
    with tf.variable_scope("s"):
        made = tf.get_variable_scope().get_variable(var_store=tf.get_default_graph().get_collection(("__variable_store",))[0] if tf.get_variable("v", [1])
                                                    is not None else None, name="w", shape=[1], trainable=False)
    assert made.name == "s/w:0" and made not in tf.trainable_variables()


@pytest.mark.parametrize("options", [
    dict(compression_type="GZIP", compression_level=9), dict(compression_type="ZLIB", compression_level=0, mem_level=9),
    dict(compression_type="ZLIB", compression_strategy=2)])
def test_records_are_compressed_as_options_say(tmp_path, options):
    path, plain = str(tmp_path / "a"), str(tmp_path / "b")
    records = [b"a" * 1000, b"b" * 1000]
    for name, how in ((path, tf.python_io.TFRecordOptions(**options)), (plain, None)):
        with tf.python_io.TFRecordWriter(name, how) as writer:
            for record in records:
                writer.write(record)
    assert list(tf.python_io.tf_record_iterator(path, tf.python_io.TFRecordOptions(**options))) == records
    smaller = tf.gfile.Stat(path).length < tf.gfile.Stat(plain).length
    assert smaller == (options.get("compression_level") != 0)


def test_what_is_marked_since_cannot_be_fetched(graph):
    x = tf.constant(1.0)
    with tf.Session() as session:
        assert session.run(x) == session.run(x) == 1.0
        graph.prevent_fetching(x.op)
        with pytest.raises(ValueError, match="has been marked as not fetchable"):
            session.run(x)


@pytest.mark.parametrize("call, error, text", [
    (lambda g: g.create_op("Nothing", [], []), RuntimeError, "Op type not registered 'Nothing'"),
    (lambda g: g.create_op("Neg", [tf.constant(1.0).op], []), TypeError, "Input #0 is not a tensor"),
    (lambda g: tf.import_graph_def(tf.GraphDef(), input_map={3: tf.constant(1.0)}), TypeError, "must be strings. Obtained keys: \\[3\\]"),
    (lambda g: tf.import_graph_def(tf.GraphDef(), return_elements=[3]), TypeError, "must be a list of strings"),
    (lambda g: tf.train.Saver(saver_def=3), ValueError, "saver_def must be a saver_pb2.SaverDef: 3"),
    (lambda g: tf.train.Saver(saver_def=tf.train.SaverDef()), ValueError, "must specify the save_tensor_name"),
    (lambda g: tf.errors.NotFoundError("text"), TypeError, "NotFoundError.__init__\\(\\) missing 2"),
    (lambda g: tf.eye(2.5), TypeError, "must be positive integer values. Received: num_rows=2.5"),
    (lambda g: tf.nn.conv2d(tf.ones([1, 2, 2, 1]), tf.ones([1, 1, 1, 1]), 1, [[0, 0]]), ValueError, "it must be of size 4"),
    (lambda g: tf.SparseTensor.from_value(3), TypeError, "neither SparseTensor nor SparseTensorValue"),
    (lambda g: tf.cond(tf.constant(True), lambda: [1, 2], lambda: (1, 2)), TypeError, "Incompatible return types of true_fn and false_fn"),
    (lambda g: tf.cond(tf.constant(True), lambda: [1, 2], lambda: [1]), ValueError, "Incompatible return values of true_fn and false_fn")])
def test_errors_say_what_was_wrong(graph, call, error, text):
    with pytest.raises(error, match=text):
        call(graph)


def test_a_variable_is_its_own_reference():
    v = tf.Variable(1.0)
    assert v.ref().deref() is v and {v.ref(): 1}[v.experimental_ref()] == 1


@pytest.mark.parametrize(("made", "error", "text"), [
    (lambda: tf.no_op(name="!bad"), ValueError, "'!bad' is not a valid root scope name"),
    (lambda: tf.constant(1, name="a b"), ValueError, "`a b` is not a valid node name"),
    (lambda: tf.Dimension("3"), TypeError, "must be integer or None or have an __index__ method, got value ''3''"),
    (lambda: tf.TensorShape(["x"]), TypeError, "must be integer or None"),
    (lambda: tf.TensorShape("ab"), TypeError, "Failed to convert ''ab'' to a shape: ''a''could not be converted to a dimension"),
    (lambda: list(tf.Variable([1, 2])), tf.errors.OperatorNotAllowedInGraphError, "Iterating over a symbolic `tf.Tensor` is not allowed"),
    (lambda: bool(tf.constant(1)), TypeError, "You can attempt the following resolutions"),
    (lambda: tf.Session().run(tf.constant(1), 3), TypeError, "FlattenDictItems: 'dict' must be a dictionary .* instead of 'int'"),
    (lambda: tf.while_loop(lambda a, b: a < 3, lambda a, b: [a + 1], [tf.constant(0), tf.constant(0)]), ValueError,
     r"(?s)First structure: type=list str=\[<tf.Tensor 'while/Identity:0'.*same number of elements.*Entire second structure:\n\[\.\]"),
])
def test_texts_of_misuse(made, error, text):
    with tf.Graph().as_default(), pytest.raises(error, match=text):
        made()


def test_nests_that_are_not_alike():
    def difference(a, b, kind=ValueError):
        with pytest.raises(kind, match="don't have the same nested structure") as raised:
            tf.nest.assert_same_structure(a, b)
        return str(raised.value).partition("More specifically: ")[2]

    assert difference([1, [2]], [1, 2]) == ('Substructure "type=list str=[2]" is a sequence, while substructure "type=int str=2" is not\n'
                                            "Entire first structure:\n[., [.]]\nEntire second structure:\n[., .]")
    assert difference({"a": 1}, {"a": 1, "b": 2}).startswith(
        "The two dictionaries don't have the same set of keys. First structure has keys type=list str=['a'], while second")
    assert difference([], [1]).startswith("The two structures don't have the same number of elements. First structure: type=list str=[].")
    assert difference([1], (1,), TypeError).startswith("The two namedtuples don't have the same sequence type. First structure type=list")
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.constant(3), []) == 3 == session.run(tf.constant(3), 0)
