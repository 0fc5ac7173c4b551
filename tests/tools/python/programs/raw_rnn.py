"""Recurrent networks whose turns a function of the program makes: over a sequence, and a decoder that reads what it said."""

import numpy as np
from program import show, tf


class Mixer:
    """A cell of constants, so that its numbers are the same everywhere."""

    def __init__(self, units):
        self._units = units

    @property
    def state_size(self):
        return self._units

    @property
    def output_size(self):
        return self._units

    def zero_state(self, rows, dtype):
        return tf.zeros([rows, self._units], dtype)

    def __call__(self, inputs, state, scope=None):
        w = tf.constant(np.sin(1.7 * np.arange(int(inputs.shape[1]) * self._units)).reshape(-1, self._units).astype(np.float32))
        new = tf.tanh(tf.matmul(inputs, w) + 0.5 * state)
        return new, new


cell = Mixer(4)
inputs = tf.constant((np.arange(24) % 5 * 0.1).reshape(3, 2, 4).astype(np.float32))
lengths = tf.constant([3, 2])
sequence = tf.TensorArray(tf.float32, size=3).unstack(inputs)


def over_a_sequence(time, output, state, loop_state):
    finished = time >= lengths
    following = tf.cond(tf.reduce_all(finished), lambda: tf.zeros([2, 4]), lambda: sequence.read(time))
    return finished, following, cell.zero_state(2, tf.float32) if output is None else state, output, None


def decoder(time, output, state, loop_state):
    if output is None:
        return tf.zeros([2], tf.bool), tf.one_hot([0, 1], 4), cell.zero_state(2, tf.float32), tf.zeros([], tf.int64), tf.constant(0)
    said = tf.argmax(output, 1)
    return tf.logical_or(time >= 5, tf.equal(said, 0)), tf.one_hot(said + tf.cast(time, tf.int64), 4), state, said, loop_state + 1


outputs, last, nothing = tf.nn.raw_rnn(cell, over_a_sequence)
said, _, turns = tf.nn.raw_rnn(cell, decoder, scope="decoder")
show("nothing", nothing)
show("shapes", [outputs.stack().shape.as_list(), last.shape.as_list(), said.dtype.name])
with tf.Session() as session:
    show("outputs", session.run(outputs.stack()))
    show("last", session.run(last))
    show("said", session.run([said.stack(), turns]))
    show("gradient", session.run(tf.gradients(tf.reduce_sum(last), inputs)[0]))
