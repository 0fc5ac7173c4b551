"""Q learning on a walk of five places with a memory of moves, a target network that follows, and greedy moves that get more often."""

import collections

import numpy as np
from program import show, tf

places, moves, gamma = 5, 2, 0.9
random = np.random.RandomState(40)


def walk(place, move):
    """The next place, the reward, and whether the walk is over: the right end pays ten, the left one."""
    place += 1 if move else -1
    return place, (10.0 if place == places - 1 else 1.0 if place == 0 else -0.1), place in (0, places - 1)


def network(state, scope, trainable):
    with tf.variable_scope(scope, initializer=tf.random_normal_initializer(stddev=0.3, seed=19)):
        w1 = tf.get_variable("w1", [places, 12], trainable=trainable)
        b1 = tf.get_variable("b1", [12], initializer=tf.zeros_initializer(), trainable=trainable)
        w2 = tf.get_variable("w2", [12, moves], trainable=trainable)
        return tf.matmul(tf.nn.relu(tf.matmul(tf.one_hot(state, places), w1) + b1), w2)


state = tf.placeholder(tf.int32, [None])
action = tf.placeholder(tf.int32, [None])
reward = tf.placeholder(tf.float32, [None])
after = tf.placeholder(tf.int32, [None])
done = tf.placeholder(tf.bool, [None])
q = network(state, "online", True)
goal = reward + gamma * tf.where(done, tf.zeros_like(reward), tf.reduce_max(network(after, "target", False), 1))
taken = tf.gather_nd(q, tf.stack([tf.range(tf.shape(action)[0]), action], axis=1))
loss = tf.losses.huber_loss(tf.stop_gradient(goal), taken)
train = tf.train.AdamOptimizer(0.02).minimize(loss)
follow = [t.assign(o) for o, t in zip(tf.global_variables("online"), tf.global_variables("target")) if "Adam" not in o.name]

memory = collections.deque(maxlen=64)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(follow)
    for episode in range(20):
        place, over, gained, steps = places // 2, False, 0.0, 0
        while not over and steps < 15:
            values = sess.run(q, {state: [place]})[0]
            move = random.randint(moves) if random.rand() < 1.0 / (1 + episode / 4) else int(np.argmax(values))
            new, paid, over = walk(place, move)
            memory.append((place, move, paid, new, over))
            place, gained, steps = new, gained + paid, steps + 1
            if len(memory) >= 8:
                batch = [memory[i] for i in random.randint(0, len(memory), 8)]
                l, _ = sess.run([loss, train], dict(zip((state, action, reward, after, done), map(np.array, zip(*batch)))))
        if episode % 5 == 4:
            sess.run(follow)
            show("episode", [gained, steps, l])
    show("q", sess.run(q, {state: range(places)}))
    show("greedy", sess.run(tf.argmax(q, axis=1), {state: [1, 2, 3]}))
show("followed", [op.op.name for op in follow])
