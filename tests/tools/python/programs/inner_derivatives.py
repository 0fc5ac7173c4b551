"""Derivatives that are taken inside loops and branches: Newton's method, rows of Jacobians and Hessians, steps of an inner training."""

import numpy as np
from program import show, tf


def repeat(count, step, value):
    return tf.while_loop(lambda i, x: i < count, lambda i, x: (i + 1, step(x)), [0, value])[1]


def newton(x):
    y = x * x * x - 8.0
    return x - y / tf.gradients(y, x)[0]


def inner_steps(w):
    """A few steps down by what is inside the loop, whose result has a derivative by what is outside."""
    adapted = repeat(3, lambda x: x - 0.1 * tf.gradients(tf.reduce_sum(tf.tanh(w * x)), x)[0], tf.constant([1.0, 2.0]))
    return adapted


def jacobian(y, x, size):
    return tf.map_fn(lambda i: tf.gradients(y[i], x)[0], tf.range(size), dtype=tf.float32)


def of_a_branch(x):
    y = tf.cond(x > 0, lambda: x * x, lambda: -x)
    return x - 0.1 * tf.gradients(y, x)[0]


def inside_branches(x, big):
    return tf.cond(big, lambda: tf.gradients(tf.exp(x) * 2.0, x)[0], lambda: tf.gradients(x * x, x)[0])


w = tf.Variable(2.0)
rows = tf.placeholder(tf.float32, [None, 2])
x = tf.constant([1.0, 2.0])
big = tf.placeholder(tf.bool, [])
both = tf.constant(0.5)

show_later = {
    "newton": repeat(20, newton, tf.constant(3.0)),
    "inner steps": inner_steps(w),
    "each element's": tf.map_fn(lambda e: tf.gradients(e * e * e, e)[0], tf.constant([1.0, 2.0, 3.0])),
    "of a branch": repeat(3, of_a_branch, tf.constant(2.0)),
    "jacobian": jacobian(x * tf.reduce_sum(x), x, 2),
    "jacobian by what is held": jacobian(x * w * w, w, 2),
    "hessian": tf.hessians(tf.reduce_prod(x) * tf.reduce_sum(x), x)[0],
    "hessian of any size": tf.hessians(tf.reduce_sum(rows ** 3) * tf.reduce_sum(rows), rows)[0],
    "inside branches": inside_branches(both, big),
}

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for name, value in show_later.items():
        show(name, session.run(value, {rows: np.arange(4.0).reshape(2, 2), big: True}))
    show("inside the other", session.run(show_later["inside branches"], {big: False}))
