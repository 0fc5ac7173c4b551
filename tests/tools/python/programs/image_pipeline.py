"""Pictures from files that the program writes: lists of names, decoders, crops, flips and colours, pairs with labels, iterators that begin again."""

import os
import tempfile

import numpy as np
from program import show, tf

random = np.random.RandomState(122)
folder = tempfile.mkdtemp()
names, labels = [], []
with tf.Session(graph=tf.Graph()) as sess:
    content = tf.placeholder(tf.uint8, [None, None, 3])
    png, jpeg = tf.image.encode_png(content), tf.image.encode_jpeg(content, "rgb", 95)
    for i in range(8):
        ramp = (np.arange(12)[:, None, None] * 8 + np.arange(14)[None, :, None] * 5 + np.arange(3) * 10 * i) % 256
        name = os.path.join(folder, f"{'cat' if i % 2 else 'dog'}.{i}.{'png' if i < 4 else 'jpg'}")
        with open(name, "wb") as f:
            f.write(sess.run(png if i < 4 else jpeg, {content: ramp.astype(np.uint8)}))
        names.append(name), labels.append(i % 2)
with open(os.path.join(folder, "list.txt"), "w") as f:
    f.writelines(f"{n} {l}\n" for n, l in zip(names, labels))


def parse_line(line):
    parts = tf.string_split([line], " ").values
    return parts[0], tf.string_to_number(parts[1], tf.int32)


def _parse_function(filename, label):
    image_string = tf.read_file(filename)
    image_decoded = tf.cond(
        tf.image.is_jpeg(image_string),
        lambda: tf.image.decode_jpeg(image_string, channels=3, dct_method="INTEGER_ACCURATE"),
        lambda: tf.image.decode_png(image_string, channels=3),
    )
    image = tf.image.convert_image_dtype(image_decoded, tf.float32)
    image.set_shape([None, None, 3])
    return tf.image.resize_images(image, [10, 10]), label


def train_preprocess(image, label):
    image = tf.image.random_flip_left_right(image, seed=1)
    image = tf.random_crop(tf.image.resize_image_with_crop_or_pad(image, 12, 12), [8, 8, 3], seed=2)
    image = tf.image.random_brightness(image, max_delta=32.0 / 255.0, seed=3)
    image = tf.image.random_saturation(image, lower=0.5, upper=1.5, seed=4)
    image = tf.image.random_hue(image, 0.1, seed=5)
    image = tf.image.random_contrast(image, 0.8, 1.2, seed=6)
    image = tf.clip_by_value(image, 0.0, 1.0)
    image = tf.cond(tf.random_uniform([], seed=7) > 0.5, lambda: tf.image.rot90(image), lambda: image)
    return tf.subtract(image, [0.5, 0.4, 0.3]), tf.one_hot(label, 2)


files = tf.data.TextLineDataset(os.path.join(folder, "list.txt")).map(parse_line)
training = files.map(_parse_function, num_parallel_calls=2).map(train_preprocess).shuffle(8, seed=8).repeat(2).batch(5).prefetch(1)
testing = (
    tf.data.Dataset.from_tensor_slices((tf.constant(names), tf.constant(labels)))
    .map(_parse_function)
    .map(lambda i, l: (tf.image.central_crop(i, 0.8), tf.one_hot(l, 2)))
    .batch(4)
)
iterator = tf.data.Iterator.from_structure(training.output_types, training.output_shapes)
images, targets = iterator.get_next()
flat = tf.reshape(images, [-1, 8 * 8 * 3])
loss = tf.losses.softmax_cross_entropy(targets, tf.layers.dense(flat, 2, kernel_initializer=tf.zeros_initializer()))
train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
into_training, into_testing = iterator.make_initializer(training), iterator.make_initializer(testing)
show("types", [str(training.output_shapes), str(training.output_types)])


def _process(path, label):
    return np.frombuffer(path, np.uint8)[-5:].astype(np.float32), np.int64(label + 1)


by_python = tf.data.Dataset.from_tensor_slices((names, labels)).map(lambda n, l: tuple(tf.py_func(_process, [n, l], [tf.float32, tf.int64])))
generated = tf.data.Dataset.from_generator(
    lambda: ((i, np.ones(i)) for i in range(1, 5)), (tf.int32, tf.float32), (tf.TensorShape([]), tf.TensorShape([None]))
)
padded = generated.padded_batch(2, ([], [None])).make_one_shot_iterator().get_next()
zipped = tf.data.Dataset.zip(
    (by_python, tf.data.Dataset.range(10).skip(1).take(4).filter(lambda v: tf.not_equal(v, 2)))
).make_initializable_iterator()
zipped_next = zipped.get_next()
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), zipped.initializer])
    for epoch in range(2):
        sess.run(into_training)
        while True:
            try:
                show("train", sess.run([loss, tf.reduce_mean(images), train])[:2])
            except tf.errors.OutOfRangeError:
                break
        sess.run(into_testing)
        for _ in range(2):
            show("test", sess.run([loss, tf.reduce_sum(images, [1, 2, 3]), targets[:, 1]]))
    for _ in range(2):
        show("padded", sess.run(padded))
    for _ in range(3):
        show("zipped", sess.run(zipped_next))
