"""A recurrent network of characters, unrolled by hand, with clipped gradients and Adagrad by hand; then it writes."""

import numpy as np
from program import show, tf

text = "hello world, hello graph. "
letters = sorted(set(text))
data = np.array([letters.index(c) for c in text])
vocabulary, hidden, steps = len(letters), 12, 8

inputs = tf.placeholder(tf.int32, [steps])
targets = tf.placeholder(tf.int32, [steps])
state = tf.placeholder(tf.float32, [1, hidden])
init = tf.random_normal_initializer(stddev=0.1, seed=31)


def cell(letter, h, reuse):
    with tf.variable_scope("rnn", initializer=init, reuse=reuse):
        wxh = tf.get_variable("wxh", [vocabulary, hidden])
        whh = tf.get_variable("whh", [hidden, hidden])
        why = tf.get_variable("why", [hidden, vocabulary])
        bh = tf.get_variable("bh", [hidden], initializer=tf.zeros_initializer())
        by = tf.get_variable("by", [vocabulary], initializer=tf.zeros_initializer())
        h = tf.tanh(tf.matmul(letter, wxh) + tf.matmul(h, whh) + bh)
        return tf.matmul(h, why) + by, h


h, logits = state, []
for t, letter in enumerate(tf.split(tf.one_hot(inputs, vocabulary), steps, axis=0)):
    y, h = cell(letter, h, reuse=t > 0)
    logits.append(y)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=tf.concat(logits, 0)))
variables = tf.trainable_variables()
clipped, norm = tf.clip_by_global_norm(tf.gradients(loss, variables), 1.0)
updates = []
for v, g in zip(variables, clipped):
    sums = tf.Variable(tf.fill(v.shape.as_list(), 0.1), trainable=False)
    with tf.control_dependencies([tf.assign_add(sums, g * g)]):
        updates.append(tf.assign_sub(v, 0.3 * g / tf.sqrt(sums.read_value())))
train = tf.group(*updates)
seed_letter = tf.placeholder(tf.int32, [])
next_logits, next_state = cell(tf.one_hot([seed_letter], vocabulary), state, True)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(6):
        s = np.zeros([1, hidden])
        for start in range(0, len(data) - steps - 1, steps):
            l, n, s, _ = sess.run([loss, norm, h, train], {inputs: data[start:start + steps], targets: data[start + 1:start + steps + 1], state: s})
        show("loss", [l, n])
    letter, s, written = data[0], np.zeros([1, hidden]), []
    for _ in range(8):
        y, s = sess.run([next_logits, next_state], {seed_letter: letter, state: s})
        letter = int(np.argmax(y))
        written.append(letters[letter])
    show("written", "".join(written))
    show("scores", y)
