"""map_fn, scan, foldl, foldr and TensorArrays, with their derivatives."""

import numpy as np
from program import show, tf

x = tf.placeholder(tf.float32, [None, 3])
squares = tf.map_fn(lambda row: row * row + tf.reduce_sum(row), x)
pairs = tf.map_fn(lambda t: (t[0] + t[1], tf.reduce_max(t[0])), (x, 2 * x), dtype=(tf.float32, tf.float32))
lengths = tf.map_fn(lambda row: tf.size(tf.where(row > 2.0)), x, dtype=tf.int32)
sums = tf.scan(lambda a, row: 0.5 * a + row, x)
fibonacci = tf.scan(lambda a, _: (a[1], a[0] + a[1]), tf.range(8), initializer=(0, 1))
backwards = tf.scan(lambda a, row: a + tf.reduce_sum(row), x, initializer=0.0, reverse=True)
horner = tf.foldl(lambda a, c: a * 2.0 + c, tf.constant([1.0, 2.0, 3.0]))
right = tf.foldr(lambda a, row: a * 0.5 + row, x, initializer=tf.zeros([3]))
exponential = tf.map_fn(lambda row: tf.while_loop(lambda k, v: k < 3, lambda k, v: (k + 1, v * row), (0, row))[1], x)

array = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False, element_shape=[])
_, array = tf.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, a.write(i, tf.cast(i * i, tf.float32))), (0, array))
pieces = tf.TensorArray(tf.float32, size=3, infer_shape=False, clear_after_read=False).split([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1, 2, 3])
chosen = tf.TensorArray(tf.float32, size=4).scatter([3, 0, 1, 2], tf.reshape(tf.range(8.0), [4, 2])).gather([0, 3])

with tf.Session() as sess:
    for rows in (1, 2, 3):
        feed = {x: np.arange(3.0 * rows).reshape(rows, 3)}
        for name, fetch in (("squares", squares), ("pairs", pairs), ("lengths", lengths), ("sums", sums), ("backwards", backwards),
                            ("right", right), ("exponential", exponential)):
            show(name, sess.run(fetch, feed))
        show("gradients", sess.run(tf.gradients([squares, pairs[0], sums, backwards, right, exponential], x), feed))
    show("fibonacci", sess.run(fibonacci))
    show("horner", sess.run(horner))
    show("array", sess.run([array.stack(), array.size(), array.read(2)]))
    show("pieces", sess.run([pieces.read(1), pieces.concat()]))
    show("chosen", sess.run(chosen))
show("shapes", [str(t.shape) for t in (squares, lengths, sums, right, array.stack())])
