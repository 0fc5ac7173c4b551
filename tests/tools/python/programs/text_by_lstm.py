"""Text generation with stacked LSTMs, state fed back by tuples, dropout wrappers, variable state kept in the graph, sampling by multinomial, gradient clipping."""

import numpy as np
from program import show, tf

tf.set_random_seed(21)
np.random.seed(21)
text = "hello tensorflow world, hello graph and session " * 4
chars = sorted(set(text))
c2i = {c: i for i, c in enumerate(chars)}
data = np.array([c2i[c] for c in text])
V = len(chars)
B, T, H, L = 4, 6, 10, 2


def batches():
    n = B * T
    m = len(data) // n
    arr = data[: m * n].reshape(B, -1)
    for i in range(0, arr.shape[1] - 1, T):
        x = arr[:, i : i + T]
        y = np.zeros_like(x)
        y[:, :-1], y[:, -1] = x[:, 1:], arr[:, (i + T) % arr.shape[1]]
        yield x, y


class CharRNN:
    def __init__(self, sampling=False):
        b, t = (1, 1) if sampling else (B, T)
        self.inputs = tf.placeholder(tf.int32, [b, t], name="inputs")
        self.targets = tf.placeholder(tf.int32, [b, t], name="targets")
        self.keep_prob = tf.placeholder(tf.float32, name="keep_prob")

        def cell():
            c = tf.nn.rnn_cell.BasicLSTMCell(H, forget_bias=1.0)
            return tf.nn.rnn_cell.DropoutWrapper(c, output_keep_prob=self.keep_prob, seed=5)

        multi = tf.nn.rnn_cell.MultiRNNCell([cell() for _ in range(L)], state_is_tuple=True)
        self.initial_state = multi.zero_state(b, tf.float32)
        x = tf.one_hot(self.inputs, V)
        with tf.variable_scope("rnn", initializer=tf.random_uniform_initializer(-0.2, 0.2, seed=2)):
            outs, self.final_state = tf.nn.dynamic_rnn(multi, x, initial_state=self.initial_state)
        with tf.variable_scope("softmax"):
            w = tf.get_variable("w", [H, V], initializer=tf.truncated_normal_initializer(stddev=0.1, seed=3))
            bb = tf.get_variable("b", [V], initializer=tf.zeros_initializer)
        self.logits = tf.matmul(tf.reshape(outs, [-1, H]), w) + bb
        self.pred = tf.nn.softmax(self.logits)
        self.loss = tf.reduce_mean(
            tf.nn.softmax_cross_entropy_with_logits(logits=self.logits, labels=tf.reshape(tf.one_hot(self.targets, V), self.logits.get_shape()))
        )
        tvars = tf.trainable_variables()
        grads, self.norm = tf.clip_by_global_norm(tf.gradients(self.loss, tvars), 0.5)
        self.opt = tf.train.AdamOptimizer(0.01).apply_gradients(zip(grads, tvars))
        self.sample = tf.multinomial(self.logits, 1, seed=9)


model = CharRNN()
show("vars", [[v.name, v.shape.as_list()] for v in tf.trainable_variables()])
show("state", [[type(s).__name__, s.c.shape.as_list()] for s in model.initial_state])
import tempfile

d = tempfile.mkdtemp()
saver = tf.train.Saver(max_to_keep=100)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for e in range(2):
        st = sess.run(model.initial_state)
        for x, y in batches():
            loss, st, _, n = sess.run(
                [model.loss, model.final_state, model.opt, model.norm],
                {model.inputs: x, model.targets: y, model.keep_prob: 1.0, model.initial_state: st},
            )
            show("loss", [loss, n])
    ck = saver.save(sess, d + "/i{}_l{}.ckpt".format(3, H))
    show("state", [[float(np.abs(s.c).sum()), float(s.h.sum())] for s in st])
    show(
        "held",
        sess.run(
            model.loss,
            {
                model.inputs: x,
                model.targets: y,
                model.keep_prob: 1.0,
                model.initial_state[0].c: np.ones((B, H)),
                model.initial_state[0].h: np.zeros((B, H)),
            },
        ),
    )
tf.reset_default_graph()
model = CharRNN(sampling=True)
saver = tf.train.Saver()
with tf.Session() as sess:
    saver.restore(sess, tf.train.latest_checkpoint(d))
    st = sess.run(model.initial_state)
    samples = []
    c = c2i["h"]
    for i in range(10):
        p, st, dr = sess.run([model.pred, model.final_state, model.sample], {model.inputs: [[c]], model.keep_prob: 1.0, model.initial_state: st})
        c = int(np.argmax(np.squeeze(p)))
        samples.append(chars[c])
        show("p", [float(p.max()), dr])
    show("text", "".join(samples))
# state in variables
tf.reset_default_graph()
cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(3), tf.nn.rnn_cell.LSTMCell(4, num_proj=2, use_peepholes=True)])
x = tf.placeholder(tf.float32, [2, None, 1])


def get_state_variables(batch_size, cell):
    out = []
    for s in cell.zero_state(batch_size, tf.float32):
        out.append(
            tf.nn.rnn_cell.LSTMStateTuple(tf.Variable(s.c, trainable=False), tf.Variable(s.h, trainable=False))
            if isinstance(s, tf.nn.rnn_cell.LSTMStateTuple)
            else tf.Variable(s, trainable=False)
        )
    return tuple(out)


def flat(s):
    return [q for p in s for q in (p if isinstance(p, tuple) else [p])]


states = get_state_variables(2, cell)
init = tf.constant_initializer(0.2)
with tf.variable_scope("r", initializer=init):
    outputs, new = tf.nn.dynamic_rnn(cell, x, initial_state=states, sequence_length=[2, 3])
upd = tf.tuple([tf.assign(a, b) for a, b in zip(flat(states), flat(new))])
reset = [tf.assign(a, tf.zeros_like(a)) for a in flat(states)]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        show("kept", [v for v in sess.run([outputs, upd], {x: np.arange(6.0).reshape(2, 3, 1)})])
    sess.run(reset)
    show("reset", sess.run(outputs, {x: np.arange(6.0).reshape(2, 3, 1)}))
show("names", [v.name for v in tf.trainable_variables()])
