"""Pictures from gzipped IDX files, as input_data read them; a network with dropout, its accuracy in batches, its checkpoint."""

import gzip
import os
import struct
import tempfile

import numpy as np
from program import show, tf

random = np.random.RandomState(100)
folder = tempfile.mkdtemp()


def write(name, array):
    with gzip.open(os.path.join(folder, name), "wb") as f:
        f.write(struct.pack(">HBB", 0, 8, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape) + array.astype(np.uint8).tobytes())


def read(name):
    with tf.gfile.Open(os.path.join(folder, name), "rb") as f, gzip.GzipFile(fileobj=f) as stream:
        magic = np.frombuffer(stream.read(4), dtype=np.dtype(np.uint32).newbyteorder(">"))[0]
        shape = np.frombuffer(stream.read(4 * (magic & 255)), dtype=np.dtype(np.uint32).newbyteorder(">"))
        return np.frombuffer(stream.read(), dtype=np.uint8).reshape(shape)


labels = random.randint(0, 10, 60)
pictures = random.randint(0, 60, (60, 10, 10))
pictures[np.arange(60), labels] += 190
write("images.gz", pictures), write("labels.gz", labels)


class DataSet:
    def __init__(self, images, labels):
        self._images = images.reshape(len(images), -1).astype(np.float32) * (1.0 / 255.0)
        self._labels, self._at, self.num_examples, self.epochs = np.eye(10)[labels], 0, len(images), 0

    def next_batch(self, size):
        if self._at + size > self.num_examples:
            self.epochs += 1
            order = random.permutation(self.num_examples)
            self._images, self._labels, self._at = self._images[order], self._labels[order], 0
        self._at += size
        return self._images[self._at - size : self._at], self._labels[self._at - size : self._at]


def weight_variable(shape, seed):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1, seed=seed), name="W")


data = DataSet(read("images.gz"), read("labels.gz"))
x = tf.placeholder("float", [None, 100], name="x-input")
y_ = tf.placeholder("float", shape=[None, 10], name="y-input")
keep_prob = tf.placeholder(tf.float32)
with tf.name_scope("conv1"):
    image = tf.reshape(x, [-1, 10, 10, 1])
    h_conv = tf.nn.relu(
        tf.nn.conv2d(image, weight_variable([5, 5, 1, 4], 1), strides=[1, 1, 1, 1], padding="SAME") + tf.Variable(tf.constant(0.1, shape=[4]))
    )
    h_pool = tf.nn.max_pool(h_conv, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME", name="pool")
with tf.name_scope("fc1"):
    h_fc = tf.nn.relu(tf.matmul(tf.reshape(h_pool, [-1, 5 * 5 * 4]), weight_variable([100, 20], 2)) + tf.Variable(tf.constant(0.1, shape=[20])))
    h_drop = tf.nn.dropout(h_fc, keep_prob, seed=3)
with tf.name_scope("fc2"):
    y_conv = tf.matmul(h_drop, weight_variable([20, 10], 4)) + tf.Variable(tf.constant(0.1, shape=[10]))
cross_entropy = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=y_conv))
train_step = tf.train.AdamOptimizer(1e-2).minimize(cross_entropy)
correct = tf.equal(tf.argmax(y_conv, 1), tf.argmax(y_, 1))
accuracy = tf.reduce_mean(tf.cast(correct, "float"))
show("variables", [v.name for v in tf.global_variables()])
saver = tf.train.Saver()
sess = tf.InteractiveSession()
tf.global_variables_initializer().run()
for i in range(30):
    batch = data.next_batch(16)
    if i % 10 == 0:
        show("accuracy", accuracy.eval(feed_dict={x: batch[0], y_: batch[1], keep_prob: 1.0}))
    train_step.run({x: batch[0], y_: batch[1], keep_prob: 0.5})
    show("loss", cross_entropy.eval({x: batch[0], y_: batch[1], keep_prob: 1.0}))
path = saver.save(sess, os.path.join(folder, "model.ckpt"), global_step=30)
show("saved", [os.path.basename(path), sorted(f for f in os.listdir(folder) if "data" in f), data.epochs])
sess.close()
with tf.Session() as other:
    saver.restore(other, tf.train.latest_checkpoint(folder))
    show("restored", other.run(cross_entropy, {x: batch[0], y_: batch[1], keep_prob: 1.0}))
