"""Questions about stories: sentences as weighted sums of words, memories read in hops, noise on gradients, rows of padding that stay zero."""

import numpy as np
from program import show, tf

vocab, memory_size, sentence_size, embedding_size, hops, batch = 12, 5, 4, 8, 3, 16
random = np.random.RandomState(9)
stories = random.randint(1, vocab, (batch, memory_size, sentence_size))
stories[:, 3:, 2:] = 0
queries = np.concatenate([stories[np.arange(batch), np.arange(batch) % memory_size, :1], np.zeros((batch, sentence_size - 1), int)], 1)
answers = np.eye(vocab)[stories[np.arange(batch), np.arange(batch) % memory_size, 1]]


def position_encoding(sentence_size, embedding_size):
    encoding = np.ones((embedding_size, sentence_size), dtype=np.float32)
    for i in range(1, embedding_size + 1):
        for j in range(1, sentence_size + 1):
            encoding[i - 1, j - 1] = (i - (embedding_size + 1) / 2) * (j - (sentence_size + 1) / 2)
    return np.transpose(1 + 4 * encoding / embedding_size / sentence_size)


def zero_nil_slot(t, name=None):
    with tf.name_scope(name, "zero_nil_slot", [t]) as name:
        t = tf.convert_to_tensor(t, name="t")
        s = tf.shape(t)[1]
        return tf.concat(axis=0, values=[tf.zeros(tf.stack([1, s])), tf.slice(t, [1, 0], [-1, -1])], name=name)


def add_gradient_noise(t, stddev=1e-3, name=None):
    with tf.name_scope(name, "add_gradient_noise", [t, stddev]) as name:
        t = tf.convert_to_tensor(t, name="t")
        return tf.add(t, tf.random_normal(tf.shape(t), stddev=stddev, seed=3), name=name)


class MemN2N(object):
    def __init__(self, session):
        self._sess = session
        self._init = tf.random_normal_initializer(stddev=0.1, seed=1)
        self._stories = tf.placeholder(tf.int32, [None, memory_size, sentence_size], name="stories")
        self._queries = tf.placeholder(tf.int32, [None, sentence_size], name="queries")
        self._answers = tf.placeholder(tf.int32, [None, vocab], name="answers")
        self._lr = tf.placeholder(tf.float32, [], name="learning_rate")
        self._opt = tf.train.GradientDescentOptimizer(learning_rate=self._lr)
        with tf.variable_scope("MemN2N"):
            nil_word_slot = tf.zeros([1, embedding_size])
            A = tf.concat(axis=0, values=[nil_word_slot, self._init([vocab - 1, embedding_size])])
            C = tf.concat(axis=0, values=[nil_word_slot, self._init([vocab - 1, embedding_size])])
            self.A_1 = tf.Variable(A, name="A")
            self.C = []
            for hopn in range(hops):
                with tf.variable_scope("hop_{}".format(hopn)):
                    self.C.append(tf.Variable(C, name="C"))
        self._nil_vars = set([self.A_1.name] + [x.name for x in self.C])
        encoding = tf.constant(position_encoding(sentence_size, embedding_size), name="encoding")
        q_emb = tf.nn.embedding_lookup(self.A_1, self._queries)
        u = [tf.reduce_sum(q_emb * encoding, 1)]
        for hopn in range(hops):
            m_A = tf.reduce_sum(tf.nn.embedding_lookup(self.A_1 if hopn == 0 else self.C[hopn - 1], self._stories) * encoding, 2)
            u_temp = tf.transpose(tf.expand_dims(u[-1], -1), [0, 2, 1])
            probs = tf.nn.softmax(tf.reduce_sum(m_A * u_temp, 2))
            m_C = tf.reduce_sum(tf.nn.embedding_lookup(self.C[hopn], self._stories) * encoding, 2)
            c_temp = tf.transpose(m_C, [0, 2, 1])
            u.append(u[-1] + tf.reduce_sum(c_temp * tf.transpose(tf.expand_dims(probs, -1), [0, 2, 1]), 2))
        logits = tf.matmul(u[-1], tf.transpose(self.C[-1], [1, 0]))
        cross_entropy = tf.nn.softmax_cross_entropy_with_logits(logits=logits, labels=tf.cast(self._answers, tf.float32), name="cross_entropy")
        self.loss_op = tf.reduce_sum(cross_entropy, name="cross_entropy_sum")
        grads_and_vars = [(tf.clip_by_norm(g, 40.0), v) for g, v in self._opt.compute_gradients(self.loss_op)]
        grads_and_vars = [(add_gradient_noise(g, 0.0), v) for g, v in grads_and_vars]
        nil = [(zero_nil_slot(g), v) if v.name in self._nil_vars else (g, v) for g, v in grads_and_vars]
        self.train_op = self._opt.apply_gradients(nil, name="train_op")
        self.predict_op = tf.argmax(logits, 1, name="predict_op")
        self._sess.run(tf.global_variables_initializer())

    def batch_fit(self, lr):
        feed = {self._stories: stories, self._queries: queries, self._answers: answers, self._lr: lr}
        return float(self._sess.run([self.loss_op, self.train_op], feed)[0])


with tf.Session() as sess:
    tf.set_random_seed(1)
    model = MemN2N(sess)
    show("losses", [model.batch_fit(0.02 if i < 50 else 0.01) for i in range(100)])
    show("right", int((sess.run(model.predict_op, {model._stories: stories, model._queries: queries}) == answers.argmax(1)).sum()))
    show("padding", sess.run(model.A_1)[:2])
    show("variables", [v.name for v in tf.trainable_variables()])
