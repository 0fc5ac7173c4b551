"""Partial runs: a graph whose inputs come one after the other."""

from program import show, tf

a = tf.placeholder(tf.float32, [], name="a")
b = tf.placeholder(tf.float32, [], name="b")
c = tf.placeholder(tf.float32, [], name="c")
weights = tf.Variable([1.0, 2.0])
first = a + b
second = first * c
third = tf.reduce_sum(weights) * second

with tf.Session() as sess:
    sess.run(weights.initializer)
    handle = sess.partial_run_setup([first, second, third], [a, b, c])
    r1 = sess.partial_run(handle, first, {a: 1, b: 2})
    show("first", r1)
    show("second", sess.partial_run(handle, [second, third], {c: r1 * 10}))
    handle = sess.partial_run_setup([first, second], [a, b, c])
    other = sess.partial_run_setup([first], [a, b])
    show("both", [sess.partial_run(handle, first, {a: 3, b: 4}), sess.partial_run(other, first, {a: 5, b: 6}),
                  sess.partial_run(handle, second, {c: 0.5})])
    handle = sess.partial_run_setup([first, second], [a, b, c])
    sess.partial_run(handle, first, {a: 1, b: 1})
    for fetch, feed in ((first, {}), (third, {c: 1}), (second, {a: 3})):
        try:
            sess.partial_run(handle, fetch, feed)
            show("ran", None)
        except (tf.errors.InvalidArgumentError, tf.errors.NotFoundError, ValueError, RuntimeError):
            show("refused", True)
