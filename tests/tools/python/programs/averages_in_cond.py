"""R2RT's and others' batch norm by hand: ExponentialMovingAverage in cond, fused_batch_norm, tf.layers with update_ops, zero-debias, EMA checkpoints for evaluation."""

import tempfile
import numpy as np
from program import show, tf

tf.set_random_seed(8)
rng = np.random.RandomState(5)


def batch_norm(x, n_out, phase_train, scope="bn"):
    with tf.variable_scope(scope):
        beta = tf.Variable(tf.constant(0.0, shape=[n_out]), name="beta", trainable=True)
        gamma = tf.Variable(tf.constant(1.0, shape=[n_out]), name="gamma", trainable=True)
        batch_mean, batch_var = tf.nn.moments(x, [0], name="moments")
        ema = tf.train.ExponentialMovingAverage(decay=0.5)

        def mean_var_with_update():
            ema_apply_op = ema.apply([batch_mean, batch_var])
            with tf.control_dependencies([ema_apply_op]):
                return tf.identity(batch_mean), tf.identity(batch_var)

        mean, var = tf.cond(phase_train, mean_var_with_update, lambda: (ema.average(batch_mean), ema.average(batch_var)))
        return tf.nn.batch_normalization(x, mean, var, beta, gamma, 1e-3)


def batch_norm_wrapper(inputs, is_training, decay=0.9):
    scale = tf.Variable(tf.ones([inputs.get_shape()[-1]]))
    beta = tf.Variable(tf.zeros([inputs.get_shape()[-1]]))
    pop_mean = tf.Variable(tf.zeros([inputs.get_shape()[-1]]), trainable=False)
    pop_var = tf.Variable(tf.ones([inputs.get_shape()[-1]]), trainable=False)
    if is_training:
        batch_mean, batch_var = tf.nn.moments(inputs, [0])
        train_mean = tf.assign(pop_mean, pop_mean * decay + batch_mean * (1 - decay))
        train_var = tf.assign(pop_var, pop_var * decay + batch_var * (1 - decay))
        with tf.control_dependencies([train_mean, train_var]):
            return tf.nn.batch_normalization(inputs, batch_mean, batch_var, beta, scale, 1e-3)
    return tf.nn.batch_normalization(inputs, pop_mean, pop_var, beta, scale, 1e-3)


x = tf.placeholder(tf.float32, [None, 6])
y = tf.placeholder(tf.float32, [None, 1])
phase = tf.placeholder(tf.bool, name="phase_train")
is_training = tf.placeholder_with_default(False, (), "training")
w1 = tf.get_variable("w1", [6, 5], initializer=tf.random_normal_initializer(seed=1))
h = tf.nn.relu(batch_norm(tf.matmul(x, w1), 5, phase))
h = batch_norm_wrapper(tf.layers.dense(h, 4, use_bias=False, kernel_initializer=tf.random_normal_initializer(seed=2)), True)
h = tf.layers.batch_normalization(h, training=is_training, momentum=0.6, name="bn2", fused=False)
h = tf.layers.dropout(h, 0.2, training=is_training, seed=3)
img = tf.reshape(h, [-1, 1, 2, 2])
img = tf.layers.batch_normalization(
    img, training=is_training, momentum=0.6, axis=-1, epsilon=1e-5, center=True, scale=False, moving_variance_initializer=tf.constant_initializer(2.0)
)
bn, bm, bv = tf.nn.fused_batch_norm(img, tf.ones([2]), tf.zeros([2]), epsilon=0.01)
out = tf.layers.dense(tf.layers.flatten(bn), 1, kernel_initializer=tf.ones_initializer())
loss = tf.reduce_mean(tf.square(out - y))
gs = tf.Variable(0, trainable=False, name="global_step")
update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
show("updates", [u.name for u in update_ops])
with tf.control_dependencies(update_ops):
    train = tf.train.MomentumOptimizer(0.01, 0.5).minimize(loss, global_step=gs)
ema = tf.train.ExponentialMovingAverage(0.9, num_updates=gs)
with tf.control_dependencies([train]):
    train_op = ema.apply(tf.trainable_variables())
ema0 = tf.train.ExponentialMovingAverage(0.8, zero_debias=True, name="zd")
losses = ema0.apply([loss])
show("names", [v.name for v in tf.global_variables()])
show(
    "collections",
    [len(tf.get_collection(k)) for k in (tf.GraphKeys.MOVING_AVERAGE_VARIABLES, tf.GraphKeys.TRAINABLE_VARIABLES, tf.GraphKeys.LOCAL_VARIABLES)],
)
X = rng.randn(32, 6)
Y = X[:, :1] * 2
saver = tf.train.Saver()
d = tempfile.mkdtemp()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(5):
        f = {x: X[i * 4 : i * 4 + 8], y: Y[i * 4 : i * 4 + 8], phase: True, is_training: i % 2 == 0}
        _, l, g = sess.run([train_op, loss, gs], f)
        sess.run(losses, f)
        show("l", [l, g, sess.run(ema0.average(loss))])
    f = {x: X, y: Y, phase: False}
    show("eval", sess.run([loss, bm, bv], f))
    show(
        "vars",
        {v.name: sess.run(v) for v in tf.global_variables() if "moving" in v.name or "ExponentialMovingAverage" in v.name and v.shape.ndims < 2},
    )
    saver.save(sess, d + "/m")
    restore = ema.variables_to_restore()
    show("restore", sorted(restore)[:6])
    tf.train.Saver(restore).restore(sess, d + "/m")
    show("with averages", sess.run(loss, f))
    show("avg name", [ema.average_name(w1), ema.average(w1).op.name])
