"""Machines without labels: a restricted Boltzmann machine, a map that organises itself, k-means, neighbours, and mixtures of Gaussians."""

import numpy as np
from program import show, tf

random = np.random.RandomState(113)


def sample_prob(probs, seed):
    return tf.nn.relu(tf.sign(probs - tf.random_uniform(tf.shape(probs), seed=seed)))


X = tf.placeholder("float", [None, 8])
rbm_w, rbm_vb, rbm_hb = tf.placeholder("float", [8, 5]), tf.placeholder("float", [8]), tf.placeholder("float", [5])
h0 = sample_prob(tf.nn.sigmoid(tf.matmul(X, rbm_w) + rbm_hb), 1)
v1 = sample_prob(tf.nn.sigmoid(tf.matmul(h0, tf.transpose(rbm_w)) + rbm_vb), 2)
h1 = tf.nn.sigmoid(tf.matmul(v1, rbm_w) + rbm_hb)
w_positive_grad, w_negative_grad = tf.matmul(tf.transpose(X), h0), tf.matmul(tf.transpose(v1), h1)
update_w = rbm_w + 0.1 * (w_positive_grad - w_negative_grad) / tf.to_float(tf.shape(X)[0])
update_vb = rbm_vb + 0.1 * tf.reduce_mean(X - v1, 0)
update_hb = rbm_hb + 0.1 * tf.reduce_mean(h0 - h1, 0)
err_sum = tf.reduce_mean(tf.square(X - sample_prob(tf.nn.sigmoid(tf.matmul(h0, tf.transpose(rbm_w)) + rbm_vb), 3)))
data = (random.rand(12, 8) > 0.5).astype(np.float32)
with tf.Session() as sess:
    w, vb, hb = np.zeros([8, 5], np.float32), np.zeros([8], np.float32), np.zeros([5], np.float32)
    for _ in range(5):
        feed = {X: data, rbm_w: w, rbm_vb: vb, rbm_hb: hb}
        w, vb, hb, error = sess.run([update_w, update_vb, update_hb, err_sum], feed)
        show("rbm", [error, float(w.sum()), float(vb.sum())])


class SOM(object):
    def __init__(self, m, n, dim, n_iterations=20, alpha=0.3):
        self._graph = tf.Graph()
        with self._graph.as_default():
            self._weightage_vects = tf.Variable(tf.random_normal([m * n, dim], seed=4))
            self._location_vects = tf.constant(np.array([[i, j] for i in range(m) for j in range(n)]))
            self._vect_input, self._iter_input = tf.placeholder("float", [dim]), tf.placeholder("float")
            bmu_index = tf.argmin(
                tf.sqrt(tf.reduce_sum(tf.pow(tf.subtract(self._weightage_vects, tf.stack([self._vect_input for i in range(m * n)])), 2), 1)), 0
            )
            slice_input = tf.pad(tf.reshape(bmu_index, [1]), np.array([[0, 1]]))
            bmu_loc = tf.reshape(tf.slice(self._location_vects, slice_input, tf.constant(np.array([1, 2]), dtype=tf.int64)), [2])
            learning_rate_op = tf.subtract(1.0, tf.div(self._iter_input, n_iterations))
            alpha_op, sigma_op = tf.multiply(alpha, learning_rate_op), tf.multiply(max(m, n) / 2.0, learning_rate_op)
            bmu_distance_squares = tf.reduce_sum(tf.pow(tf.subtract(self._location_vects, tf.stack([bmu_loc for i in range(m * n)])), 2), 1)
            neighbourhood_func = tf.exp(tf.negative(tf.div(tf.cast(bmu_distance_squares, "float32"), tf.pow(sigma_op, 2))))
            rate = tf.multiply(alpha_op, neighbourhood_func)
            multiplier = tf.stack([tf.tile(tf.slice(rate, np.array([i]), np.array([1])), [dim]) for i in range(m * n)])
            delta = tf.multiply(multiplier, tf.subtract(tf.stack([self._vect_input for i in range(m * n)]), self._weightage_vects))
            self.bmu, self.train = bmu_loc, tf.assign(self._weightage_vects, tf.add(self._weightage_vects, delta))
            self._sess = tf.Session()
            self._sess.run(tf.global_variables_initializer())


