"""Skip-grams by noise contrastive estimation and by a sampled softmax, whose samples the graph draws."""

import numpy as np
from program import show, tf

count, size, sampled = 20, 5, 4
random = np.random.RandomState(13)
batches = [(random.randint(0, count, 8), random.randint(0, count, (8, 1))) for _ in range(6)]
for name, make in (("nce", tf.nn.nce_loss), ("softmax", tf.nn.sampled_softmax_loss)):
    with tf.Graph().as_default():
        tf.set_random_seed(3)
        words = tf.placeholder(tf.int32, [8])
        labels = tf.placeholder(tf.int64, [8, 1])
        embeddings = tf.Variable(tf.random_uniform([count, size], -1.0, 1.0, seed=1))
        weights = tf.Variable(tf.truncated_normal([count, size], stddev=0.4, seed=2))
        biases = tf.Variable(tf.zeros([count]))
        embed = tf.nn.embedding_lookup(embeddings, words)
        samples = tf.nn.log_uniform_candidate_sampler(labels, 1, sampled, True, count, seed=9)
        loss = tf.reduce_mean(make(weights=weights, biases=biases, labels=labels, inputs=embed, num_sampled=sampled, num_classes=count,
                                   sampled_values=samples))
        train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        with tf.control_dependencies([train]):
            done = tf.identity(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for w, l in batches:
                show(name, sess.run([done, samples.sampled_candidates], {words: w, labels: l}))
            show("embeddings", sess.run(embeddings)[:3])
