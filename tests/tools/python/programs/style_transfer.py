"""A picture as a variable: style by Gram matrices, content, total variation; dreams and fooling pictures by gradients of layers."""

import numpy as np
from program import show, tf

random = np.random.RandomState(110)


def net_preloaded(image, reuse=None):
    net, current = {}, image
    with tf.variable_scope("vgg", reuse=reuse):
        for i, (name, depth) in enumerate((("conv1_1", 4), ("relu1_1", 0), ("pool1", 0), ("conv2_1", 6), ("relu2_1", 0))):
            if name.startswith("conv"):
                w = tf.get_variable(
                    name, [3, 3, current.shape[-1].value, depth], initializer=tf.random_normal_initializer(stddev=0.3, seed=i), trainable=False
                )
                current = tf.nn.bias_add(tf.nn.conv2d(current, w, strides=(1, 1, 1, 1), padding="SAME"), np.full([depth], 0.1, np.float32))
            elif name.startswith("relu"):
                current = tf.nn.relu(current)
            else:
                current = tf.nn.avg_pool(current, ksize=(1, 2, 2, 1), strides=(1, 2, 2, 1), padding="SAME")
            net[name] = current
    return net


content, style = random.rand(1, 10, 12, 3).astype(np.float32), random.rand(1, 8, 8, 3).astype(np.float32)
gram = lambda t: tf.matmul(tf.reshape(t, [-1, t.shape[-1].value]), tf.reshape(t, [-1, t.shape[-1].value]), transpose_a=True) / tf.cast(
    tf.size(t), tf.float32
)
image = tf.Variable(tf.random_normal([1, 10, 12, 3], seed=5) * 0.256, name="image")
net = net_preloaded(image)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    content_features = sess.run(net_preloaded(tf.constant(content), True)["relu2_1"])
    style_features = sess.run([gram(net_preloaded(tf.constant(style), True)[n]) for n in ("relu1_1", "relu2_1")])
    content_loss = 2 * tf.nn.l2_loss(net["relu2_1"] - content_features) / content_features.size
    style_loss = sum(2 * tf.nn.l2_loss(gram(net[n]) - g) / g.size for n, g in zip(("relu1_1", "relu2_1"), style_features))
    tv_y_size = float(np.prod(image[:, 1:, :, :].get_shape().as_list()))
    tv_loss = tf.nn.l2_loss(image[:, 1:, :, :] - image[:, :9, :, :]) / tv_y_size + tf.reduce_sum(tf.image.total_variation(image)) * 1e-3
    loss = 5 * content_loss + 100 * style_loss + tv_loss
    train_step = tf.train.AdamOptimizer(0.05, 0.9, 0.999, 1e-8).minimize(loss)
    clip = image.assign(tf.clip_by_value(image, 0.0, 1.0))
    uninitialized = [v for v in tf.global_variables() if not sess.run(tf.is_variable_initialized(v))]
    show("uninitialized", [v.name for v in uninitialized])
    sess.run(tf.variables_initializer(uninitialized))
    for i in range(20):
        train_step.run()
        if i % 5 == 4:
            sess.run(clip)
        show("loss", [loss.eval(), content_loss.eval(), style_loss.eval(), tv_loss.eval()])
tf.reset_default_graph()

# Deep dream: the input by name, gradients in tiles, pictures in octaves.
graph = tf.Graph()
sess = tf.InteractiveSession(graph=graph)
t_input = tf.placeholder(np.float32, name="input")
t_preprocessed = tf.expand_dims(t_input - 0.5, 0)
w = tf.constant(random.randn(3, 3, 3, 5).astype(np.float32) * 0.2)
layer = tf.nn.relu(tf.nn.conv2d(t_preprocessed, w, [1, 2, 2, 1], "SAME"), name="import/mixed4d")
logits = tf.matmul(tf.reduce_mean(layer, [1, 2]), random.randn(5, 4).astype(np.float32), name="import/logits")
show("layers", [op.name for op in graph.get_operations() if op.type == "Conv2D" or "import/" in op.name])
T = lambda layer: graph.get_tensor_by_name("import/%s:0" % layer)


def tffunc(*argtypes):
    placeholders = list(map(tf.placeholder, argtypes))

    def wrap(f):
        out = f(*placeholders)
        return lambda *args, **kw: out.eval(dict(zip(placeholders, args)), session=kw.get("session"))

    return wrap


@tffunc(np.float32, np.int32)
def resize(img, size):
    return tf.image.resize_bilinear(tf.expand_dims(img, 0), size)[0, :, :, :]


k = np.float32([1, 4, 6, 4, 1])
k5x5 = np.outer(k, k)[:, :, None, None] / k.sum() * np.eye(3, dtype=np.float32)


def lap_split(img):
    with tf.name_scope("split"):
        lo = tf.nn.conv2d(img, k5x5, [1, 2, 2, 1], "SAME")
        lo2 = tf.nn.conv2d_transpose(lo, k5x5 * 4, tf.shape(img), [1, 2, 2, 1])
        return lo, img - lo2


@tffunc(np.float32)
def lap_normalize(img):
    img = tf.expand_dims(img, 0)
    lo, hi = lap_split(img)
    std = tf.sqrt(tf.reduce_mean(tf.square(hi)))
    return (tf.nn.conv2d_transpose(lo, k5x5 * 4, tf.shape(hi), [1, 2, 2, 1]) + hi / tf.maximum(std, 1e-10))[0, :, :, :]


t_score = tf.reduce_mean(T("mixed4d")[:, :, :, 2])
t_grad = tf.gradients(t_score, t_input)[0]
img = random.rand(8, 10, 3).astype(np.float32)
for octave in range(2):
    if octave:
        img = resize(img, np.int32(np.float32(img.shape[:2]) * 1.4))
    for i in range(4):
        g, score = sess.run([t_grad, t_score], {t_input: img})
        img += lap_normalize(g) * (1.5 / (np.abs(g).mean() + 1e-7)) * 0.01
        show("dream", score)
target = tf.nn.sparse_softmax_cross_entropy_with_logits(logits=T("logits"), labels=[3])
fast_sign = tf.stop_gradient(t_input + 0.05 * tf.sign(tf.gradients(target, t_input)[0]))
saliency = tf.reduce_max(tf.abs(tf.gradients(T("logits")[0, 1], t_input)[0]), axis=-1)
for i in range(3):
    show("fooled", sess.run([tf.reduce_sum(target), tf.reduce_sum(saliency)], {t_input: img}))
    img = fast_sign.eval({t_input: img})
sess.close()
