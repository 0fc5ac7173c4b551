"""A bandit with contexts and a policy that draws its arms; the likelihood of what paid is made larger, against a learnt baseline."""

import numpy as np
from program import show, tf

tf.set_random_seed(3)
random = np.random.RandomState(50)
contexts, arms = 3, 4
odds = random.rand(contexts, arms).astype(np.float32)
odds[[0, 1, 2], [2, 0, 3]] += 1.5

context = tf.placeholder(tf.int32, [None], name="context")
arm = tf.placeholder(tf.int64, [None], name="arm")
paid = tf.placeholder(tf.float32, [None], name="paid")
inputs = tf.one_hot(context, contexts)
with tf.variable_scope("policy"):
    logits = tf.matmul(inputs, tf.get_variable("w", [contexts, arms], initializer=tf.zeros_initializer()))
with tf.variable_scope("baseline"):
    worth = tf.squeeze(tf.matmul(inputs, tf.get_variable("w", [contexts, 1], initializer=tf.zeros_initializer())), axis=-1)
draw = tf.reshape(tf.multinomial(logits, num_samples=1, seed=11), [-1])
log_odds = -tf.nn.sparse_softmax_cross_entropy_with_logits(labels=arm, logits=logits)
entropy = -tf.reduce_mean(tf.reduce_sum(tf.nn.softmax(logits) * tf.nn.log_softmax(logits), axis=1))
advantage = tf.stop_gradient(paid - worth)
actor = -tf.reduce_mean(log_odds * advantage) - 0.01 * entropy
critic = tf.reduce_mean(tf.square(paid - worth))
step = tf.train.create_global_step()
train = tf.group(tf.train.GradientDescentOptimizer(0.8).minimize(actor, step, var_list=tf.trainable_variables("policy")),
                 tf.train.MomentumOptimizer(0.1, 0.5).minimize(critic, var_list=tf.get_collection("trainable_variables", "baseline")))

with tf.train.SingularMonitoredSession() as sess:
    for round_ in range(12):
        at = random.randint(0, contexts, 32)
        chosen = sess.run(draw, {context: at})
        rewards = odds[at, chosen]
        feed = {context: at, arm: chosen, paid: rewards}
        show("round", [float(rewards.mean())] + sess.run([actor, critic, entropy], feed))
        sess.run(train, feed)
    show("policy", sess.run([logits, worth, step], {context: [0, 1, 2]}))
