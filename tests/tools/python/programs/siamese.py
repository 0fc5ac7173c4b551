"""Two images, one network twice, and a loss of their distance; then triplets with the hardest ones of a batch."""

import numpy as np
from program import show, tf

random = np.random.RandomState(70)
centers = random.randn(4, 8)
classes = np.arange(16) % 4
data = (centers[classes] + 0.3 * random.randn(16, 8)).astype(np.float32)


def embed(images, reuse=False):
    with tf.variable_scope("siamese", reuse=reuse) as scope:
        net = images
        for i, size in enumerate((6, 3)):
            w = tf.get_variable(f"w{i}", [net.get_shape().as_list()[-1], size], initializer=tf.random_normal_initializer(0.0, 0.3, seed=i))
            b = tf.get_variable(f"b{i}", shape=(size,), initializer=tf.constant_initializer(0.1))
            net = tf.nn.relu(tf.matmul(net, w) + b) if i == 0 else tf.matmul(net, w) + b
        scope.reuse_variables()
        return net


left, right = (tf.placeholder(tf.float32, [None, 8], name) for name in ("left", "right"))
same = tf.placeholder(tf.bool, [None], "same")
with tf.name_scope("left_branch"):
    a = embed(left)
with tf.name_scope("right_branch"):
    b = embed(right, reuse=True)
distance = tf.sqrt(tf.reduce_sum(tf.square(a - b), axis=1) + 1e-6)
is_same = tf.cast(same, tf.float32)
contrastive = tf.reduce_mean(is_same * tf.square(distance) + (1 - is_same) * tf.square(tf.maximum(0.0, 1.5 - distance)))

labels = tf.placeholder(tf.int32, [None], "labels")
unit = tf.nn.l2_normalize(a, 1)
apart = tf.maximum(2.0 - 2.0 * tf.matmul(unit, unit, transpose_b=True), 0.0)
equal = tf.equal(labels[:, None], labels[None, :])
positive = tf.logical_and(equal, tf.logical_not(tf.cast(tf.eye(tf.shape(labels)[0]), tf.bool)))
hardest_positive = tf.reduce_max(tf.where(positive, apart, tf.zeros_like(apart)), 1)
hardest_negative = tf.reduce_min(tf.where(equal, tf.fill(tf.shape(apart), 9.0), apart), 1)
triplet = tf.reduce_mean(tf.nn.relu(hardest_positive - hardest_negative + 0.2))
steps = [tf.train.GradientDescentOptimizer(0.05).minimize(loss) for loss in (contrastive, triplet)]

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    one, other = np.arange(16), (np.arange(16) * 5 + 4) % 16
    feed = {left: data[one], right: data[other], same: classes[one] == classes[other]}
    for _ in range(5):
        show("contrastive", sess.run([contrastive, steps[0]], feed)[0])
    for _ in range(5):
        show("triplet", sess.run([triplet, steps[1]], {left: data, labels: classes})[0])
    nearest = tf.nn.top_k(-apart, 2)[1][:, 1]
    show("nearest", sess.run(tf.reduce_mean(tf.to_float(tf.equal(tf.gather(labels, nearest), labels))), {left: data, labels: classes}))
    show("distance", sess.run(distance, feed))
show("names", [v.name for v in tf.trainable_variables()] + [a.op.name, b.op.name])
