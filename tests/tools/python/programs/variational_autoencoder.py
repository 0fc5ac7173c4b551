"""A variational autoencoder: noise of the graph's seed in the middle, a bound on the likelihood as loss, Adam."""

import numpy as np
from program import show, tf

tf.set_random_seed(12)
random = np.random.RandomState(12)
prototypes = random.rand(3, 12) > 0.5
data = np.logical_xor(prototypes[random.randint(0, 3, 48)], random.rand(48, 12) < 0.05).astype(np.float32)


def dense(inputs, size, name, activation=tf.identity):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [inputs.get_shape().as_list()[1], size], initializer=tf.variance_scaling_initializer(mode="fan_avg", distribution="uniform"))
        b = tf.get_variable("b", [size], initializer=tf.constant_initializer(0.01))
        return activation(tf.nn.xw_plus_b(inputs, w, b))


x = tf.placeholder(tf.float32, [None, 12], name="x")
with tf.variable_scope("encoder"):
    h = dense(x, 10, "hidden", tf.nn.softplus)
    mean, log_variance = dense(h, 2, "mean"), dense(h, 2, "log_variance")
epsilon = tf.random_normal(tf.shape(mean), 0, 1, dtype=tf.float32)
z = mean + tf.sqrt(tf.exp(log_variance)) * epsilon
with tf.variable_scope("decoder"):
    logits = dense(dense(z, 10, "hidden", tf.nn.softplus), 12, "out")
with tf.variable_scope("decoder", reuse=True):
    chosen = tf.placeholder(tf.float32, [None, 2])
    generated = tf.sigmoid(dense(dense(chosen, 10, "hidden", tf.nn.softplus), 12, "out"))
likelihood = tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=logits), 1)
divergence = -0.5 * tf.reduce_sum(1 + log_variance - tf.square(mean) - tf.exp(log_variance), 1)
loss = tf.reduce_mean(likelihood + divergence)
train = tf.train.AdamOptimizer(learning_rate=0.02).minimize(loss)

sess = tf.InteractiveSession()
tf.global_variables_initializer().run()
for epoch in range(6):
    total = 0.0
    for i in range(0, 48, 16):
        _, l = sess.run((train, loss), feed_dict={x: data[i:i + 16]})
        total += l / 3
    show("epoch", total)
show("mean", mean.eval({x: data[:3]}))
show("generated", generated.eval(feed_dict={chosen: [[0.0, 0.0], [1.0, -1.0]]}))
show("parts", [t.name for t in tf.trainable_variables(scope="decoder")])
sess.close()
