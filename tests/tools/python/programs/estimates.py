"""Least squares by several decompositions, Newton's method by second derivatives, a random walk over a posterior, and Gaussian processes."""

import numpy as np
from program import show, tf

tf.set_random_seed(150)
random = np.random.RandomState(150)
design = np.concatenate([np.ones((15, 1)), random.randn(15, 2)], 1)
observed = design.dot([[1.0], [2.0], [-1.0]]) + 0.1 * random.randn(15, 1)

X, y = tf.constant(design, name="X"), tf.constant(observed, name="y")
XT = tf.transpose(X)
q, r = tf.qr(X)
s, u, v = tf.svd(X)
theta = {"normal equations": tf.matmul(tf.matmul(tf.matrix_inverse(tf.matmul(XT, X)), XT), y),
         "cholesky": tf.cholesky_solve(tf.cholesky(tf.matmul(XT, X)), tf.matmul(XT, y)),
         "qr": tf.matrix_triangular_solve(r, tf.matmul(q, y, transpose_a=True), lower=False),
         "svd": tf.matmul(v, tf.matmul(u, y, transpose_a=True) / s[:, None]),
         "solve": tf.matrix_solve_ls(X, y, l2_regularizer=0.0, fast=False),
         "ridge": tf.matrix_solve_ls(X, y, l2_regularizer=2.0)}

at = tf.Variable([1.2, -1.0], dtype=tf.float64)
valley = (1.0 - at[0]) ** 2 + 5.0 * (at[1] - at[0] ** 2) ** 2
slope, = tf.gradients(valley, at)
bend, = tf.hessians(valley, at)
newton = at.assign_sub(tf.matrix_solve(bend, slope[:, None])[:, 0])

samples = 30


def log_posterior(mean):
    return -0.5 * tf.reduce_sum(tf.square(tf.cast(y[:, 0], tf.float32) - mean)) / 4.0 - 0.5 * tf.square(mean)


def jump(i, now, chance, trace, accepted):
    proposed = now + tf.random_normal([], stddev=0.7, seed=1)
    its = log_posterior(proposed)
    yes = tf.log(tf.random_uniform([], seed=2)) < its - chance
    now, chance = tf.cond(yes, lambda: (proposed, its), lambda: (now, chance))
    return i + 1, now, chance, trace.write(i, now), accepted + tf.to_int32(yes)


walk = tf.while_loop(lambda i, *_: i < samples, jump, (0, tf.constant(0.0), log_posterior(tf.constant(0.0)), tf.TensorArray(tf.float32, samples), 0),
                     parallel_iterations=1)
trace, accepted = walk[3].stack(), walk[4]

places, wanted = tf.constant(np.linspace(-2, 2, 6)), tf.constant(np.linspace(-1.5, 1.5, 4))
width = tf.get_variable("width", [], tf.float64, initializer=tf.constant_initializer(0.0))


def kernel(a, b):
    return tf.exp(-0.5 * tf.squared_difference(a[:, None], b[None]) * tf.exp(-2.0 * width))


factor = tf.cholesky(kernel(places, places) + 0.01 * tf.eye(6, dtype=tf.float64))
alpha = tf.cholesky_solve(factor, tf.sin(places)[:, None])
likelihood = -0.5 * tf.reduce_sum(tf.sin(places)[:, None] * alpha) - tf.reduce_sum(tf.log(tf.diag_part(factor)))
fit = tf.train.GradientDescentOptimizer(0.05).minimize(-likelihood)
mean = tf.matmul(kernel(wanted, places), alpha)[:, 0]
spread = 1.0 - tf.reduce_sum(tf.square(tf.matrix_triangular_solve(factor, kernel(places, wanted))), 0)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for name in sorted(theta):
        show(name, sess.run(theta[name])[:, 0])
    for _ in range(6):
        show("newton", sess.run([valley, slope]))
        sess.run(newton)
    show("end", sess.run([at, bend]))
    for _ in range(2):
        show("walk", sess.run([trace, accepted]))
    for _ in range(4):
        show("likelihood", sess.run([likelihood, width]))
        sess.run(fit)
    show("mean", sess.run([mean, spread]))
    show("moments", sess.run(tf.nn.moments(tf.constant(observed), [0]) + (tf.norm(X, axis=1)[:2], tf.trace(tf.matmul(XT, X)), tf.matrix_determinant(tf.matmul(XT, X)))))
