"""Convolutions and pooling on tiny images of bars, with dropout that is fed."""

import numpy as np
from program import descend, show, tf

random = np.random.RandomState(3)
images = 0.1 * random.rand(24, 8, 8, 1).astype(np.float32)
labels = np.arange(24) % 2
for i in range(24):
    at = random.randint(0, 8)
    images[i, at, :, 0] += 1.0 - labels[i]
    images[i, :, at, 0] += labels[i]


def weights(shape, seed):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1, seed=seed))


x = tf.placeholder(tf.float32, [None, 8, 8, 1])
y = tf.placeholder(tf.int32, [None])
keep = tf.placeholder_with_default(1.0, [])
w1, b1 = weights([3, 3, 1, 4], 11), tf.Variable(tf.constant(0.1, shape=[4]))
pool1 = tf.nn.max_pool(tf.nn.relu(tf.nn.conv2d(x, w1, strides=[1, 1, 1, 1], padding="SAME") + b1), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
w2, b2 = weights([2, 2, 4, 6], 12), tf.Variable(tf.constant(0.1, shape=[6]))
pool2 = tf.nn.avg_pool(tf.nn.relu(tf.nn.conv2d(pool1, w2, strides=[1, 1, 1, 1], padding="VALID") + b2), [1, 3, 3, 1], [1, 3, 3, 1], "VALID")
flat = tf.reshape(pool2, [-1, 6])
w3, b3 = weights([6, 2], 13), tf.Variable(tf.zeros([2]))
mask = tf.floor(keep + tf.random_uniform(tf.shape(flat), seed=14))
logits = tf.matmul(flat / keep * mask, w3) + b3
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.one_hot(y, 2), logits=logits))
train = descend(loss, tf.trainable_variables(), 0.5)
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1, output_type=tf.int32), y), tf.float32))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(12):
        sess.run(train, {x: images, y: labels, keep: 0.8})
        show("step", sess.run([loss, accuracy], {x: images, y: labels}))
show("shapes", [t.shape.as_list() for t in (pool1, pool2, flat, logits)])
