"""Queues."""

import numpy as np
import pytest

import troupe as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_first_in_is_first_out():
    queue = tf.FIFOQueue(3, [tf.int32, tf.float32], shapes=[[], [2]])
    enqueue = queue.enqueue_many([[1, 2], [[1, 2], [3, 4]]])
    number, pair = queue.dequeue()
    assert queue.name == "fifo_queue" and enqueue.name == "fifo_queue_EnqueueMany" and number.name == "fifo_queue_Dequeue:0"
    assert pair.shape == [2]
    with tf.Session() as session:
        session.run(enqueue)
        assert session.run(queue.size()) == 2
        got = session.run([number, pair])
        assert got[0] == 1
        np.testing.assert_array_equal(got[1], [1, 2])


def test_a_closed_queue_gives_the_rest_and_ends():
    queue = tf.FIFOQueue(3, tf.int32, shapes=[])
    rest, one = queue.dequeue_up_to(5), queue.dequeue()
    assert rest.shape.as_list() == [None]
    with tf.Session() as session:
        session.run(queue.enqueue_many([[1, 2]]))
        session.run(queue.close())
        assert session.run(queue.is_closed())
        np.testing.assert_array_equal(session.run(rest), [1, 2])
        with pytest.raises(tf.errors.OutOfRangeError, match="is closed and has insufficient elements"):
            session.run(one)
        with pytest.raises(tf.errors.CancelledError, match="is closed"):
            session.run(queue.enqueue(3))


def test_elements_with_names_are_dictionaries():
    queue = tf.FIFOQueue(3, [tf.int32, tf.string], names=["n", "s"], shapes=[[], []])
    with tf.Session() as session:
        session.run(queue.enqueue({"n": 1, "s": "x"}))
        assert session.run(queue.dequeue()) == {"n": 1, "s": b"x"}
    with pytest.raises(ValueError, match="do not match names of Queue"):
        queue.enqueue({"n": 1})
    with pytest.raises(ValueError, match="must enqueue a dictionary"):
        queue.enqueue([1, "x"])


def test_seeds_shuffle_as_recorded():
    tf.set_random_seed(7)
    queue = tf.RandomShuffleQueue(10, 0, tf.int32, shapes=[()], seed=3)
    enqueue, dequeue = queue.enqueue_many([list(range(10))]), queue.dequeue_many(10)
    with tf.Session() as session:
        session.run(enqueue)
        np.testing.assert_array_equal(session.run(dequeue), [3, 9, 0, 6, 4, 7, 2, 1, 5, 8])


def test_elements_are_padded_to_the_longest():
    queue = tf.PaddingFIFOQueue(10, [tf.float32], [[None]])
    with tf.Session() as session:
        session.run(queue.enqueue([[1, 2]]))
        session.run(queue.enqueue([[3]]))
        np.testing.assert_array_equal(session.run(queue.dequeue_many(2)), [[1, 2], [3, 0]])


def test_the_smallest_priority_is_first():
    queue = tf.PriorityQueue(10, [tf.string], [()])
    with tf.Session() as session:
        session.run(queue.enqueue_many([[3, 1, 2], ["c", "a", "b"]]))
        numbers, texts = session.run(queue.dequeue_many(3))
    np.testing.assert_array_equal(numbers, [1, 2, 3])
    assert texts.tolist() == [b"a", b"b", b"c"]
