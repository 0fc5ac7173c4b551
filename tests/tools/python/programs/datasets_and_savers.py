"""Input by a dataset, training, saving, and a second session that goes on from what was saved."""

import os
import tempfile

import numpy as np
from program import show, tf

data = np.arange(12.0, dtype=np.float32).reshape(6, 2)
dataset = tf.data.Dataset.from_tensor_slices((data, data.sum(1))).map(lambda x, y: (x / 10.0, y / 10.0)).repeat(2).batch(4)
iterator = tf.data.make_initializable_iterator(dataset)
x, y = iterator.get_next()
w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer(), use_resource=True)
loss = tf.reduce_mean(tf.square(tf.squeeze(tf.matmul(x, w), [1]) - 2.0 * y))
step = tf.train.create_global_step()
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
average = tf.train.ExponentialMovingAverage(0.5)
with tf.control_dependencies([train]):
    train = average.apply([w])
saver = tf.train.Saver()
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model")
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), iterator.initializer])
        while True:
            try:
                show("loss", sess.run([loss, train])[0])
            except tf.errors.OutOfRangeError:
                break
        saved = sess.run([w, average.average(w), step])
        show("saved", saved)
        show("path", os.path.basename(saver.save(sess, path, global_step=step)))
    with tf.Session() as sess:
        saver.restore(sess, tf.train.latest_checkpoint(folder))
        show("restored", [np.array_equal(a, b) for a, b in zip(sess.run([w, average.average(w), step]), saved)])
