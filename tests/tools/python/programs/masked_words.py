"""Pretraining as BERT does it: masked words gathered from rows, which of two sentences follow, an optimizer of the program's own with decay of
weights, a rate that warms up and falls, and weights that begin as those of a checkpoint."""

import os
import re
import tempfile

import numpy as np
from program import show, tf

vocab, hidden, layers, heads, ff, seq, max_pred, batch = 18, 8, 2, 2, 12, 7, 2, 6
random = np.random.RandomState(30)
input_ids = random.randint(3, vocab, (batch, seq))
input_mask = np.ones((batch, seq), int)
input_mask[::2, 5:] = 0
segment_ids = np.tile(np.arange(seq) > 3, (batch, 1)).astype(int)
positions = np.stack([random.permutation(5)[:max_pred] for _ in range(batch)])
label_ids = np.take_along_axis(input_ids, positions, 1)
label_weights = np.array([[1.0, 1.0 if i % 2 else 0.0] for i in range(batch)])
np.put_along_axis(input_ids, positions, 1, 1)
next_labels = (np.arange(batch) % 2)[:, None]


class AdamWeightDecayOptimizer(tf.train.Optimizer):
    def __init__(self, learning_rate, weight_decay_rate=0.0, beta_1=0.9, beta_2=0.999, epsilon=1e-6, exclude_from_weight_decay=None,
                 name="AdamWeightDecayOptimizer"):
        super(AdamWeightDecayOptimizer, self).__init__(False, name)
        self.learning_rate, self.weight_decay_rate, self.beta_1, self.beta_2, self.epsilon = learning_rate, weight_decay_rate, beta_1, beta_2, epsilon
        self.exclude_from_weight_decay = exclude_from_weight_decay

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        assignments = []
        for (grad, param) in grads_and_vars:
            if grad is None or param is None:
                continue
            param_name = self._get_variable_name(param.name)
            m = tf.get_variable(name=param_name + "/adam_m", shape=param.shape.as_list(), dtype=tf.float32, trainable=False,
                                initializer=tf.zeros_initializer())
            v = tf.get_variable(name=param_name + "/adam_v", shape=param.shape.as_list(), dtype=tf.float32, trainable=False,
                                initializer=tf.zeros_initializer())
            next_m = (tf.multiply(self.beta_1, m) + tf.multiply(1.0 - self.beta_1, grad))
            next_v = (tf.multiply(self.beta_2, v) + tf.multiply(1.0 - self.beta_2, tf.square(grad)))
            update = next_m / (tf.sqrt(next_v) + self.epsilon)
            if self._do_use_weight_decay(param_name):
                update += self.weight_decay_rate * param
            next_param = param - self.learning_rate * update
            assignments.extend([param.assign(next_param), m.assign(next_m), v.assign(next_v)])
        return tf.group(*assignments, name=name)

    def _do_use_weight_decay(self, param_name):
        if not self.weight_decay_rate:
            return False
        return not any(re.search(r, param_name) is not None for r in self.exclude_from_weight_decay or [])

    def _get_variable_name(self, param_name):
        m = re.match("^(.*):\\d+$", param_name)
        return m.group(1) if m is not None else param_name


def create_optimizer(loss, init_lr, num_train_steps, num_warmup_steps):
    global_step = tf.train.get_or_create_global_step()
    learning_rate = tf.constant(value=init_lr, shape=[], dtype=tf.float32)
    learning_rate = tf.train.polynomial_decay(learning_rate, global_step, num_train_steps, end_learning_rate=0.0, power=1.0, cycle=False)
    global_steps_int = tf.cast(global_step, tf.int32)
    warmup_steps_int = tf.constant(num_warmup_steps, dtype=tf.int32)
    warmup_percent_done = tf.cast(global_steps_int, tf.float32) / tf.cast(warmup_steps_int, tf.float32)
    is_warmup = tf.cast(global_steps_int < warmup_steps_int, tf.float32)
    learning_rate = (1.0 - is_warmup) * learning_rate + is_warmup * init_lr * warmup_percent_done
    optimizer = AdamWeightDecayOptimizer(learning_rate, 0.01, 0.9, 0.999, 1e-3, ["LayerNorm", "layer_norm", "bias"])
    tvars = tf.trainable_variables()
    (grads, _) = tf.clip_by_global_norm(tf.gradients(loss, tvars), clip_norm=1.0)
    train_op = optimizer.apply_gradients(zip(grads, tvars), global_step=global_step)
    with tf.control_dependencies([train_op, learning_rate]):
        return global_step.assign(global_step + 1), learning_rate


def initializer():
    return tf.truncated_normal_initializer(stddev=0.1, seed=1)


def gelu(x):
    return x * 0.5 * (1.0 + tf.tanh((np.sqrt(2 / np.pi) * (x + 0.044715 * tf.pow(x, 3)))))


def layer_norm(x, name="LayerNorm"):
    with tf.variable_scope(name):
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return tf.nn.batch_normalization(x, mean, variance, tf.get_variable("beta", [hidden], initializer=tf.zeros_initializer()),
                                         tf.get_variable("gamma", [hidden], initializer=tf.ones_initializer()), 1e-12)


def dense(x, n, name, activation=None):
    return tf.layers.dense(x, n, activation, name=name, kernel_initializer=initializer())


