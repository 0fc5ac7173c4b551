"""pix2pix and CycleGAN: edges mirrored, normalization by picture, skips, decoders with dropout, averages of losses, cycles, pictures as PNG."""

import collections

import numpy as np
from program import show, tf

random = np.random.RandomState(109)
EPS = 1e-12
Model = collections.namedtuple("Model", "outputs, discrim_loss, gen_loss_GAN, gen_loss_L1, train")


def normal(seed):
    return tf.random_normal_initializer(0, 0.2, seed=seed)


def lrelu(x, a):
    with tf.name_scope("lrelu"):
        x = tf.identity(x)
        return (0.5 * (1 + a)) * x + (0.5 * (1 - a)) * tf.abs(x)


def discrim_conv(batch_input, out_channels, stride):
    padded = tf.pad(batch_input, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="CONSTANT")
    return tf.layers.conv2d(padded, out_channels, kernel_size=4, strides=(stride, stride), padding="valid", kernel_initializer=normal(stride))


def instance_norm(x, name="instance_norm"):
    with tf.variable_scope(name):
        depth = x.get_shape()[3]
        scale = tf.get_variable("scale", [depth], initializer=normal(7))
        offset = tf.get_variable("offset", [depth], initializer=tf.constant_initializer(0.0))
        mean, variance = tf.nn.moments(x, axes=[1, 2], keep_dims=True)
        return (1.0 + scale) * (x - mean) * tf.rsqrt(variance + 1e-5) + offset


def create_generator(inputs, channels):
    layers = []
    with tf.variable_scope("encoder_1"):
        layers.append(tf.layers.conv2d(inputs, 4, 4, (2, 2), "same", kernel_initializer=normal(1)))
    with tf.variable_scope("encoder_2"):
        layers.append(
            tf.layers.batch_normalization(
                tf.layers.conv2d(lrelu(layers[-1], 0.2), 8, 4, (2, 2), "same", kernel_initializer=normal(2)),
                axis=3,
                epsilon=1e-5,
                momentum=0.1,
                training=True,
                gamma_initializer=tf.random_normal_initializer(1.0, 0.02, seed=3),
            )
        )
    with tf.variable_scope("decoder_2"):
        output = tf.layers.conv2d_transpose(tf.nn.relu(layers[-1]), 4, 4, (2, 2), "same", kernel_initializer=normal(4))
        output = tf.nn.dropout(output, keep_prob=1 - 0.5, seed=8)
    with tf.variable_scope("decoder_1"):
        output = tf.nn.relu(tf.concat([output, layers[0]], axis=3))
        return tf.tanh(tf.layers.conv2d_transpose(output, channels, 4, (2, 2), "same", kernel_initializer=normal(5)))


def create_discriminator(inputs, targets):
    x = tf.concat([inputs, targets], axis=3)
    with tf.variable_scope("layer_1"):
        x = lrelu(discrim_conv(x, 4, stride=2), 0.2)
    with tf.variable_scope("layer_2"):
        return tf.sigmoid(discrim_conv(x, out_channels=1, stride=1))


inputs, targets = tf.placeholder(tf.float32, [2, 8, 8, 1]), tf.placeholder(tf.float32, [2, 8, 8, 1])
with tf.variable_scope("generator"):
    outputs = create_generator(inputs, int(targets.get_shape()[-1]))
with tf.name_scope("real_discriminator"), tf.variable_scope("discriminator"):
    predict_real = create_discriminator(inputs, targets)
with tf.name_scope("fake_discriminator"), tf.variable_scope("discriminator", reuse=True):
    predict_fake = create_discriminator(inputs, outputs)
with tf.name_scope("discriminator_loss"):
    discrim_loss = tf.reduce_mean(-(tf.log(predict_real + EPS) + tf.log(1 - predict_fake + EPS)))
with tf.name_scope("generator_loss"):
    gen_loss_GAN = tf.reduce_mean(-tf.log(predict_fake + EPS))
    gen_loss_L1 = tf.reduce_mean(tf.abs(targets - outputs))
    gen_loss = gen_loss_GAN * 1.0 + gen_loss_L1 * 100.0
