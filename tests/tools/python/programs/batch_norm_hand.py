"""Batch normalization by hand, in three ways of its time: averages under cond, assign_moving_average by hand, UPDATE_OPS."""

import numpy as np
from program import show, tf

random = np.random.RandomState(103)


def batch_norm_cond(x, n_out, phase_train):
    with tf.variable_scope("bn"):
        beta = tf.Variable(tf.constant(0.0, shape=[n_out]), name="beta", trainable=True)
        gamma = tf.Variable(tf.constant(1.0, shape=[n_out]), name="gamma", trainable=True)
        batch_mean, batch_var = tf.nn.moments(x, [0, 1, 2], name="moments")
        ema = tf.train.ExponentialMovingAverage(decay=0.5)

        def mean_var_with_update():
            ema_apply_op = ema.apply([batch_mean, batch_var])
            with tf.control_dependencies([ema_apply_op]):
                return tf.identity(batch_mean), tf.identity(batch_var)

        mean, var = tf.cond(phase_train, mean_var_with_update, lambda: (ema.average(batch_mean), ema.average(batch_var)))
        return tf.nn.batch_normalization(x, mean, var, beta, gamma, 1e-3)


def batch_norm_wrapper(inputs, is_training, decay=0.9, epsilon=1e-3):
    scale = tf.Variable(tf.ones([inputs.get_shape()[-1]]))
    beta = tf.Variable(tf.zeros([inputs.get_shape()[-1]]))
    pop_mean = tf.Variable(tf.zeros([inputs.get_shape()[-1]]), trainable=False)
    pop_var = tf.Variable(tf.ones([inputs.get_shape()[-1]]), trainable=False)
    if is_training:
        batch_mean, batch_var = tf.nn.moments(inputs, [0])
        train_mean = tf.assign(pop_mean, pop_mean * decay + batch_mean * (1 - decay))
        train_var = tf.assign(pop_var, pop_var * decay + batch_var * (1 - decay))
        with tf.control_dependencies([train_mean, train_var]):
            return tf.nn.batch_normalization(inputs, batch_mean, batch_var, beta, scale, epsilon)
    return tf.nn.batch_normalization(inputs, pop_mean, pop_var, beta, scale, epsilon)


class batch_norm:
    """As of DCGANs with a name for each."""

    def __init__(self, name, decay):
        self.name, self.decay = name, decay

    def __call__(self, x, train):
        with tf.variable_scope(self.name):
            return tf.layers.batch_normalization(x, momentum=self.decay, epsilon=1e-5, scale=True, training=train, fused=False, name="norm")


phase = tf.placeholder(tf.bool, name="phase_train")
images = tf.placeholder(tf.float32, [None, 4, 4, 2])
target = tf.placeholder(tf.float32, [None])
first = batch_norm_cond(images, 2, phase)
flat = tf.reshape(first, [-1, 32])
w = tf.get_variable("w", [32, 5], initializer=tf.random_normal_initializer(stddev=0.3, seed=1))
second = batch_norm_wrapper(tf.matmul(flat, w), True)
third = batch_norm("g_bn0", 0.8)(tf.nn.elu(second), phase)
out = tf.squeeze(tf.matmul(third, tf.get_variable("v", [5, 1], initializer=tf.random_normal_initializer(stddev=0.3, seed=2))), 1)
loss = tf.losses.mean_squared_error(target, out)
update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
with tf.control_dependencies(update_ops):
    train = tf.train.RMSPropOptimizer(0.01, momentum=0.5).minimize(loss)
show("variables", [v.name for v in tf.global_variables()])
show("trainable", [v.name for v in tf.trainable_variables()])
show("updates", [u.name for u in update_ops])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(15):
        data = random.randn(8, 4, 4, 2) * 2 + 1
        _, value = sess.run([train, loss], {images: data, target: data.mean((1, 2, 3)), phase: True})
        show("loss", value)
    show("test", sess.run([loss, tf.reduce_mean(first)], {images: data, target: data.mean((1, 2, 3)), phase: False}))
    show("moving", sess.run([v for v in tf.global_variables() if "Moving" in v.name or "moving" in v.name]))
