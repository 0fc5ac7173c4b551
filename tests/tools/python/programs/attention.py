"""Sequences are reversed by an encoder and a decoder with additive attention; teacher forcing when it learns, its own words when it speaks."""

import numpy as np
from program import show, tf

vocabulary, embed, hidden, length, go = 6, 5, 8, 4, 0
random = np.random.RandomState(8)
sources = random.randint(1, vocabulary, (24, length))
goals = sources[:, ::-1]

source = tf.placeholder(tf.int32, [None, length], name="source")
goal = tf.placeholder(tf.int32, [None, length], name="goal")
tf.get_variable_scope().set_initializer(tf.random_uniform_initializer(-0.4, 0.4, seed=6))
words = tf.get_variable("words", [vocabulary, embed])


def lstm(inputs, state, name):
    c, h = state
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        kernel = tf.get_variable("kernel", [int(inputs.shape[1]) + hidden, 4 * hidden])
        bias = tf.get_variable("bias", [4 * hidden], initializer=tf.zeros_initializer())
    i, j, f, o = tf.split(tf.nn.bias_add(tf.matmul(tf.concat([inputs, h], 1), kernel), bias), 4, 1)
    c = tf.sigmoid(f + 1.0) * c + tf.sigmoid(i) * tf.tanh(j)
    return c, tf.sigmoid(o) * tf.tanh(c)


def attend(query, memory):
    with tf.variable_scope("attention", reuse=tf.AUTO_REUSE):
        keys = tf.tensordot(memory, tf.get_variable("memory", [hidden, hidden]), [[2], [0]])
        scores = tf.reduce_sum(tf.get_variable("v", [hidden]) * tf.tanh(keys + tf.expand_dims(tf.matmul(query, tf.get_variable("query", [hidden, hidden])), 1)), 2)
    weights = tf.nn.softmax(scores)
    return tf.squeeze(tf.matmul(tf.expand_dims(weights, 1), memory), [1]), weights


def decode(state, memory, given=None):
    word, logits, looks = tf.fill([tf.shape(source)[0]], go), [], []
    for t in range(length):
        context, weights = attend(state[1], memory)
        state = lstm(tf.concat([tf.nn.embedding_lookup(words, word), context], 1), state, "decoder")
        with tf.variable_scope("project", reuse=tf.AUTO_REUSE):
            logits.append(tf.matmul(tf.concat([state[1], context], 1), tf.get_variable("w", [2 * hidden, vocabulary])))
        looks.append(weights)
        word = tf.argmax(logits[-1], 1, output_type=tf.int32) if given is None else given[:, t]
    return tf.stack(logits, 1), tf.stack(looks, 1)


zeros = tf.zeros([tf.shape(source)[0], hidden])
state, memory = (zeros, zeros), []
for word in tf.unstack(source, axis=1):
    state = lstm(tf.nn.embedding_lookup(words, word), state, "encoder")
    memory.append(state[1])
memory = tf.stack(memory, 1)
logits, _ = decode(state, memory, goal)
spoken, looks = decode(state, memory)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=goal, logits=logits))
optimizer = tf.train.AdamOptimizer(0.02)
pairs = [(tf.clip_by_norm(g, 1.0), v) for g, v in optimizer.compute_gradients(loss)]
train = optimizer.apply_gradients(pairs)
accuracy = tf.reduce_mean(tf.to_float(tf.equal(tf.argmax(spoken, 2, output_type=tf.int32), goal)))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {source: sources, goal: goals}
    show("at first", sess.run([loss, accuracy], feed))
    for _ in range(4):
        for _ in range(5):
            sess.run(train, feed)
        show("loss", sess.run(loss, feed))
    show("looks", sess.run(looks, feed)[0])
    show("norms", sess.run([tf.norm(g) for g, _ in pairs], feed))
show("variables", sorted((v.name, v.shape.num_elements()) for v in tf.trainable_variables()))
