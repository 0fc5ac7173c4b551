"""A language model of words as the tutorial of Penn Treebank has it: three graphs in one by reuse, unrolled steps, a state that is handed on, a rate
that falls by epochs through an assign."""

import collections
import os
import tempfile

import numpy as np
from program import show, tf


class Config:
    init_scale, learning_rate, max_grad_norm, num_layers, num_steps, hidden_size, max_epoch, max_max_epoch, lr_decay, batch_size, vocab_size = (
        0.3, 1.0, 1.0, 2, 4, 12, 2, 4, 0.5, 3, 14)


def read_words(filename):
    with tf.gfile.GFile(filename, "r") as f:
        return f.read().replace("\n", "<eos>").split()


def build_vocab(filename):
    counter = collections.Counter(read_words(filename))
    words, _ = list(zip(*sorted(counter.items(), key=lambda x: (-x[1], x[0]))))
    return dict(zip(words, range(len(words))))


def ptb_producer(raw_data, batch_size, num_steps, name=None):
    with tf.name_scope(name, "PTBProducer", [raw_data, batch_size, num_steps]):
        raw_data = tf.convert_to_tensor(raw_data, name="raw_data", dtype=tf.int32)
        batch_len = tf.size(raw_data) // batch_size
        data = tf.reshape(raw_data[0:batch_size * batch_len], [batch_size, batch_len])
        epoch_size = (batch_len - 1) // num_steps
        assertion = tf.assert_positive(epoch_size, message="epoch_size == 0, decrease batch_size or num_steps")
        with tf.control_dependencies([assertion]):
            epoch_size = tf.identity(epoch_size, name="epoch_size")
        i = tf.train.range_input_producer(epoch_size, shuffle=False).dequeue()
        x = tf.strided_slice(data, [0, i * num_steps], [batch_size, (i + 1) * num_steps])
        x.set_shape([batch_size, num_steps])
        y = tf.strided_slice(data, [0, i * num_steps + 1], [batch_size, (i + 1) * num_steps + 1])
        y.set_shape([batch_size, num_steps])
        return x, y


class PTBModel(object):
    def __init__(self, is_training, config, data, name):
        self.batch_size, self.num_steps = config.batch_size, config.num_steps
        self.epoch_size = ((len(data) // self.batch_size) - 1) // self.num_steps
        input_data, targets = ptb_producer(data, self.batch_size, self.num_steps, name=name)

        def cell():
            made = tf.nn.rnn_cell.BasicLSTMCell(config.hidden_size, forget_bias=0.0, state_is_tuple=True, reuse=not is_training)
            return tf.nn.rnn_cell.DropoutWrapper(made, output_keep_prob=1.0) if is_training else made

        cells = tf.nn.rnn_cell.MultiRNNCell([cell() for _ in range(config.num_layers)], state_is_tuple=True)
        self._initial_state = cells.zero_state(config.batch_size, tf.float32)
        with tf.device("/cpu:0"):
            embedding = tf.get_variable("embedding", [config.vocab_size, config.hidden_size], dtype=tf.float32)
            inputs = tf.nn.embedding_lookup(embedding, input_data)
        state, outputs = self._initial_state, []
        with tf.variable_scope("RNN"):
            for time_step in range(self.num_steps):
                if time_step > 0:
                    tf.get_variable_scope().reuse_variables()
                (cell_output, state) = cells(inputs[:, time_step, :], state)
                outputs.append(cell_output)
        output = tf.reshape(tf.concat(outputs, 1), [-1, config.hidden_size])
        softmax_w = tf.get_variable("softmax_w", [config.hidden_size, config.vocab_size], dtype=tf.float32)
        softmax_b = tf.get_variable("softmax_b", [config.vocab_size], dtype=tf.float32)
        logits = tf.nn.xw_plus_b(output, softmax_w, softmax_b)
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reshape(targets, [-1]), logits=logits)
        self._cost = tf.reduce_sum(loss) / config.batch_size
        self._final_state = state
        self._train_op = None
        if not is_training:
            return
        self._lr = tf.Variable(0.0, trainable=False)
        tvars = tf.trainable_variables()
        grads, _ = tf.clip_by_global_norm(tf.gradients(self._cost, tvars), config.max_grad_norm)
        optimizer = tf.train.GradientDescentOptimizer(self._lr)
        self._train_op = optimizer.apply_gradients(zip(grads, tvars), global_step=tf.train.get_or_create_global_step())
        self._new_lr = tf.placeholder(tf.float32, shape=[], name="new_learning_rate")
        self._lr_update = tf.assign(self._lr, self._new_lr)

    def assign_lr(self, session, lr_value):
        session.run(self._lr_update, feed_dict={self._new_lr: lr_value})


def run_epoch(session, model):
    costs, iters = 0.0, 0
    state = session.run(model._initial_state)
    fetches = {"cost": model._cost, "final_state": model._final_state}
    if model._train_op is not None:
        fetches["eval_op"] = model._train_op
    for _ in range(model.epoch_size):
        feed_dict = {}
        for i, (c, h) in enumerate(model._initial_state):
            feed_dict[c] = state[i].c
            feed_dict[h] = state[i].h
        vals = session.run(fetches, feed_dict)
        state = vals["final_state"]
        costs += vals["cost"]
        iters += model.num_steps
    return np.exp(costs / iters)


folder = tempfile.mkdtemp()
path = os.path.join(folder, "ptb.train.txt")
with tf.gfile.GFile(path, "w") as f:
    f.write("the cat sat on the mat\nthe dog sat on a rug\na cat saw the dog run\nthe dog ran to the cat\n" * 4)
word_to_id = build_vocab(path)
data = [word_to_id[word] for word in read_words(path) if word in word_to_id]
config = Config()
config.vocab_size = len(word_to_id)
show("vocabulary", [len(word_to_id), data[:12]])
with tf.Graph().as_default():
    tf.set_random_seed(11)
    initializer = tf.random_uniform_initializer(-config.init_scale, config.init_scale, seed=5)
    with tf.name_scope("Train"):
        with tf.variable_scope("Model", reuse=None, initializer=initializer):
            m = PTBModel(True, config, data, "TrainInput")
        tf.summary.scalar("Training Loss", m._cost)
        tf.summary.scalar("Learning Rate", m._lr)
    with tf.name_scope("Valid"):
        with tf.variable_scope("Model", reuse=True, initializer=initializer):
            mvalid = PTBModel(False, config, data[:40], "ValidInput")
        tf.summary.scalar("Validation Loss", mvalid._cost)
    # Its own summaries would take elements of the queues, now and then.
    sv = tf.train.Supervisor(logdir=os.path.join(folder, "logs"), summary_op=None)
    with sv.managed_session() as session:
        for i in range(config.max_max_epoch):
            m.assign_lr(session, config.learning_rate * config.lr_decay ** max(i + 1 - config.max_epoch, 0.0))
            show("epoch", [float(session.run(m._lr)), float(run_epoch(session, m)), float(run_epoch(session, mvalid))])
        sv.saver.save(session, os.path.join(folder, "model"), global_step=sv.global_step)
    show("files", sorted(f for f in os.listdir(folder) if f.startswith("model")))
    show("variables", [v.name for v in tf.trainable_variables()])
