"""Datasets: TensorFlow's elements."""

import time

import numpy as np
import pytest

import troupe as tf

D = tf.data.Dataset

# A dataset, and its elements as TensorFlow 2.21 gives them with the graph's seed 11.
_RECORDED = {
    "from_tensors": (lambda: D.from_tensors(([1, 2], {"a":3.0})), [[[1, 2], {"a": 3.0}]]),
    "slices": (
        lambda: D.from_tensor_slices({"x":[1, 2, 3], "y":[[1., 2.], [3., 4.], [5., 6.]]}),
        [{"x": 1, "y": [1.0, 2.0]}, {"x": 2, "y": [3.0, 4.0]}, {"x": 3, "y": [5.0, 6.0]}]),
    "range": (lambda: D.range(2, 11, 3), [2, 5, 8]),
    "map": (lambda: D.range(4).map(lambda x: (x*2, tf.cast(x, tf.float32)+0.5)), [[0, 0.5], [2, 1.5], [4, 2.5], [6, 3.5]]),
    "map_tuple": (lambda: D.from_tensor_slices(([1, 2], [3, 4])).map(lambda a, b: {"s":a+b}), [{"s": 4}, {"s": 6}]),
    "parallel_map": (lambda: D.range(5).map(lambda x: x*x, num_parallel_calls=3), [0, 1, 4, 9, 16]),
    "batch": (lambda: D.range(5).batch(2), [[0, 1], [2, 3], [4]]),
    "drop": (lambda: D.range(5).batch(2, drop_remainder=True), [[0, 1], [2, 3]]),
    "padded": (
        lambda: D.range(1, 4).map(lambda x: tf.fill([x], x)).padded_batch(3, padded_shapes=[None]),
        [[[1, 0, 0], [2, 2, 0], [3, 3, 3]]]),
    "padded2": (
        lambda: D.range(1, 4).map(lambda x: (tf.fill([x], x), x)).padded_batch(2, padded_shapes=([4], []), padding_values=(np.int64(-1), np.int64(0))),
        [[[[1, -1, -1, -1], [2, 2, -1, -1]], [1, 2]], [[[3, 3, 3, -1]], [3]]]),
    "shuffle": (lambda: D.range(10).shuffle(5, seed=3), [0, 2, 5, 4, 6, 9, 7, 1, 8, 3]),
    "shuffle_rep": (lambda: D.range(5).shuffle(5, seed=3).repeat(2), [0, 4, 2, 3, 1, 1, 2, 4, 0, 3]),
    "shuffle_same": (lambda: D.range(5).shuffle(5, seed=3, reshuffle_each_iteration=False).repeat(2), [1, 3, 2, 0, 4, 1, 3, 2, 0, 4]),
    "repeat": (lambda: D.range(2).repeat(3), [0, 1, 0, 1, 0, 1]),
    "zip": (lambda: D.zip((D.range(3), D.range(10, 20))), [[0, 10], [1, 11], [2, 12]]),
    "concat": (lambda: D.range(2).concatenate(D.range(5, 7)), [0, 1, 5, 6]),
    "filter": (lambda: D.range(8).filter(lambda x: tf.equal(x%3, 1)), [1, 4, 7]),
    "take": (lambda: D.range(8).take(3), [0, 1, 2]),
    "skip": (lambda: D.range(8).skip(6), [6, 7]),
    "prefetch": (lambda: D.range(3).prefetch(2), [0, 1, 2]),
    "flat_map": (lambda: D.range(1, 4).flat_map(lambda x: D.range(x)), [0, 0, 1, 0, 1, 2]),
    "interleave": (
        lambda: D.range(1, 4).interleave(lambda x: D.from_tensors(x).repeat(3), cycle_length=2, block_length=2),
        [1, 1, 2, 2, 1, 2, 3, 3, 3]),
    "interleave_nested": (
        lambda: D.range(1, 3).interleave(lambda x: D.range(3).map(lambda y: x*10+y), cycle_length=2),
        [10, 20, 11, 21, 12, 22]),
    "pinterleave": (
        lambda: D.range(1, 4).interleave(lambda x: D.from_tensors(x).repeat(3), cycle_length=2, num_parallel_calls=2),
        [1, 2, 1, 2, 1, 2, 3, 3, 3]),
    "capture": (lambda: (lambda c: D.range(3).map(lambda x: x+c))(tf.constant(100, tf.int64)), [100, 101, 102]),
    "shard": (lambda: D.range(7).shard(3, 1), [1, 4]),
    "enumerate": (lambda: D.from_tensor_slices(["a", "b"]).enumerate(5), [[5, "a"], [6, "b"]]),
    "cache": (lambda: D.range(3).cache().repeat(2), [0, 1, 2, 0, 1, 2]),
    "unbatch": (lambda: D.range(6).batch(4).unbatch(), [0, 1, 2, 3, 4, 5]),
    "take_while": (lambda: D.range(9).take_while(lambda x: x<4), [0, 1, 2, 3]),
    "random": (
        lambda: D.range(3).map(lambda x: tf.random_uniform([], seed=4)),
        [0.6758607625961304, 0.6747723817825317, 0.9749903678894043]),
    "cond": (lambda: D.range(4).map(lambda x: tf.cond(x>1, lambda: x*10, lambda: x)), [0, 1, 20, 30]),
}


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(11)
        yield graph


