"""ResNet of tensorflow/models' official kind: fixed padding, bottlenecks, weight decay but for normalization, a rate with warm-up."""

import numpy as np
from program import show, tf

random = np.random.RandomState(124)
_BATCH_NORM_DECAY, _BATCH_NORM_EPSILON = 0.9, 1e-5


def batch_norm(inputs, training, data_format):
    return tf.layers.batch_normalization(
        inputs=inputs,
        axis=1 if data_format == "channels_first" else 3,
        momentum=_BATCH_NORM_DECAY,
        epsilon=_BATCH_NORM_EPSILON,
        center=True,
        scale=True,
        training=training,
        fused=True,
    )


def fixed_padding(inputs, kernel_size, data_format):
    pad_total = kernel_size - 1
    pad_beg, pad_end = pad_total // 2, pad_total - pad_total // 2
    if data_format == "channels_first":
        return tf.pad(inputs, [[0, 0], [0, 0], [pad_beg, pad_end], [pad_beg, pad_end]])
    return tf.pad(inputs, [[0, 0], [pad_beg, pad_end], [pad_beg, pad_end], [0, 0]])


def conv2d_fixed_padding(inputs, filters, kernel_size, strides, data_format):
    if strides > 1:
        inputs = fixed_padding(inputs, kernel_size, data_format)
    return tf.layers.conv2d(
        inputs=inputs,
        filters=filters,
        kernel_size=kernel_size,
        strides=strides,
        padding=("SAME" if strides == 1 else "VALID"),
        use_bias=False,
        kernel_initializer=tf.variance_scaling_initializer(seed=filters),
        data_format=data_format,
    )


def bottleneck_block(inputs, filters, training, projection_shortcut, strides, data_format):
    shortcut = inputs
    inputs = tf.nn.relu(batch_norm(inputs, training, data_format))
    if projection_shortcut is not None:
        shortcut = projection_shortcut(inputs)
    inputs = conv2d_fixed_padding(inputs, filters, 1, 1, data_format)
    inputs = tf.nn.relu(batch_norm(inputs, training, data_format))
    inputs = conv2d_fixed_padding(inputs, filters, 3, strides, data_format)
    inputs = tf.nn.relu(batch_norm(inputs, training, data_format))
    return conv2d_fixed_padding(inputs, 2 * filters, 1, 1, data_format) + shortcut


def resnet(inputs, training, data_format):
    with tf.variable_scope("resnet_model"):
        if data_format == "channels_first":
            inputs = tf.transpose(inputs, [0, 3, 1, 2])
        inputs = conv2d_fixed_padding(inputs, 4, 3, 1, data_format)
        inputs = tf.identity(inputs, "initial_conv")
        inputs = tf.layers.max_pooling2d(inputs, 3, 2, "SAME", data_format=data_format)
        for i, filters in enumerate((4, 6)):
            strides = (1, 2)[i]
            project = lambda x, f=filters, s=strides: conv2d_fixed_padding(x, 2 * f, 1, s, data_format)
            inputs = bottleneck_block(inputs, filters, training, project, strides, data_format)
            inputs = bottleneck_block(inputs, filters, training, None, 1, data_format)
            inputs = tf.identity(inputs, "block_layer%d" % (i + 1))
        inputs = tf.nn.relu(batch_norm(inputs, training, data_format))
        axes = [2, 3] if data_format == "channels_first" else [1, 2]
        inputs = tf.squeeze(tf.identity(tf.reduce_mean(inputs, axes, keepdims=True), "final_reduce_mean"), axes)
        return tf.identity(tf.layers.dense(inputs=inputs, units=5, kernel_initializer=tf.glorot_uniform_initializer(seed=1)), "final_dense")


features, labels = tf.placeholder(tf.float32, [None, 12, 12, 3]), tf.placeholder(tf.int32, [None])
logits = resnet(features, True, "channels_last")
predictions = {"classes": tf.argmax(logits, axis=1), "probabilities": tf.nn.softmax(logits, name="softmax_tensor")}
cross_entropy = tf.identity(tf.losses.sparse_softmax_cross_entropy(logits=logits, labels=labels), name="cross_entropy")
l2_loss = 1e-4 * tf.add_n([tf.nn.l2_loss(tf.cast(v, tf.float32)) for v in tf.trainable_variables() if "batch_normalization" not in v.name])
loss = cross_entropy + l2_loss
global_step = tf.train.get_or_create_global_step()
warmup = tf.cast(0.1, tf.float32) * tf.cast(global_step, tf.float32) / 4.0
lr = tf.cond(pred=global_step < 4, true_fn=lambda: warmup, false_fn=lambda: tf.train.piecewise_constant(global_step, [6, 8], [0.1, 0.02, 0.004]))
tf.identity(lr, name="learning_rate")
optimizer = tf.train.MomentumOptimizer(learning_rate=lr, momentum=0.9)
grad_vars = optimizer.compute_gradients(loss * 128)
unscaled = [(grad / 128, var) for grad, var in grad_vars]
train_op = tf.group(optimizer.apply_gradients(unscaled, global_step), tf.get_collection(tf.GraphKeys.UPDATE_OPS))
top = tf.reduce_mean(tf.cast(tf.nn.in_top_k(predictions=logits, targets=labels, k=2), tf.float32))
accuracy = tf.metrics.accuracy(labels, predictions["classes"])
show("variables", [v.name for v in tf.global_variables()])
show(
    "named",
    [
        tf.get_default_graph().get_tensor_by_name(n).shape.as_list()
        for n in ("resnet_model/final_dense:0", "resnet_model/block_layer2:0", "softmax_tensor:0")
    ],
)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    for step in range(10):
        chosen = random.randint(0, 5, 8)
        feed = {features: random.rand(8, 12, 12, 3) + chosen[:, None, None, None] * 0.2, labels: chosen}
        show("loss", sess.run([loss, lr, top, accuracy[1], train_op], feed)[:4])
    show("moments", [float(v.sum()) for v in sess.run([v for v in tf.global_variables() if "moving_mean" in v.name])])
