"""Patterns through a narrow layer and back, with shared weights and RMSProp by hand."""

import numpy as np
from program import show, tf

random = np.random.RandomState(4)
patterns = (random.rand(4, 10) > 0.5).astype(np.float32)
data = patterns[random.randint(0, 4, 32)]
noisy = np.where(random.rand(32, 10) < 0.1, 1 - data, data).astype(np.float32)

x = tf.placeholder("float", [None, 10])
target = tf.placeholder("float", [None, 10])
with tf.variable_scope("coder", initializer=tf.random_normal_initializer(stddev=0.3, seed=5)):
    kernel = tf.get_variable("kernel", [10, 3])
    inner = tf.get_variable("inner", [3], initializer=tf.constant_initializer(0.0))
    outer = tf.get_variable("outer", [10], initializer=tf.constant_initializer(0.0))
code = tf.nn.sigmoid(tf.nn.xw_plus_b(x, kernel, inner) if hasattr(tf.nn, "xw_plus_b") else tf.matmul(x, kernel) + inner)
back = tf.nn.sigmoid(tf.matmul(code, kernel, transpose_b=True) + outer)
loss = tf.reduce_mean(tf.reduce_sum(tf.squared_difference(back, target), axis=1))

updates = []
for v, g in zip([kernel, inner, outer], tf.tuple(tf.gradients(loss, [kernel, inner, outer]))):
    squares = tf.Variable(tf.ones(v.shape), trainable=False)
    with tf.control_dependencies([squares.assign(0.9 * squares + 0.1 * tf.square(g))]):
        updates.append(v.assign_add(-0.05 * g * tf.rsqrt(squares.read_value() + 1e-6)))
train = tf.group(*updates)

with tf.Session() as sess:
    sess.run(tf.initialize_all_variables())
    for step in range(40):
        _, l = sess.run((train, loss), {x: noisy, target: data})
        if step % 4 == 0:
            show("loss", l)
    show("code", sess.run(code, {x: patterns}))
    show("back", np.round(sess.run(back, {x: patterns}), 3))