def attention(x, bias):
    def split(t):
        return tf.transpose(tf.reshape(t, [batch, seq, heads, hidden // heads]), [0, 2, 1, 3])

    q, k, v = (split(dense(x, hidden, n)) for n in ("query", "key", "value"))
    scores = tf.multiply(tf.matmul(q, k, transpose_b=True), 1.0 / np.sqrt(hidden / heads)) + bias
    return tf.reshape(tf.transpose(tf.matmul(tf.nn.softmax(scores), v), [0, 2, 1, 3]), [batch * seq, hidden])


def model(ids, mask, segments, places, labels, weights, follow):
    with tf.variable_scope("bert"):
        with tf.variable_scope("embeddings"):
            table = tf.get_variable("word_embeddings", [vocab, hidden], initializer=initializer())
            output = tf.reshape(tf.gather(table, tf.reshape(ids, [-1])), [batch, seq, hidden])
            types = tf.get_variable("token_type_embeddings", [2, hidden], initializer=initializer())
            output += tf.reshape(tf.matmul(tf.one_hot(tf.reshape(segments, [-1]), depth=2), types), [batch, seq, hidden])
            with tf.control_dependencies([tf.assert_less_equal(seq, 16)]):
                full = tf.get_variable("position_embeddings", [16, hidden], initializer=initializer())
                output += tf.expand_dims(tf.slice(full, [0, 0], [seq, -1]), 0)
            output = tf.reshape(layer_norm(output), [-1, hidden])
        to_mask = tf.ones([batch, seq, 1], tf.float32) * tf.cast(tf.reshape(mask, [batch, 1, seq]), tf.float32)
        bias = (1.0 - tf.expand_dims(to_mask, axis=[1])) * -10000.0
        for i in range(layers):
            with tf.variable_scope("encoder/layer_%d" % i):
                with tf.variable_scope("attention"):
                    with tf.variable_scope("self"):
                        attended = attention(output, bias)
                    with tf.variable_scope("output"):
                        attended = layer_norm(dense(attended, hidden, "dense") + output)
                with tf.variable_scope("intermediate"):
                    inner = dense(attended, ff, "dense", gelu)
                with tf.variable_scope("output"):
                    output = layer_norm(dense(inner, hidden, "dense") + attended)
        output = tf.reshape(output, [batch, seq, hidden])
        with tf.variable_scope("pooler"):
            pooled = dense(tf.squeeze(output[:, 0:1, :], axis=1), hidden, "dense", tf.tanh)
    flat_offsets = tf.reshape(tf.range(0, batch, dtype=tf.int32) * seq, [-1, 1])
    gathered = tf.gather(tf.reshape(output, [batch * seq, hidden]), tf.reshape(places + flat_offsets, [-1]))
    with tf.variable_scope("cls/predictions"):
        with tf.variable_scope("transform"):
            gathered = layer_norm(dense(gathered, hidden, "dense", gelu))
        logits = tf.nn.bias_add(tf.matmul(gathered, table, transpose_b=True), tf.get_variable("output_bias", [vocab], initializer=tf.zeros_initializer()))
        per_example = -tf.reduce_sum(tf.nn.log_softmax(logits, axis=-1) * tf.one_hot(tf.reshape(labels, [-1]), depth=vocab), axis=[-1])
        weights = tf.reshape(weights, [-1])
        masked_loss = tf.reduce_sum(weights * per_example) / (tf.reduce_sum(weights) + 1e-5)
    with tf.variable_scope("cls/seq_relationship"):
        w = tf.get_variable("output_weights", [2, hidden], initializer=initializer())
        logits = tf.nn.bias_add(tf.matmul(pooled, w, transpose_b=True), tf.get_variable("output_bias", [2], initializer=tf.zeros_initializer()))
        next_loss = tf.reduce_mean(-tf.reduce_sum(tf.one_hot(tf.reshape(follow, [-1]), depth=2) * tf.nn.log_softmax(logits, axis=-1), axis=-1))
    return masked_loss, next_loss


folder = tempfile.mkdtemp()
names = ("ids", "mask", "segments", "places", "labels", "weights", "follow")
values = dict(zip(names, (input_ids, input_mask, segment_ids, positions, label_ids, label_weights, next_labels)))
for again in (False, True):
    with tf.Graph().as_default():
        placeholders = {n: tf.placeholder(tf.float32 if n == "weights" else tf.int32, v.shape, n) for n, v in values.items()}
        masked_loss, next_loss = model(**placeholders)
        loss = masked_loss + next_loss
        train, rate = create_optimizer(loss, 2e-3, 110, 10)
        if again:
            found = [n for n, _ in tf.train.list_variables(folder)]
            assignment = {v.op.name: v.op.name for v in tf.trainable_variables() if v.op.name.startswith("bert/") and v.op.name in found}
            tf.train.init_from_checkpoint(tf.train.latest_checkpoint(folder), assignment)
            show("taken", len(assignment))
        feed = {placeholders[n]: v for n, v in values.items()}
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            losses = []
            for _ in range(5 if again else 100):
                losses.append([float(v) for v in sess.run([masked_loss, next_loss, rate, train], feed)[:3]])
            show("losses", losses)
            if not again:
                tf.train.Saver().save(sess, os.path.join(folder, "bert.ckpt"))
                show("variables", [v.name for v in tf.global_variables()])
