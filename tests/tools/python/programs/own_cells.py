"""Cells that programs write: by call or by __call__, with variables of their own or by layers, with normalized gates, in stacks with those of the
package; language models both ways whose layers are weighted, and a custom getter that draws weights anew."""

import numpy as np
from program import show, tf

batch, steps, vocab, units = 4, 6, 11, 6
ids = np.random.RandomState(17).randint(0, vocab, (batch, steps))
lengths = np.array([6, 4, 5, 3])


class LayerNormGRU(tf.nn.rnn_cell.RNNCell):
    def __init__(self, num_units, activation=tf.tanh, reuse=None):
        super(LayerNormGRU, self).__init__(_reuse=reuse)
        self._num_units, self._activation = num_units, activation

    @property
    def state_size(self):
        return self._num_units

    @property
    def output_size(self):
        return self._num_units

    def __call__(self, inputs, state, scope=None):
        with tf.variable_scope(scope or type(self).__name__):
            with tf.variable_scope("Gates"):
                w = tf.get_variable("w", [inputs.shape[1].value + self._num_units, 2 * self._num_units])
                value = tf.matmul(tf.concat([inputs, state], 1), w)
                r, u = tf.split(value=value, num_or_size_splits=2, axis=1)
                r, u = tf.sigmoid(self.norm(r, "r/")), tf.sigmoid(self.norm(u, "u/"))
            with tf.variable_scope("Candidate"):
                c = self._activation(tf.layers.dense(tf.concat([inputs, r * state], 1), self._num_units))
            new_h = u * state + (1 - u) * c
        return new_h, new_h

    def norm(self, tensor, scope):
        m, v = tf.nn.moments(tensor, [1], keep_dims=True)
        scale = tf.get_variable(scope + "scale", [tensor.get_shape()[1]], initializer=tf.constant_initializer(1))
        shift = tf.get_variable(scope + "shift", [tensor.get_shape()[1]], initializer=tf.constant_initializer(0))
        return (tensor - m) / tf.sqrt(v + 1e-5) * scale + shift


class ZoneoutCell(tf.nn.rnn_cell.RNNCell):
    """Mixes new and old states."""

    def __init__(self, cell, keep):
        self._cell, self._keep = cell, keep

    state_size = property(lambda self: self._cell.state_size)
    output_size = property(lambda self: self._cell.output_size)

    def __call__(self, inputs, state, scope=None):
        output, new_state = self._cell(inputs, state, scope)
        mixed = [self._keep * n + (1 - self._keep) * o for n, o in zip(new_state, state)]
        return output, tf.nn.rnn_cell.LSTMStateTuple(*mixed)


x = tf.placeholder(tf.int32, [batch, None])
n = tf.placeholder(tf.int32, [batch])
with tf.variable_scope("lm", initializer=tf.random_uniform_initializer(-0.4, 0.4, seed=23)):
    table = tf.get_variable("table", [vocab, 5])
    embedded = tf.nn.embedding_lookup(table, x)
    layers = [embedded]
    for direction in ("forward", "backward"):
        with tf.variable_scope(direction):
            read = embedded if direction == "forward" else tf.reverse_sequence(embedded, n, seq_axis=1, batch_axis=0)
            stack = tf.nn.rnn_cell.MultiRNNCell([
                LayerNormGRU(units), ZoneoutCell(tf.nn.rnn_cell.LSTMCell(units, num_proj=units, cell_clip=3, proj_clip=3), 0.9)])
            output, last = tf.nn.dynamic_rnn(stack, read, sequence_length=n, dtype=tf.float32)
            layers.append(output if direction == "forward" else tf.reverse_sequence(output, n, seq_axis=1, batch_axis=0))
    weights = tf.get_variable("ELMo_W", [3], initializer=tf.zeros_initializer())
    gamma = tf.get_variable("ELMo_gamma", [1], initializer=tf.ones_initializer())
    normed = tf.split(tf.nn.softmax(weights + 1.0 / 3), 3)
    mixed = tf.add_n([w * tf.layers.dense(layer, units, name="same_%d" % i) for i, (w, layer) in enumerate(zip(normed, layers))]) * gamma
    forward_logits = tf.layers.dense(layers[1], vocab, name="forward_out")
    backward_logits = tf.layers.dense(layers[2], vocab, name="backward_out")
    tag_logits = tf.layers.dense(mixed, 2, name="tags")
mask = tf.sequence_mask(n, tf.shape(x)[1], tf.float32)
ce = lambda labels, logits, m: tf.reduce_sum(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits) * m) / tf.reduce_sum(m)
loss = (ce(x[:, 1:], forward_logits[:, :-1], mask[:, 1:]) + ce(x[:, :-1], backward_logits[:, 1:], mask[:, 1:]) + ce(x % 2, tag_logits, mask))
train = tf.train.AdagradOptimizer(0.2, initial_accumulator_value=1.0).minimize(loss, var_list=tf.trainable_variables(scope="lm"))


def noisy(getter, name, *args, **kwargs):
    var = getter(name, *args, **kwargs)
    return var + 0.1 * tf.ones_like(var) if name.endswith("kernel") else var


with tf.variable_scope("lm", reuse=True, custom_getter=noisy):
    noisy_tags = tf.layers.dense(mixed, 2, name="tags")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {x: ids, n: lengths}
    losses = []
    for _ in range(100):
        losses.append(float(sess.run([loss, train], feed)[0]))
    show("losses", losses)
    show("mix", sess.run([weights, gamma]))
    show("states", sess.run([last[0][0], last[1].c[0]], feed))
    show("noisy", sess.run(noisy_tags - tag_logits, feed)[0, 0])
    show("variables", [[v.name, v.shape.as_list()] for v in tf.trainable_variables()])
