"""Functions of pictures that augmentations and detectors call, on floats and bytes."""

import numpy as np
from program import show, tf

rng = np.random.RandomState(4)
im = rng.rand(2, 7, 9, 3).astype(np.float32)
by = (im * 255).astype(np.uint8)
t, b = tf.constant(im), tf.constant(by)
I = tf.image
made = {
    "resize0": I.resize_images(t, [5, 6]),
    "resize1": I.resize_images(t, (5, 6), method=1),
    "resize2": I.resize_images(b, [14, 6], method=2),
    "resize3": I.resize_images(t, [3, 4], I.ResizeMethod.AREA),
    "corners": I.resize_bilinear(t, [4, 5], align_corners=True),
    "nearest": I.resize_nearest_neighbor(b, tf.constant([4, 5]), align_corners=True),
    "bicubic": I.resize_bicubic(t, [5, 5]),
    "aspect": I.resize_images(t, [10, 20], preserve_aspect_ratio=True),
    "pad": I.resize_image_with_pad(t, 8, 12),
    "crop_or_pad": I.resize_image_with_crop_or_pad(b, 5, 12),
    "central": I.central_crop(t[0], 0.5),
    "crop": I.crop_to_bounding_box(t, 1, 2, 3, 4),
    "padded": I.pad_to_bounding_box(t, 1, 2, 10, 13),
    "flip": I.flip_left_right(t),
    "updown": I.flip_up_down(b[0]),
    "transpose": I.transpose_image(t),
    "rot": I.rot90(t[0], k=3) * 1.0,
    "grey": I.rgb_to_grayscale(t),
    "rgb": I.grayscale_to_rgb(t[..., :1]),
    "hsv": I.rgb_to_hsv(t),
    "back": I.hsv_to_rgb(I.rgb_to_hsv(t)),
    "yuv": I.rgb_to_yuv(t),
    "brightness": I.adjust_brightness(b, 0.2),
    "contrast": I.adjust_contrast(b, 1.5),
    "hue": I.adjust_hue(b, 0.1),
    "saturation": I.adjust_saturation(t, 0.5),
    "gamma": I.adjust_gamma(t, 0.7),
    "standard": I.per_image_standardization(t[0]),
    "standardb": I.per_image_standardization(b[0]),
    "float": I.convert_image_dtype(b, tf.float32),
    "uint16": I.convert_image_dtype(t, tf.uint16),
    "int8": I.convert_image_dtype(t, tf.uint8, saturate=True),
    "tv": I.total_variation(t),
    "gradients": I.image_gradients(t)[0],
    "sobel": I.sobel_edges(t),
    "psnr": I.psnr(t, t * 0.9, 1.0),
    "ssim": I.ssim(tf.ones([1, 12, 12, 1]) * 0.5, tf.ones([1, 12, 12, 1]) * 0.6, 1.0),
    "patches": tf.extract_image_patches(t, [1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"),
    "glimpse": I.extract_glimpse(t, [3, 4], [[0.0, 0.0], [0.3, -0.2]]),
    "boxes": I.draw_bounding_boxes(t, [[[0.1, 0.1, 0.6, 0.7]], [[0.0, 0.2, 0.9, 0.9]]]),
    "crr": I.crop_and_resize(t, [[0.0, 0.0, 1.0, 1.0], [0.2, 0.1, 0.7, 1.2]], [0, 1], [4, 3]),
    "crn": I.crop_and_resize(t, [[0.2, 0.1, 0.7, 0.9]], [1], [4, 3], method="nearest", extrapolation_value=1.0),
    "nms": I.non_max_suppression([[0.0, 0, 1, 1], [0, 0.05, 1, 1.05], [0, 2, 1, 3]], [0.9, 0.8, 0.7], 3, 0.5),
    "rb": I.random_brightness(t, 0.3, seed=1),
    "rc": I.random_contrast(t, 0.5, 1.5, seed=2),
    "rh": I.random_hue(t, 0.2, seed=3),
    "rs": I.random_saturation(t, 0.5, 1.5, seed=4),
    "rf": I.random_flip_left_right(t, seed=5),
    "ru": I.random_flip_up_down(t[0], seed=6),
    "png": I.decode_png(I.encode_png(b[0])),
    "dilate": tf.nn.dilation2d(t, tf.zeros([2, 2, 3]), [1, 1, 1, 1], [1, 1, 1, 1], "SAME"),
    "s2d": tf.space_to_depth(t[:, :6, :8], 2),
    "d2s": tf.depth_to_space(tf.ones([1, 2, 2, 4]), 2),
}
begin, size, boxes = I.sample_distorted_bounding_box(
    [7, 9, 3], [[[0.1, 0.2, 0.6, 0.9]]], seed=9, min_object_covered=0.3, aspect_ratio_range=[0.7, 1.4], area_range=[0.1, 1.0]
)
made["begin"], made["size"], made["boxes"] = begin, size, boxes
made["sliced"] = tf.slice(t[0], begin, size)
with tf.Session() as sess:
    for name, value in made.items():
        v = sess.run(value)
        flat = np.asarray(v, np.float64).ravel()
        show(
            name,
            [list(np.shape(v)), str(v.dtype), float((flat * (1 + np.arange(flat.size) % 7)).sum()), None if name == "rot" else value.shape.as_list()],
        )
