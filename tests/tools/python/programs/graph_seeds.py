"""Seeds of the graph alone, as many tutorials have them: which each operation gets of it, and what is drawn."""

import numpy as np
from program import show, tf

tf.set_random_seed(1)
np.random.seed(1)
LR, N_TEST = 0.01, 20
x = np.linspace(-1, 1, 20)[:, np.newaxis]
y = x + 0.3 * np.random.randn(20)[:, np.newaxis]
tf_x = tf.placeholder(tf.float32, [None, 1])
tf_y = tf.placeholder(tf.float32, [None, 1])
tf_is_training = tf.placeholder(tf.bool, None)
o1 = tf.layers.dense(tf_x, 8, tf.nn.relu)
o1 = tf.layers.dense(o1, 8, tf.nn.relu)
o_out = tf.layers.dense(o1, 1)
o_loss = tf.losses.mean_squared_error(tf_y, o_out)
o_train = tf.train.AdamOptimizer(LR).minimize(o_loss)
d1 = tf.layers.dense(tf_x, 8, tf.nn.relu)
d1 = tf.layers.dropout(d1, rate=0.5, training=tf_is_training)
d_out = tf.layers.dense(d1, 1)
d_loss = tf.losses.mean_squared_error(tf_y, d_out)
d_train = tf.train.AdamOptimizer(LR).minimize(d_loss)
w = tf.Variable(tf.random_normal([3, 2]))
u = tf.get_variable("u", [3, 2])
c = tf.get_variable("c", [2, 2, 1, 2], initializer=tf.truncated_normal_initializer(stddev=0.1))
shuffled = tf.random_shuffle(tf.range(6))
sample = tf.multinomial(tf.log([[0.2, 0.3, 0.5]]), 5)
dropped = tf.nn.dropout(tf.ones([2, 5]), 0.5)
crop = tf.random_crop(tf.reshape(tf.range(25), [5, 5]), [2, 2])
normal = tf.distributions.Normal(tf.zeros([2]), 1.0).sample(3)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
show("first", sess.run([w, u, c]))
for t in range(5):
    sess.run([o_train, d_train], {tf_x: x, tf_y: y, tf_is_training: True})
    show("loss", sess.run([o_loss, d_loss], {tf_x: x, tf_y: y, tf_is_training: False}))
show("random", sess.run([shuffled, sample, dropped, crop, normal]))
show(
    "seeds",
    [
        [op.name, op.get_attr("seed"), op.get_attr("seed2")]
        for op in tf.get_default_graph().get_operations()
        if "andom" in op.type or op.type == "Multinomial"
    ],
)
sess.close()
