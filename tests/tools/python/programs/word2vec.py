"""Skip-grams with negative samples that the program draws: embeddings whose gradients are slices, applied by scatter_sub."""

import collections

import numpy as np
from program import show, tf

text = "the quick brown fox jumped over the lazy dog and the quick dog jumped over the brown fox".split()
words = [w for w, _ in sorted(collections.Counter(text).items(), key=lambda item: (-item[1], item[0]))]
numbers = {w: i for i, w in enumerate(words)}
pairs = np.array([(numbers[text[i]], numbers[text[j]]) for i in range(len(text)) for j in (i - 1, i + 1) if 0 <= j < len(text)])
count, size, sampled = len(words), 4, 3
random = np.random.RandomState(6)

centre = tf.placeholder(tf.int32, [None])
context = tf.placeholder(tf.int32, [None])
negative = tf.placeholder(tf.int32, [sampled])
with tf.device("/cpu:0"):
    embeddings = tf.Variable(tf.random_uniform([count, size], -1.0, 1.0, seed=21), name="embeddings")
    outputs = tf.Variable(tf.truncated_normal([count, size], stddev=0.5, seed=22), name="outputs")
    embed = tf.nn.embedding_lookup(embeddings, centre)
true_logits = tf.reduce_sum(embed * tf.nn.embedding_lookup(outputs, context), 1)
false_logits = tf.matmul(embed, tf.gather(outputs, negative), transpose_b=True)
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.ones_like(true_logits), logits=true_logits)
                      + tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.zeros_like(false_logits), logits=false_logits), 1))
gradients = tf.gradients(loss, [embeddings, outputs])
show("slices", [isinstance(g, tf.IndexedSlices) for g in gradients])
with tf.control_dependencies([loss, *[g.values for g in gradients]]):
    train = tf.group(*[tf.scatter_sub(v, g.indices, 0.5 * g.values) for v, g in zip([embeddings, outputs], gradients)])
normalized = embeddings / tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keep_dims=True))
similarity = tf.matmul(normalized, normalized, transpose_b=True)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(15):
        feed = {centre: pairs[:, 0], context: pairs[:, 1], negative: random.randint(0, count, sampled)}
        _, l = sess.run([train, loss], feed)
        show("loss", l)
    show("fox", similarity.eval()[numbers["fox"]])
    nearest = tf.nn.top_k(similarity, 2)
    show("nearest", [words[i] for i in sess.run(nearest.indices)[:, 1]])
