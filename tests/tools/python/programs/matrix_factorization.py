"""Ratings by factors of users and items: gradients through gathered rows with Adagrad, then least squares in turns."""

import numpy as np
from program import show, tf

users, items, rank = 7, 6, 2
random = np.random.RandomState(31)
truth = random.randn(users, rank).dot(random.randn(rank, items))
seen = np.argwhere(random.rand(users, items) < 0.7)
ratings = truth[seen[:, 0], seen[:, 1]].astype(np.float32)

with tf.device("/cpu:0"):
    user, item = tf.placeholder(tf.int32, [None], "user"), tf.placeholder(tf.int32, [None], "item")
    rating = tf.placeholder(tf.float32, [None], "rating")
with tf.variable_scope("factors", initializer=tf.truncated_normal_initializer(stddev=0.5, seed=17), regularizer=lambda v: 0.01 * tf.nn.l2_loss(v)):
    of_users = tf.get_variable("users", [users, rank])
    of_items = tf.get_variable("items", [items, rank])
with tf.variable_scope("biases", initializer=tf.zeros_initializer()):
    mean = tf.get_variable("mean", [])
    user_bias, item_bias = tf.get_variable("users", [users]), tf.get_variable("items", [items])
guess = tf.reduce_sum(tf.nn.embedding_lookup(of_users, user) * tf.nn.embedding_lookup(of_items, item), 1) + mean
guess += tf.nn.embedding_lookup(user_bias, user) + tf.gather(item_bias, item)
error = tf.losses.mean_squared_error(rating, guess)
loss = tf.losses.get_total_loss() + tf.reduce_sum(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)) * 0.1
train = tf.train.AdagradOptimizer(0.3).minimize(loss)

mask = tf.SparseTensor(seen.astype(np.int64), np.ones(len(seen), np.float32), [users, items])
known = tf.sparse_tensor_to_dense(tf.sparse_reorder(mask))
table = tf.scatter_nd(tf.constant(seen), ratings, [users, items])


def solve(fixed, weights, values):
    """For each row the factors that fit its known values best: [rows, rank]."""
    normal = tf.einsum("rc,ci,cj->rij", weights, fixed, fixed) + 0.1 * tf.eye(rank, batch_shape=[tf.shape(weights)[0]])
    return tf.squeeze(tf.matrix_solve(normal, tf.expand_dims(tf.matmul(weights * values, fixed), 2)), 2)


left, right = tf.Variable(tf.ones([users, rank])), tf.Variable(np.linspace(-1, 1, items * rank).reshape(items, rank), dtype=tf.float32)
turn_left = left.assign(solve(right, known, table))
with tf.control_dependencies([turn_left]):
    turn = right.assign(solve(left.read_value(), tf.transpose(known), tf.transpose(table)))
misfit = tf.sqrt(tf.reduce_sum(tf.square(known * (tf.matmul(left, right, transpose_b=True) - table))) / tf.reduce_sum(known))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {user: seen[:, 0], item: seen[:, 1], rating: ratings}
    for step in range(25):
        _, e, l = sess.run([train, error, loss], feed)
        if step % 4 == 0:
            show("error", [e, l])
    show("guess", sess.run(guess, {user: [0, 1, 2], item: [3, 3, 3]}))
    for _ in range(4):
        sess.run(turn)
        show("misfit", sess.run(misfit))
show("slices", [isinstance(g, tf.IndexedSlices) for g in tf.gradients(error, [of_users, user_bias, mean])])
