"""Proximal policy optimization: an actor of normal distributions whose old self bounds its steps, and a critic."""

import numpy as np
from program import show, tf

tf.set_random_seed(29)
random = np.random.RandomState(5)
state = tf.placeholder(tf.float32, [None, 3], "state")
action = tf.placeholder(tf.float32, [None, 1], "action")
advantage = tf.placeholder(tf.float32, [None, 1], "advantage")
reward = tf.placeholder(tf.float32, [None, 1], "discounted_r")


def dense(x, units, name, activation=None, trainable=True):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [int(x.shape[-1]), units], initializer=tf.random_normal_initializer(0.0, 0.3), trainable=trainable)
        b = tf.get_variable("b", [units], initializer=tf.constant_initializer(0.1), trainable=trainable)
        return tf.nn.xw_plus_b(x, w, b) if activation is None else activation(tf.nn.xw_plus_b(x, w, b))


def actor(name, trainable):
    with tf.variable_scope(name):
        hidden = dense(state, 16, "hidden", tf.nn.relu, trainable)
        mu = 2 * dense(hidden, 1, "mu", tf.nn.tanh, trainable)
        sigma = dense(hidden, 1, "sigma", tf.nn.softplus, trainable)
        policy = tf.distributions.Normal(loc=mu, scale=sigma)
    return policy, tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope=name + "/")


with tf.variable_scope("critic"):
    value = dense(dense(state, 16, "hidden", tf.nn.relu), 1, "value")
    gain = reward - value
    critic_loss = tf.reduce_mean(tf.square(gain))
    critic_train = tf.train.AdamOptimizer(0.01).minimize(critic_loss)
policy, policy_variables = actor("pi", True)
old, old_variables = actor("oldpi", False)
with tf.variable_scope("sample_action"):
    sampled = tf.clip_by_value(tf.squeeze(policy.sample(1), axis=0), -2, 2)
with tf.variable_scope("update_oldpi"):
    update_old = [o.assign(p) for p, o in zip(policy_variables, old_variables)]
with tf.variable_scope("loss"):
    ratio = policy.prob(action) / (old.prob(action) + 1e-5)
    bounded = tf.minimum(ratio * advantage, tf.clip_by_value(ratio, 0.8, 1.2) * advantage)
    actor_loss = -tf.reduce_mean(bounded) - 0.01 * tf.reduce_mean(policy.entropy())
with tf.variable_scope("atrain"):
    actor_train = tf.train.AdamOptimizer(0.005).minimize(actor_loss)
divergence = tf.reduce_mean(tf.distributions.kl_divergence(old, policy))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(8):
        states = random.randn(16, 3)
        actions = sess.run(sampled, {state: states})
        feed = {state: states, action: actions, reward: -np.square(actions - states[:, :1])}
        sess.run(update_old)
        feed[advantage] = sess.run(gain, feed)
        for _ in range(4):
            sess.run(actor_train, feed)
            sess.run(critic_train, feed)
        show("step", [actions[:3], *sess.run([actor_loss, critic_loss, divergence], feed)])
show("trained", [v.name for v in tf.trainable_variables()])
