"""The pictures of a classifier: decoded, cropped or padded, distorted and batched; their shapes are known to the layers behind."""

import numpy as np
from program import show, tf

tf.set_random_seed(11)
random = np.random.RandomState(3)
pictures = [random.randint(0, 256, (8 + i, 12 - i, 3)).astype(np.uint8) for i in range(5)]
labels = [0, 1, 2, 1, 0]
with tf.Session() as session:
    encoded = session.run([tf.image.encode_png(p) for p in pictures])

image = tf.image.decode_png(tf.placeholder(tf.string, [], "encoded"), channels=3)
for name, made in [("pad", tf.image.resize_image_with_crop_or_pad(image, 16, 6)), ("box", tf.image.crop_to_bounding_box(image, 1, 1, 4, 5)),
                   ("border", tf.image.pad_to_bounding_box(image, 2, 2, 20, 20)), ("resized", tf.image.resize_images(image, [7, 9])),
                   ("batch", tf.image.resize_image_with_crop_or_pad(tf.placeholder(tf.float32, [None, None, None, 3]), 5, 6)),
                   ("flipped", tf.image.random_flip_left_right(image)), ("random", tf.random_crop(image, [4, 4, 3]))]:
    show(name, made.shape.as_list())


def parse(png, label):
    picture = tf.cast(tf.image.decode_png(png, channels=3), tf.float32)
    picture = tf.image.resize_image_with_crop_or_pad(picture, 10, 10)
    picture = tf.random_crop(picture, [8, 8, 3], seed=1)
    picture = tf.image.random_flip_left_right(picture, seed=2)
    picture = tf.image.random_brightness(picture, max_delta=63, seed=3)
    picture = tf.image.random_contrast(picture, lower=0.2, upper=1.8, seed=4)
    return tf.image.per_image_standardization(picture), label


dataset = tf.data.Dataset.from_tensor_slices((encoded, labels)).map(parse).batch(5)
batch, label = dataset.make_one_shot_iterator().get_next()
show("shapes", [batch.shape.as_list(), label.shape.as_list()])
flat = tf.reshape(batch, [-1, int(np.prod(batch.shape.as_list()[1:]))])
weights = tf.get_variable("weights", [flat.shape[1], 3], initializer=tf.truncated_normal_initializer(stddev=0.05))
loss = tf.losses.sparse_softmax_cross_entropy(label, tf.matmul(flat, weights))
counts = tf.histogram_fixed_width(batch, [-2.0, 2.0], nbins=4)
masked = tf.sequence_mask(tf.cast(label, tf.int64), tf.shape(label)[0], dtype=tf.float32)
show("more shapes", [counts.shape.as_list(), masked.shape.as_list(), masked.op.type])

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show("made", session.run([batch, loss, counts, masked]))
    fed = {"encoded:0": encoded[4]}
    show("cropped", [session.run(t, fed) for t in (tf.image.resize_image_with_crop_or_pad(image, 4, 14), tf.image.central_crop(image, 0.5))])
