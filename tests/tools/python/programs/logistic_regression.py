"""Two clouds of points, told apart by a sigmoid; the last batches are smaller."""

import numpy as np
from program import descend, show, tf

tf.set_random_seed(7)
random = np.random.RandomState(1)
data = np.concatenate([random.randn(25, 2) + 1.5, random.randn(25, 2) - 1.5]).astype(np.float32)
labels = np.array([1] * 25 + [0] * 25, np.float32)[:, None]

x = tf.placeholder(tf.float32, shape=(None, 2))
y = tf.placeholder(tf.float32, shape=(None, 1))
with tf.name_scope("model"):
    w = tf.Variable(tf.truncated_normal([2, 1], stddev=0.1), name="w")
    b = tf.Variable(0.0, name="b")
    logits = tf.matmul(x, w) + b
with tf.name_scope("loss"):
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits)) + 0.01 * tf.nn.l2_loss(w)
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.cast(tf.sigmoid(logits) > 0.5, tf.float32), y), tf.float32))
train = descend(loss, [w, b], 0.3)

with tf.Session() as sess:
    tf.global_variables_initializer().run()
    for epoch in range(4):
        order = random.permutation(50)
        for start in range(0, 50, 16):
            rows = order[start:start + 16]
            sess.run(train, {x: data[rows], y: labels[rows]})
        show("epoch", sess.run({"loss": loss, "accuracy": accuracy}, {x: data, y: labels}))
    show("weights", w.eval())
show("scopes", [w.name, b.name, logits.op.name, loss.op.name.split("/")[0]])
