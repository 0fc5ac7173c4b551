"""DQN with two networks by collections, of which the target is copied; double and dueling, with weights of samples."""

import numpy as np
from program import show, tf

np.random.seed(115)


class DeepQNetwork:
    def __init__(self, n_actions, n_features):
        self.n_actions, self.n_features, self.gamma, self.learn_step_counter = n_actions, n_features, 0.9, 0
        self.memory = np.zeros((20, n_features * 2 + 2))
        self._build_net()
        t_params, e_params = tf.get_collection("target_net_params"), tf.get_collection("eval_net_params")
        self.replace_target_op = [tf.assign(t, e) for t, e in zip(t_params, e_params)]
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def _layers(self, x, c_names):
        w_initializer, b_initializer = tf.random_normal_initializer(0.0, 0.3, seed=1), tf.constant_initializer(0.1)
        with tf.variable_scope("l1"):
            w1 = tf.get_variable("w1", [self.n_features, 10], initializer=w_initializer, collections=c_names)
            b1 = tf.get_variable("b1", [1, 10], initializer=b_initializer, collections=c_names)
            l1 = tf.nn.relu(tf.matmul(x, w1) + b1)
        with tf.variable_scope("Value"):
            V = tf.matmul(l1, tf.get_variable("w2", [10, 1], initializer=w_initializer, collections=c_names))
        with tf.variable_scope("Advantage"):
            A = tf.matmul(l1, tf.get_variable("w2", [10, self.n_actions], initializer=w_initializer, collections=c_names))
        with tf.variable_scope("Q"):
            return V + (A - tf.reduce_mean(A, axis=1, keep_dims=True))

    def _build_net(self):
        self.s = tf.placeholder(tf.float32, [None, self.n_features], name="s")
        self.s_ = tf.placeholder(tf.float32, [None, self.n_features], name="s_")
        self.q_target = tf.placeholder(tf.float32, [None, self.n_actions], name="Q_target")
        self.ISWeights = tf.placeholder(tf.float32, [None, 1], name="IS_weights")
        with tf.variable_scope("eval_net"):
            self.q_eval = self._layers(self.s, ["eval_net_params", tf.GraphKeys.GLOBAL_VARIABLES])
        with tf.variable_scope("loss"):
            self.abs_errors = tf.reduce_sum(tf.abs(self.q_target - self.q_eval), axis=1)
            self.loss = tf.reduce_mean(self.ISWeights * tf.squared_difference(self.q_target, self.q_eval))
        with tf.variable_scope("train"):
            # Variables without the collection of trainable ones are told apart by their scope.
            self._train_op = tf.train.RMSPropOptimizer(0.01).minimize(self.loss, var_list=tf.get_collection("eval_net_params"))
        with tf.variable_scope("target_net"):
            self.q_next = self._layers(self.s_, ["target_net_params", tf.GraphKeys.GLOBAL_VARIABLES])

    def learn(self, rows):
        if self.learn_step_counter % 4 == 0:
            self.sess.run(self.replace_target_op)
        batch = self.memory[rows]
        n = self.n_features
        q_next, q_eval = self.sess.run([self.q_next, self.q_eval], feed_dict={self.s_: batch[:, -n:], self.s: batch[:, :n]})
        q_target = q_eval.copy()
        best = np.argmax(self.sess.run(self.q_eval, {self.s: batch[:, -n:]}), axis=1)
        index = np.arange(len(rows), dtype=np.int32)
        q_target[index, batch[:, n].astype(int)] = batch[:, n + 1] + self.gamma * q_next[index, best]
        _, cost, errors = self.sess.run(
            [self._train_op, self.loss, self.abs_errors],
            feed_dict={self.s: batch[:, :n], self.q_target: q_target, self.ISWeights: 1.0 / (1.0 + np.arange(len(rows)))[:, None]},
        )
        self.learn_step_counter += 1
        return cost, errors.max()


RL = DeepQNetwork(3, 4)
for i in range(20):
    s, a = np.random.randn(4), np.random.randint(3)
    RL.memory[i] = np.hstack((s, [a, s[a]], s * 0.9))
for i in range(12):
    show("cost", RL.learn(np.random.choice(20, 6)))
show("collections", [sorted(v.name for v in tf.get_collection(c)) for c in ("eval_net_params", "target_net_params", "trainable_variables")])
RL.sess.close()
