"""Numbers of programs, to be compared with those that TensorFlow 2.21 gave for the same programs and seeds."""

import numpy as np

import troupe as tf


def mark(array):
    """One number of an array, which no other order of the elements has."""
    flat = np.asarray(array, np.float64).ravel()
    return float(np.sum(flat * (1 + np.arange(flat.size) % 7)))


def ramp(*shape):
    """A tensor of 0, 0.1, ... 0.6, 0, ..."""
    return tf.constant((np.arange(np.prod(shape)) % 7 * 0.1).reshape(shape).astype(np.float32))


def weights(*shape):
    """A variable with random values."""
    return tf.get_variable(f"weights_{len(tf.global_variables())}", shape)


def _leaves(value):
    return [leaf for part in value for leaf in _leaves(part)] if isinstance(value, (list, tuple)) else [value]


def marks(program):
    """Marks of what a program gives, then of the gradients of the first of these by all variables."""
    with tf.Graph().as_default():
        tf.set_random_seed(7)
        made = _leaves(program())
        variables = tf.trainable_variables()
        made += [tf.convert_to_tensor(g) for g in tf.gradients(made[0], variables)] if variables else []
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            return [mark(v) for v in session.run(made)]


def check(program, expected):
    found = marks(program)
    assert len(found) == len(expected)
    np.testing.assert_allclose(found, expected, rtol=2e-4, atol=2e-4)
