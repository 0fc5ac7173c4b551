"""What can be fetched and fed, and what cannot."""

import collections

import numpy as np
import pytest

import troupe as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def test_s358_an_unknown_name_cannot_be_fetched():
    tf.constant(1.0)
    with tf.Session() as session:
        with pytest.raises(ValueError, match="cannot be interpreted as a Tensor.*'unknown'"):
            session.run("unknown")
        with pytest.raises(ValueError, match="The operation, 'unknown', does not exist in the graph"):
            session.run("unknown:0")


def test_s358_an_error_tells_its_code_and_its_operation():
    a = tf.placeholder(tf.float32, [None, None])
    product = tf.matmul(a, [[1.0, 2.0]], name="product")
    with tf.Session() as session, pytest.raises(tf.OpError) as raised:
        session.run(product, {a: np.ones([2, 3])})
    assert isinstance(raised.value, tf.errors.InvalidArgumentError)
    assert raised.value.error_code == tf.errors.INVALID_ARGUMENT
    assert raised.value.op is product.op
    assert raised.value.node_def.name == "product"


def test_s358_a_partial_run_without_setup_is_nobodys_error():
    x = tf.placeholder(tf.float32, [])
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="Must run 'setup'") as raised:
        session.partial_run("bogus", x, {x: 1.0})
    assert raised.value.op is None and raised.value.node_def is None


def test_s358_an_error_names_the_operations_that_its_own_is_based_on(graph):
    a = tf.constant(0.0, shape=[2, 3])
    with graph._original_op(a.op):
        b = tf.identity(a, name="id")
    with graph._original_op(b.op):
        c = tf.placeholder(tf.float32)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as raised:
        session.run(c)
    assert raised.value.op is c.op
    assert raised.value.op._original_op is b.op
    assert raised.value.op._original_op._original_op is a.op
    assert "originally created as op 'id'" in str(raised.value)
    assert "originally created as op 'Const'" in str(raised.value)


@pytest.mark.parametrize("fetch", [None, [None], (None,), {"a": None}, [[None]]])
def test_s359_none_cannot_be_fetched(fetch):
    tf.constant(1.0)
    with tf.Session() as session, pytest.raises(TypeError, match="has invalid type.*NoneType.*Cannot be None"):
        session.run(fetch)


def test_s359_other_objects_cannot_be_fetched():
    tf.constant(1.0)
    with tf.Session() as session, pytest.raises(TypeError, match='Argument `fetch` = 37 has invalid type "int"'):
        session.run(37)


def test_s359_a_single_fetch_is_a_value_and_an_operation_is_none():
    a = tf.constant(42.0, name="a")
    with tf.Session() as session:
        for fetch in (a, "a:0", b"a:0"):
            value = session.run(fetch)
            assert isinstance(value, np.float32) and value == 42.0
        assert session.run(a.op) is None
        assert session.run("a") is None


Pair = collections.namedtuple("Pair", ["left", "right"])


def test_s359_nests_come_back_as_they_went():
    a, b, c = (tf.constant(v, name=n) for v, n in ((42.0, "a"), ("b", "b"), ([1, 2], "c")))
    with tf.Session() as session:
        assert session.run([a, b]) == [42.0, b"b"]
        assert session.run((a, b)) == (42.0, b"b")
        assert session.run(Pair(a, b.op)) == Pair(42.0, None)
        assert isinstance(session.run(Pair(a, b)), Pair)
        assert session.run({"x": a, "y": "b:0"}) == {"x": 42.0, "y": b"b"}
        ordered = session.run(collections.OrderedDict([("z", a), ("a", b)]))
        assert isinstance(ordered, collections.OrderedDict) and list(ordered) == ["z", "a"] and ordered["z"] == 42.0
        assert session.run([[a], (b, [a.op])]) == [[42.0], (b"b", [None])]
        deep = session.run({"k": [Pair(a, {"m": c}), (b,)]})
        assert deep["k"][0].left == 42.0 and deep["k"][1] == (b"b",)
        np.testing.assert_array_equal(deep["k"][0].right["m"], [1, 2])


def test_s359_empty_nests_are_empty():
    tf.constant(1.0)
    with tf.Session() as session:
        for empty in ([], (), {}, [[]], ((), {})):
            assert session.run(empty) == empty


class Measured:
    """What the package attrs makes of a class, as far as it is seen from outside."""

    Field = collections.namedtuple("Field", ["name"])
    __attrs_attrs__ = (Field("value"), Field("twice"))

    def __init__(self, value, twice):
        self.value, self.twice = value, twice


def test_s359_classes_of_attrs_are_nests():
    a = tf.constant(3.0)
    with tf.Session() as session:
        got = session.run(Measured(a, [a + a]))
    assert isinstance(got, Measured) and got.value == 3.0 and got.twice == [6.0]