def _plain(value):
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(v) for v in value]
    return value.decode() if isinstance(value, bytes) else np.asarray(value).tolist()


def _elements(dataset, one_shot=False):
    iterator = dataset.make_one_shot_iterator() if one_shot else dataset.make_initializable_iterator()
    following, found = iterator.get_next(), []
    with tf.Session() as session:
        if not one_shot:
            session.run(iterator.initializer)
        while True:
            try:
                found.append(_plain(session.run(following)))
            except tf.errors.OutOfRangeError:
                return found


@pytest.mark.parametrize("one_shot", [False, True])
@pytest.mark.parametrize("name", list(_RECORDED))
def test_elements_are_as_recorded(name, one_shot):
    make, recorded = _RECORDED[name]
    assert _elements(make(), one_shot) == recorded


def test_lines_and_records_of_files(tmp_path):
    first, second, records = (str(tmp_path / n) for n in ("1", "2", "records"))
    (tmp_path / "1").write_text("a\nb\n")
    (tmp_path / "2").write_text("c\n")
    with tf.python_io.TFRecordWriter(records) as writer:
        writer.write(b"x")
        writer.write(b"yy")
    assert _elements(tf.data.TextLineDataset([first, second])) == ["a", "b", "c"]
    assert _elements(D.from_tensor_slices([first, second]).flat_map(tf.data.TextLineDataset)) == ["a", "b", "c"]
    assert _elements(tf.data.TFRecordDataset(records)) == ["x", "yy"]
    assert _elements(tf.data.FixedLengthRecordDataset(first, 2)) == ["a\n", "b\n"]
    assert _elements(D.list_files(str(tmp_path / "?"), shuffle=False)) == [first, second]


def test_types_and_shapes_are_known():
    dataset = D.from_tensor_slices(([1, 2, 3], {"a": [[1.0, 2.0]] * 3}))
    assert dataset.output_types == (tf.int32, {"a": tf.float32})
    assert dataset.output_shapes == (tf.TensorShape([]), {"a": tf.TensorShape([2])})
    assert dataset.batch(2).output_shapes == (tf.TensorShape([None]), {"a": tf.TensorShape([None, 2])})
    assert dataset.batch(2, drop_remainder=True).output_shapes[0] == tf.TensorShape([2])
    number, rest = dataset.make_one_shot_iterator().get_next()
    assert number.name == "IteratorGetNext:0" and rest["a"].shape == [2]


def test_placeholders_are_fed_to_the_initializer():
    limit = tf.placeholder(tf.int64, [])
    iterator = D.range(limit).make_initializable_iterator()
    following = iterator.get_next()
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(following)
        for n in (1, 2):
            session.run(iterator.initializer, {limit: n})
            assert [session.run(following) for _ in range(n)] == list(range(n))
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(following)
    with pytest.raises(ValueError, match="Cannot capture a placeholder"):
        D.range(limit).make_one_shot_iterator()


