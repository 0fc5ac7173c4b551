"""A Gaussian process, whose kernel is learnt by its marginal likelihood; Bayesian regression; a variational posterior; Hamiltonian paths."""

import numpy as np
from program import show, tf

random = np.random.RandomState(114)
X = np.sort(random.rand(9, 1), 0)
Y = np.sin(6 * X) + 0.05 * random.randn(9, 1)
x_new = tf.constant(np.linspace(0, 1, 4)[:, None])
log_params = tf.get_variable("log_params", initializer=np.log([1.0, 0.3, 0.1]), dtype=tf.float64)
amplitude, length, noise = tf.unstack(tf.exp(log_params))


def kernel(a, b):
    distance = tf.reduce_sum(tf.squared_difference(a[:, None], b[None]), -1)
    return amplitude**2 * tf.exp(-distance / (2 * length**2))


K = kernel(X, X) + tf.diag(tf.fill([9], noise**2 + 1e-8))
L = tf.cholesky(K)
alpha = tf.cholesky_solve(L, Y)
likelihood = -0.5 * tf.reduce_sum(Y * alpha) - tf.reduce_sum(tf.log(tf.diag_part(L))) - 4.5 * np.log(2 * np.pi)
v = tf.matrix_triangular_solve(L, kernel(X, x_new), lower=True)
mean = tf.matmul(kernel(x_new, X), alpha)
variance = tf.matrix_diag_part(kernel(x_new, x_new) - tf.matmul(v, v, transpose_a=True))
train = tf.train.AdamOptimizer(tf.constant(0.05, tf.float64)).minimize(-likelihood)

features = tf.constant(np.concatenate([X, np.ones_like(X), X**2], 1))
precision = 2.0 * tf.eye(3, dtype=tf.float64) + tf.matmul(features, features, transpose_a=True) / 0.01
posterior = tf.matrix_solve(precision, tf.matmul(features, Y, transpose_a=True) / 0.01)
covariance = tf.matrix_inverse(precision)
evidence = 0.5 * (tf.log(tf.matrix_determinant(2.0 * tf.eye(3, dtype=tf.float64))) - tf.linalg.logdet(precision))

mu, rho = tf.Variable(tf.zeros([3])), tf.Variable(tf.fill([3], -2.0))
sigma = tf.nn.softplus(rho)
eps = tf.random_normal([8, 3], seed=3)
w = mu + sigma * eps
predicted = tf.matmul(tf.cast(features, tf.float32), w, transpose_b=True)
prior = tf.distributions.Normal(0.0, 1.0)
elbo = tf.reduce_mean(tf.reduce_sum(tf.distributions.Normal(predicted, 0.2).log_prob(Y.astype(np.float32)), 0))
elbo -= tf.reduce_sum(tf.distributions.kl_divergence(tf.distributions.Normal(mu, sigma), prior))
fit = tf.train.AdamOptimizer(0.05).minimize(-elbo, var_list=[mu, rho])


def energy(q):
    return tf.reduce_sum(0.5 * q**2 + 0.1 * q**4)


def leapfrog(i, q, p):
    p = p - 0.05 * tf.gradients(energy(q), q)[0]
    q = q + 0.1 * p
    return i + 1, q, p - 0.05 * tf.gradients(energy(q), q)[0]


_, q, p = tf.while_loop(lambda i, *_: i < 12, leapfrog, (0, tf.constant([1.0, -0.5]), tf.constant([0.3, 0.2])))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(15):
        show("likelihood", sess.run([likelihood, train])[0])
    show("parameters", sess.run(log_params))
    show("process", [v.tolist() for v in sess.run([mean[:, 0], variance])])
    show("regression", [v.tolist() for v in sess.run([posterior[:, 0], tf.diag_part(covariance), evidence])])
    for _ in range(10):
        show("elbo", sess.run([elbo, fit])[0])
    show("hamiltonian", sess.run([q, p, energy(q) + 0.5 * tf.reduce_sum(p**2)]))
