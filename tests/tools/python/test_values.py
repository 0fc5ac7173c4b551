"""Types, shapes, devices, messages, arrays: what Python has of the library's values."""

import pickle

import numpy as np
import pytest

import troupe as tf
from troupe import _native, protos


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def test_a_type_equals_its_names_and_numpys():
    assert tf.float32 == np.float32 and tf.float32 == "float32" and tf.as_dtype("float") is tf.float32
    assert tf.as_dtype(np.dtype("i8")) is tf.int64 and tf.as_dtype(float) is tf.float32 and tf.as_dtype(str) is tf.string
    assert tf.as_dtype(1) is tf.float32 and tf.as_dtype(101)._is_ref_dtype
    assert tf.float32 != tf.float64 and tf.float32 != None and tf.float32 != "other"  # noqa: E711, that is what is tested
    assert repr(tf.int32) == "tf.int32" and str(tf.half) == "<dtype: 'float16'>" and repr(tf.bool) == "tf.bool"
    with pytest.raises(TypeError, match="Cannot convert the argument `type_value`: 'nonsense' to a TensorFlow DType"):
        tf.as_dtype("nonsense")


def test_a_type_knows_its_kind_and_its_limits():
    assert tf.int8.limits == (-128, 127) and tf.float16.max == 65504
    assert tf.uint8.is_unsigned and tf.complex64.real_dtype is tf.float32 and tf.qint8.is_quantized
    assert tf.float32._as_ref.base_dtype is tf.float32 and tf.float32.is_compatible_with(tf.float32) and tf.float32.is_compatible_with(tf.float32._as_ref)
    assert not tf.float32._as_ref.is_compatible_with("float32")
    assert pickle.loads(pickle.dumps(tf.int64)) is tf.int64
    with pytest.raises(TypeError, match="Cannot find maximum value"):
        tf.string.max


def test_shapes_are_merged_and_compared():
    s = tf.TensorShape([None, 3])
    assert s.merge_with([2, None]) == tf.TensorShape([2, 3])
    assert s.as_list() == [None, 3] and str(s) == "(?, 3)" and s.rank == 2 and s[1] == 3 and s[1:].as_list() == [3]
    assert tf.TensorShape(None).rank is None and not tf.TensorShape(None)
    assert s.concatenate([4]).as_list() == [None, 3, 4]
    assert not s.is_compatible_with([2]) and s.is_compatible_with(tf.TensorShape(None))
    assert tf.TensorShape([2, 3]).num_elements() == 6 and s.num_elements() is None
    assert tf.TensorShape(s.as_proto()) == s
    with pytest.raises(ValueError, match="are not compatible"):
        s.merge_with([2, 4])
    with pytest.raises(ValueError, match="as_list\\(\\) is not defined on an unknown TensorShape"):
        tf.TensorShape(None).as_list()


def test_dimensions_count_as_far_as_they_are_known():
    two, some = tf.Dimension(2), tf.Dimension(None)
    assert two + 3 == 5 and (two * some).value is None and (two == some) is None and two // 2 == 1
    assert int(two) == 2 and [10, 20, 30][two] == 30
    with pytest.raises(ValueError, match="must be >= 0"):
        tf.Dimension(-1)


def test_devices_are_merged_from_outside_in():
    merged = tf.DeviceSpec.from_string("/job:ps/cpu:0").make_merged_spec(tf.DeviceSpec.from_string("/task:1/device:GPU:2"))
    assert merged.to_string() == "/job:ps/task:1/device:GPU:2"
    with tf.device("/job:ps"), tf.device("/cpu:1"):
        a = tf.constant(1)
        with tf.device(None):
            b = tf.constant(1)
        with tf.device(lambda op: "/cpu:3" if op.type == "Const" else "/cpu:4"):
            c = tf.constant(1)
        d = tf.identity(a)
    assert [t.device for t in (a, b, c)] == ["/job:ps/device:CPU:1", "", "/job:ps/device:CPU:3"]
    assert d.device == a.device
    with pytest.raises(ValueError, match="Unknown attribute"):
        tf.DeviceSpec.from_string("/what:is:this:9")


def test_messages_are_built_by_attributes():
    config = tf.ConfigProto(allow_soft_placement=True, device_count={"CPU": 2}, gpu_options={"allow_growth": True})
    config.graph_options.rewrite_options.min_graph_nodes = -1
    config.device_filters.extend(["/job:a", "/job:b"])
    pool = config.session_inter_op_thread_pool.add()
    pool.num_threads = 3
    same = tf.ConfigProto.FromString(config.SerializeToString())
    assert same == config and same != tf.ConfigProto()
    assert same.device_count["CPU"] == 2 and "GPU" not in same.device_count
    assert list(same.device_filters) == ["/job:a", "/job:b"] and same.session_inter_op_thread_pool[0].num_threads == 3
    assert same.HasField("gpu_options") and not tf.ConfigProto().HasField("gpu_options")
    assert "min_graph_nodes: -1" in str(same)