with tf.name_scope("discriminator_train"):
    discrim_tvars = [var for var in tf.trainable_variables() if var.name.startswith("discriminator")]
    discrim_optim = tf.train.AdamOptimizer(0.0002, 0.5)
    discrim_grads_and_vars = discrim_optim.compute_gradients(discrim_loss, var_list=discrim_tvars)
    discrim_train = discrim_optim.apply_gradients(discrim_grads_and_vars)
with tf.name_scope("generator_train"), tf.control_dependencies([discrim_train]):
    gen_tvars = [var for var in tf.trainable_variables() if var.name.startswith("generator")]
    gen_optim = tf.train.AdamOptimizer(0.0002, 0.5)
    gen_grads_and_vars = gen_optim.compute_gradients(gen_loss, var_list=gen_tvars)
    gen_train = gen_optim.apply_gradients(gen_grads_and_vars)
ema = tf.train.ExponentialMovingAverage(decay=0.9)
update_losses = ema.apply([discrim_loss, gen_loss_GAN, gen_loss_L1])
incr_global_step = tf.assign(tf.train.get_or_create_global_step(), tf.train.get_global_step() + 1)
model = Model(
    outputs, ema.average(discrim_loss), ema.average(gen_loss_GAN), ema.average(gen_loss_L1), tf.group(update_losses, incr_global_step, gen_train)
)
with tf.name_scope("encode_images"):
    converted = tf.image.convert_image_dtype((outputs + 1) / 2, dtype=tf.uint8, saturate=True)
    encoded = tf.map_fn(tf.image.encode_png, converted, dtype=tf.string, name="output_pngs")
for var in tf.trainable_variables():
    tf.summary.histogram(var.op.name + "/values", var)
with tf.name_scope("parameter_count"):
    parameter_count = tf.reduce_sum([tf.reduce_prod(tf.shape(v)) for v in tf.trainable_variables()])
show("variables", [v.name for v in tf.global_variables()])


# A cycle of two small generators with mirrored edges.
def cycle_generator(x, name, reuse=False):
    with tf.variable_scope(name, reuse=reuse):
        y = tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT")
        y = tf.nn.relu(instance_norm(tf.layers.conv2d(y, 3, 3, name="conv1", kernel_initializer=normal(11), use_bias=False)))
        return tf.nn.tanh(tf.layers.conv2d(y, 1, 3, padding="SAME", name="conv2", kernel_initializer=normal(12)))


fake_b = cycle_generator(inputs, "A2B")
cycled_a = cycle_generator(fake_b, "B2A")
fake_a = cycle_generator(targets, "B2A", reuse=True)
cycled_b = cycle_generator(fake_a, "A2B", reuse=True)
cycle_loss = 10.0 * (tf.reduce_mean(tf.abs(inputs - cycled_a)) + tf.reduce_mean(tf.abs(targets - cycled_b))) + tf.reduce_mean(
    tf.squared_difference(fake_b, 1)
)
lr = tf.where(
    tf.greater_equal(tf.train.get_global_step(), 3), tf.train.polynomial_decay(2e-2, tf.train.get_global_step() - 3, 6, 0.0, power=1.0), 2e-2
)
cycle_train = tf.train.AdamOptimizer(lr, beta1=0.5).minimize(
    cycle_loss, var_list=[v for v in tf.trainable_variables() if "2" in v.name.split("/")[0]]
)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show("parameters", sess.run(parameter_count))
    for step in range(8):
        a = random.rand(2, 8, 8, 1) * 2 - 1
        feed = {inputs: a, targets: -a}
        sess.run(model.train, feed)
        show("losses", sess.run([model.discrim_loss, model.gen_loss_GAN, model.gen_loss_L1]))
        show("cycle", sess.run([cycle_loss, lr, cycle_train], feed)[:2])
    pngs = sess.run(encoded, feed)
    decoded = sess.run(tf.stack([tf.image.decode_png(p) for p in pngs]))
    show("pngs", [decoded.shape, decoded.dtype.name, int(decoded.astype(int).sum() // 1000)])
