"""A3C: workers on threads share a session and push their gradients to global networks; one after the other, to be the same each time."""

import threading

import numpy as np
from program import show, tf

GLOBAL_NET_SCOPE, N_S, N_A, N_WORKERS = "Global_Net", 3, 2, 3


class ACNet(object):
    def __init__(self, scope, globalAC=None):
        if scope == GLOBAL_NET_SCOPE:
            with tf.variable_scope(scope):
                self.s = tf.placeholder(tf.float32, [None, N_S], "S")
                self.a_params, self.c_params = self._build_net(scope)[-2:]
            return
        with tf.variable_scope(scope):
            self.s = tf.placeholder(tf.float32, [None, N_S], "S")
            self.a_his = tf.placeholder(tf.int32, [None], "A")
            self.v_target = tf.placeholder(tf.float32, [None, 1], "Vtarget")
            self.a_prob, self.v, self.a_params, self.c_params = self._build_net(scope)
            td = tf.subtract(self.v_target, self.v, name="TD_error")
            with tf.name_scope("c_loss"):
                self.c_loss = tf.reduce_mean(tf.square(td))
            with tf.name_scope("a_loss"):
                log_prob = tf.reduce_sum(tf.log(self.a_prob + 1e-5) * tf.one_hot(self.a_his, N_A, dtype=tf.float32), axis=1, keep_dims=True)
                exp_v = log_prob * tf.stop_gradient(td)
                entropy = -tf.reduce_sum(self.a_prob * tf.log(self.a_prob + 1e-5), axis=1, keep_dims=True)
                self.a_loss = tf.reduce_mean(-(0.01 * entropy + exp_v))
            with tf.name_scope("local_grad"):
                self.a_grads, self.c_grads = tf.gradients(self.a_loss, self.a_params), tf.gradients(self.c_loss, self.c_params)
                self.a_grads, _ = tf.clip_by_global_norm(self.a_grads, 40.0)
        with tf.name_scope("sync"):
            with tf.name_scope("pull"):
                self.pull_a_params_op = [l_p.assign(g_p) for l_p, g_p in zip(self.a_params, globalAC.a_params)]
                self.pull_c_params_op = [l_p.assign(g_p) for l_p, g_p in zip(self.c_params, globalAC.c_params)]
            with tf.name_scope("push"):
                self.update_a_op = OPT_A.apply_gradients(zip(self.a_grads, globalAC.a_params))
                self.update_c_op = OPT_C.apply_gradients(zip(self.c_grads, globalAC.c_params))

    def _build_net(self, scope):
        w_init = tf.random_normal_initializer(0.0, 0.1, seed=1)
        with tf.variable_scope("actor"):
            l_a = tf.layers.dense(self.s, 8, tf.nn.relu6, kernel_initializer=w_init, name="la")
            a_prob = tf.layers.dense(l_a, N_A, tf.nn.softmax, kernel_initializer=w_init, name="ap")
        with tf.variable_scope("critic"):
            l_c = tf.layers.dense(self.s, 6, tf.nn.relu6, kernel_initializer=w_init, name="lc")
            v = tf.layers.dense(l_c, 1, kernel_initializer=w_init, name="v")
        a_params = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=scope + "/actor")
        return a_prob, v, a_params, tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=scope + "/critic")


class Worker(object):
    def __init__(self, i, globalAC):
        self.name, self.turn, self.random = "W_%i" % i, i, np.random.RandomState(i)
        self.AC = ACNet(self.name, globalAC)

    def work(self):
        global TURN
        while not COORD.should_stop():
            with LOCK:
                LOCK.wait_for(lambda: TURN % N_WORKERS == self.turn)
                if TURN < 18:
                    s = self.random.randn(6, N_S)
                    SESS.run([self.AC.pull_a_params_op, self.AC.pull_c_params_op])
                    prob = SESS.run(self.AC.a_prob, {self.AC.s: s})
                    a = prob.argmax(1)
                    feed = {self.AC.s: s, self.AC.a_his: a, self.AC.v_target: np.where(a == (s[:, 0] > 0), 1.0, -1.0)[:, None]}
                    c, l, _, _ = SESS.run([self.AC.c_loss, self.AC.a_loss, self.AC.update_a_op, self.AC.update_c_op], feed)
                    LOSSES.append([self.name, float(c), float(l)])
                else:
                    COORD.request_stop()
                TURN += 1
                LOCK.notify_all()


TURN, LOSSES, LOCK = 0, [], threading.Condition()
SESS = tf.Session()
with tf.device("/cpu:0"):
    OPT_A, OPT_C = tf.train.RMSPropOptimizer(0.01, name="RMSPropA"), tf.train.RMSPropOptimizer(0.01, name="RMSPropC")
    GLOBAL_AC = ACNet(GLOBAL_NET_SCOPE)
    workers = [Worker(i, GLOBAL_AC) for i in range(N_WORKERS)]
COORD = tf.train.Coordinator()
SESS.run(tf.global_variables_initializer())
worker_threads = []
for worker in workers:
    t = threading.Thread(target=lambda w=worker: w.work())
    t.start()
    worker_threads.append(t)
COORD.join(worker_threads)
for line in LOSSES:
    show("losses", line)
show("variables", [v.name for v in tf.global_variables() if "W_" not in v.name])
show("global", SESS.run(GLOBAL_AC.c_params[1]))
SESS.close()
