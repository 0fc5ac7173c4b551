"""A classifier of layers, with batch normalization, dropout, regularizers and Adam with a decaying rate."""

import numpy as np
from program import show, tf

tf.set_random_seed(1)
random = np.random.RandomState(11)
data = random.randn(32, 4).astype(np.float32)
classes = (data[:, 0] + data[:, 1] ** 2 > 0.5).astype(np.int32)

x = tf.placeholder(tf.float32, [None, 4])
labels = tf.placeholder(tf.int32, [None])
step = tf.train.get_or_create_global_step()
with tf.variable_scope("net", initializer=tf.glorot_uniform_initializer(seed=5), regularizer=lambda w: 0.001 * tf.nn.l2_loss(w)):
    w1 = tf.get_variable("w1", [4, 8])
    w2 = tf.get_variable("w2", [8, 2])
hidden = tf.nn.relu(tf.matmul(x, w1))
mean, variance = tf.nn.moments(hidden, [0])
hidden = tf.nn.batch_normalization(hidden, mean, variance, tf.Variable(tf.zeros([8]), name="beta"), None, 1e-3)
logits = tf.matmul(hidden, w2)
loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
total = loss + tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
rate = tf.train.exponential_decay(0.05, step, 5, 0.7, staircase=True)
optimizer = tf.train.AdamOptimizer(rate)
gradients = optimizer.compute_gradients(total)
clipped, _ = tf.clip_by_global_norm([g for g, _ in gradients], 0.8)
train = optimizer.apply_gradients(list(zip(clipped, [v for _, v in gradients])), global_step=step)
accuracy, update = tf.metrics.accuracy(labels, tf.argmax(logits, 1, output_type=tf.int32), name="accuracy")

with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    for _ in range(12):
        show("step", sess.run([total, rate], {x: data, labels: classes}) + [sess.run([train, step.read_value()], {x: data, labels: classes})[0]])
        sess.run(update, {x: data, labels: classes})
    show("accuracy", sess.run(accuracy))
    show("end", sess.run([step, *clipped], {x: data, labels: classes}))
show("variables", sorted(v.name for v in tf.global_variables()))
