"""The losses of YOLO and SSD, default boxes, matching in a loop, hard negatives, and boxes that are left of those that overlap."""

import numpy as np
from program import show, tf

random = np.random.RandomState(105)
S, B, C = 3, 2, 4


def calc_iou(boxes1, boxes2, scope="iou"):
    with tf.variable_scope(scope):
        corners = lambda b: tf.stack(
            [b[..., 0] - b[..., 2] / 2.0, b[..., 1] - b[..., 3] / 2.0, b[..., 0] + b[..., 2] / 2.0, b[..., 1] + b[..., 3] / 2.0], axis=-1
        )
        b1, b2 = corners(boxes1), corners(boxes2)
        lu, rd = tf.maximum(b1[..., :2], b2[..., :2]), tf.minimum(b1[..., 2:], b2[..., 2:])
        inter = tf.maximum(0.0, rd - lu)
        inter_square = inter[..., 0] * inter[..., 1]
        square1, square2 = boxes1[..., 2] * boxes1[..., 3], boxes2[..., 2] * boxes2[..., 3]
        return tf.clip_by_value(inter_square / tf.maximum(square1 + square2 - inter_square, 1e-10), 0.0, 1.0)


images = tf.placeholder(tf.float32, [None, 27], name="images")
labels = tf.placeholder(tf.float32, [None, S, S, 5 + C])
w = tf.get_variable("w", [27, S * S * (C + B * 5)], initializer=tf.random_normal_initializer(stddev=0.1, seed=1))
predicts = tf.matmul(images, w)
with tf.variable_scope("loss_layer"):
    classes = tf.reshape(predicts[:, : S * S * C], [-1, S, S, C])
    scales = tf.reshape(predicts[:, S * S * C : S * S * (C + B)], [-1, S, S, B])
    boxes = tf.reshape(predicts[:, S * S * (C + B) :], [-1, S, S, B, 4])
    response = labels[..., 0:1]
    truth = tf.tile(tf.reshape(labels[..., 1:5], [-1, S, S, 1, 4]), [1, 1, 1, B, 1]) / 100.0
    offset = tf.reshape(tf.constant(np.transpose(np.reshape(np.array([np.arange(S)] * S * B), (B, S, S)), (1, 2, 0)), dtype=tf.float32), [1, S, S, B])
    offset_tran = tf.transpose(offset, (0, 2, 1, 3))
    predicted = tf.stack(
        [(boxes[..., 0] + offset) / S, (boxes[..., 1] + offset_tran) / S, tf.square(boxes[..., 2]), tf.square(boxes[..., 3])], axis=-1
    )
    iou = calc_iou(predicted, truth)
    object_mask = tf.reduce_max(iou, 3, keep_dims=True)
    object_mask = tf.cast(iou >= object_mask, tf.float32) * response
    noobject_mask = tf.ones_like(object_mask, dtype=tf.float32) - object_mask
    boxes_tran = tf.stack([truth[..., 0] * S - offset, truth[..., 1] * S - offset_tran, tf.sqrt(truth[..., 2]), tf.sqrt(truth[..., 3])], axis=-1)
    square = lambda mask, delta: tf.reduce_mean(tf.reduce_sum(tf.square(mask * delta), axis=list(range(1, len(delta.get_shape())))))
    tf.losses.add_loss(square(response, classes - labels[..., 5:]))
    tf.losses.add_loss(square(object_mask, scales - iou))
    tf.losses.add_loss(square(noobject_mask, scales) * 0.5)
    tf.losses.add_loss(square(tf.expand_dims(object_mask, 4), boxes - boxes_tran) * 5.0)
total = tf.losses.get_total_loss()
train = tf.train.MomentumOptimizer(0.02, 0.9).minimize(total)
show("total", total.name)

# SSD: default boxes of a layer, each matched to the truth that it overlaps most, in a loop over the truths.
anchors = np.array([[(i + 0.5) / 4, (j + 0.5) / 4, s, s] for i in range(4) for j in range(4) for s in (0.3, 0.6)], np.float32)
truths = tf.placeholder(tf.float32, [None, 4])
kinds = tf.placeholder(tf.int64, [None])
yref, xref, href, wref = tf.unstack(tf.constant(anchors), axis=1)
ymin, xmin, ymax, xmax = yref - href / 2, xref - wref / 2, yref + href / 2, xref + wref / 2