def test_looking_at_a_message_does_not_change_it():
    config = tf.ConfigProto()
    assert config.graph_options.optimizer_options.opt_level == 0
    options = config.graph_options.optimizer_options
    assert config.SerializeToString() == b""
    options.opt_level = tf.OptimizerOptions.L0
    assert config.graph_options.optimizer_options.opt_level == -1
    assert config.HasField("graph_options")


def test_a_message_refuses_what_it_has_no_place_for():
    options = tf.RunOptions()
    with pytest.raises(AttributeError, match='Protocol message RunOptions has no "tracing" field'):
        options.tracing = 1
    with pytest.raises(ValueError, match="out of range"):
        options.inter_op_thread_pool = 2**40
    with pytest.raises(TypeError):
        options.timeout_in_ms = "soon"
    with pytest.raises(ValueError, match='unknown enum label "SOME_TRACE"'):
        options.trace_level = "SOME_TRACE"
    with pytest.raises(ValueError, match="Error parsing message"):
        options.ParseFromString(b"\xff\xff")
    options.trace_level = "FULL_TRACE"
    assert options.trace_level == tf.RunOptions.FULL_TRACE == 3
    assert tf.GraphDef.from_text('node { name: "x" op: "NoOp" }').node[0].name == "x"


def test_parts_of_a_message_outlive_their_place_in_it():
    graph_def = protos.GraphDef()
    node = graph_def.node.add()
    node.name = "first"
    graph_def.node.add().name = "second"
    del graph_def.node[0]
    assert node.name == "first" and graph_def.node[0].name == "second"
    rest = list(graph_def.node)
    graph_def.ClearField("node")
    graph_def.node.extend([node, *rest])
    assert [n.name for n in graph_def.node] == ["first", "second"]
    versions = graph_def.versions
    versions.producer = 3
    graph_def.ParseFromString(b"")
    assert versions.producer == 3 and rest[0].name == "second" and graph_def.SerializeToString() == b""


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                                   "bool", "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(), (3,), (0, 2), (2, 1000)])
def test_arrays_of_every_type_come_back(dtype, shape):
    count = int(np.prod(shape))
    value = (np.arange(count) % 7).reshape(shape).astype(dtype)
    x = tf.placeholder(dtype, shape)
    with tf.Session() as session:
        for fetch in (tf.identity(x), tf.identity(tf.constant(value))):
            got = session.run(fetch, {x: value})
            assert got.dtype == np.dtype(dtype) and got.shape == shape
            np.testing.assert_array_equal(got, value)


def test_bfloat16_is_computed_with():
    with tf.Session() as session:
        got = session.run(tf.cast(tf.constant([1.5, 2.0]), tf.bfloat16))
        back = session.run(tf.cast(tf.constant(got, tf.bfloat16), tf.float32))
    assert got.dtype.itemsize == 2
    np.testing.assert_array_equal(back, [1.5, 2.0])


def test_arrays_that_are_not_laid_out_in_order_are_fed():
    x = tf.placeholder(tf.float32, [None, None])
    base = np.arange(20000, dtype=np.float32).reshape(100, 200)
    with tf.Session() as session:
        for value in (base.T, base[::2, ::-1], np.asfortranarray(base), base.astype(">f4"), base.astype(np.float64)):
            np.testing.assert_array_equal(session.run(tf.identity(x), {x: value}), value)


def aligned(count):
    raw = np.empty(count * 4 + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start:start + count * 4].view(np.float32)


def test_a_large_feed_is_not_copied_and_is_let_go():
    import gc
    import weakref

    class Watched(np.ndarray):
        pass

    x = tf.placeholder(tf.float32, [100000])
    y = x[:1] + 1.0
    value = aligned(100000)
    value[:] = 2.0
    owner = value.base
    while getattr(owner, "base", None) is not None:
        owner = owner.base
    alive = weakref.ref(owner)
    with tf.Session() as session:
        assert session.run(y, {x: value}) == [3.0]
        del value, owner
        assert session.run(y, {x: np.zeros(100000, np.float32)}) == [1.0]
        gc.collect()
        assert alive() is None


def test_what_is_fetched_is_the_callers():
    c = tf.constant(np.ones(100000, np.float32))
    x = tf.placeholder(tf.float32, [100000])
    doubled = x * 2.0
    with tf.Session() as session:
        for fetch, feed in ((c, None), (doubled, {x: np.ones(100000)})):
            first = session.run(fetch, feed)
            expected = first[0]
            first[:] = 9.0
            assert session.run(fetch, feed)[0] == expected
    # It outlives its session.
    assert first.sum() == 900000.0


