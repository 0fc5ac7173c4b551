"""Logistic regression with penalties of the sum of absolute weights: proximal descent, Ftrl, dual averaging, and weights that end at zero."""

import numpy as np
from program import show, tf

random = np.random.RandomState(140)
data = random.randn(40, 6).astype(np.float32)
labels = (data[:, 0] - 2.0 * data[:, 1] + 0.1 * random.randn(40) > 0).astype(np.float32)

MAKERS = {
    "proximal": lambda step: tf.train.ProximalGradientDescentOptimizer(0.5, l1_regularization_strength=0.05, l2_regularization_strength=0.01),
    "proximal_adagrad": lambda step: tf.train.ProximalAdagradOptimizer(0.5, initial_accumulator_value=0.2, l1_regularization_strength=0.04),
    "ftrl": lambda step: tf.train.FtrlOptimizer(0.5, l1_regularization_strength=1.0, l2_regularization_strength=0.1),
    "shrinking_ftrl": lambda step: tf.train.FtrlOptimizer(0.3, learning_rate_power=-0.6, l1_regularization_strength=0.5, l2_shrinkage_regularization_strength=0.2),
    "dual_averaging": lambda step: tf.train.AdagradDAOptimizer(0.5, step, l1_regularization_strength=0.03),
    "adadelta": lambda step: tf.train.AdadeltaOptimizer(5.0, rho=0.9, epsilon=1e-4)}
for resource in (False, True):
    for name, make in MAKERS.items():
        with tf.Graph().as_default(), tf.variable_scope("model", use_resource=resource):
            step = tf.train.get_or_create_global_step()
            x, y = tf.placeholder(tf.float32, [None, 6]), tf.placeholder(tf.float32, [None])
            w = tf.get_variable("w", [6, 1], initializer=tf.zeros_initializer())
            b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
            logits = tf.squeeze(tf.matmul(x, w) + b, 1)
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
            train = make(step).minimize(loss, global_step=step)
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                for _ in range(10):
                    sess.run(train, {x: data, y: labels})
                show(name, sess.run([loss, w, b, step], {x: data, y: labels}))
                show("none", sess.run(tf.reduce_sum(tf.cast(tf.equal(w, 0.0), tf.int32))))
                show("slots", sorted(v.op.name for v in tf.global_variables())[:4])