som = SOM(3, 4, 3)
for i in range(8):
    vect = random.rand(3)
    bmu, made = som._sess.run([som.bmu, som.train], feed_dict={som._vect_input: vect, som._iter_input: i})
    show("som", [bmu, float(made.sum())])

points = tf.constant(np.concatenate([random.randn(10, 2) + [3, 0], random.randn(12, 2) - [3, 1]]).astype(np.float32))
centroids = tf.Variable(tf.slice(tf.random_shuffle(points, seed=5), [0, 0], [2, -1]))
assignments = tf.Variable(tf.zeros([22], dtype=tf.int64))
sum_squares = tf.reduce_sum(tf.square(tf.subtract(tf.expand_dims(points, 0), tf.expand_dims(centroids, 1))), 2)
best_centroids = tf.argmin(sum_squares, 0)
did_assignments_change = tf.reduce_any(tf.not_equal(best_centroids, assignments))


def bucket_mean(data, bucket_ids, num_buckets):
    return tf.unsorted_segment_sum(data, bucket_ids, num_buckets) / tf.unsorted_segment_sum(tf.ones_like(data), bucket_ids, num_buckets)


means = bucket_mean(points, best_centroids, 2)
with tf.control_dependencies([did_assignments_change]):
    do_updates = tf.group(centroids.assign(means), assignments.assign(best_centroids))
clusters = [tf.reduce_mean(tf.gather(points, tf.reshape(tf.where(tf.equal(best_centroids, c)), [1, -1])), reduction_indices=[1]) for c in range(2)]
distance, nearest = tf.nn.top_k(tf.negative(tf.reduce_sum(tf.abs(points - [0.5, 0.5]), reduction_indices=1)), k=5)
values, _, counts = tf.unique_with_counts(tf.gather(best_centroids, nearest))
vote = tf.slice(values, begin=[tf.argmax(counts, 0)], size=tf.constant([1], dtype=tf.int64))

x, y = tf.placeholder(tf.float32, [None, 1]), tf.placeholder(tf.float32, [None, 1])
hidden = tf.tanh(
    tf.matmul(x, tf.Variable(tf.random_normal([1, 10], stddev=0.5, seed=6))) + tf.Variable(tf.random_normal([1, 10], stddev=0.5, seed=7))
)
out_pi, out_sigma, out_mu = tf.split(
    axis=1, num_or_size_splits=3, value=tf.matmul(hidden, tf.Variable(tf.random_normal([10, 12], stddev=0.5, seed=8)))
)
out_pi = tf.exp(tf.subtract(out_pi, tf.reduce_max(out_pi, 1, keep_dims=True)))
out_pi = tf.multiply(tf.reciprocal(tf.reduce_sum(out_pi, 1, keep_dims=True)), out_pi)
out_sigma = tf.exp(out_sigma)
normal = tf.multiply(tf.exp(-tf.square(tf.multiply(y - out_mu, tf.reciprocal(out_sigma))) / 2), tf.reciprocal(out_sigma)) / np.sqrt(2 * np.pi)
lossfunc = tf.reduce_mean(-tf.log(tf.reduce_sum(tf.multiply(normal, out_pi), 1, keep_dims=True)))
train = tf.train.AdamOptimizer().minimize(lossfunc)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    changed, iters = True, 0
    while changed and iters < 100:
        iters += 1
        [changed, _] = sess.run([did_assignments_change, do_updates])
    show("k-means", [iters, sess.run(centroids), sess.run(assignments), sess.run(clusters)])
    show("neighbours", sess.run([nearest, distance, vote]))
    goal = random.rand(20, 1)
    for _ in range(8):
        show("density", sess.run([lossfunc, train], {y: goal, x: goal + 0.3 * np.sin(2 * np.pi * goal)})[0])
