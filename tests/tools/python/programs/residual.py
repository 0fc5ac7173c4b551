"""Residual blocks on tiny images: convolutions, batch normalization with moving averages that are updated beside the training, dropout, decay."""

import numpy as np
from program import show, tf

tf.set_random_seed(2016)
random = np.random.RandomState(60)
images = random.rand(12, 6, 6, 2).astype(np.float32)
labels = (images[..., 0].mean((1, 2)) > images[..., 1].mean((1, 2))).astype(np.int64)

x = tf.placeholder(tf.float32, [None, 6, 6, 2], "images")
y = tf.placeholder(tf.int64, [None], "labels")
training = tf.placeholder(tf.bool, [], "training")


def convolve(inputs, filters, stride, name):
    with tf.variable_scope(name):
        kernel = tf.get_variable("kernel", [3, 3, inputs.get_shape()[-1], filters], tf.float32,
                                 initializer=tf.variance_scaling_initializer(scale=2.0, mode="fan_out", seed=filters))
        tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, 1e-3 * tf.nn.l2_loss(kernel, name="decay"))
        return tf.nn.conv2d(inputs, kernel, [1, stride, stride, 1], "SAME")


def normalize(inputs, name):
    depth = inputs.shape[-1].value
    with tf.variable_scope(name):
        beta = tf.get_variable("beta", [depth], initializer=tf.constant_initializer(0.0))
        gamma = tf.get_variable("gamma", [depth], initializer=tf.constant_initializer(1.0))
        moving_mean = tf.get_variable("moving_mean", [depth], initializer=tf.zeros_initializer(), trainable=False)
        moving_variance = tf.get_variable("moving_variance", [depth], initializer=tf.ones_initializer(), trainable=False)

        def of_batch():
            outputs, mean, variance = tf.nn.fused_batch_norm(inputs, gamma, beta, epsilon=1e-3, is_training=True)
            follow = [tf.assign_sub(m, (m - now) * 0.1) for m, now in ((moving_mean, mean), (moving_variance, variance))]
            with tf.control_dependencies(follow):
                return tf.identity(outputs)

        def of_all():
            return tf.nn.batch_normalization(inputs, moving_mean, moving_variance, beta, gamma, 1e-3)

        return tf.cond(training, of_batch, of_all)


def block(inputs, filters, stride, name):
    with tf.variable_scope(name):
        short = inputs
        if stride != 1:
            short = tf.nn.avg_pool(inputs, [1, stride, stride, 1], [1, stride, stride, 1], "VALID")
            short = tf.pad(short, [[0, 0], [0, 0], [0, 0], [0, filters - inputs.shape[-1].value]])
        inner = convolve(tf.nn.relu(normalize(inputs, "bn1")), filters, stride, "conv1")
        return short + convolve(tf.nn.relu(normalize(inner, "bn2")), filters, 1, "conv2")


net = convolve(x, 3, 1, "first")
for i, (filters, stride) in enumerate([(3, 1), (5, 2)]):
    net = block(net, filters, stride, f"block{i}")
pooled = tf.reduce_mean(tf.nn.relu(normalize(net, "last")), [1, 2])
keep = tf.where(training, 0.7, 1.0)
dropped = tf.nn.dropout(pooled, keep_prob=keep, seed=9)
logits = tf.matmul(dropped, tf.get_variable("out", [5, 2], initializer=tf.truncated_normal_initializer(stddev=0.2, seed=1)))
loss = tf.losses.softmax_cross_entropy(tf.one_hot(y, 2), logits, label_smoothing=0.1)
total = tf.add_n([loss] + tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES), name="total")
step = tf.train.get_or_create_global_step()
rate = tf.train.piecewise_constant(step, [2, 4], [0.1, 0.05, 0.01])
train = tf.train.MomentumOptimizer(rate, 0.9, use_nesterov=True).minimize(total, global_step=step)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(6):
        sess.run(train, {x: images, y: labels, training: True})
        show("step", sess.run([rate, total, loss], {x: images, y: labels, training: False}))
    show("pooled", sess.run(pooled[:2], {x: images, training: False}))
    show("moving", sess.run([v for v in tf.global_variables() if "last/moving" in v.op.name]))
show("parameters", [sum(int(np.prod(v.shape)) for v in vs) for vs in (tf.trainable_variables(), tf.global_variables())])
