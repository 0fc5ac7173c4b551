"""A machine with a memory that learns to copy: reads and writes by content and place, a cell of the program's own, unrolled by dynamic_rnn."""

import collections

import numpy as np
from program import show, tf

NTMState = collections.namedtuple("NTMState", ("controller_state", "read_vector", "w_list", "M"))
N, M, units, width, steps, batch = 6, 4, 10, 3, 3, 4


class NTMCell(tf.nn.rnn_cell.RNNCell):
    def __init__(self, reuse=None):
        super(NTMCell, self).__init__(_reuse=reuse)
        self.controller = tf.nn.rnn_cell.BasicLSTMCell(units)

    @property
    def state_size(self):
        return NTMState(self.controller.state_size, M, (tf.TensorShape([N]), tf.TensorShape([N])), tf.TensorShape([N, M]))

    @property
    def output_size(self):
        return width

    def call(self, x, prev_state):
        with tf.variable_scope("controller"):
            output, controller_state = self.controller(tf.concat([x, prev_state.read_vector], 1), prev_state.controller_state)
        parameters = tf.layers.dense(output, 2 * (M + 1 + 1 + 3 + 1) + 2 * M, name="parameters",
                                     kernel_initializer=tf.random_normal_initializer(stddev=0.3, seed=8))
        heads = tf.split(parameters[:, :2 * (M + 6)], 2, axis=1)
        erase, add = tf.split(parameters[:, 2 * (M + 6):], 2, axis=1)
        w_list = []
        for head, w in zip(heads, prev_state.w_list):
            k, beta, g = tf.tanh(head[:, :M]), tf.nn.softplus(head[:, M]), tf.sigmoid(head[:, M + 1])
            s, gamma = tf.nn.softmax(head[:, M + 2:M + 5]), tf.nn.softplus(head[:, M + 5]) + 1
            w_list.append(self.addressing(k, beta, g, s, gamma, prev_state.M, w))
        read = tf.reduce_sum(tf.expand_dims(w_list[0], 2) * prev_state.M, 1)
        w = tf.expand_dims(w_list[1], 2)
        memory = prev_state.M * (1 - tf.matmul(w, tf.expand_dims(tf.sigmoid(erase), 1))) + tf.matmul(w, tf.expand_dims(tf.tanh(add), 1))
        out = tf.layers.dense(tf.concat([output, read], 1), width, name="output")
        return out, NTMState(controller_state, read, tuple(w_list), memory)

    def addressing(self, k, beta, g, s, gamma, memory, prev_w):
        inner = tf.squeeze(tf.matmul(memory, tf.expand_dims(k, 2)), [2])
        similarity = inner / (tf.norm(memory, axis=2) * tf.norm(k, axis=1, keepdims=True) + 1e-8)
        w_c = tf.nn.softmax(similarity * tf.expand_dims(beta, 1))
        w_g = tf.expand_dims(g, 1) * w_c + (1 - tf.expand_dims(g, 1)) * prev_w
        w = tf.add_n([tf.expand_dims(s[:, i], 1) * tf.manip.roll(w_g, i - 1, 1) for i in range(3)])
        sharp = tf.pow(w + 1e-8, tf.expand_dims(gamma, 1))
        return sharp / tf.reduce_sum(sharp, 1, keep_dims=True)

    def zero_state(self, batch_size, dtype):
        one = tf.one_hot(tf.zeros([batch_size], tf.int32), N, dtype=dtype)
        return NTMState(self.controller.zero_state(batch_size, dtype), tf.zeros([batch_size, M]), (one, one), tf.fill([batch_size, N, M], 0.1))


data = np.random.RandomState(4).randint(0, 2, (batch, steps, width - 1)).astype(np.float32)
x = np.zeros((batch, 2 * steps + 1, width), np.float32)
x[:, :steps, :-1] = data
x[:, steps, -1] = 1
with tf.variable_scope("ntm", initializer=tf.random_uniform_initializer(-0.3, 0.3, seed=2)):
    cell = NTMCell()
    inputs, targets = tf.placeholder(tf.float32, x.shape), tf.placeholder(tf.float32, data.shape)
    outputs, state = tf.nn.dynamic_rnn(cell, inputs, initial_state=cell.zero_state(batch, tf.float32))
logits = outputs[:, steps + 1:, :width - 1]
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits))
optimizer = tf.train.RMSPropOptimizer(5e-3, decay=0.95, momentum=0.9)
trainable = tf.trainable_variables()
grads, _ = tf.clip_by_global_norm(tf.gradients(loss, trainable), 10.0)
train = optimizer.apply_gradients(zip(grads, trainable))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    losses = []
    for _ in range(100):
        losses.append(float(sess.run([loss, train], {inputs: x, targets: data})[0]))
    show("losses", losses)
    show("wrong bits", int(((sess.run(logits, {inputs: x}) > 0) != data).sum()))
    show("memory", [part.shape for part in sess.run(state, {inputs: x})[2:3][0]])
    show("variables", [v.name for v in trainable])
