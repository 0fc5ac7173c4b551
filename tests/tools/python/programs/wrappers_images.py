"""Images: sizes, crops, turns, colours."""

import numpy as np
from program import show, tf

random = np.random.RandomState(10)
image = tf.constant(random.rand(4, 6, 3).astype(np.float32))
batch = tf.stack([image, 1 - image])
pixels = tf.constant(random.randint(0, 256, (4, 4, 3)).astype(np.uint8))
grey = tf.constant(random.rand(1, 5, 5, 1).astype(np.float32))
shown = {
    "sizes": [tf.image.resize_images(grey, [3, 4]), tf.image.resize_images(grey, [7, 7], tf.image.ResizeMethod.NEAREST_NEIGHBOR),
              tf.image.resize_bicubic(grey, [4, 4]), tf.image.resize_area(grey, [2, 2]), tf.image.resize_bilinear(grey, [3, 3], align_corners=True),
              tf.image.resize(image, [8, 8], preserve_aspect_ratio=True)[..., 0], tf.image.resize_image_with_pad(grey, 4, 6)],
    "crops": [tf.image.central_crop(image, 0.5), tf.image.crop_to_bounding_box(pixels, 1, 0, 2, 2), tf.image.pad_to_bounding_box(pixels, 1, 1, 6, 5)[..., 0],
              tf.image.resize_image_with_crop_or_pad(image, 6, 4)[..., 1], tf.image.crop_and_resize(grey, [[0.0, 0.0, 0.5, 1.0]], [0], [2, 2]),
              tf.image.extract_image_patches(grey, [1, 2, 2, 1], [1, 3, 3, 1], [1, 1, 1, 1], "VALID")],
    "turns": [tf.image.flip_left_right(pixels), tf.image.flip_up_down(batch)[..., 0], tf.image.rot90(pixels)[..., 0], tf.image.rot90(image, 3)[..., 0],
              tf.image.transpose_image(image)[..., 0], tf.image.random_flip_left_right(image, seed=3)[..., 0], tf.image.random_flip_up_down(image, seed=8)[..., 0]],
    "colours": [tf.image.convert_image_dtype(pixels, tf.float32)[0], tf.image.convert_image_dtype(image, tf.uint8, saturate=True)[0],
                tf.image.convert_image_dtype(pixels, tf.int16)[0], tf.image.rgb_to_grayscale(image)[..., 0], tf.image.grayscale_to_rgb(grey)[0, 0],
                tf.image.adjust_brightness(pixels, 0.2)[0], tf.image.adjust_contrast(image, 2.0)[0], tf.image.adjust_gamma(image, 0.5)[0],
                tf.image.adjust_hue(image, 0.1)[0], tf.image.adjust_saturation(pixels, 0.5)[0], tf.image.rgb_to_hsv(image)[0],
                tf.image.hsv_to_rgb(tf.image.rgb_to_hsv(image))[0], tf.image.per_image_standardization(batch)[:, 0],
                tf.image.random_brightness(image, 0.3, seed=4)[0], tf.image.random_contrast(image, 0.5, 1.5, seed=5)[0]],
    "measures": [tf.image.total_variation(batch), tf.image.psnr(image, image * 0.9, 1.0),
                 tf.image.non_max_suppression([[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 2.0, 1.0, 3.0]], [0.5, 0.9, 0.3], 3)],
}
with tf.Session() as sess:
    for name, tensors in shown.items():
        show(name, sess.run(tensors))
        if name != "turns":
            show("shapes", [t.shape.as_list() for t in tensors])
for attempt in (lambda: tf.image.central_crop(image, 0.0), lambda: tf.image.crop_to_bounding_box(image, 2, 2, 3, 3),
                lambda: tf.image.pad_to_bounding_box(image, 0, 0, 2, 2), lambda: tf.image.resize_images(tf.ones([2, 2]), [1, 1])):
    try:
        attempt()
    except ValueError:
        show("refused", "ValueError")
