"""Mandelbrot's set, rain on a pond, the game of life, and an integrator of Runge and Kutta as a layer with its gradient."""

import numpy as np
from program import show, tf

random = np.random.RandomState(117)
sess = tf.InteractiveSession()
Y, X = np.mgrid[-1.3:1.3:0.2, -2:1:0.2]
xs = tf.constant((X + 1j * Y).astype(np.complex64))
zs = tf.Variable(xs)
ns = tf.Variable(tf.zeros_like(xs, tf.float32))
tf.global_variables_initializer().run()
zs_ = zs * zs + xs
not_diverged = tf.abs(zs_) < 4
step = tf.group(zs.assign(zs_), ns.assign_add(tf.cast(not_diverged, tf.float32)))
for _ in range(8):
    step.run()
show("mandelbrot", ns.eval().sum(1))


def make_kernel(a):
    a = np.asarray(a)
    a = a.reshape(list(a.shape) + [1, 1])
    return tf.constant(a, dtype=1)


def simple_conv(x, k):
    x = tf.expand_dims(tf.expand_dims(x, 0), -1)
    y = tf.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], padding="SAME")
    return y[0, :, :, 0]


def laplace(x):
    return simple_conv(x, make_kernel([[0.5, 1.0, 0.5], [1.0, -6.0, 1.0], [0.5, 1.0, 0.5]]))


u_init = np.zeros([12, 12], dtype=np.float32)
for n in range(6):
    a, b = random.randint(0, 12, 2)
    u_init[a, b] = random.uniform()
eps, damping = tf.placeholder(tf.float32, shape=()), tf.placeholder(tf.float32, shape=())
U, Ut = tf.Variable(u_init), tf.Variable(np.zeros([12, 12], dtype=np.float32))
U_ = U + eps * Ut
Ut_ = Ut + eps * (laplace(U) - damping * Ut)
with tf.control_dependencies([U_, Ut_]):
    step = tf.group(U.assign(U_), Ut.assign(Ut_))
tf.global_variables_initializer().run()
for i in range(20):
    step.run({eps: 0.03, damping: 0.04})
show("pond", U.eval().sum(0))

board = tf.placeholder(tf.int32, shape=[8, 8], name="board")


def update_board(X):
    N = sum(np.roll(np.roll(X, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
    return np.array((N == 3) | (X & (N == 2))).astype(np.int32)


by_python = tf.py_func(update_board, [board], [tf.int32])
wrapped = tf.concat([board[-1:], board, board[:1]], 0)
wrapped = tf.concat([wrapped[:, -1:], wrapped, wrapped[:, :1]], 1)
ring = np.ones([3, 3, 1, 1], np.float32)
ring[1, 1] = 0
N = tf.to_int32(tf.nn.conv2d(tf.to_float(wrapped[None, :, :, None]), ring, [1, 1, 1, 1], "VALID")[0, :, :, 0])
by_graph = tf.to_int32(tf.logical_or(tf.equal(N, 3), tf.logical_and(tf.equal(board, 1), tf.equal(N, 2))))
X = random.randint(0, 2, (8, 8))
for _ in range(4):
    first, second = sess.run([by_python, by_graph], feed_dict={board: X})
    show("life", [bool((first[0] == second).all()), int(second.sum())])
    X = first[0]

A = tf.Variable([[-0.1, 2.0], [-2.0, -0.1]], name="A")
y0, t = tf.constant([[2.0, 0.0]]), np.linspace(0.0, 1.0, 6).astype(np.float32)


def func(y, t):
    return tf.matmul(y**3, A)


def rk4_step(y, t, dt):
    k1 = func(y, t)
    k2 = func(y + dt * k1 / 2, t + dt / 2)
    k3 = func(y + dt * k2 / 2, t + dt / 2)
    k4 = func(y + dt * k3, t + dt)
    return y + (k1 + 2 * k2 + 2 * k3 + k4) * dt / 6


ys = tf.scan(lambda y, ts: rk4_step(y, ts[0], ts[1]), (t[:-1], t[1:] - t[:-1]), initializer=y0)
goal = np.stack([2 * np.exp(-t[1:]), np.sin(t[1:])], 1)[:, None, :]
loss = tf.reduce_mean(tf.abs(ys - goal))
train = tf.train.RMSPropOptimizer(1e-2).minimize(loss, var_list=[A])
tf.variables_initializer([v for v in tf.global_variables() if "RMSProp" in v.name] + [A]).run()
for _ in range(8):
    show("path", sess.run([loss, train])[0])
show("A", A.eval())
sess.close()
