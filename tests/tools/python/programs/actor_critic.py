"""Actor and critic of continuous and discrete actions, REINFORCE with baselines, bandits; distributions as MorvanZhou used them."""

import numpy as np
from program import show, tf

np.random.seed(2)


class Actor(object):
    def __init__(self, sess, n_features, action_bound, lr=0.001):
        self.sess = sess
        self.s = tf.placeholder(tf.float32, [1, n_features], "state")
        self.a = tf.placeholder(tf.float32, None, name="act")
        self.td_error = tf.placeholder(tf.float32, None, name="td_error")
        l1 = tf.layers.dense(
            inputs=self.s,
            units=6,
            activation=tf.nn.relu,
            kernel_initializer=tf.random_normal_initializer(0.0, 0.1, seed=1),
            bias_initializer=tf.constant_initializer(0.1),
            name="l1",
        )
        mu = tf.layers.dense(inputs=l1, units=1, activation=tf.nn.tanh, kernel_initializer=tf.random_normal_initializer(0.0, 0.1, seed=2), name="mu")
        sigma = tf.layers.dense(
            inputs=l1,
            units=1,
            activation=tf.nn.softplus,
            kernel_initializer=tf.random_normal_initializer(0.0, 0.1, seed=3),
            bias_initializer=tf.constant_initializer(1.0),
            name="sigma",
        )
        global_step = tf.Variable(0, trainable=False)
        self.mu, self.sigma = tf.squeeze(mu * 2), tf.squeeze(sigma + 0.1)
        self.normal_dist = tf.distributions.Normal(self.mu, self.sigma)
        self.action = tf.clip_by_value(self.normal_dist.sample(1, seed=4), action_bound[0], action_bound[1])
        with tf.name_scope("exp_v"):
            log_prob = self.normal_dist.log_prob(self.a)
            self.exp_v = log_prob * self.td_error
            self.exp_v += 0.01 * self.normal_dist.entropy()
        with tf.name_scope("train"):
            self.train_op = tf.train.AdamOptimizer(lr).minimize(-self.exp_v, global_step)

    def learn(self, s, a, td):
        s = s[np.newaxis, :]
        _, exp_v = self.sess.run([self.train_op, self.exp_v], {self.s: s, self.a: a, self.td_error: td})
        return exp_v


class Critic(object):
    def __init__(self, sess, n_features, lr=0.01):
        self.sess = sess
        with tf.name_scope("inputs"):
            self.s = tf.placeholder(tf.float32, [1, n_features], "state")
            self.v_ = tf.placeholder(tf.float32, [1, 1], name="v_next")
            self.r = tf.placeholder(tf.float32, name="r")
        with tf.variable_scope("Critic"):
            l1 = tf.layers.dense(
                self.s,
                6,
                tf.nn.relu,
                kernel_initializer=tf.random_normal_initializer(0.0, 0.1, seed=5),
                bias_initializer=tf.constant_initializer(0.1),
                name="l1",
            )
            self.v = tf.layers.dense(l1, 1, kernel_initializer=tf.random_normal_initializer(0.0, 0.1, seed=6), name="V")
        with tf.variable_scope("squared_TD_error"):
            self.td_error = tf.reduce_mean(self.r + 0.9 * self.v_ - self.v)
            self.loss = tf.square(self.td_error)
        with tf.variable_scope("train"):
            self.train_op = tf.train.AdamOptimizer(lr).minimize(self.loss)

    def learn(self, s, r, s_):
        s, s_ = s[np.newaxis, :], s_[np.newaxis, :]
        v_ = self.sess.run(self.v, {self.s: s_})
        td_error, _ = self.sess.run([self.td_error, self.train_op], {self.s: s, self.v_: v_, self.r: r})
        return td_error


sess = tf.Session()
actor, critic = Actor(sess, 3, [-2.0, 2.0], 0.01), Critic(sess, 3)
sess.run(tf.global_variables_initializer())
for i in range(10):
    s, s_ = np.random.randn(3), np.random.randn(3)
    a = sess.run(actor.action, {actor.s: s[None]})
    td = critic.learn(s, -abs(a[0]), s_)
    show("step", [a, td, actor.learn(s, a, td)])
show("names", [v.name for v in tf.global_variables()])
sess.close()
tf.reset_default_graph()

state_in = tf.placeholder(shape=[1], dtype=tf.int32)
state_in_OH = tf.one_hot(state_in, 3)
weights = tf.get_variable("bandit", [3, 4], initializer=tf.ones_initializer())
output = tf.reshape(tf.nn.sigmoid(tf.matmul(state_in_OH, weights)), [-1])
chosen_action = tf.argmax(output, 0)
reward_holder, action_holder = tf.placeholder(shape=[1], dtype=tf.float32), tf.placeholder(shape=[1], dtype=tf.int32)
responsible_weight = tf.slice(output, action_holder, [1])
loss = -(tf.log(responsible_weight) * reward_holder)
update = tf.train.GradientDescentOptimizer(learning_rate=0.1).minimize(loss)
probability = tf.nn.softmax(tf.reshape(tf.slice(weights, [0, 0], [1, -1]), [-1]))
indexes = tf.range(0, tf.shape(output)[0]) * 1
gathered = tf.gather(tf.reshape(weights, [-1]), tf.range(0, 3) * 4 + action_holder)
tvars = tf.trainable_variables()
gradient_holders = [tf.placeholder(tf.float32, name=str(idx) + "_holder") for idx, var in enumerate(tvars)]
gradients = tf.gradients(loss, tvars)
update_batch = tf.train.AdamOptimizer(learning_rate=0.1).apply_gradients(zip(gradient_holders, tvars))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    gradBuffer = sess.run(tf.trainable_variables())
    for ix, grad in enumerate(gradBuffer):
        gradBuffer[ix] = grad * 0
    for i in range(12):
        s = np.random.randint(0, 3)
        action = np.random.randint(4) if i % 3 == 0 else sess.run(chosen_action, {state_in: [s]})
        feed_dict = {reward_holder: [1.0 if action == s else -1.0], action_holder: [action], state_in: [s]}
        _, ww = sess.run([update, weights], feed_dict=feed_dict)
        for idx, grad in enumerate(sess.run(gradients, feed_dict)):
            gradBuffer[idx] += grad
        if i % 5 == 0:
            sess.run(update_batch, feed_dict=dict(zip(gradient_holders, gradBuffer)))
        show("bandit", sess.run([tf.reduce_sum(weights), gathered], feed_dict))
