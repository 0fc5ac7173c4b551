"""A language model of letters that learns by truncated steps, keeps its state between them, and writes by drawing from its softmax."""

import numpy as np
from program import show, tf

tf.set_random_seed(77)
text = "the cat sat on the mat and the rat sat on the cat. " * 4
letters = "".join(sorted(set(text)))
codes = np.array([letters.index(c) for c in text], np.int32)
batch, steps, hidden, count = 4, 10, 16, len(letters)
rows = codes[:batch * (len(codes) // batch)].reshape(batch, -1)

with tf.name_scope("inputs"):
    x = tf.placeholder(tf.int32, [None, None], name="x")
    y = tf.placeholder(tf.int32, [None, None], name="y")
    temperature = tf.placeholder_with_default(1.0, [], name="temperature")
c0, h0 = (tf.placeholder_with_default(tf.zeros([tf.shape(x)[0], hidden]), [None, hidden], name=n) for n in "ch")
with tf.variable_scope("model", initializer=tf.glorot_uniform_initializer()):
    table = tf.get_variable("table", [count, 8])
    kernel = tf.get_variable("kernel", [8 + hidden, 4 * hidden])
    bias = tf.get_variable("bias", initializer=tf.constant([0.0] * 2 * hidden + [1.0] * hidden + [0.0] * hidden))
    softmax_w = tf.get_variable("softmax_w", [hidden, count])
    softmax_b = tf.get_variable("softmax_b", [count], initializer=tf.zeros_initializer)


def step(state, inputs):
    c, h = state
    i, g, f, o = tf.split(tf.matmul(tf.concat([inputs, h], 1), kernel) + bias, 4, axis=1)
    c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
    return c, tf.sigmoid(o) * tf.tanh(c)


cs, hs = tf.scan(step, tf.transpose(tf.nn.embedding_lookup(table, x), [1, 0, 2]), initializer=(c0, h0))
last = cs[-1], hs[-1]
logits = tf.reshape(tf.matmul(tf.reshape(tf.transpose(hs, [1, 0, 2]), [-1, hidden]), softmax_w) + softmax_b, [tf.shape(x)[0], -1, count])
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits), name="loss")
variables = tf.trainable_variables()
gradients, norm = tf.clip_by_global_norm(tf.gradients(loss, variables), 1.0)
global_step = tf.Variable(0, trainable=False, name="global_step")
rate = tf.train.exponential_decay(0.03, global_step, 10, 0.9, staircase=True)
train = tf.train.RMSPropOptimizer(rate, decay=0.9).apply_gradients(zip(gradients, variables), global_step)
drawn = tf.squeeze(tf.multinomial(logits[:, -1] / temperature, 1, seed=5), [1])

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    state = None
    for number in range(12):
        at = number % 4 * steps
        feed = {x: rows[:, at:at + steps], y: rows[:, at + 1:at + 1 + steps]}
        if at:
            feed.update({c0: state[0], h0: state[1]})
        state, l, n, _ = sess.run([last, loss, norm, train], feed)
        if number % 3 == 0:
            show("loss", [l, n])
    show("rate", sess.run([rate, global_step]))
    for heat in (1.0, 0.01):
        letter, feed, said = letters.index("t"), {}, ["t"]
        for _ in range(12):
            letter, (c, h) = sess.run([drawn[0], last], {x: [[letter]], temperature: heat, **feed})
            feed = {c0: c, h0: h}
            said.append(letters[letter])
        show("said", "".join(said))