def jaccard(box):
    h = tf.maximum(tf.minimum(ymax, box[2]) - tf.maximum(ymin, box[0]), 0.0)
    v = tf.maximum(tf.minimum(xmax, box[3]) - tf.maximum(xmin, box[1]), 0.0)
    return tf.div(h * v, href * wref - h * v + (box[2] - box[0]) * (box[3] - box[1]))


def body(i, feat_labels, feat_scores, feat_boxes):
    score = jaccard(truths[i])
    mask = tf.logical_and(tf.greater(score, feat_scores), feat_scores > -0.5)
    imask, fmask = tf.cast(mask, tf.int64), tf.cast(mask, tf.float32)
    feat_labels = imask * kinds[i] + (1 - imask) * feat_labels
    feat_scores = tf.where(mask, score, feat_scores)
    feat_boxes = tf.where(mask, tf.tile(tf.expand_dims(truths[i], 0), [32, 1]), feat_boxes)
    return [i + 1, feat_labels, feat_scores, feat_boxes]


_, matched, scores, matched_boxes = tf.while_loop(
    lambda i, *_: tf.less(i, tf.shape(truths)[0]), body, [0, tf.zeros([32], tf.int64), tf.zeros([32]), tf.zeros([32, 4])]
)
localisations = tf.get_variable("loc", [32, 4], initializer=tf.random_normal_initializer(seed=3))
logits = tf.get_variable("logits", [32, 3], initializer=tf.random_normal_initializer(seed=4))
pmask = scores > 0.3
n_positives = tf.reduce_sum(tf.cast(pmask, tf.float32))
nmask = tf.logical_and(tf.logical_not(pmask), scores > -0.5)
nvalues = tf.where(nmask, tf.nn.softmax(logits)[:, 0], 1.0 - tf.cast(nmask, tf.float32))
n_neg = tf.minimum(tf.cast(3.0 * n_positives, tf.int32) + 2, tf.cast(tf.reduce_sum(tf.cast(nmask, tf.float32)), tf.int32))
val, idxes = tf.nn.top_k(-tf.reshape(nvalues, [-1]), k=n_neg)
nmask = tf.logical_and(nmask, nvalues < -val[-1])
entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=tf.where(pmask, matched, tf.zeros_like(matched)))
difference = tf.abs(localisations - matched_boxes)
smooth_l1 = tf.where(difference < 1, 0.5 * difference**2, difference - 0.5)
ssd_loss = (
    tf.reduce_sum(entropy * tf.cast(pmask, tf.float32))
    + tf.reduce_sum(entropy * tf.cast(nmask, tf.float32))
    + tf.reduce_sum(tf.boolean_mask(smooth_l1, pmask))
) / tf.maximum(n_positives, 1.0)
ssd_train = tf.train.AdamOptimizer(0.05).minimize(ssd_loss, var_list=[localisations, logits])

kept = tf.image.non_max_suppression(matched_boxes + 0.01 * localisations, scores, max_output_size=5, iou_threshold=0.4, score_threshold=0.05)
left = tf.gather(matched_boxes, kept)
crops = tf.image.crop_and_resize(tf.reshape(tf.range(72.0), [1, 6, 6, 2]), left[:2], tf.zeros_like(kept[:2]), [3, 3])
drawn = tf.image.draw_bounding_boxes(tf.ones([1, 8, 8, 3]), tf.expand_dims(left, 0))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    goal = np.zeros([4, S, S, 5 + C], np.float32)
    for i in range(4):
        goal[i, i % S, (i * 2) % S] = [1, 20 + 10 * i, 30 + 5 * i, 40, 50] + list(np.eye(C)[i])
    data = random.rand(4, 27)
    for step in range(10):
        show("yolo", sess.run([total, train], {images: data, labels: goal})[0])
    feed = {truths: [[0.1, 0.1, 0.5, 0.5], [0.4, 0.3, 0.9, 0.9]], kinds: [1, 2]}
    for step in range(10):
        show("ssd", sess.run([ssd_loss, ssd_train], feed)[0])
    show("matched", sess.run([matched, scores], feed))
    show("kept", sess.run([kept, tf.reduce_sum(crops, [1, 2]), tf.reduce_sum(drawn, [1, 2])], feed))