def test_a_resource_is_fetched_as_it_is_and_not_fed():
    v = tf.Variable(3.0, use_resource=True)
    handle = tf.placeholder(tf.resource, [])
    read = tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)
    with tf.Session() as session:
        session.run(v.initializer)
        value = session.run(v.handle)
        assert isinstance(value, _native.Tensor) and "Variable" in repr(value)
        with pytest.raises(tf.errors.InvalidArgumentError, match="a resource tensor was being provided as a feed"):
            session.run(read, {handle: value})
        with pytest.raises(TypeError, match="A resource can be fed only with what was fetched as one"):
            session.run(read, {handle: 3.0})


def test_a_variant_is_fetched_and_fed():
    x = tf.placeholder(tf.variant, [])
    made = tf.raw_ops.TensorListFromTensor(tensor=[1.0, 2.0], element_shape=tf.constant([], tf.int32))
    stacked = tf.raw_ops.TensorListStack(input_handle=x, element_shape=tf.constant([], tf.int32), element_dtype=tf.float32)
    with tf.Session() as session:
        value = session.run(made)
        np.testing.assert_array_equal(session.run(stacked, {x: value}), [1, 2])


def test_tensor_protos_hold_arrays():
    for value in ([1.5, 2.5], [[1, 2], [3, 4]], ["a", "b"], True):
        proto = tf.make_tensor_proto(value)
        np.testing.assert_array_equal(tf.make_ndarray(proto).astype("U") if proto.dtype == 7 else tf.make_ndarray(proto), value)
    assert tf.make_tensor_proto([1], shape=[2, 2]).tensor_shape.dim[1].size == 2


def test_shapes_are_asked_for_ranks():
    unknown, vector, matrix = tf.TensorShape(None), tf.TensorShape([None]), tf.TensorShape([2, 3])
    assert str(vector) == "(?,)" and str(tf.TensorShape([4])) == "(4,)" and str(unknown) == "<unknown>"
    assert unknown.with_rank(2).as_list() == [None, None] and matrix.with_rank_at_least(2) is matrix and matrix.with_rank_at_most(2) is matrix
    assert unknown.with_rank_at_least(3) is unknown
    assert unknown.concatenate(matrix).rank is None and matrix.concatenate(unknown).rank is None and (matrix + [4]).as_list() == [2, 3, 4]
    matrix.assert_same_rank([5, 6])
    matrix.assert_same_rank(unknown)
    unknown.assert_same_rank(matrix)
    for wrong, text in ((lambda: matrix.with_rank(1), "must have rank 1"), (lambda: matrix.with_rank_at_least(3), "must have rank at least 3"),
                        (lambda: matrix.with_rank_at_most(1), "must have rank at most 1"), (lambda: matrix.assert_has_rank(3), "must have rank 3"),
                        (lambda: matrix.assert_same_rank(vector), "must have the same rank"), (lambda: vector.assert_is_fully_defined(), "not fully defined")):
        with pytest.raises(ValueError, match=text):
            wrong()
    assert [d.value for d in matrix] == [2, 3] and len(matrix) == 2 and hash(matrix) == hash(tf.TensorShape((2, 3)))


def test_nests_are_taken_apart_and_put_together():
    nested = {"b": (1, [2]), "a": 3}
    assert tf.nest.flatten(nested) == [3, 1, 2]
    assert tf.nest.pack_sequence_as(nested, [30, 10, 20]) == {"b": (10, [20]), "a": 30}
    assert tf.nest.map_structure(lambda x, y: x + y, nested, nested) == {"b": (2, [4]), "a": 6}
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        tf.nest.map_structure(lambda *x: x, [1, 2], [1, 2], [1])
    with pytest.raises(ValueError, match="Structure had 3 atoms, but flat_sequence had 4 items"):
        tf.nest.pack_sequence_as(nested, [1, 2, 3, 4])
    with pytest.raises(ValueError, match="Too few elements"):
        tf.nest.pack_sequence_as(nested, [1])


def test_numbers_become_the_bfloat16_nearest_to_them():
    numbers = [1.5, -2.7, 3.0000001, 1.00390625, 1.01171875, float("inf")]
    nearest = [1.5, -2.703125, 3.0, 1.0, 1.015625, float("inf")]
    fed = tf.placeholder(tf.bfloat16, [None])
    with tf.Session() as session:
        constant = tf.constant([*numbers, float("nan")], tf.bfloat16)
        made = session.run(tf.cast(constant, tf.float32))
        assert made[:-1].tolist() == nearest and np.isnan(made[-1])
        widened = tf.cast(fed, tf.float32)
        assert session.run(widened, {fed: numbers}).tolist() == nearest
        assert session.run(widened, {fed: np.array(numbers)}).tolist() == nearest
        assert session.run(widened, {fed: [1, 2]}).tolist() == [1, 2]
        # What was fetched can be fed.
        assert session.run(widened, {fed: session.run(constant)})[:-1].tolist() == nearest
