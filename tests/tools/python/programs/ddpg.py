"""DDPG: soft updates of targets, and policies that follow the gradient of the critic by actions."""

import numpy as np
from program import show, tf

np.random.seed(115)


class DDPG(object):
    def __init__(self, a_dim, s_dim, a_bound):
        self.a_bound = a_bound
        self.S, self.S_ = tf.placeholder(tf.float32, [None, s_dim], "s"), tf.placeholder(tf.float32, [None, s_dim], "s_")
        self.R = tf.placeholder(tf.float32, [None, 1], "r")
        with tf.variable_scope("Actor"):
            self.a, a_ = self._build_a(self.S, scope="eval", trainable=True), self._build_a(self.S_, scope="target", trainable=False)
        with tf.variable_scope("Critic"):
            q = self._build_c(self.S, self.a, scope="eval", trainable=True)
            q_ = self._build_c(self.S_, a_, scope="target", trainable=False)
        self.ae_params = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="Actor/eval")
        self.at_params = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="Actor/target")
        self.ce_params = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="Critic/eval")
        self.ct_params = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="Critic/target")
        self.soft_replace = [
            [tf.assign(ta, (1 - 0.1) * ta + 0.1 * ea), tf.assign(tc, (1 - 0.1) * tc + 0.1 * ec)]
            for ta, ea, tc, ec in zip(self.at_params, self.ae_params, self.ct_params, self.ce_params)
        ]
        self.td_error = tf.losses.mean_squared_error(labels=self.R + 0.9 * q_, predictions=q)
        self.ctrain = tf.train.AdamOptimizer(0.02).minimize(self.td_error, name="adam-ink", var_list=self.ce_params)
        self.a_grads = tf.gradients(q, self.a)[0]
        self.policy_grads = tf.gradients(ys=self.a, xs=self.ae_params, grad_ys=self.a_grads)
        self.atrain = tf.train.AdamOptimizer(-0.01).apply_gradients(zip(self.policy_grads, self.ae_params))
        self.q = q

    def _build_a(self, s, scope, trainable):
        with tf.variable_scope(scope):
            net = tf.layers.dense(
                s, 6, activation=tf.nn.relu, name="l1", trainable=trainable, kernel_initializer=tf.random_normal_initializer(0, 0.3, seed=2)
            )
            a = tf.layers.dense(
                net, 2, activation=tf.nn.tanh, name="a", trainable=trainable, kernel_initializer=tf.random_normal_initializer(0, 0.3, seed=3)
            )
            return tf.multiply(a, self.a_bound, name="scaled_a")

    def _build_c(self, s, a, scope, trainable):
        with tf.variable_scope(scope):
            init = tf.random_normal_initializer(0, 0.3, seed=4)
            w1_s = tf.get_variable("w1_s", [3, 6], trainable=trainable, initializer=init)
            w1_a = tf.get_variable("w1_a", [2, 6], trainable=trainable, initializer=init)
            b1 = tf.get_variable("b1", [1, 6], trainable=trainable, initializer=tf.constant_initializer(0.1))
            net = tf.nn.relu(tf.matmul(s, w1_s) + tf.matmul(a, w1_a) + b1)
            return tf.layers.dense(net, 1, trainable=trainable, kernel_initializer=init)


# What is read is not what is assigned meanwhile.
tf.enable_resource_variables()
ddpg = DDPG(2, 3, np.array([2.0, 0.5], np.float32))
tf.disable_resource_variables()
show("variables", [v.name for v in tf.global_variables()])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(12):
        s = np.random.randn(8, 3)
        sess.run(ddpg.soft_replace)
        sess.run(ddpg.atrain, {ddpg.S: s})
        a = sess.run(ddpg.a, {ddpg.S: s})
        feed = {ddpg.S: s, ddpg.a: a, ddpg.R: -np.abs(s[:, :1] - a[:, :1]), ddpg.S_: s * 0.9}
        show("td", sess.run([ddpg.td_error, ddpg.ctrain], feed)[0])
    show("action", sess.run([ddpg.a[0], tf.reduce_mean(ddpg.q)], {ddpg.S: s}))
