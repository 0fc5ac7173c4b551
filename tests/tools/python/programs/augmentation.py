"""Augmentation of pictures whose rank nobody knows (decode_image), as Kaggle kernels wrote them; random quarter turns; distortion scopes."""

import os, tempfile
import numpy as np
from program import show, tf, outcome

tf.set_random_seed(9)
rng = np.random.RandomState(2)
d = tempfile.mkdtemp()
with tf.Session() as s:
    for i in range(3):
        s.run(tf.write_file(os.path.join(d, "%d.png" % i), tf.image.encode_png(rng.randint(0, 255, (6 + i, 8, 3)).astype("uint8"))))
tf.reset_default_graph()
tf.set_random_seed(9)


def aug(fn, label):
    raw = tf.read_file(fn)
    img = tf.image.decode_image(raw, channels=3)
    out = {"shape": tf.shape(img)}
    f = tf.image.convert_image_dtype(img, tf.float32)
    out["lr"] = tf.image.flip_left_right(f)
    out["ud"] = tf.image.flip_up_down(f)
    out["rlr"] = tf.image.random_flip_left_right(f, seed=3)
    out["rud"] = tf.image.random_flip_up_down(f, seed=4)
    out["tr"] = tf.image.transpose_image(f)
    out["rot1"] = tf.image.rot90(f)
    out["rot3"] = tf.image.rot90(f, 3)
    out["rotk"] = tf.image.rot90(f, k=tf.cast(label, tf.int32))
    out["rotr"] = tf.image.rot90(f, tf.random_uniform([], 0, 4, dtype=tf.int32, seed=8))
    out["gray"] = tf.image.rgb_to_grayscale(f)
    out["rgb"] = tf.image.grayscale_to_rgb(out["gray"])
    out["bright"] = tf.image.random_brightness(f, 0.2, seed=1)
    out["contrast"] = tf.image.random_contrast(f, 0.5, 1.5, seed=2)
    out["hue"] = tf.image.random_hue(f, 0.1, seed=3)
    out["sat"] = tf.image.random_saturation(f, 0.5, 1.5, seed=3)
    out["std"] = tf.image.per_image_standardization(f)
    out["crop"] = tf.image.resize_image_with_crop_or_pad(f, 5, 9)
    out["crop2"] = tf.image.resize_image_with_crop_or_pad(img, 7, 7)
    out["bb"] = tf.image.crop_to_bounding_box(f, 1, 2, 3, 4)
    out["pad"] = tf.image.pad_to_bounding_box(f, 1, 2, 12, 12)
    out["rcrop"] = tf.random_crop(f, [4, 4, 3], seed=7)
    out["gamma"] = tf.image.adjust_gamma(f, 0.5, 2.0)
    out["hsv"] = tf.image.hsv_to_rgb(tf.image.rgb_to_hsv(f))
    f.set_shape([None, None, 3])
    out["resize"] = tf.image.resize_images(f, [4, 4])
    out["resize3"] = tf.image.resize_images(f, (5, 4), method=tf.image.ResizeMethod.BICUBIC, align_corners=True)
    out["area"] = tf.image.resize_area(tf.expand_dims(f, 0), [2, 3])
    out["nn"] = tf.squeeze(tf.image.resize_nearest_neighbor(f[None], tf.constant([3, 3])), [0])
    out["keep"] = tf.image.resize_images(f, [4, 100], preserve_aspect_ratio=True)
    b, n, dr = (
        tf.image.sample_distorted_bounding_box(
            tf.shape(f),
            bounding_boxes=tf.constant([[[0.1, 0.1, 0.9, 0.9]]]),
            min_object_covered=0.1,
            aspect_ratio_range=[0.8, 1.2],
            area_range=[0.2, 1.0],
            max_attempts=10,
            use_image_if_no_bounding_boxes=True,
            seed=4,
            seed2=None,
        )
        if False
        else (None, None, None)
    )
    return {k: v for k, v in out.items()}, label


ds = tf.data.Dataset.from_tensor_slices(([os.path.join(d, "%d.png" % i) for i in range(3)], [0, 1, 2])).map(aug)
it = ds.make_one_shot_iterator()
x, y = it.get_next()
show("shapes", {k: str(v.shape) for k, v in x.items()})
with tf.Session() as sess:
    for _ in range(3):
        a, b = sess.run([x, y])
        for k in sorted(a):
            show(k, [b, a[k].shape, a[k].ravel()[::23]])
g = tf.placeholder(tf.float32)
batch = tf.placeholder(tf.float32, [None, None, None, 3])
k = tf.placeholder(tf.int64, [])
ys = [
    tf.image.rot90(batch, 2),
    tf.image.rot90(batch, k=3),
    tf.image.flip_left_right(batch),
    tf.image.rot90(tf.squeeze(batch[:1], 0), k=tf.to_int32(k)),
    tf.image.rot90(batch, k=tf.to_int32(k)),
    tf.image.random_flip_left_right(batch, seed=1),
    tf.image.transpose_image(g),
    tf.image.rgb_to_grayscale(g),
    tf.image.rot90(g, 1),
    tf.image.central_crop(batch, 0.6),
    tf.image.flip_up_down(g),
]
show("static", [str(v.shape) for v in ys])
with tf.Session() as sess:
    p = rng.rand(2, 4, 5, 3)
    for kk in (0, 1, 5, 7):
        show("k", [v for v in sess.run(ys, {batch: p, g: p, k: kk})])
    show(
        "lambda",
        sess.run(tf.map_fn(lambda im: tf.image.random_flip_left_right(tf.image.random_brightness(im, 0.3, seed=6), seed=5), batch, parallel_iterations=1), {batch: p}),
    )
    show(
        "cond", sess.run(tf.cond(tf.greater(tf.random_uniform([], seed=5), 0.5), lambda: tf.image.flip_left_right(batch), lambda: batch), {batch: p})
    )
