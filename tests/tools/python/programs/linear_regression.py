"""A line through points, by gradients and assign_sub."""

import numpy as np
from program import show, tf

random = np.random.RandomState(0)
xs = random.rand(40).astype(np.float32)
ys = 3.0 * xs + 0.5 + 0.01 * random.randn(40).astype(np.float32)

x = tf.placeholder(tf.float32, [None], name="x")
y = tf.placeholder(tf.float32, name="y")
w = tf.Variable(tf.random_uniform([1], -1.0, 1.0, seed=3), name="weight")
b = tf.Variable(tf.zeros([1]), name="bias")
prediction = w * x + b
loss = tf.reduce_mean(tf.square(prediction - y))
dw, db = tf.gradients(loss, [w, b])
with tf.control_dependencies([loss, dw, db]):
    train = tf.group(tf.assign_sub(w, 0.5 * dw), tf.assign_sub(b, 0.5 * db), name="train")
init = tf.global_variables_initializer()

with tf.Session() as sess:
    sess.run(init)
    for step in range(30):
        _, l = sess.run([train, loss], feed_dict={x: xs, y: ys})
        show("loss", l)
    show("line", sess.run([w, b]))
show("names", [v.op.name for v in tf.trainable_variables()] + [train.name, loss.op.name])