def test_an_iterator_changes_its_dataset():
    a, b = D.range(3), D.range(10, 12)
    iterator = tf.data.Iterator.from_structure(a.output_types, a.output_shapes)
    following = iterator.get_next()
    to_a, to_b = iterator.make_initializer(a), iterator.make_initializer(b)
    with tf.Session() as session:
        session.run(to_a)
        assert session.run(following) == 0
        session.run(to_b)
        assert session.run(following) == 10
    with pytest.raises(TypeError, match="Expected output types"):
        iterator.make_initializer(D.from_tensors("text"))
    with pytest.raises(ValueError, match="does not have an initializer"):
        iterator.initializer


def test_a_string_names_the_iterator():
    handle = tf.placeholder(tf.string, [])
    iterators = [D.range(0, 9).make_one_shot_iterator(), D.range(50, 59).make_one_shot_iterator()]
    following = tf.data.Iterator.from_string_handle(handle, tf.int64, tf.TensorShape([])).get_next()
    with tf.Session() as session:
        names = session.run([i.string_handle() for i in iterators])
        assert [session.run(following, {handle: names[i]}) for i in (0, 1, 0, 1)] == [0, 50, 1, 51]


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_function_may_read_a_variable(use_resource):
    v = tf.get_variable("v", initializer=np.int64(7), use_resource=use_resource)
    iterator = D.range(2).map(lambda x: x + v).make_initializable_iterator()
    following = iterator.get_next()
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(iterator.initializer)
        assert [session.run(following) for _ in range(2)] == [7, 8]
    with pytest.raises(ValueError, match="Cannot capture a stateful node"):
        D.range(2).map(lambda x: x + v).make_one_shot_iterator()


def test_a_dataset_is_reduced_to_a_tensor():
    total = D.range(5).reduce(np.int64(100), lambda state, x: state + x)
    with tf.Session() as session:
        assert session.run(total) == 110


def test_errors_say_what_is_wrong():
    with pytest.raises(TypeError, match="must return a `Dataset` object"):
        D.range(3).flat_map(lambda x: x)
    with pytest.raises(ValueError, match="must return a `tf.bool` scalar tensor"):
        D.range(3).filter(lambda x: x)
    with pytest.raises(TypeError, match="Incompatible types of input datasets"):
        D.range(3).concatenate(D.from_tensors("text"))
    with pytest.raises(ValueError):
        D.from_tensor_slices(([1, 2], [1, 2, 3]))
    with pytest.raises(TypeError, match="Python `list` is not supported"):
        D.zip([D.range(3)])


def test_a_function_may_use_sparse_tensors_from_outside():
    sparse = tf.SparseTensor([[0], [2]], tf.constant([1, 2], tf.int64), [3])
    assert _elements(D.range(2).map(lambda x: tf.reduce_sum(tf.cast(sparse, tf.int64).values) + x)) == [3, 4]


def test_other_functions_refuse_tensors_from_outside():
    outside = tf.constant(1.0)

    @tf.function.Defun(tf.float32)
    def add_outside(x):
        return x + outside

    with pytest.raises(ValueError, match="must be from the same graph as the body of the function"):
        add_outside(tf.constant(2.0))


def test_seeds_of_what_follows_are_as_recorded(graph):
    D.range(8).shuffle(8).make_one_shot_iterator()
    drawn = tf.random_uniform([2])
    seeds = [op for op in graph.get_operations() if op.type == "RandomUniform"][0]
    assert (seeds.get_attr("seed"), seeds.get_attr("seed2")) == (11, 2)
    assert drawn.shape == [2]


def test_a_generator_that_is_left_early_is_closed():
    closed = []

    def numbers():
        try:
            yield from range(3)
        finally:
            closed.append(True)

    def wait_for_closed(count):
        deadline = time.monotonic() + 30
        while len(closed) < count and time.monotonic() < deadline:
            time.sleep(0.001)
        assert len(closed) == count

    iterator = D.from_generator(numbers, tf.int64, []).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        assert session.run(element) == 0
        assert closed == []
        for count in (1, 2):
            # Another position takes the place of the one that has begun.
            session.run(iterator.initializer)
            assert session.run(element) == 0
            wait_for_closed(count)
        assert [session.run(element), session.run(element)] == [1, 2]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)
        wait_for_closed(3)
        session.run(iterator.initializer)
        assert session.run(element) == 0
    # It had come to its end, and was closed once.
    assert len(closed) == 3
