"""Queues: first in first out, shuffled, padded, by priority; closed ones, and threads that fill them."""

import threading

import numpy as np
from program import show, tf

fifo = tf.FIFOQueue(3, [tf.float32, tf.string], shapes=[[2], []], names=None, name="fifo")
value = tf.placeholder(tf.float32, [2])
put = fifo.enqueue((value, "one"))
put_many = fifo.enqueue_many([[[1.0, 2.0], [3.0, 4.0]], ["a", "b"]])
got, got_many = fifo.dequeue(), fifo.dequeue_many(2)
padded = tf.PaddingFIFOQueue(10, [tf.int32], shapes=[[None]])
number = tf.placeholder(tf.int32, [None])
pad_put, pad_get = padded.enqueue([number]), padded.dequeue_many(2)
ordered = tf.PriorityQueue(10, [tf.string], [[]])
order_put, order_get = ordered.enqueue_many([np.array([3, 1, 2], np.int64), ["c", "a", "b"]]), ordered.dequeue()
shuffled = tf.RandomShuffleQueue(10, 0, [tf.int32], [[]], seed=4)
shuffle_put, shuffle_get = shuffled.enqueue_many([[1, 2, 3, 4, 5]]), shuffled.dequeue_many(5)

with tf.Session() as sess:
    sess.run(put, {value: [7.0, 8.0]})
    sess.run(put_many)
    show("size", sess.run(fifo.size()))
    show("got", [sess.run(got), sess.run(got_many)])
    for items in ([1], [1, 2, 3]):
        sess.run(pad_put, {number: items})
    show("padded", sess.run(pad_get))
    sess.run(order_put)
    show("ordered", [sess.run(order_get) for _ in range(3)])
    sess.run(shuffle_put)
    show("shuffled", sorted(sess.run(shuffle_get).tolist()))
    thread = threading.Thread(target=lambda: [sess.run(put, {value: [float(i), 0.0]}) for i in range(6)])
    thread.start()
    show("filled", [sess.run(got)[0] for _ in range(6)])
    thread.join()
    sess.run(put, {value: [1.0, 1.0]})
    sess.run(fifo.close())
    show("rest", sess.run(got))
    for fetch, kind in ((got, tf.errors.OutOfRangeError), (put, (tf.errors.CancelledError, tf.errors.AbortedError))):
        try:
            sess.run(fetch, {value: [0.0, 0.0]})
            show("ran", None)
        except kind as e:
            show("closed", type(e).__name__)
    show("state", [bool(sess.run(fifo.is_closed())), sess.run(fifo.size())])
