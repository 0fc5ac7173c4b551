"""Autoencoders: noise that is taken out, tied weights, and pictures whose maxima are put back where they were."""

import numpy as np
from program import show, tf

random = np.random.RandomState(106)


class AdditiveGaussianNoiseAutoencoder(object):
    def __init__(self, n_input, n_hidden, transfer_function=tf.nn.softplus, optimizer=tf.train.AdamOptimizer(), scale=0.1):
        self.scale = tf.placeholder(tf.float32)
        self.training_scale = scale
        self.weights = {
            "w1": tf.get_variable("w1", [n_input, n_hidden], initializer=tf.glorot_uniform_initializer(seed=1)),
            "b1": tf.Variable(tf.zeros([n_hidden], dtype=tf.float32)),
            "b2": tf.Variable(tf.zeros([n_input], dtype=tf.float32)),
        }
        self.x = tf.placeholder(tf.float32, [None, n_input])
        noisy = self.x + scale * tf.random_normal((n_input,), seed=2)
        self.hidden = transfer_function(tf.add(tf.matmul(noisy, self.weights["w1"]), self.weights["b1"]))
        self.reconstruction = tf.add(tf.matmul(self.hidden, self.weights["w1"], transpose_b=True), self.weights["b2"])
        self.cost = 0.5 * tf.reduce_sum(tf.pow(tf.subtract(self.reconstruction, self.x), 2.0))
        self.optimizer = optimizer.minimize(self.cost)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def partial_fit(self, X):
        return self.sess.run((self.cost, self.optimizer), feed_dict={self.x: X, self.scale: self.training_scale})[0]


data = random.rand(20, 12)
model = AdditiveGaussianNoiseAutoencoder(12, 5, optimizer=tf.train.AdamOptimizer(learning_rate=0.01))
for _ in range(10):
    show("cost", model.partial_fit(data))
show("noise", [v.name for v in tf.global_variables()])
model.sess.close()
tf.reset_default_graph()


def unpool(pool, argmax, shape):
    flat = int(np.prod(shape))
    batch = tf.shape(pool)[0]
    where = tf.reshape(argmax, [-1, 1])
    rows = tf.reshape(tf.tile(tf.reshape(tf.range(tf.cast(batch, tf.int64), dtype=tf.int64), [-1, 1]), [1, int(4 * 4 * 4)]), [-1, 1])
    made = tf.scatter_nd(tf.concat([rows, where], 1), tf.reshape(pool, [-1]), tf.stack([tf.cast(batch, tf.int64), flat]))
    return tf.reshape(made, [-1] + shape)


x = tf.placeholder(tf.float32, [None, 8, 8, 1])
keep = tf.placeholder(tf.float32)
corrupted = x * tf.cast(tf.random_uniform(tf.shape(x), seed=5) < keep, tf.float32)
w1 = tf.Variable(tf.truncated_normal([3, 3, 1, 4], stddev=0.3, seed=3), name="encode")
w2 = tf.Variable(tf.truncated_normal([3, 3, 1, 4], stddev=0.3, seed=4), name="decode")
conv = tf.nn.leaky_relu(tf.nn.conv2d(corrupted, w1, [1, 1, 1, 1], "SAME"), alpha=0.1)
pool, argmax = tf.nn.max_pool_with_argmax(conv, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
back = unpool(pool, argmax, [8, 8, 4])
logits = tf.nn.conv2d_transpose(back, w2, output_shape=[tf.shape(x)[0], 8, 8, 1], strides=[1, 1, 1, 1], padding="SAME")
cost = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=logits))
train = tf.train.AdadeltaOptimizer(1.0, epsilon=1e-3).minimize(cost)
pictures = (random.rand(6, 8, 8, 1) > 0.6).astype(np.float32)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(15):
        show("entropy", sess.run([cost, train], {x: pictures, keep: 0.8})[0])
    show("places", sess.run(argmax, {x: pictures[:1], keep: 1.0})[0, :, :, 0])
