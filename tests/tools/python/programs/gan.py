"""Two networks against each other, each with the variables of its scope; the discriminator is used twice."""

import numpy as np
from program import descend, show, tf

random = np.random.RandomState(5)


def dense(x, size, name):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [int(x.get_shape()[-1]), size], initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=size + 1))
        return tf.matmul(x, w) + tf.get_variable("b", [size], initializer=tf.zeros_initializer())


def generator(z):
    with tf.variable_scope("generator"):
        return dense(tf.nn.leaky_relu(dense(z, 5, "hidden")), 2, "out")


def discriminator(x, reuse):
    with tf.variable_scope("discriminator", reuse=reuse):
        return dense(tf.nn.elu(dense(x, 6, "hidden")), 1, "out")


def cross_entropy(logits, target):
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=logits, labels=tf.fill(tf.shape(logits), target)))


z = tf.placeholder(tf.float32, [None, 3], "z")
real = tf.placeholder(tf.float32, [None, 2], "real")
fake = generator(z)
on_real, on_fake = discriminator(real, False), discriminator(fake, True)
d_loss = cross_entropy(on_real, 0.9) + cross_entropy(on_fake, 0.0)
g_loss = cross_entropy(on_fake, 1.0)
d_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="discriminator")
g_vars = [v for v in tf.trainable_variables() if v.name.startswith("generator/")]
d_train, g_train = descend(d_loss, d_vars, 0.3), descend(g_loss, g_vars, 0.3)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(20):
        feed = {z: random.rand(16, 3), real: random.randn(16, 2) * 0.2 + [1.0, -1.0]}
        _, d = sess.run([d_train, d_loss], feed)
        _, g = sess.run([g_train, g_loss], {z: feed[z]})
        show("losses", [d, g])
    show("fakes", sess.run(fake, {z: np.eye(3)}))
show("variables", [v.name for v in d_vars + g_vars])
