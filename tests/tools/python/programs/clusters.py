"""Lloyd's k-means inside the graph until nothing moves, a mixture of Gaussians by expectation and maximisation, and a self-organising map."""

import numpy as np
from program import show, tf

random = np.random.RandomState(15)
points = np.concatenate([random.randn(20, 2) * 0.4 + c for c in ((0, 0), (3, 1), (1, 4))]).astype(np.float32)
k = 3

data = tf.constant(points, name="data")
centroids = tf.Variable(tf.slice(tf.random_shuffle(data, seed=1), [0, 0], [k, -1]), name="centroids")
given = tf.placeholder(tf.float32, [k, 2])
start = centroids.assign(given)
nearest = tf.argmin(tf.reduce_sum(tf.square(tf.expand_dims(data, 0) - tf.expand_dims(centroids, 1)), 2), 0, name="nearest")
assignments = tf.Variable(tf.zeros([60], tf.int64), trainable=False)
changed = tf.reduce_any(tf.not_equal(nearest, assignments))
means = tf.concat([tf.reduce_mean(tf.gather(data, tf.reshape(tf.where(tf.equal(nearest, c)), [-1])), axis=0, keepdims=True) for c in range(k)], 0)
with tf.control_dependencies([changed, means]):
    update = tf.group(tf.assign(centroids, means), tf.assign(assignments, nearest))
sums = tf.unsorted_segment_sum(data, nearest, k) / tf.expand_dims(tf.to_float(tf.bincount(tf.to_int32(nearest), minlength=k)), 1)
within = tf.reduce_sum(tf.squared_difference(data, tf.gather(centroids, nearest)))

weights, mu, precision = tf.fill([k], 1.0 / k), tf.constant(points[[0, 20, 40]]), tf.ones([k])


def expect_and_maximise(step, weights, mu, precision):
    square = tf.reduce_sum(tf.square(data[:, None, :] - mu[None]), -1)
    joint = tf.log(weights) + tf.log(precision) - 0.5 * square * precision
    share = tf.exp(joint - tf.reduce_logsumexp(joint, 1, keepdims=True))
    total = tf.reduce_sum(share, 0)
    new_mu = tf.matmul(share, data, transpose_a=True) / total[:, tf.newaxis]
    spread = tf.reduce_sum(share * tf.reduce_sum(tf.square(data[:, None] - new_mu[None]), -1), 0) / (2.0 * total)
    return step + 1, total / tf.reduce_sum(total), new_mu, 1.0 / (spread + 1e-3)


mixture = tf.while_loop(lambda step, *_: step < 8, expect_and_maximise, [0, weights, mu, precision])

grid = tf.constant([[i, j] for i in range(3) for j in range(3)], tf.float32)
map_ = tf.Variable(tf.random_uniform([9, 2], 0.0, 3.0, seed=4))
x, radius, rate = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
winner = tf.argmin(tf.norm(map_ - x, axis=1))
closeness = tf.exp(-tf.reduce_sum(tf.square(grid - tf.gather(grid, winner)), 1) / (radius * radius))
learn = tf.assign_add(map_, rate * tf.expand_dims(closeness, 1) * (x - map_))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show("drawn", sess.run(tf.sort(centroids, axis=0)))
    sess.run(start, {given: points[[0, 1, 59]]})
    moves, moving = 0, True
    while moving and moves < 30:
        moving, _, total = sess.run([changed, update, within])
        moves += 1
        show("within", total)
    show("centroids", [moves, sess.run(centroids), sess.run(sums)])
    show("mixture", sess.run(mixture))
    for t in range(40):
        sess.run(learn, {x: points[t * 7 % 60], radius: 2.0 * 0.95 ** t, rate: 0.5 * 0.97 ** t})
    show("map", sess.run([map_, winner], {x: points[0]}))