INDICES = np.array([[3, 2, 0], [4, 5, 1]], np.int64)
VALUES = np.array([1.0, 2.0], np.float32)
SHAPE = np.array([7, 9, 2], np.int64)


def test_s359_a_sparse_tensor_is_fetched_as_its_parts():
    sparse = tf.SparseTensor(tf.constant(INDICES), tf.constant(VALUES), tf.constant(SHAPE))
    with tf.Session() as session:
        single = session.run(sparse)
        nested = session.run([sparse, (sparse.values,)])
    assert isinstance(single, tf.SparseTensorValue)
    np.testing.assert_array_equal(single.indices, INDICES)
    np.testing.assert_array_equal(single.values, VALUES)
    np.testing.assert_array_equal(single.dense_shape, SHAPE)
    assert isinstance(nested[0], tf.SparseTensorValue)
    np.testing.assert_array_equal(nested[1][0], VALUES)


@pytest.mark.parametrize("value", [tf.SparseTensorValue(INDICES, VALUES, SHAPE), (INDICES, VALUES, SHAPE)])
def test_s359_a_sparse_tensor_is_fed_as_its_parts(value):
    sparse = tf.SparseTensor(tf.placeholder(tf.int64, [2, 3]), tf.placeholder(tf.float32, [2]), tf.placeholder(tf.int64, [3]))
    outputs = [tf.identity(t) for t in (sparse.indices, sparse.values, sparse.dense_shape)]
    with tf.Session() as session:
        got = session.run(outputs, {sparse: value})
        whole = session.run(sparse, {sparse: value})
    for part, expected in zip(got, (INDICES, VALUES, SHAPE)):
        np.testing.assert_array_equal(part, expected)
    np.testing.assert_array_equal(whole.values, VALUES)


def test_s359_a_sparse_placeholder_is_fed():
    sparse = tf.sparse_placeholder(tf.float32, shape=[7, 9, 2], name="placeholder1")
    assert sparse.get_shape() == tf.TensorShape([7, 9, 2])
    unknown = tf.sparse_placeholder(tf.float32, name="placeholder2")
    assert unknown.get_shape() == tf.TensorShape(None)
    with tf.Session() as session:
        value = session.run(tf.identity(unknown.values), {unknown: tf.SparseTensorValue(INDICES, VALUES, SHAPE)})
    np.testing.assert_array_equal(value, VALUES)


@pytest.mark.parametrize("dense_shape", [None, np.array([7, 2], np.int64)])
def test_s359_indexed_slices_are_fetched_and_fed_as_their_parts(dense_shape):
    values, indices = np.ones([2, 2], np.float32), np.array([0, 3], np.int64)
    parts = [tf.placeholder(tf.float32, [2, 2]), tf.placeholder(tf.int64, [2])]
    if dense_shape is not None:
        parts.append(tf.placeholder(tf.int64, [2]))
    slices = tf.IndexedSlices(*parts)
    fed = (values, indices) if dense_shape is None else tf.IndexedSlicesValue(values, indices, dense_shape)
    copy = tf.IndexedSlices(*[tf.identity(p) for p in parts])
    with tf.Session() as session:
        got = session.run(copy, {slices: fed})
    assert isinstance(got, tf.IndexedSlicesValue)
    np.testing.assert_array_equal(got.values, values)
    np.testing.assert_array_equal(got.indices, indices)
    if dense_shape is None:
        assert got.dense_shape is None
    else:
        np.testing.assert_array_equal(got.dense_shape, dense_shape)


def test_s362_feeds_are_named_by_tensors_names_and_nests():
    a, b = tf.placeholder(tf.float32, [], name="a"), tf.placeholder(tf.float32, [2], name="b")
    total = tf.add(a, b, name="total")
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(total, {"a:0": 1.0, b: [1, 2]}), [2, 3])
        np.testing.assert_array_equal(session.run("total:0", {(a, b): (2.0, [1, 2])}), [3, 4])
        np.testing.assert_array_equal(session.run(total, {(a, (b,)): (3.0, ([1, 2],))}), [4, 5])
        with pytest.raises(ValueError, match="Could not flatten dictionary"):
            session.run(total, {(a, b): (2.0,)})


def test_s368_a_tensor_can_be_fetched_twice():
    a = tf.constant([1.0, 2.0])
    with tf.Session() as session:
        first, second, third = session.run([a, a, a.name])
    for value in (first, second, third):
        np.testing.assert_array_equal(value, [1, 2])


@pytest.mark.parametrize("value", [3.0, [1.0, 2.0], np.array([[1.0, 2.0]], np.float32)])
def test_s368_what_is_fed_and_fetched_is_what_was_fed(value):
    x = tf.placeholder(tf.float32)
    y = x + 1
    with tf.Session() as session:
        for _ in range(3):
            same, more = session.run([x, y], {x: value})
            np.testing.assert_array_equal(same, np.array(value, np.float32))
            np.testing.assert_array_equal(more, np.array(value, np.float32) + 1)
            assert same.dtype == np.float32
        np.testing.assert_array_equal(session.run(x, {x: value}), np.array(value, np.float32))


