"""DCGAN after carpedm20: scopes that are reused, normalization by name, a sampler, samples in summaries, and the checkpoint of all."""

import os
import tempfile

import numpy as np
from program import show, tf

random = np.random.RandomState(107)
BATCH = 4


class batch_norm(object):
    def __init__(self, epsilon=1e-5, momentum=0.9, name="batch_norm"):
        self.epsilon, self.momentum, self.name = epsilon, momentum, name

    def __call__(self, x, train=True):
        with tf.variable_scope(self.name):
            size = x.get_shape()[-1]
            beta = tf.get_variable("beta", [size], initializer=tf.zeros_initializer())
            gamma = tf.get_variable("gamma", [size], initializer=tf.random_normal_initializer(1.0, 0.02, seed=9))
            mean = tf.get_variable("moving_mean", [size], initializer=tf.zeros_initializer(), trainable=False)
            variance = tf.get_variable("moving_variance", [size], initializer=tf.ones_initializer(), trainable=False)
            if not train:
                return tf.nn.batch_normalization(x, mean, variance, beta, gamma, self.epsilon)
            axes = list(range(len(x.get_shape()) - 1))
            m, v = tf.nn.moments(x, axes)
            update = [tf.assign_sub(a, (a - b) * (1 - self.momentum)) for a, b in ((mean, m), (variance, v))]
            with tf.control_dependencies(update):
                return tf.nn.batch_normalization(x, m, v, beta, gamma, self.epsilon)


def conv2d(input_, output_dim, k_h=5, k_w=5, d_h=2, d_w=2, stddev=0.02, name="conv2d"):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [k_h, k_w, input_.get_shape()[-1], output_dim], initializer=tf.truncated_normal_initializer(stddev=stddev, seed=1))
        conv = tf.nn.conv2d(input_, w, strides=[1, d_h, d_w, 1], padding="SAME")
        biases = tf.get_variable("biases", [output_dim], initializer=tf.constant_initializer(0.0))
        return tf.reshape(tf.nn.bias_add(conv, biases), conv.get_shape())


def deconv2d(input_, output_shape, k_h=5, k_w=5, d_h=2, d_w=2, stddev=0.02, name="deconv2d"):
    with tf.variable_scope(name):
        w = tf.get_variable(
            "w", [k_h, k_w, output_shape[-1], input_.get_shape()[-1]], initializer=tf.random_normal_initializer(stddev=stddev, seed=2)
        )
        deconv = tf.nn.conv2d_transpose(input_, w, output_shape=output_shape, strides=[1, d_h, d_w, 1])
        biases = tf.get_variable("biases", [output_shape[-1]], initializer=tf.constant_initializer(0.0))
        return tf.reshape(tf.nn.bias_add(deconv, biases), output_shape)


def linear(input_, output_size, scope=None, stddev=0.02, bias_start=0.0):
    shape = input_.get_shape().as_list()
    with tf.variable_scope(scope or "Linear"):
        matrix = tf.get_variable("Matrix", [shape[1], output_size], tf.float32, tf.random_normal_initializer(stddev=stddev, seed=3))
        return tf.matmul(input_, matrix) + tf.get_variable("bias", [output_size], initializer=tf.constant_initializer(bias_start))


def lrelu(x, leak=0.2, name="lrelu"):
    return tf.maximum(x, leak * x)


d_bn1, g_bn0, g_bn1 = batch_norm(name="d_bn1"), batch_norm(name="g_bn0"), batch_norm(name="g_bn1")


def discriminator(image, reuse=False):
    with tf.variable_scope("discriminator") as scope:
        if reuse:
            scope.reuse_variables()
        h0 = lrelu(conv2d(image, 4, name="d_h0_conv"))
        h1 = lrelu(d_bn1(conv2d(h0, 6, name="d_h1_conv")))
        h2 = linear(tf.reshape(h1, [BATCH, -1]), 1, "d_h2_lin")
        return tf.nn.sigmoid(h2), h2


def generator(z, train=True):
    with tf.variable_scope("generator") as scope:
        if not train:
            scope.reuse_variables()
        h0 = tf.nn.relu(g_bn0(tf.reshape(linear(z, 2 * 2 * 6, "g_h0_lin"), [-1, 2, 2, 6]), train=train))
        h1 = tf.nn.relu(g_bn1(deconv2d(h0, [BATCH, 4, 4, 4], name="g_h1"), train=train))
        return tf.nn.tanh(deconv2d(h1, [BATCH, 8, 8, 1], name="g_h2"))


inputs = tf.placeholder(tf.float32, [BATCH, 8, 8, 1], name="real_images")
z = tf.placeholder(tf.float32, [None, 5], name="z")
z_sum = tf.summary.histogram("z", z)
G = generator(z)
D, D_logits = discriminator(inputs)
S = generator(z, train=False)
D_, D_logits_ = discriminator(G, reuse=True)
d_sum, G_sum = tf.summary.histogram("d", D), tf.summary.image("G", G)


def cross_entropy(x, y):
    return tf.nn.sigmoid_cross_entropy_with_logits(logits=x, labels=y)


d_loss_real = tf.reduce_mean(cross_entropy(D_logits, tf.ones_like(D)))
d_loss_fake = tf.reduce_mean(cross_entropy(D_logits_, tf.zeros_like(D_)))
g_loss = tf.reduce_mean(cross_entropy(D_logits_, tf.ones_like(D_)))
d_loss = d_loss_real + d_loss_fake
d_sum = tf.summary.merge([z_sum, d_sum, tf.summary.scalar("d_loss", d_loss), tf.summary.scalar("d_loss_real", d_loss_real)])
t_vars = tf.trainable_variables()
d_vars, g_vars = [v for v in t_vars if "d_" in v.name], [v for v in t_vars if "g_" in v.name]
d_optim = tf.train.AdamOptimizer(0.002, beta1=0.5).minimize(d_loss, var_list=d_vars)
g_optim = tf.train.AdamOptimizer(0.002, beta1=0.5).minimize(g_loss, var_list=g_vars)
saver = tf.train.Saver(max_to_keep=2)
show("d_vars", [v.name for v in d_vars])
show("g_vars", [v.name for v in g_vars])
show("global", [v.name for v in tf.global_variables()][-8:])
folder = tempfile.mkdtemp()
with tf.Session() as sess:
    try:
        tf.global_variables_initializer().run()
    except Exception:
        tf.initialize_all_variables().run()
    writer = tf.summary.FileWriter(os.path.join(folder, "logs"), sess.graph)
    for counter in range(12):
        batch_z = random.uniform(-1, 1, [BATCH, 5]).astype(np.float32)
        images = np.tanh(random.randn(BATCH, 8, 8, 1) + 1.0)
        _, text = sess.run([d_optim, d_sum], feed_dict={inputs: images, z: batch_z})
        writer.add_summary(text, counter)
        sess.run(g_optim, feed_dict={z: batch_z})
        sess.run([g_optim, G_sum], feed_dict={z: batch_z})
        show("errors", [d_loss_fake.eval({z: batch_z}), d_loss_real.eval({inputs: images}), g_loss.eval({z: batch_z})])
        saver.save(sess, os.path.join(folder, "DCGAN.model"), global_step=counter)
    show("samples", sess.run(S, {z: batch_z}).shape)
    writer.close()
show("kept", [os.path.basename(p) for p in tf.train.get_checkpoint_state(folder).all_model_checkpoint_paths])
