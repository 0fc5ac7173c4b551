"""Loops: sums, Collatz, Newton's method with its derivative, nested loops, shapes that grow, loops that stop early."""

from program import show, tf

n = tf.placeholder(tf.int32, [])
x = tf.placeholder(tf.float32, [])

i, total = tf.while_loop(lambda i, s: i < n, lambda i, s: [i + 1, s + i], [tf.constant(0), tf.constant(0)])
_, collatz = tf.while_loop(lambda v, c: tf.not_equal(v, 1),
                           lambda v, c: (tf.cond(tf.equal(v % 2, 0), lambda: v // 2, lambda: 3 * v + 1), c + 1), (n, 0))
root = tf.while_loop(lambda r: tf.abs(r * r - x) > 1e-4, lambda r: 0.5 * (r + x / r), [x])
slope = tf.gradients(root, x)[0]
power = tf.while_loop(lambda k, p: k < 4, lambda k, p: (k + 1, p * x), (0, 1.0), parallel_iterations=1)[1]
first = tf.gradients(power, x)[0]
table = tf.while_loop(lambda a, rows: a < 3, lambda a, rows: (
    a + 1, tf.concat([rows, tf.while_loop(lambda b, row: b < 4, lambda b, row: (b + 1, tf.concat([row, [[a * b]]], 1)),
                                          (0, tf.zeros([1, 0], tf.int32)),
                                          shape_invariants=(tf.TensorShape([]), tf.TensorShape([1, None])))[1]], 0)),
    (0, tf.zeros([0, 4], tf.int32)), shape_invariants=(tf.TensorShape([]), tf.TensorShape([None, None])))[1]
most = tf.while_loop(lambda k: True, lambda k: k + 2, [0], maximum_iterations=5)
pair = tf.while_loop(lambda i, ab: i < 10, lambda i, ab: (i + 1, (ab[1], ab[0] + ab[1])), (0, (0, 1)))
counter = tf.Variable(0)
with tf.control_dependencies([tf.while_loop(lambda k: k < n, lambda k: tf.assign_add(counter, 2) * 0 + k + 1, [0])]):
    counted = counter.read_value()

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for number in (1, 6, 7):
        show("run", sess.run([i, total, collatz, root, slope], {n: number, x: number + 0.25}))
    show("power", sess.run([power, first], {x: 1.5}))
    show("table", sess.run(table))
    show("most", sess.run(most))
    show("pair", sess.run(pair))
    show("counted", sess.run(counted, {n: 4}))
    show("counted", sess.run(counted, {n: 3}))
show("shapes", [str(t.shape) for t in (i, total, root, table)])
