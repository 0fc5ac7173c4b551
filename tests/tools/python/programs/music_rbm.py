"""Music by a restricted Boltzmann machine: chains of Gibbs samples in a while loop, updates by assign_add, and a recurrent network that biases it."""

import numpy as np
from program import show, tf

n_visible, n_hidden, steps, hidden_rnn = 8, 6, 4, 5
random = np.random.RandomState(7)
songs = (random.rand(12, n_visible) < np.tile([0.9, 0.1], 4)).astype(np.float32)

x = tf.placeholder(tf.float32, [None, n_visible], name="x")
W = tf.Variable(tf.random_normal([n_visible, n_hidden], 0.01, 0.2, seed=1), name="W")
bh = tf.Variable(tf.zeros([1, n_hidden], tf.float32, name="bh"))
bv = tf.Variable(tf.zeros([1, n_visible], tf.float32, name="bv"))


def sample(probs):
    # As if each draw came out at a half: both sides must agree.
    return tf.floor(probs + 0.5)


def gibbs_step(count, k, xk):
    hk = sample(tf.sigmoid(tf.matmul(xk, W) + bh))
    xk = sample(tf.sigmoid(tf.matmul(hk, tf.transpose(W)) + bv))
    return count + 1, k, xk


def gibbs_sample(k):
    ct = tf.constant(0)
    [_, _, x_sample] = tf.while_loop(lambda count, num_iter, *args: count < num_iter, gibbs_step, [ct, tf.constant(k), x])
    return tf.stop_gradient(x_sample)


x_sample = gibbs_sample(1)
h, h_sample = sample(tf.sigmoid(tf.matmul(x, W) + bh)), sample(tf.sigmoid(tf.matmul(x_sample, W) + bh))
lr, size_bt = tf.constant(0.05, tf.float32), tf.cast(tf.shape(x)[0], tf.float32)
W_adder = tf.multiply(lr / size_bt, tf.subtract(tf.matmul(tf.transpose(x), h), tf.matmul(tf.transpose(x_sample), h_sample)))
bv_adder = tf.multiply(lr / size_bt, tf.reduce_sum(tf.subtract(x, x_sample), 0, True))
bh_adder = tf.multiply(lr / size_bt, tf.reduce_sum(tf.subtract(h, h_sample), 0, True))
updt = [W.assign_add(W_adder), bv.assign_add(bv_adder), bh.assign_add(bh_adder)]


def free_energy(v, b_v, b_h):
    return -tf.reduce_sum(tf.log1p(tf.exp(tf.matmul(v, W) + b_h)), 1) - tf.matmul(v, tf.transpose(b_v))[:, 0]


Wuh, Wuv = (tf.Variable(tf.random_normal([hidden_rnn, n], stddev=0.3, seed=s)) for n, s in ((n_hidden, 2), (n_visible, 3)))
Wvu, Wuu = (tf.Variable(tf.random_normal([n, hidden_rnn], stddev=0.3, seed=s)) for n, s in ((n_visible, 4), (hidden_rnn, 5)))
u0, bu = tf.Variable(tf.zeros([1, hidden_rnn])), tf.Variable(tf.zeros([1, hidden_rnn]))


def rnn_recurrence(u_tm1, sl):
    return tf.tanh(bu + tf.matmul(tf.reshape(sl, [1, n_visible]), Wvu) + tf.matmul(u_tm1, Wuu))


def visible_bias_recurrence(bv_t, u_tm1):
    return tf.add(bv, tf.matmul(u_tm1, Wuv))


def hidden_bias_recurrence(bh_t, u_tm1):
    return tf.add(bh, tf.matmul(u_tm1, Wuh))


u_t = tf.scan(rnn_recurrence, x, initializer=u0)
bv_t = tf.reshape(tf.scan(visible_bias_recurrence, u_t, tf.zeros([1, n_visible], tf.float32)), [-1, n_visible])
bh_t = tf.reshape(tf.scan(hidden_bias_recurrence, u_t, tf.zeros([1, n_hidden], tf.float32)), [-1, n_hidden])
energy = -tf.reduce_sum(tf.log(1 + tf.exp(tf.matmul(x, W) + bh_t)), 1) - tf.reduce_sum(x * bv_t, 1)
other = tf.stop_gradient(1 - x)
rest = -tf.reduce_sum(tf.log(1 + tf.exp(tf.matmul(other, W) + bh_t)), 1) - tf.reduce_sum(other * bv_t, 1)
cost = tf.reduce_mean(tf.subtract(energy, rest))
tvars = [W, Wuh, Wuv, Wvu, Wuu, bh, bv, bu, u0]
opt_func = tf.train.GradientDescentOptimizer(learning_rate=0.02)
gvs = opt_func.compute_gradients(cost, tvars)
gvs = [(tf.clip_by_value(grad, -10., 10.), var) for grad, var in gvs]
train = opt_func.apply_gradients(gvs)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(30):
        sess.run(updt, feed_dict={x: songs[i % 3 * 4:i % 3 * 4 + 4]})
    show("machine", sess.run([W, bv]))
    show("chain", gibbs_sample(3).eval(session=sess, feed_dict={x: np.zeros((2, n_visible))}))
    show("energy", sess.run(free_energy(x, bv, bh), {x: songs}))
    costs = [float(sess.run([cost, train], {x: songs})[0]) for _ in range(100)]
    show("costs", costs)
    show("biases", sess.run([bu, u0]))
