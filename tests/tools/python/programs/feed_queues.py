"""Queues that a thread of the program fills, batches of slices, epochs that end, and runners of the program's own."""

import threading

import numpy as np
from program import show, tf

random = np.random.RandomState(118)
all_xs = random.rand(24, 3).astype(np.float32)
all_ys = all_xs.dot([[1.0], [2.0], [-1.0]]).astype(np.float32)

enqueue_x, enqueue_y = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.float32, [1])
queue = tf.FIFOQueue(capacity=10, dtypes=[tf.float32, tf.float32], shapes=[[3], [1]])
enqueue_op = queue.enqueue([enqueue_x, enqueue_y])
x, y = queue.dequeue_many(4)
w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
train = tf.train.GradientDescentOptimizer(0.3).minimize(loss)


def load_and_enqueue(sess, coord):
    i = 0
    while not coord.should_stop():
        try:
            sess.run(enqueue_op, feed_dict={enqueue_x: all_xs[i % 24], enqueue_y: all_ys[i % 24]})
        except tf.errors.CancelledError:
            return
        i += 1


with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    thread = threading.Thread(target=load_and_enqueue, args=(sess, coord))
    thread.daemon = True
    thread.start()
    for _ in range(12):
        show("fed", sess.run([loss, train])[0])
    show("size", [sess.run(queue.size()) <= 10])
    coord.request_stop()
    sess.run(queue.close(cancel_pending_enqueues=True))
    coord.join([thread])

tf.reset_default_graph()
label, value = tf.train.slice_input_producer([tf.constant(np.arange(7)), tf.constant(all_xs[:7])], num_epochs=2, shuffle=False)
transformed = value * tf.to_float(label)
labels, values = tf.train.batch([label, transformed], batch_size=3, capacity=20, allow_smaller_final_batch=True)
total = tf.get_variable("total", [], tf.int64, tf.zeros_initializer())
counted = total.assign_add(tf.reduce_sum(labels))
with tf.Session() as sess:
    sess.run(tf.group(tf.global_variables_initializer(), tf.local_variables_initializer()))
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        while not coord.should_stop():
            show("batch", sess.run([labels, values, counted]))
    except tf.errors.OutOfRangeError:
        show("done", sess.run(total))
    finally:
        coord.request_stop()
    coord.join(threads)

tf.reset_default_graph()
counter = tf.Variable(0.0, use_resource=True)
increment = tf.assign_add(counter, 1.0)
own = tf.FIFOQueue(6, [tf.float32], shapes=[[]])
runner = tf.train.QueueRunner(own, enqueue_ops=[own.enqueue([increment])])
tf.train.add_queue_runner(runner)
taken = own.dequeue()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    show("taken", [[sess.run(taken) for _ in range(8)], len(threads) > 0])
    coord.request_stop()
    sess.run(own.close(cancel_pending_enqueues=True))
    coord.join(threads, stop_grace_period_secs=10)
show("names", [runner.name, own.name, taken.name, [t.name for t in (labels, values)]])
