"""A softmax classifier of little digits, with a decaying rate, L2 and a confusion matrix; batches are cut in the graph."""

import numpy as np
from program import show, tf

random = np.random.RandomState(8)
digits = {0: "111101101111", 1: "010010010010", 2: "110001010111", 7: "111001010010"}
names = sorted(digits)
clean = np.array([[float(c) for c in digits[n]] for n in names], np.float32)
labels = random.randint(0, 4, 48)
images = (clean[labels] + 0.3 * random.randn(48, 12)).astype(np.float32)

data, targets = tf.constant(images), tf.constant(labels)
step = tf.Variable(0, dtype=tf.int32, trainable=False)
start = tf.mod(step * 16, 48)
x, y = tf.slice(data, [start, 0], [16, -1]), tf.strided_slice(targets, [start], [start + 16])
w = tf.Variable(tf.zeros([12, 4]))
b = tf.Variable(tf.zeros([4]))
probabilities = tf.nn.softmax(tf.matmul(x, w) + b)
cross_entropy = -tf.reduce_mean(tf.reduce_sum(tf.one_hot(y, 4) * tf.log(probabilities), reduction_indices=[1]))
loss = cross_entropy + 1e-3 * (tf.nn.l2_loss(w) + tf.nn.l2_loss(b))
rate = 0.5 * tf.pow(0.9, tf.cast(step, tf.float32))
gw, gb = tf.tuple(tf.gradients(loss, [w, b]) + [rate])[:2]
with tf.control_dependencies([w.assign_sub(rate * gw), b.assign_sub(rate * gb)]):
    train = tf.assign_add(step, 1)
predicted = tf.argmax(tf.matmul(data, w) + b, 1)
confusion = tf.scatter_nd(tf.stack([targets, predicted], axis=1), tf.ones_like(targets), [4, 4])

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(12):
        l, r = sess.run([loss, rate])
        show("step", [l, r, sess.run(train)])
    show("confusion", sess.run(confusion))
    show("weights", sess.run(tf.reduce_mean(w, 0)))
