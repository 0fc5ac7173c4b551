"""Multi-tower training by hand as the AlexNet tutorial: device scopes, split, average_gradients, reuse_variables, PS on CPU function."""

import numpy as np
from program import show, tf

tf.set_random_seed(3)
rng = np.random.RandomState(0)
PS_OPS = ["Variable", "VariableV2", "AutoReloadVariable"]


def assign_to_device(device, ps_device="/cpu:0"):
    def _assign(op):
        node_def = op if isinstance(op, tf.NodeDef) else op.node_def
        if node_def.op in PS_OPS:
            return "/" + ps_device
        else:
            return device

    return _assign


def conv_net(x, n_classes, dropout, reuse, is_training):
    with tf.variable_scope("ConvNet", reuse=reuse):
        x = tf.reshape(x, shape=[-1, 8, 8, 1])
        x = tf.layers.conv2d(x, 4, 3, activation=tf.nn.relu, kernel_initializer=tf.random_normal_initializer(stddev=0.2, seed=1))
        x = tf.layers.max_pooling2d(x, 2, 2)
        x = tf.layers.flatten(x)
        x = tf.layers.dense(x, 16, kernel_initializer=tf.random_normal_initializer(stddev=0.2, seed=2))
        x = tf.layers.dropout(x, rate=dropout, training=is_training, seed=1)
        out = tf.layers.dense(x, n_classes, kernel_initializer=tf.random_normal_initializer(stddev=0.2, seed=3))
        out = tf.nn.softmax(out) if not is_training else out
    return out


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = []
        for g, _ in grad_and_vars:
            expanded_g = tf.expand_dims(g, 0)
            grads.append(expanded_g)
        grad = tf.concat(grads, 0)
        grad = tf.reduce_mean(grad, 0)
        v = grad_and_vars[0][1]
        average_grads.append((grad, v))
    return average_grads


num_gpus, batch_size = 2, 8
with tf.device("/cpu:0"):
    tower_grads = []
    reuse_vars = False
    X = tf.placeholder(tf.float32, [None, 64])
    Y = tf.placeholder(tf.float32, [None, 3])
    for i in range(num_gpus):
        with tf.device(assign_to_device("/cpu:{}".format(0), ps_device="/cpu:0".strip("/"))):
            _x = X[i * batch_size : (i + 1) * batch_size]
            _y = Y[i * batch_size : (i + 1) * batch_size]
            logits_train = conv_net(_x, 3, 0.25, reuse=reuse_vars, is_training=True)
            logits_test = conv_net(_x, 3, 0.25, reuse=True, is_training=False)
            loss_op = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(logits=logits_train, labels=_y))
            optimizer = tf.train.AdamOptimizer(learning_rate=0.01)
            grads = optimizer.compute_gradients(loss_op)
            if i == 0:
                correct_pred = tf.equal(tf.argmax(logits_test, 1), tf.argmax(_y, 1))
                accuracy = tf.reduce_mean(tf.cast(correct_pred, tf.float32))
            reuse_vars = True
            tower_grads.append(grads)
    tower_grads = average_gradients(tower_grads)
    train_op = optimizer.apply_gradients(tower_grads)
show("devices", [v.device for v in tf.global_variables()])
show("names", [v.name for v in tf.global_variables()])
show("ops", sorted(set(o.device for o in tf.get_default_graph().get_operations())))
cfg = tf.ConfigProto(allow_soft_placement=True, device_count={"CPU": 2, "GPU": 0}, intra_op_parallelism_threads=1, inter_op_parallelism_threads=2)
cfg.gpu_options.allow_growth = True
cfg.gpu_options.per_process_gpu_memory_fraction = 0.4
cfg.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_1
cfg.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
show(
    "cfg", [cfg.device_count["CPU"], cfg.gpu_options.allow_growth, cfg.graph_options.optimizer_options.global_jit_level, str(cfg.gpu_options).strip()]
)
xs = rng.rand(40, 64)
ys = np.eye(3)[(xs.sum(1) * 7).astype(int) % 3]
with tf.Session(config=cfg) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(6):
        s = step * 4
        sess.run(train_op, {X: xs[s : s + 16], Y: ys[s : s + 16]})
        show("step", sess.run([loss_op, accuracy], {X: xs[:16], Y: ys[:16]})[1])
    show("devs", len([d for d in sess.list_devices() if d.device_type == "CPU"]))
    show("grads", [float(np.abs(g).sum()) for g in sess.run([g for g, _ in tower_grads], {X: xs[:16], Y: ys[:16]})][-1:])