def test_s370_a_tensor_is_no_feed():
    x = tf.placeholder(tf.float32, [])
    with tf.Session() as session, pytest.raises(TypeError, match="The value of a feed cannot be a tf.Tensor object"):
        session.run(x + 1, {x: tf.constant(1.0)})


@pytest.mark.parametrize("dtype,value", [(tf.int8, 300), (tf.uint8, -1), (tf.int32, 2**40)])
def test_s370_a_number_that_does_not_fit_is_no_feed(dtype, value):
    x = tf.placeholder(dtype, [])
    with tf.Session() as session, pytest.raises(TypeError, match="is not compatible with Tensor type"):
        session.run(tf.identity(x), {x: value})


def test_s370_strings_may_hold_anything():
    x = tf.placeholder(tf.string, [None])
    y = tf.identity(x)
    texts = ["", "\n", "a\0b", "ø β ∂"]
    with tf.Session() as session:
        got = session.run(y, {x: texts})
        assert got.dtype == object
        assert [g.decode() for g in got] == texts
        raw = [b"\x00\x01\xff", b"x" * 1000, b"\x00"]
        assert list(session.run(y, {x: raw})) == raw
        assert list(session.run(tf.constant(raw))) == raw
        assert session.run(tf.constant("\0a\0")) == b"\0a\0"


def test_s372_elements_of_other_graphs_are_refused():
    with tf.Graph().as_default():
        foreign = tf.constant(1.0)
    own = tf.constant(2.0)
    with tf.Session() as session:
        assert session.run(own) == 2.0
        with pytest.raises(ValueError, match="is not an element of this graph"):
            session.run(foreign)
        with pytest.raises(ValueError, match="is not an element of this graph"):
            session.run([own, foreign.op])


def test_s373_a_key_that_is_no_tensor_feeds_nothing():
    x = tf.placeholder(tf.float32, [], name="x")
    with tf.Session() as session:
        for key in ("other:0", 3, x.op, "x"):
            with pytest.raises(TypeError, match="Cannot interpret feed_dict key as Tensor"):
                session.run(x + 1, {key: 1.0})


def test_s375_a_feed_must_have_a_shape_that_its_tensor_can_have():
    some = tf.placeholder(tf.float32, [2, None], name="some")
    with tf.Session() as session:
        assert session.run(tf.shape(some + 0), {some: np.ones([2, 5])}).tolist() == [2, 5]
        with pytest.raises(ValueError, match=r"Cannot feed value of shape \(3, 5\) for Tensor some:0, which has shape \(2, \?\)"):
            session.run(some + 0, {some: np.ones([3, 5])})
        with pytest.raises(ValueError, match="Cannot feed value of shape"):
            session.run(some + 0, {some: [1.0, 2.0]})
        new_shape = tf.constant([2, 2])
        reshaped = tf.reshape(tf.constant([1, 2, 3, 4]), new_shape)
        with pytest.raises(ValueError, match="Cannot feed value of shape"):
            session.run(reshaped, {new_shape: [[4, 1]]})
        with pytest.raises(tf.errors.InvalidArgumentError, match="Input to reshape is a tensor with 4 values, but the requested shape has 9"):
            session.run(reshaped, {new_shape: [3, 3]})


class Squares:
    def __init__(self, tensor):
        self.tensor = tensor


def test_s382_a_conversion_is_registered_once():
    from troupe import fetches

    fetches.register_session_run_conversion_functions(
        Squares, lambda s: ([s.tensor], lambda values: values[0] ** 2), lambda s, value: [(s.tensor, value)], lambda s: [s.tensor])
    with pytest.raises(ValueError, match="has already been registered so ignore it"):
        fetches.register_session_run_conversion_functions(Squares, lambda s: ([s.tensor], lambda values: values[0]))
    x = tf.placeholder(tf.float32, [])
    with tf.Session() as session:
        assert session.run(Squares(tf.constant(3.0))) == 9.0
        assert session.run([Squares(x + 1.0)], {Squares(x): 4.0}) == [25.0]


def test_only_what_the_step_updates_is_read_again():
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    update, plain = v.assign_add(1.0), v + w
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run([update, v, w, plain])[:3] == [2.0, 2.0, 2.0]
        found = [s for s in session._signatures.values() if s.reads is not None]
        assert [s.places for s in found] == [[1]]
        assert session.run(update) == 3.0 and session.run([v, w]) == [3.0, 2.0]
        assert sum(s.reads is not None for s in session._signatures.values()) == 1
