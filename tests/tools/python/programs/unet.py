"""U-Net: a path down and one up with crops of what was there, losses by pixel with weights, Dice, and the overlap over all classes."""

import numpy as np
from program import show, tf

random = np.random.RandomState(104)
he = lambda seed: tf.variance_scaling_initializer(2.0, seed=seed)


def conv_block(x, filters, name, training, padding="same"):
    with tf.variable_scope(name):
        for i in range(2):
            x = tf.layers.conv2d(x, filters, 3, padding=padding, use_bias=False, kernel_initializer=he(filters + i), name=f"conv_{i}")
            x = tf.nn.relu(tf.layers.batch_normalization(x, training=training, name=f"bn_{i}"), name=f"relu_{i}")
    return x


def crop_and_concat(x1, x2):
    x1_shape, x2_shape = tf.shape(x1), tf.shape(x2)
    offsets = [0, (x1_shape[1] - x2_shape[1]) // 2, (x1_shape[2] - x2_shape[2]) // 2, 0]
    size = [-1, x2_shape[1], x2_shape[2], -1]
    return tf.concat([tf.slice(x1, offsets, size), x2], 3)


def deconv(x, filters, name):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [2, 2, filters, x.get_shape()[3].value], initializer=he(filters))
        shape = tf.shape(x)
        return tf.nn.relu(
            tf.nn.conv2d_transpose(x, w, tf.stack([shape[0], shape[1] * 2, shape[2] * 2, filters]), strides=[1, 2, 2, 1], padding="VALID")
        )


x = tf.placeholder(tf.float32, [None, None, None, 1], "x")
y = tf.placeholder(tf.int32, [None, None, None], "y")
training = tf.placeholder_with_default(False, [], "training")
down1 = conv_block(x, 4, "down1", training)
pool1 = tf.layers.max_pooling2d(down1, 2, 2)
down2 = conv_block(pool1, 8, "down2", training)
pool2 = tf.layers.max_pooling2d(down2, (2, 2), strides=(2, 2), name="pool2")
bottom = conv_block(pool2, 8, "bottom", training)
up2 = crop_and_concat(down2, deconv(bottom, 8, "up2"))
up2 = conv_block(tf.reshape(up2, [tf.shape(up2)[0], tf.shape(up2)[1], tf.shape(up2)[2], 16]), 8, "up2_conv", training)
up1 = tf.concat([tf.image.resize_nearest_neighbor(up2, tf.shape(down1)[1:3]), down1], axis=-1)
logits = tf.layers.conv2d(conv_block(up1, 4, "up1_conv", training), 3, 1, name="logits", kernel_initializer=he(9))

flat_logits, flat_labels = tf.reshape(logits, [-1, 3]), tf.reshape(y, [-1])
class_weights = tf.constant([0.5, 1.0, 2.0])
weight_map = tf.reduce_sum(tf.one_hot(flat_labels, 3) * class_weights, axis=1)
entropy = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=flat_logits, labels=flat_labels) * weight_map)
probabilities, onehot = tf.nn.softmax(logits), tf.one_hot(y, 3)
intersection = tf.reduce_sum(probabilities * onehot, axis=[1, 2])
dice = 1.0 - tf.reduce_mean((2.0 * intersection + 1e-5) / (tf.reduce_sum(probabilities + onehot, axis=[1, 2]) + 1e-5))
loss = entropy + dice
prediction = tf.argmax(logits, axis=3, output_type=tf.int32)
iou, iou_update = tf.metrics.mean_iou(flat_labels, tf.reshape(prediction, [-1]), 3)
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
show("variables", [v.name for v in tf.trainable_variables()])
show("shapes", [t.shape.as_list() for t in (up2, up1, logits, prediction)])
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    for step in range(10):
        images = random.rand(2, 12, 16, 1)
        labels = (images[..., 0] * 3).astype(np.int32)
        show("loss", sess.run([loss, entropy, dice, train], {x: images, y: labels, training: True})[:3])
        sess.run(iou_update, {x: images, y: labels})
        show("iou", sess.run(iou))
    show("confusion", sess.run(tf.local_variables()[0]))
