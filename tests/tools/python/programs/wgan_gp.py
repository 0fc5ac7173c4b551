"""WGAN with a penalty of gradients (derivatives of derivatives), weights that are clipped, and InfoGAN's codes."""

import numpy as np
from program import show, tf

random = np.random.RandomState(108)
dense = lambda x, n, name, activation=None: tf.layers.dense(x, n, activation, name=name, kernel_initializer=tf.glorot_normal_initializer(seed=n))


def critic(x, reuse=None):
    with tf.variable_scope("critic", reuse=reuse):
        h = tf.reshape(x, [-1, 6, 6, 1])
        h = tf.nn.leaky_relu(tf.layers.conv2d(h, 4, 3, 2, "same", name="c1", kernel_initializer=tf.glorot_normal_initializer(seed=3)))
        h = tf.nn.elu(tf.layers.conv2d(h, 4, 3, 1, "valid", name="c2", kernel_initializer=tf.glorot_normal_initializer(seed=4)))
        h = tf.layers.flatten(h)
        return dense(h, 1, "out"), dense(dense(h, 5, "q1", tf.nn.tanh), 4, "q2")


def generator(z, c, reuse=tf.AUTO_REUSE):
    with tf.variable_scope("generator", reuse=reuse):
        h = dense(tf.concat([z, c], 1), 9, "g1", tf.nn.relu)
        h = tf.layers.conv2d_transpose(
            tf.reshape(h, [-1, 3, 3, 1]), 1, 3, 2, "same", name="g2", kernel_initializer=tf.glorot_normal_initializer(seed=5)
        )
        return tf.sigmoid(tf.layers.flatten(h))


real = tf.placeholder(tf.float32, [None, 36])
z = tf.placeholder(tf.float32, [None, 3])
code = tf.placeholder(tf.float32, [None, 4])
fake = generator(z, code)
real_out, _ = critic(real)
fake_out, q = critic(fake, reuse=True)
epsilon = tf.random_uniform([tf.shape(real)[0], 1], 0.0, 1.0, seed=6)
between = epsilon * real + (1 - epsilon) * fake
slopes = tf.gradients(critic(between, True)[0], [between])[0]
norm = tf.sqrt(tf.reduce_sum(tf.square(slopes), reduction_indices=[1]))
penalty = tf.reduce_mean((norm - 1.0) ** 2)
q_loss = tf.reduce_mean(-tf.reduce_sum(tf.log(tf.nn.softmax(q) + 1e-8) * code, 1))
d_loss = tf.reduce_mean(fake_out) - tf.reduce_mean(real_out) + 10.0 * penalty
g_loss = -tf.reduce_mean(fake_out) + q_loss
c_vars, g_vars = (tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=s) for s in ("critic", "generator"))
d_train = tf.train.AdamOptimizer(1e-2, beta1=0.5, beta2=0.9).minimize(d_loss, var_list=c_vars)
g_train = tf.train.AdamOptimizer(1e-2, beta1=0.5, beta2=0.9).minimize(g_loss, var_list=g_vars)
q_train = tf.train.RMSPropOptimizer(1e-2).minimize(q_loss, var_list=g_vars + [v for v in c_vars if "q" in v.op.name])
clip = [v.assign(tf.clip_by_value(v, -0.3, 0.3)) for v in c_vars]
show("variables", [v.name for v in c_vars + g_vars])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(8):
        feed = {real: random.rand(5, 36), z: random.randn(5, 3), code: np.eye(4)[random.randint(0, 4, 5)]}
        _, d, p = sess.run([d_train, d_loss, penalty], feed)
        if step % 4 == 3:
            sess.run(clip)
        _, g, _ = sess.run([g_train, g_loss, q_train], feed)
        show("losses", [d, p, g, sess.run(q_loss, feed)])
    show("norms", sess.run(norm, feed))
