"""A convolutional VAE with free bits, beta and IWAE bounds; CVAE by labels; saved, restored under other names, and continued."""

import os
import tempfile
import numpy as np
from program import show, tf

rng = np.random.RandomState(3)
folder = tempfile.mkdtemp()


def encoder(x, y, n_z, reuse=False):
    with tf.variable_scope("encoder", reuse=reuse):
        net = tf.concat([x, tf.tile(y[:, None, None, :], [1, 8, 8, 1])], axis=3)
        for i, f in enumerate((4, 8)):
            net = tf.layers.conv2d(
                net, f, 3, strides=2, padding="same", activation=tf.nn.elu, name=f"conv{i}", kernel_initializer=tf.glorot_normal_initializer(seed=i)
            )
        net = tf.layers.flatten(net)
        mean = tf.layers.dense(net, n_z, name="mean", kernel_initializer=tf.glorot_normal_initializer(seed=5))
        return mean, 1e-6 + tf.nn.softplus(tf.layers.dense(net, n_z, name="std", kernel_initializer=tf.glorot_normal_initializer(seed=6)))


def decoder(z, y, reuse=False):
    with tf.variable_scope("decoder", reuse=reuse):
        net = tf.layers.dense(tf.concat([z, y], 1), 2 * 2 * 8, tf.nn.elu, name="fc", kernel_initializer=tf.glorot_normal_initializer(seed=7))
        net = tf.reshape(net, [-1, 2, 2, 8])
        for i, f in enumerate((6, 1)):
            net = tf.layers.conv2d_transpose(
                net,
                f,
                [3, 3],
                strides=(2, 2),
                padding="same",
                activation=None if i else tf.nn.elu,
                name=f"deconv{i}",
                kernel_initializer=tf.glorot_normal_initializer(seed=8 + i),
            )
        return net


x = tf.placeholder(tf.float32, [None, 8, 8, 1], "x")
y = tf.placeholder(tf.int32, [None], "y")
beta = tf.placeholder_with_default(1.0, [], "beta")
onehot = tf.one_hot(y, 3)
mu, sigma = encoder(x, onehot, 4)
z = mu + sigma * tf.random_normal(tf.shape(mu), 0, 1, dtype=tf.float32, seed=11)
logits = decoder(z, onehot)
out = tf.clip_by_value(tf.nn.sigmoid(logits), 1e-8, 1 - 1e-8)
marginal = tf.reduce_sum(x * tf.log(out) + (1 - x) * tf.log(1 - out), [1, 2, 3])
kl = 0.5 * tf.reduce_sum(tf.square(mu) + tf.square(sigma) - tf.log(1e-8 + tf.square(sigma)) - 1, [1])
loss = -tf.reduce_mean(marginal) + beta * tf.reduce_mean(tf.maximum(kl, 0.1))
step = tf.Variable(0, name="step", trainable=False, dtype=tf.int64)
optimizer = tf.train.AdamOptimizer(tf.train.exponential_decay(0.01, step, 4, 0.9))
grads, tvars = zip(*optimizer.compute_gradients(loss))
grads, gnorm = tf.clip_by_global_norm(grads, 5.0)
train = optimizer.apply_gradients(zip(grads, tvars), global_step=step)
k = 6
mu_k, sigma_k = tf.tile(mu, [k, 1]), tf.tile(sigma, [k, 1])
z_k = mu_k + sigma_k * tf.random_normal(tf.shape(mu_k), seed=12)
logits_k = decoder(z_k, tf.tile(onehot, [k, 1]), reuse=True)
log_x = -tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.tile(x, [k, 1, 1, 1]), logits=logits_k), [1, 2, 3])
log_w = (
    log_x
    + tf.reduce_sum(-0.5 * z_k**2 - 0.5 * np.log(2 * np.pi), 1)
    - tf.reduce_sum(-0.5 * ((z_k - mu_k) / sigma_k) ** 2 - tf.log(sigma_k) - 0.5 * np.log(2 * np.pi), 1)
)
iwae = tf.reduce_mean(tf.reduce_logsumexp(tf.reshape(log_w, [k, -1]), 0) - np.log(k))
generated = tf.nn.sigmoid(decoder(tf.zeros([3, 4]), tf.eye(3), reuse=True))
data, labels = (rng.rand(12, 8, 8, 1) > 0.5).astype(np.float32), rng.randint(0, 3, 12)
saver = tf.train.Saver(var_list={"renamed/" + v.op.name: v for v in tf.global_variables()}, max_to_keep=1)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(12):
        feed = {x: data, y: labels, beta: min(1.0, i / 5)}
        show("loss", sess.run([loss, gnorm, train], feed)[:2])
    show("iwae", sess.run(iwae, feed))
    show("generated", sess.run(tf.reduce_mean(generated, [1, 2, 3])))
    path = saver.save(sess, os.path.join(folder, "vae"), global_step=step)
show("files", [os.path.basename(path), sorted(n for n, _ in tf.train.list_variables(path))[:4]])
with tf.Session() as sess:
    saver.restore(sess, path)
    show("again", sess.run([tf.reduce_mean(generated), step]))
