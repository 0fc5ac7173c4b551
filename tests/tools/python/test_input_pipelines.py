"""Inputs by queues and threads: TensorFlow's elements and names."""

import numpy as np
import pytest

import troupe as tf

T = tf.train


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(5)
        yield graph


def _numbers(limit, **arguments):
    return T.range_input_producer(limit, num_epochs=1, **{"shuffle": False, **arguments}).dequeue()


# An input, and what TensorFlow 2.21 gives of it with the graph's seed 5 until it ends.
_RECORDED = {
    "strings": (lambda: T.string_input_producer(["a", "b"], num_epochs=2, shuffle=False).dequeue(), [b"a", b"b", b"a", b"b"]),
    "a shuffled range": (lambda: _numbers(4, shuffle=True, seed=3), [2, 3, 0, 1]),
    "slices": (lambda: T.slice_input_producer([tf.constant([1, 2, 3]), tf.constant(["x", "y", "z"])], num_epochs=1, shuffle=False),
               [[1, b"x"], [2, b"y"], [3, b"z"]]),
    "batches": (lambda: T.batch([_numbers(5)], 2, allow_smaller_final_batch=True), [[0, 1], [2, 3], [4]]),
    "whole batches": (lambda: T.batch({"a": _numbers(5)}, 2)["a"], [[0, 1], [2, 3]]),
    "padded batches": (lambda: T.batch([tf.range(_numbers(3))], 3, dynamic_pad=True), [[[0, 0], [0, 0], [0, 1]]]),
    "a shuffled batch": (lambda: T.shuffle_batch([_numbers(6)], 6, 20, 5, seed=2, allow_smaller_final_batch=True), [[1, 4, 3, 5, 2, 0]]),
    "batches of lists": (lambda: T.batch_join([[_numbers(4)]], 2), [[0, 1], [2, 3]]),
    "kept elements": (lambda: (lambda n: T.maybe_batch([n], n > 1, 2))(_numbers(6)), [[2, 3], [4, 5]]),
}


@pytest.mark.parametrize("name", list(_RECORDED))
def test_elements_are_as_recorded(name):
    make, recorded = _RECORDED[name]
    element, found = make(), []
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = T.Coordinator()
        threads = T.start_queue_runners(session, coord)
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                value = session.run(element)
                found.append([v.item() if hasattr(v, "item") else v for v in value] if isinstance(value, list) else np.asarray(value).tolist())
        coord.request_stop()
        coord.join(threads)
    assert found == recorded


def test_operations_have_the_recorded_names(graph):
    T.batch([_numbers(5)], 2)
    names = [op.name for op in graph.get_operations() if "ueue" in op.type or op.type in ("CountUpTo", "ScalarSummary", "VariableV2")]
    assert names == [
        "input_producer/limit_epochs/epochs", "input_producer/limit_epochs/CountUpTo", "input_producer",
        "input_producer/input_producer_EnqueueMany", "input_producer/input_producer_Close", "input_producer/input_producer_Close_1",
        "input_producer/input_producer_Size", "input_producer/fraction_of_32_full", "input_producer_Dequeue", "batch/fifo_queue",
        "batch/fifo_queue_enqueue", "batch/fifo_queue_Close", "batch/fifo_queue_Close_1", "batch/fifo_queue_Size",
        "batch/fraction_of_32_full", "batch"]


def test_without_epochs_an_input_never_ends():
    element = T.string_input_producer(["a", "b"], shuffle=False).dequeue()
    with tf.Session() as session:
        coord = T.Coordinator()
        threads = T.start_queue_runners(session, coord)
        assert [session.run(element) for _ in range(5)] == [b"a", b"b", b"a", b"b", b"a"]
        coord.request_stop()
        coord.join(threads)


def test_a_monitored_session_starts_the_threads():
    element = T.batch([_numbers(4)], 2)
    found = []
    with T.MonitoredSession() as session:
        while not session.should_stop():
            found.append(session.run(element).tolist())
    assert found == [[0, 1], [2, 3]]


def test_errors_say_what_is_wrong():
    with pytest.raises(ValueError, match="requires a non-null input tensor"):
        T.string_input_producer([])
    with pytest.raises(ValueError, match="num_epochs must be > 0"):
        T.limit_epochs(tf.constant(1), num_epochs=0)
    with pytest.raises(ValueError, match="All shapes must be fully defined"):
        T.batch([tf.placeholder(tf.int32, [None])], 2)
    with pytest.raises(ValueError, match="must be bigger than min_after_dequeue"):
        T.shuffle_batch([tf.constant(1)], 2, 5, 5)


@pytest.mark.parametrize("smaller", [False, True])
def test_elements_of_like_lengths_are_batched_together(smaller):
    lengths = [1, 5, 2, 6, 1, 9, 2, 3, 1]
    queue = tf.train.range_input_producer(len(lengths), num_epochs=1, shuffle=False)
    length = tf.gather(tf.constant(lengths), queue.dequeue())
    words = tf.fill([length], length)
    got, batch = tf.contrib.training.bucket_by_sequence_length(length, {"words": words, "twice": 2 * length}, 2, [3, 8], capacity=8, dynamic_pad=True,
                                                               allow_smaller_final_batch=smaller)
    made = []
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                made.append(session.run([got, batch]))
        coordinator.request_stop()
        coordinator.join(threads)
    side = lambda n: 0 if n < 3 else 1 if n < 8 else 2
    assert all(len({side(n) for n in ns}) == 1 and (len(ns) == 2 or smaller) for ns, _ in made)
    for ns, b in made:
        assert b["words"].shape == (len(ns), max(ns)) and all(row.tolist() == [n] * n + [0] * (max(ns) - n) for row, n in zip(b["words"], ns))
        assert b["twice"].tolist() == (2 * ns).tolist()
    short, long = ([n for ns, _ in made for n in ns.tolist() if side(n) == k] for k in (0, 1))
    assert short == [1, 2, 1, 2, 1][:5 if smaller else 4] and long == [5, 6, 3][:3 if smaller else 2]
    assert sum(len(ns) for ns, _ in made) == (9 if smaller else 6)


def test_buckets_must_grow_and_fit():
    bucket = tf.contrib.training.bucket_by_sequence_length
    for boundaries, error, message in (([], ValueError, "must not be empty"), ([3, 2], ValueError, "sequential increasing"),
                                       ([2.5], TypeError, "must be integers")):
        with pytest.raises(error, match=message):
            bucket(tf.constant(1), [tf.constant(1)], 2, boundaries)
    with pytest.raises(ValueError, match="exactly num_buckets"):
        tf.contrib.training.bucket([tf.constant(1)], tf.constant(0), 2, 3, bucket_capacities=[1, 2])
    with pytest.raises(ValueError, match="fully defined"):
        tf.contrib.training.bucket([tf.placeholder(tf.int32, [None])], tf.constant(0), 2, 3)
