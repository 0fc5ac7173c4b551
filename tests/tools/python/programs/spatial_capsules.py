"""A spatial transformer (grids, bilinear samples by gather) and capsules with routing by agreement, margin losses and reconstruction."""

import numpy as np
from program import show, tf

random = np.random.RandomState(112)


def get_pixel_value(img, x, y):
    shape = tf.shape(x)
    batch_idx = tf.reshape(tf.range(0, shape[0]), (shape[0], 1, 1))
    b = tf.tile(batch_idx, (1, shape[1], shape[2]))
    return tf.gather_nd(img, tf.stack([b, y, x], 3))


def affine_grid_generator(height, width, theta):
    num_batch = tf.shape(theta)[0]
    x_t, y_t = tf.meshgrid(tf.linspace(-1.0, 1.0, width), tf.linspace(-1.0, 1.0, height))
    sampling_grid = tf.stack([tf.reshape(x_t, [-1]), tf.reshape(y_t, [-1]), tf.ones_like(tf.reshape(x_t, [-1]))])
    sampling_grid = tf.tile(tf.expand_dims(sampling_grid, axis=0), tf.stack([num_batch, 1, 1]))
    return tf.reshape(tf.matmul(tf.cast(theta, "float32"), tf.cast(sampling_grid, "float32")), [num_batch, 2, height, width])


def bilinear_sampler(img, x, y):
    H, W = tf.shape(img)[1], tf.shape(img)[2]
    max_y, max_x, zero = tf.cast(H - 1, "int32"), tf.cast(W - 1, "int32"), tf.zeros([], dtype="int32")
    x = 0.5 * ((x + 1.0) * tf.cast(max_x - 1, "float32"))
    y = 0.5 * ((y + 1.0) * tf.cast(max_y - 1, "float32"))
    x0, y0 = tf.cast(tf.floor(x), "int32"), tf.cast(tf.floor(y), "int32")
    x0, x1 = tf.clip_by_value(x0, zero, max_x), tf.clip_by_value(x0 + 1, zero, max_x)
    y0, y1 = tf.clip_by_value(y0, zero, max_y), tf.clip_by_value(y0 + 1, zero, max_y)
    Ia, Ib, Ic, Id = (get_pixel_value(img, a, b) for a, b in ((x0, y0), (x0, y1), (x1, y0), (x1, y1)))
    x0, x1, y0, y1 = (tf.cast(t, "float32") for t in (x0, x1, y0, y1))
    wa, wb, wc, wd = (x1 - x) * (y1 - y), (x1 - x) * (y - y0), (x - x0) * (y1 - y), (x - x0) * (y - y0)
    return tf.add_n([tf.expand_dims(w, axis=3) * i for w, i in ((wa, Ia), (wb, Ib), (wc, Ic), (wd, Id))])


images = tf.placeholder(tf.float32, [None, 7, 8, 2])
goal = tf.placeholder(tf.float32, [None, 7, 8, 2])
with tf.variable_scope("localisation"):
    W = tf.Variable(initial_value=tf.zeros([112, 6]), name="W_fc1")
    b = tf.Variable(initial_value=np.array([[1.0, 0, 0], [0, 1.0, 0]]).astype("float32").flatten(), name="b_fc1")
    theta = tf.reshape(tf.matmul(tf.reshape(images, [-1, 112]), W) + b, [-1, 2, 3])
grids = affine_grid_generator(7, 8, theta)
moved = bilinear_sampler(images, grids[:, 0, :, :], grids[:, 1, :, :])
loss = tf.reduce_mean(tf.square(moved - goal))
train = tf.train.GradientDescentOptimizer(0.3).minimize(loss)


def squash(vector):
    squared = tf.reduce_sum(tf.square(vector), -2, keepdims=True)
    return squared / (1 + squared) / tf.sqrt(squared + 1e-9) * vector


