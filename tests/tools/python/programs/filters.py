"""Filters over series by scan and loops: a moving average, an oscillator, a Kalman filter with its smoother, and cumulative sums."""

import numpy as np
from program import show, tf

random = np.random.RandomState(90)
steps = 12
truth = np.cumsum(random.randn(steps)) * 0.3
measured = (truth + 0.5 * random.randn(steps)).astype(np.float32)
series = tf.placeholder(tf.float32, [None], name="series")

alpha = tf.placeholder_with_default(0.3, [])
smooth = tf.scan(lambda a, v: (1.0 - alpha) * a + alpha * v, series[1:], initializer=series[0])
oscillator = tf.scan(lambda ab, v: (ab[0] + 0.1 * ab[1], ab[1] - 0.1 * ab[0] + 0.01 * v), series, initializer=(tf.constant(1.0), tf.constant(0.0)))
biquad = tf.scan(lambda s, v: tf.stack([0.2 * v + 0.5 * s[0] - 0.3 * s[1], s[0]]), series, initializer=tf.zeros([2]))[:, 0]
window = tf.nn.conv1d(series[None, :, None], tf.fill([3, 1, 1], 1.0 / 3.0), stride=1, padding="VALID")[0, :, 0]

turn = tf.constant([[1.0, 1.0], [0.0, 1.0]])
noise = 0.05 * tf.eye(2)
look = tf.constant([[1.0, 0.0]])


def kalman(before, v):
    state, spread, _, _ = before
    state, spread = tf.matmul(turn, state), tf.matmul(tf.matmul(turn, spread), turn, transpose_b=True) + noise
    guessed = (state, spread)
    residual = v - tf.matmul(look, state)
    total = tf.matmul(tf.matmul(look, spread), look, transpose_b=True) + 0.25
    gain = tf.matmul(tf.matmul(spread, look, transpose_b=True), tf.matrix_inverse(total))
    return state + tf.matmul(gain, residual), tf.matmul(tf.eye(2) - tf.matmul(gain, look), spread), *guessed


start = (tf.zeros([2, 1]), tf.eye(2), tf.zeros([2, 1]), tf.eye(2))
states, spreads, guesses, guess_spreads = tf.scan(kalman, series, initializer=start)


def smoother(after, now):
    state, spread, next_guess, next_spread = now
    gain = tf.matmul(tf.matmul(spread, turn, transpose_b=True), tf.matrix_inverse(next_spread))
    return state + tf.matmul(gain, after - next_guess)


smoothed = tf.scan(smoother, (states[:-1], spreads[:-1], guesses[1:], guess_spreads[1:]), initializer=states[-1], reverse=True)
likely = -0.5 * tf.reduce_sum(tf.square(series - guesses[:, 0, 0]) / (guess_spreads[:, 0, 0] + 0.25) + tf.log(guess_spreads[:, 0, 0] + 0.25))

with tf.Session() as sess:
    for length in (steps, 5):
        feed = {series: measured[:length]}
        show("smooth", sess.run(smooth, feed))
        show("oscillator", sess.run(oscillator, feed))
        show("biquad", sess.run([biquad, window], feed))
        show("kalman", sess.run([states[:, 0, 0], spreads[-1], likely], feed))
        show("smoothed", sess.run(smoothed[:, :, 0], feed))
        show("slopes", sess.run(tf.gradients([tf.reduce_sum(smooth), likely], series), feed))
    show("alpha", sess.run(tf.gradients(smooth, alpha), {series: measured, alpha: 0.9}))
    show("sums", sess.run([tf.cumsum(series), tf.cumsum(series, exclusive=True, reverse=True), tf.cumprod(series[:4])], {series: measured}))
    errors = tf.sqrt(tf.reduce_mean(tf.square(tf.stack([series, states[:, 0, 0]]) - truth.astype(np.float32)), axis=1))
    show("errors", sess.run(errors, {series: measured}))
