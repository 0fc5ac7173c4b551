"""Connectionist temporal classification: a network over frames, its loss, its gradient, and what it spells, greedily and by beams."""

import numpy as np
from program import show, tf

random = np.random.RandomState(110)
frames, batch, features, classes = 8, 3, 4, 5
sizes = np.array([8, 6, 7], np.int32)
spoken = [[0, 1, 2], [3, 3], [1]]
inputs = random.randn(frames, batch, features).astype(np.float32)
indices = [[i, j] for i, row in enumerate(spoken) for j in range(len(row))]
labels = tf.SparseTensorValue(np.array(indices, np.int64), np.array(sum(spoken, []), np.int32), np.array([batch, 3], np.int64))

x = tf.placeholder(tf.float32, [None, None, features], name="frames")
targets = tf.sparse_placeholder(tf.int32, name="targets")
lengths = tf.placeholder(tf.int32, [None], name="lengths")
with tf.variable_scope("acoustic", initializer=tf.random_normal_initializer(stddev=0.4, seed=3)):
    context = tf.nn.conv1d(tf.transpose(x, [1, 0, 2]), tf.get_variable("filters", [3, features, 6]), 1, "SAME")
    hidden = tf.nn.relu6(tf.transpose(context, [1, 0, 2]))
    flat = tf.reshape(hidden, [-1, 6])
    logits = tf.reshape(tf.matmul(flat, tf.get_variable("w", [6, classes])), [tf.shape(x)[0], -1, classes])
losses = tf.nn.ctc_loss(targets, logits, lengths, preprocess_collapse_repeated=False, ctc_merge_repeated=True, time_major=True)
cost = tf.reduce_mean(losses)
train = tf.train.AdamOptimizer(0.03).minimize(cost)
(greedy,), score = tf.nn.ctc_greedy_decoder(logits, lengths)
beams, chances = tf.nn.ctc_beam_search_decoder(logits, lengths, beam_width=8, top_paths=2, merge_repeated=False)
wrong = tf.reduce_mean(tf.edit_distance(tf.cast(greedy, tf.int32), targets, normalize=True))
dense = tf.sparse_tensor_to_dense(greedy, default_value=-1)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {x: inputs, targets: labels, lengths: sizes}
    for _ in range(5):
        show("losses", sess.run(losses, feed))
        for _ in range(5):
            sess.run(train, feed)
    show("greedy", sess.run([dense, score, wrong], feed))
    decoded = sess.run([(beam.indices, beam.values, beam.dense_shape) for beam in beams] + [chances], feed)
    show("beams", decoded)
    show("slopes", sess.run(tf.gradients(cost, logits)[0], feed)[:2])
    for what, change in (("too long", {lengths: np.array([9, 6, 7])}), ("too short", {lengths: np.array([1, 6, 7])}),
                         ("no class", {targets: labels._replace(values=np.array([0, 1, 7, 3, 3, 1], np.int32))})):
        try:
            sess.run(cost, {**feed, **change})
            show(what, "ran")
        except tf.errors.InvalidArgumentError as e:
            show(what, [type(e).__name__, e.op.type])
    feed[targets] = (labels.indices, labels.values, labels.dense_shape)
    show("tuple", sess.run(cost, feed))
