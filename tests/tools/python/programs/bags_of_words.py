"""Texts to classes as fastText does it: words and pairs of them by hashes, means of sparse rows, labels by the binary cross entropy; and the same by
convolutions that see only what came before."""

import numpy as np
from program import show, tf

texts = ["good movie great fun", "bad movie no fun", "great great acting", "boring bad acting", "fun and good", "no good bad plot"]
labels = np.array([1, 0, 1, 0, 1, 0], np.float32)
buckets, dim = 30, 5
graph = tf.Graph()
with graph.as_default():
    tf.set_random_seed(3)
    lines = tf.placeholder(tf.string, [None], name="lines")
    wanted = tf.placeholder(tf.float32, [None], name="labels")
    tokens = tf.string_split(lines)
    hashed = tf.SparseTensor(tokens.indices, tf.string_to_hash_bucket_fast(tokens.values, buckets), tokens.dense_shape)
    dense = tf.sparse_tensor_to_dense(tokens, default_value="")
    pairs = tf.string_join([dense[:, :-1], dense[:, 1:]], separator="_")
    real = tf.where(tf.not_equal(dense[:, 1:], ""))
    pairs = tf.SparseTensor(real, tf.string_to_hash_bucket_fast(tf.gather_nd(pairs, real), buckets), tf.shape(pairs, out_type=tf.int64))
    with tf.variable_scope("bags", initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=7)):
        word_table = tf.get_variable("words", [buckets, dim])
        pair_table = tf.get_variable("pairs", [buckets, dim], partitioner=tf.fixed_size_partitioner(3))
        bag = tf.nn.embedding_lookup_sparse(word_table, hashed, None, combiner="mean")
        # Texts of one word have no pairs.
        others = tf.nn.safe_embedding_lookup_sparse(pair_table, pairs, combiner="sqrtn")
        logits = tf.squeeze(tf.layers.dense(tf.concat([bag, others], 1), 1, kernel_initializer=tf.glorot_uniform_initializer(seed=1)), 1)
    loss = tf.losses.sigmoid_cross_entropy(wanted, logits)
    ids = tf.sparse_tensor_to_dense(hashed)

    def causal(x, filters, dilation, name):
        with tf.variable_scope(name):
            padded = tf.pad(x, [[0, 0], [2 * dilation, 0], [0, 0]])
            f, g = (tf.layers.conv1d(padded, filters, 3, dilation_rate=dilation, name=n, kernel_initializer=tf.glorot_uniform_initializer(seed=s))
                    for s, n in ((2, "filter"), (3, "gate")))
            gated = tf.tanh(f) * tf.sigmoid(g)
            return x + tf.layers.conv1d(gated, filters, 1, name="residual", kernel_initializer=tf.glorot_uniform_initializer(seed=4)), gated

    with tf.variable_scope("waves"):
        x, skips = tf.nn.embedding_lookup(word_table, ids), 0.0
        for i in range(2):
            x, skip = causal(x, dim, 2 ** i, "layer_%d" % i)
            skips += skip
        guess = tf.layers.dense(tf.nn.relu(skips), buckets, name="next", kernel_initializer=tf.glorot_uniform_initializer(seed=5))
        following = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=ids[:, 1:], logits=guess[:, :-1])
        shown = tf.cast(tf.not_equal(ids[:, 1:], 0), tf.float32)
        loss2 = tf.reduce_sum(following * shown) / tf.reduce_sum(shown)
    with tf.control_dependencies([loss, loss2]):
        grads = tf.train.FtrlOptimizer(0.5).compute_gradients(loss), tf.train.AdamOptimizer(0.02).compute_gradients(loss2)
    with tf.control_dependencies([g for part in grads for g, _ in part if g is not None]):
        train = tf.train.FtrlOptimizer(0.5, l1_regularization_strength=1e-4).apply_gradients(grads[0])
    with tf.control_dependencies([train]):
        train = tf.train.AdamOptimizer(0.02).apply_gradients(grads[1])
    auc, update = tf.metrics.auc(wanted, tf.sigmoid(logits), num_thresholds=20)
with tf.Session(graph=graph) as session:
    session.run([v.initializer for v in graph.get_collection("variables")])
    feed = {lines: texts, wanted: labels}
    losses = []
    for _ in range(100):
        losses.append([float(v) for v in session.run([loss, loss2, train], feed)[:2]])
    show("losses", losses)
    show("hashes", session.run([hashed, ids], feed))
    session.run([v.initializer for v in graph.get_collection("local_variables")])
    session.run(update, feed)
    show("area", float(session.run(auc)))
    show("scores", session.run(logits, feed))
