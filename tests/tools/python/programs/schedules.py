"""Rates that change with the step, averages of variables that are used for testing, and batches whose gradients are gathered first."""

import numpy as np
from program import show, tf

step = tf.train.get_or_create_global_step()
RATES = {"exponential": tf.train.exponential_decay(0.1, step, 4, 0.5), "staircase": tf.train.exponential_decay(0.1, step, 4, 0.5, staircase=True),
         "natural": tf.train.natural_exp_decay(0.1, step, 2, 0.3), "inverse": tf.train.inverse_time_decay(0.1, step, 3, 0.5, staircase=True),
         "piecewise": tf.train.piecewise_constant(step, [2, 5], [1.0, 0.1, 0.01]), "polynomial": tf.train.polynomial_decay(0.1, step, 6, 0.01, power=2.0),
         "cycle": tf.train.polynomial_decay(0.1, step, 3, 0.01, cycle=True), "cosine": tf.train.cosine_decay(0.1, step, 6, alpha=0.1),
         "restarts": tf.train.cosine_decay_restarts(0.1, step, 3, t_mul=1.5, m_mul=0.5), "linear": tf.train.linear_cosine_decay(0.1, step, 8)}
as_float = tf.cast(step, tf.float32) + 1.0
warm = tf.cond(step < 3, lambda: 0.1 * as_float / 3.0, lambda: 0.1 * tf.rsqrt(as_float))
advance = tf.assign_add(step, 1)

random = np.random.RandomState(100)
data = random.randn(24, 3).astype(np.float32)
goal = data.dot([1.0, -1.0, 0.5]).astype(np.float32) + 0.1 * random.randn(24).astype(np.float32)
x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None])
with tf.variable_scope("line"):
    w = tf.get_variable("w", [3], initializer=tf.zeros_initializer())
    b = tf.get_variable("b", [], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) + b - y))
optimizer = tf.train.MomentumOptimizer(RATES["exponential"], 0.5)
pairs = optimizer.compute_gradients(loss, [w, b])
sums = [tf.Variable(tf.zeros_like(v.initialized_value()), trainable=False, name=v.op.name.replace("line", "sum")) for _, v in pairs]
counted = tf.Variable(0.0, trainable=False)
clear = tf.group(counted.initializer, *[s.initializer for s in sums])
gather = tf.group(counted.assign_add(1.0), *[s.assign_add(g) for s, (g, _) in zip(sums, pairs)])
clipped, norm = tf.clip_by_global_norm([s / counted for s in sums], 0.7)
apply_ = optimizer.apply_gradients(zip(clipped, [v for _, v in pairs]), global_step=step)
average = tf.train.ExponentialMovingAverage(0.9, num_updates=step)
with tf.control_dependencies([apply_]):
    train = average.apply([w, b])
restore = [v.assign(average.average(v)) for v in (w, b)]
mean_loss = tf.train.ExponentialMovingAverage(0.5, zero_debias=True, name="losses")
track = mean_loss.apply([loss])

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(8):
        show("rates", sess.run([step, RATES, warm]))
        sess.run(advance)
    sess.run(step.initializer)
    for _ in range(4):
        sess.run(clear)
        for i in range(0, 24, 8):
            sess.run([gather, track], {x: data[i:i + 8], y: goal[i:i + 8]})
        show("norm", sess.run([norm, counted]))
        sess.run(train)
        show("loss", sess.run([loss, mean_loss.average(loss)], {x: data, y: goal}))
    show("variables", sess.run([w, b]))
    sess.run(restore)
    show("averaged", sess.run([w, b, loss], {x: data, y: goal}))
show("names", sorted(v.op.name for v in tf.global_variables()))
show("to restore", sorted((k, v.op.name) for k, v in average.variables_to_restore().items() if k != v.op.name))