def routing(input, b_IJ, num_outputs=3, num_dims=4, iterations=3):
    W = tf.get_variable(
        "Weight", shape=(1, 6, num_dims * num_outputs, 5, 1), dtype=tf.float32, initializer=tf.random_normal_initializer(stddev=0.3, seed=1)
    )
    biases = tf.get_variable("bias", shape=(1, 1, num_outputs, num_dims, 1), initializer=tf.constant_initializer(0.01))
    u_hat = tf.reduce_sum(W * tf.tile(input, [1, 1, num_dims * num_outputs, 1, 1]), axis=3, keepdims=True)
    u_hat = tf.reshape(u_hat, shape=[-1, 6, num_outputs, num_dims, 1])
    u_hat_stopped = tf.stop_gradient(u_hat, name="stop_gradient")
    for r_iter in range(iterations):
        with tf.variable_scope("iter_" + str(r_iter)):
            c_IJ = tf.nn.softmax(b_IJ, axis=2)
            last = r_iter == iterations - 1
            s_J = tf.reduce_sum(tf.multiply(c_IJ, u_hat if last else u_hat_stopped), axis=1, keepdims=True) + biases
            v_J = squash(s_J)
            if not last:
                v_J_tiled = tf.tile(v_J, [1, 6, 1, 1, 1])
                b_IJ += tf.reduce_sum(u_hat_stopped * v_J_tiled, axis=3, keepdims=True)
    return v_J


features = tf.placeholder(tf.float32, [4, 12, 12, 1])
labels = tf.placeholder(tf.int32, [4])
conv = tf.nn.relu(tf.layers.conv2d(features, 10, 9, strides=2, padding="VALID", kernel_initializer=tf.glorot_uniform_initializer(seed=5)))
primary = squash(tf.reshape(tf.concat([conv, conv + 0.1, conv * 2.0], 3), [4, -1, 5, 1])[:, :6])
with tf.variable_scope("routing"):
    caps = tf.squeeze(routing(tf.reshape(primary, shape=(4, -1, 1, 5, 1)), tf.constant(np.zeros([4, 6, 3, 1, 1], dtype=np.float32))), axis=1)
v_length = tf.sqrt(tf.reduce_sum(tf.square(caps), axis=2, keepdims=True) + 1e-9)
argmax_idx = tf.reshape(tf.cast(tf.argmax(tf.nn.softmax(v_length, axis=1), axis=1), tf.int32), shape=(4,))
Y = tf.one_hot(labels, depth=3, axis=1, dtype=tf.float32)
max_l = tf.square(tf.maximum(0.0, 0.9 - v_length))
max_r = tf.square(tf.maximum(0.0, v_length - 0.1))
L_c = Y * tf.reshape(max_l, [4, -1]) + 0.5 * (1 - Y) * tf.reshape(max_r, [4, -1])
margin_loss = tf.reduce_mean(tf.reduce_sum(L_c, axis=1))
masked = tf.multiply(tf.squeeze(caps, axis=3), tf.reshape(Y, (-1, 3, 1)))
decoded = tf.layers.dense(tf.reshape(masked, (4, -1)), 144, tf.nn.sigmoid, kernel_initializer=tf.glorot_uniform_initializer(seed=6), name="decoded")
total = margin_loss + 0.0005 * 144 * tf.reduce_mean(tf.square(decoded - tf.reshape(features, [4, -1])))
caps_train = tf.train.AdamOptimizer(0.01).minimize(total)
show("shapes", [t.shape.as_list() for t in (moved, caps, v_length, decoded)])
show("variables", [v.name for v in tf.trainable_variables()])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    pictures = random.rand(3, 7, 8, 2)
    for _ in range(10):
        show("moved", sess.run([loss, train], {images: pictures, goal: np.roll(pictures, 1, 2)})[0])
    show("theta", sess.run(theta, {images: pictures}))
    data, kinds = random.rand(4, 12, 12, 1), [0, 2, 1, 1]
    for _ in range(10):
        show("capsules", sess.run([margin_loss, total, caps_train], {features: data, labels: kinds})[:2])
    show("found", sess.run([argmax_idx, tf.squeeze(v_length, [2, 3])], {features: data}))
