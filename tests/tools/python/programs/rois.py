"""Faster R-CNN's pieces: anchors and targets by Python functions, pooling of regions, losses of those that count; a separable net."""

import numpy as np
from program import show, tf

random = np.random.RandomState(123)


def generate_anchors(height, width):
    shifts = np.stack(np.meshgrid(np.arange(width) * 4, np.arange(height) * 4), -1).reshape(-1, 2)
    base = np.array([[-4, -4, 7, 7], [-2, -6, 5, 9]], np.float32)
    return (base[None] + np.tile(shifts, 2)[:, None]).reshape(-1, 4).astype(np.float32), np.int32(2)


def overlaps(a, b):
    lo, hi = np.maximum(a[:, None, :2], b[None, :, :2]), np.minimum(a[:, None, 2:], b[None, :, 2:])
    inter = np.maximum(hi - lo, 0).prod(-1)
    return inter / ((a[:, 2:] - a[:, :2]).prod(-1)[:, None] + (b[:, 2:] - b[:, :2]).prod(-1) - inter)


def anchor_targets(anchors, truth):
    iou = overlaps(anchors, truth[:, :4])
    best = iou.argmax(1)
    labels = np.where(iou.max(1) > 0.4, 1, np.where(iou.max(1) < 0.2, 0, -1)).astype(np.float32)
    labels[iou.argmax(0)] = 1
    return labels, (truth[best, :4] - anchors).astype(np.float32) / 10, (labels == 1)[:, None].repeat(4, 1).astype(np.float32)


image, truth = tf.placeholder(tf.float32, [1, 16, 20, 3]), tf.placeholder(tf.float32, [None, 5])
net = image
for i, (depth, stride) in enumerate(((6, 1), (8, 2), (8, 2))):
    with tf.variable_scope(f"block{i}"):
        dw = tf.get_variable("depthwise", [3, 3, net.shape[-1].value, 1], initializer=tf.truncated_normal_initializer(stddev=0.3, seed=i))
        pw = tf.get_variable("pointwise", [1, 1, net.shape[-1].value, depth], initializer=tf.truncated_normal_initializer(stddev=0.3, seed=10 + i))
        net = tf.nn.relu6(tf.nn.separable_conv2d(net, dw, pw, [1, stride, stride, 1], "SAME") + 0.1)
anchors, count = tf.py_func(generate_anchors, [tf.shape(net)[1], tf.shape(net)[2]], [tf.float32, tf.int32], name="generate_anchors")
anchors.set_shape([None, 4])
rpn = tf.layers.conv2d(
    net, 8, [3, 3], padding="same", activation=tf.nn.relu, name="rpn", kernel_initializer=tf.random_normal_initializer(stddev=0.1, seed=20)
)
scores = tf.layers.conv2d(rpn, 4, [1, 1], name="rpn_cls", kernel_initializer=tf.random_normal_initializer(stddev=0.1, seed=21))
deltas = tf.reshape(tf.layers.conv2d(rpn, 8, [1, 1], name="rpn_box", kernel_initializer=tf.random_normal_initializer(stddev=0.1, seed=22)), [-1, 4])
to_caffe = tf.transpose(scores, [0, 3, 1, 2])
reshaped = tf.reshape(to_caffe, tf.concat(axis=0, values=[[1, 2, -1], [tf.shape(scores)[2]]]))
by_pairs = tf.reshape(tf.transpose(reshaped, [0, 2, 3, 1]), [-1, 2])
labels, box_targets, inside = tf.py_func(anchor_targets, [anchors, truth], [tf.float32, tf.float32, tf.float32], stateful=False)
labels.set_shape([None]), box_targets.set_shape([None, 4])
select = tf.where(tf.not_equal(labels, -1))
cls_score = tf.reshape(tf.gather(by_pairs, select), [-1, 2])
cls_label = tf.reshape(tf.gather(tf.to_int32(labels), select), [-1])
rpn_cross_entropy = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=cls_score, labels=cls_label))


def _smooth_l1_loss(pred, targets, in_weights, sigma=3.0, dim=[1]):
    diff = in_weights * (pred - targets)
    sign = tf.stop_gradient(tf.to_float(tf.less(tf.abs(diff), 1.0 / sigma**2)))
    return tf.reduce_mean(tf.reduce_sum(tf.pow(diff, 2) * (sigma**2 / 2.0) * sign + (tf.abs(diff) - (0.5 / sigma**2)) * (1.0 - sign), axis=dim))


rpn_loss_box = _smooth_l1_loss(deltas, box_targets, inside)
foreground = tf.nn.softmax(by_pairs)[:, 1]
proposals = tf.clip_by_value(anchors + deltas * 10, [0.0, 0.0, 0.0, 0.0], [20.0, 16.0, 20.0, 16.0])
order = tf.nn.top_k(foreground, k=12).indices
kept = tf.image.non_max_suppression(tf.gather(proposals, order), tf.gather(foreground, order), max_output_size=4, iou_threshold=0.7)
rois = tf.stop_gradient(tf.gather(tf.gather(proposals, order), kept))
x1, y1, x2, y2 = tf.split(value=rois, num_or_size_splits=4, axis=1)
boxes = tf.concat([y1 / 16.0, x1 / 20.0, y2 / 16.0, x2 / 20.0], 1)
pooled = tf.layers.max_pooling2d(tf.image.crop_and_resize(net, boxes, tf.zeros([tf.shape(boxes)[0]], tf.int32), [6, 6]), 2, 2, padding="same")
head = tf.layers.dense(tf.reshape(pooled, [-1, 3 * 3 * 8]), 3, name="cls", kernel_initializer=tf.random_normal_initializer(stddev=0.1, seed=23))
nearest = tf.py_func(lambda r, t: t[overlaps(r, t[:, :4]).argmax(1), 4].astype(np.int64), [rois, truth], tf.int64)
nearest.set_shape([None])
head_loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=head, labels=nearest))
loss = rpn_cross_entropy + rpn_loss_box + head_loss
optimizer = tf.train.MomentumOptimizer(0.01, 0.9)
gvs = optimizer.compute_gradients(loss)
final = [(tf.multiply(g, 2.0) if "bias" in v.name else g, v) for g, v in gvs]
train = optimizer.apply_gradients(final)
show("variables", [v.name for v in tf.trainable_variables()])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {image: random.rand(1, 16, 20, 3), truth: [[2, 3, 12, 11, 1], [9, 4, 19, 15, 2]]}
    show("anchors", sess.run([tf.reduce_sum(anchors, 0), tf.shape(anchors), count], feed))
    for _ in range(2):
        show("losses", sess.run([rpn_cross_entropy, rpn_loss_box, head_loss, tf.shape(kept)[0], train], feed)[:4])
    show("rois", sess.run(rois, feed))
