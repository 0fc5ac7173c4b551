"""cifar10_multi_gpu of tensorflow/models on the CPU: towers, whose gradients are averaged, moving averages and summaries."""

import numpy as np
from program import show, tf

random = np.random.RandomState(102)
TOWER = "tower"


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
        grad = tf.reduce_mean(tf.concat(axis=0, values=grads), 0)
        average_grads.append((grad, grad_and_vars[0][1]))
    return average_grads


def inference(images, training):
    x = tf.layers.conv2d(
        images,
        4,
        3,
        activation=tf.nn.relu,
        name="conv",
        kernel_initializer=tf.random_normal_initializer(stddev=0.2, seed=1),
        kernel_regularizer=lambda w: 0.01 * tf.nn.l2_loss(w),
    )
    x = tf.layers.batch_normalization(x, training=training, name="bn", momentum=0.9)
    return tf.layers.dense(tf.layers.flatten(x), 3, name="fc", kernel_initializer=tf.random_normal_initializer(stddev=0.2, seed=2))


def tower_loss(scope, images, labels):
    logits = inference(images, True)
    tf.add_to_collection("losses", tf.losses.sparse_softmax_cross_entropy(labels, logits, loss_collection=None))
    losses = tf.get_collection("losses", scope) + tf.losses.get_regularization_losses(scope)
    return tf.add_n(losses, name="total_loss")


with tf.Graph().as_default() as graph, tf.device("/cpu:0"):
    global_step = tf.get_variable("global_step", [], initializer=tf.constant_initializer(0), trainable=False)
    lr = tf.train.piecewise_constant(tf.cast(global_step, tf.int32), [4, 8], [0.1, 0.05, 0.01])
    opt = tf.train.MomentumOptimizer(lr, 0.9, use_nesterov=True)
    images, labels = tf.placeholder(tf.float32, [12, 6, 6, 2], "images"), tf.placeholder(tf.int32, [12])
    image_parts, label_parts = tf.split(images, 3), tf.split(labels, num_or_size_splits=[4, 4, 4])
    tower_grads = []
    with tf.variable_scope(tf.get_variable_scope()):
        for i in range(3):
            with tf.device("/cpu:%d" % 0), tf.name_scope("%s_%d" % (TOWER, i)) as scope:
                loss = tower_loss(scope, image_parts[i], label_parts[i])
                tf.get_variable_scope().reuse_variables()
                summaries = tf.get_collection(tf.GraphKeys.SUMMARIES, scope)
                updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)
                tower_grads.append(opt.compute_gradients(loss))
    grads = average_gradients(tower_grads)
    summaries.append(tf.summary.scalar("learning_rate", lr))
    for grad, var in grads:
        if grad is not None:
            summaries.append(tf.summary.histogram(var.op.name + "/gradients", grad))
    apply_gradient_op = opt.apply_gradients(grads, global_step=global_step)
    ema = tf.train.ExponentialMovingAverage(0.99, global_step)
    train_op = tf.group(apply_gradient_op, ema.apply(tf.trainable_variables()), *updates)
    saver = tf.train.Saver(tf.global_variables())
    summary_op = tf.summary.merge(summaries)
    init = tf.global_variables_initializer()
    show("variables", [v.name for v in tf.global_variables()])
    show("updates", [u.name for u in tf.get_collection(tf.GraphKeys.UPDATE_OPS)])
    show("losses", [t.name for t in tf.get_collection("losses") + tf.losses.get_regularization_losses()])
    show("summaries", [s.name for s in summaries])
    sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True, log_device_placement=False))
    sess.run(init)
    for step in range(12):
        chosen = random.randint(0, 3, 12)
        feed = {images: random.rand(12, 6, 6, 2) + 0.3 * chosen[:, None, None, None], labels: chosen}
        _, value = sess.run([train_op, loss], feed_dict=feed)
        assert not np.isnan(value), "Model diverged with loss = NaN"
        show("loss", value)
    summary = tf.Summary()
    summary.ParseFromString(sess.run(summary_op, feed))
    show("summary", [[v.tag, v.histo.num, v.histo.sum] for v in summary.value])
    show("moments", sess.run([v for v in tf.global_variables() if "moving" in v.name]))
