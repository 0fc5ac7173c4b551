"""A conditional random field over tags by hand: the partition function by a scan, Viterbi's path with its arrays, marginals by derivatives."""

import itertools

import numpy as np
from program import show, tf

random = np.random.RandomState(120)
tags, words, batch, length = 3, 7, 4, 5
sentences = random.randint(0, words, (batch, length))
wanted = (sentences % tags + (np.arange(length) > 2)) % tags

x, y = tf.placeholder(tf.int32, [None, length]), tf.placeholder(tf.int32, [None, length])
with tf.variable_scope("crf"):
    emissions = tf.get_variable("emissions", [words, tags], initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=2))
    moves = tf.get_variable("moves", [tags, tags], initializer=tf.zeros_initializer())
scores = tf.gather(emissions, x)
by_time = tf.unstack(scores, axis=1)

alphas = tf.scan(lambda alpha, now: tf.reduce_logsumexp(tf.expand_dims(alpha, 2) + moves, 1) + now, tf.stack(by_time[1:]), initializer=by_time[0])
partition = tf.reduce_logsumexp(alphas[-1], 1)
unary = tf.reduce_sum(scores * tf.one_hot(y, tags), [1, 2])
binary = tf.reduce_sum(tf.gather_nd(moves, tf.stack([y[:, :-1], y[:, 1:]], 2)), 1)
likelihood = unary + binary - partition
loss = tf.reduce_mean(-likelihood)
train = tf.train.AdagradOptimizer(0.5).minimize(loss)
marginals = tf.gradients(partition, scores)[0]


def viterbi():
    best, choices = by_time[0], tf.TensorArray(tf.int32, length - 1, element_shape=[None, tags])
    for t in range(1, length):
        through = tf.expand_dims(best, 2) + moves
        choices = choices.write(t - 1, tf.argmax(through, 1, output_type=tf.int32))
        best = tf.reduce_max(through, 1) + by_time[t]
    tag = tf.argmax(best, 1, output_type=tf.int32)
    chosen = choices.stack()
    rows = tf.range(tf.shape(tag)[0])
    path = tf.scan(lambda now, back: tf.gather_nd(back, tf.stack([rows, now], 1)), chosen, initializer=tag, reverse=True)
    return tf.transpose(tf.concat([path, [tag]], 0)), tf.reduce_max(best, 1)


path, best = viterbi()
accuracy = tf.reduce_mean(tf.cast(tf.equal(path, y), tf.float32))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {x: sentences, y: wanted}
    for _ in range(5):
        show("loss", sess.run([loss, accuracy], feed))
        for _ in range(4):
            sess.run(train, feed)
    show("path", sess.run([path, best], feed))
    show("marginals", sess.run(marginals, feed)[0])
    show("partition", sess.run(partition, feed))
    one, table = sess.run([scores, moves], feed)
    paths = [sum(one[0, t, p[t]] for t in range(length)) + sum(table[a, b] for a, b in zip(p, p[1:]))
             for p in itertools.product(range(tags), repeat=length)]
    show("by hand", [bool(np.isclose(np.log(np.exp(paths).sum()), sess.run(partition, feed)[0], rtol=1e-4)),
                     bool(np.isclose(max(paths), sess.run(best, feed)[0], rtol=1e-4))])
