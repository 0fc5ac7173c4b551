"""Mandelbrot's set, raindrops on a pond, the game of life, heat on a rod, and planets: arrays that are assigned to again and again."""

import numpy as np
from program import show, tf

y, x = np.mgrid[-1.3:1.3:0.2, -2:1:0.2]
z = tf.constant((x + 1j * y).astype(np.complex64))
zs, ns = tf.Variable(z), tf.Variable(tf.zeros_like(z, tf.float32))
zs_ = zs * zs + z
not_diverged = tf.abs(zs_) < 4
mandelbrot = tf.group(zs.assign(tf.where(not_diverged, zs_, zs)), ns.assign_add(tf.cast(not_diverged, tf.float32)))

size = 12
pond = np.zeros([size, size], np.float32)
for a, b in np.random.RandomState(130).randint(0, size, (5, 2)):
    pond[a, b] = -0.3
kernel = np.array([[0.5, 1.0, 0.5], [1.0, -6.0, 1.0], [0.5, 1.0, 0.5]], np.float32)
eps, damping = tf.placeholder(tf.float32, shape=()), tf.placeholder(tf.float32, shape=())
U, Ut = tf.Variable(pond), tf.Variable(np.zeros([size, size], np.float32))
laplace = tf.nn.depthwise_conv2d(U[None, :, :, None], kernel.reshape(3, 3, 1, 1), [1, 1, 1, 1], padding="SAME")[0, :, :, 0]
moved, hastened = U + eps * Ut, Ut + eps * (laplace - damping * Ut)
with tf.control_dependencies([moved, hastened]):
    ripple = tf.group(U.assign(moved), Ut.assign(hastened))

glider = np.zeros((8, 8), np.int32)
glider[[0, 1, 2, 2, 2], [1, 2, 0, 1, 2]] = 1
board = tf.placeholder(tf.int32, [8, 8])


def generation(cells):
    around = sum(tf.manip.roll(cells, [i, j], [0, 1]) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
    return tf.to_int32(tf.logical_or(tf.equal(around, 3), tf.logical_and(tf.equal(around, 2), cells > 0)))


lives = tf.while_loop(lambda i, cells: i < 4, lambda i, cells: (i + 1, generation(cells)), (0, board))[1]

rod = tf.constant(np.eye(1, 9, 4, dtype=np.float64)[0])
side = 0.3 * np.ones(8)
system = tf.matrix_set_diag(tf.zeros([9, 9], tf.float64), tf.fill([9], tf.constant(1.6, tf.float64))) - tf.diag(tf.zeros([9], tf.float64)) - tf.cast(
    np.diag(side, 1) + np.diag(side, -1), tf.float64)
heat = tf.scan(lambda t, _: tf.matrix_solve(system, t[:, None])[:, 0], tf.range(5), initializer=rod)

mass = tf.constant([1.0, 0.1, 0.05])


def pull(at):
    apart = at[None] - at[:, None]
    squares = tf.reduce_sum(apart * apart, 2) + 0.01
    return tf.reduce_sum(mass[None, :, None] * apart * tf.pow(squares, -1.5)[:, :, None], 1)


def leap(at, speed):
    speed += 0.05 * pull(at)
    at += 0.1 * speed
    return at, speed + 0.05 * pull(at)


start = (tf.constant([[0.0, 0.0], [1.0, 0.0], [0.0, -2.0]]), tf.constant([[0.0, 0.0], [0.0, 1.0], [0.7, 0.0]]))
orbit = tf.scan(lambda state, _: leap(*state), tf.range(20), initializer=start)

with tf.Session() as sess:
    tf.initialize_all_variables().run()
    for _ in range(30):
        mandelbrot.run()
    show("mandelbrot", ns.eval().astype(int))
    for _ in range(25):
        ripple.run({eps: 0.03, damping: 0.04})
    show("pond", [U.eval()[::3, ::3], sess.run(tf.reduce_sum(tf.square(U)))])
    show("glider", sess.run(lives, {board: glider}))
    show("moved", bool((sess.run(lives, {board: glider}) == np.roll(glider, (1, 1), (0, 1))).all()))
    show("heat", sess.run(heat)[[0, 4]])
    show("orbit", sess.run([orbit[0][-1], orbit[1][-1]]))
