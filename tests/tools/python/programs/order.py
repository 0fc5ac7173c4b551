"""Control dependencies: what waits for what, groups, tuples, and counters that several operations count."""

from program import show, tf

a = tf.Variable(1, name="a", use_resource=True)
b = tf.Variable(10, name="b")
step = tf.Variable(0, trainable=False, name="global_step")

with tf.control_dependencies([tf.assign(a, a + 1)]):
    after = a.read_value()
    with tf.control_dependencies([tf.assign_add(b, 5)]):
        both = a.read_value() * 100 + b.read_value()
    with tf.control_dependencies(None):
        free = tf.constant(7) * 2
swap_a, swap_b = tf.tuple([a + 0, b + 0])
with tf.control_dependencies([swap_a, swap_b]):
    swap = tf.group(a.assign(swap_b), b.assign(swap_a), name="swap")
with tf.control_dependencies([swap]):
    count = tf.assign_add(step, 1)
nothing = tf.no_op()

with tf.Session() as sess:
    sess.run(tf.variables_initializer([a, b, step]))
    show("after", sess.run(after))
    show("both", sess.run(both))
    show("free", sess.run([free, a, b]))
    for _ in range(3):
        show("swapped", [sess.run(count), *sess.run([a, b])])
    show("none", sess.run([swap, nothing]))
    show("slices", [sess.run(a.assign_sub(3)), sess.run(b.assign(2)), sess.run(tf.count_up_to(step, 9)), sess.run(step)])
    try:
        sess.run(tf.count_up_to(step, 2))
    except tf.errors.OutOfRangeError as e:
        show("end", e.error_code)
show("waits", [[op.name for op in t.op.control_inputs] for t in (after, free)])
