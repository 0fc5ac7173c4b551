"""Templates that share variables, and updates of parts of variables of both kinds."""

import numpy as np
from program import show, tf


def scale(x, size):
    w = tf.get_variable("w", [size], initializer=tf.constant_initializer([1.0, 2.0, 3.0]))
    return x * w


twice = tf.make_template("scale", scale, size=3)
other = tf.make_template("scale", scale, size=3)
a, b, c = twice(1.0), twice(10.0), other(1.0)
show("variables", [v.name for v in tf.global_variables()])
show("names", [a.op.name, b.op.name, c.op.name])
results = []
for resource in (False, True):
    with tf.variable_scope("resource" if resource else "reference", use_resource=resource):
        v = tf.get_variable("v", initializer=tf.constant(np.arange(8.0, dtype=np.float32).reshape(4, 2)))
        n = tf.Variable([1, 2, 3], use_resource=resource, name="n")
    results.append([tf.scatter_update(v, [0, 2], [[9.0, 9.0], [8.0, 8.0]]), tf.scatter_add(v, [1, 1], tf.ones([2, 2])), tf.scatter_sub(v, 3, [1.0, 2.0]),
                    tf.scatter_mul(v, [0], [[2.0, 3.0]]), tf.scatter_div(v, [0], [[3.0, 9.0]]), tf.scatter_max(v, [1], [[3.5, 0.0]]),
                    tf.scatter_min(v, [1], [[9.0, -1.0]]), tf.scatter_nd_update(v, [[0, 1], [3, 0]], [-7.0, -8.0]), tf.scatter_nd_add(v, [[2]], [[1.0, 1.0]]),
                    v[1:3, 0].assign([0.25, 0.5]), tf.count_up_to(tf.Variable(3, use_resource=resource), 9), tf.scatter_nd_sub(n, [[2]], [4])])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show("templates", sess.run([a, b, c]))
    for updates in results:
        for update in updates:
            show("update", sess.run(update))
