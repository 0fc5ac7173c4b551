"""Images by other colours, edges and likeness; texts by their characters."""

import numpy as np
from program import show, tf

random = np.random.RandomState(4)
image = tf.constant(random.uniform(0, 1, (2, 12, 13, 3)).astype(np.float32))
other = tf.constant(random.uniform(0, 1, (2, 12, 13, 3)).astype(np.float32))
small = image[:, :4, :4]
pixels = tf.constant(random.randint(0, 256, (8, 8, 3)).astype(np.uint8))
png, jpeg = tf.image.encode_png(pixels), tf.image.encode_jpeg(pixels, quality=90)
boxes = tf.constant([[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 2.0, 1.0, 3.0]])
large = tf.image.resize_images(image, [48, 45])
large_other = tf.image.resize_images(other, [48, 45])
texts = tf.constant(["h\u00e9llo", "", "\u4f60\u597d"])
square = tf.constant([["ab", "c"], ["", "\u00e9f"]])
words = tf.ragged.constant([["a", "b", "c"], [], ["d", "e"]])


def failure(function):
    try:
        function()
    except (ValueError, TypeError, tf.errors.OpError) as e:
        return type(e).__name__
    return None


shown = {
    "colours": [tf.image.rgb_to_yiq(small), tf.image.yiq_to_rgb(small), tf.image.rgb_to_yuv(small), tf.image.yuv_to_rgb(small)],
    "edges": [tf.image.sobel_edges(small), *tf.image.image_gradients(small)],
    "likeness": [tf.image.ssim(image, other, 1.0), tf.image.ssim(image, image, 1.0), tf.image.ssim(image, other, 1.0, filter_size=5, filter_sigma=1.0),
                 tf.image.ssim(pixels, 255 - pixels, 255, filter_size=4), tf.image.ssim(image, other, 1.0, filter_size=9, return_index_map=True),
                 tf.image.ssim_multiscale(large, 0.7 * large + 0.3 * large_other, 1.0, filter_size=3, power_factors=(0.3, 0.3, 0.4))],
    "files": [tf.image.is_jpeg(jpeg), tf.image.is_jpeg(png), tf.image.extract_jpeg_shape(jpeg), tf.shape(tf.image.decode_image(jpeg)),
              tf.image.decode_image(png), tf.reduce_sum(tf.image.decode_image(png, dtype=tf.float32)), tf.image.decode_image(png, channels=1, expand_animations=False),
              tf.shape(tf.image.decode_and_crop_jpeg(jpeg, [1, 2, 3, 4])), tf.io.decode_image(png, dtype=tf.float64)[0, 0]],
    "quality": [tf.shape(tf.image.adjust_jpeg_quality(pixels, 50)), tf.reduce_max(tf.image.adjust_jpeg_quality(image[0], 100)) <= 1.0],
    "glimpses": [tf.image.extract_glimpse(small, [2, 2], [[0.0, 0.0], [0.5, -0.5]])],
    "boxes": [*tf.image.non_max_suppression_with_scores(boxes, [0.9, 0.8, 0.7], 3), *tf.image.non_max_suppression_with_scores(boxes, [0.9, 0.8, 0.7], 3, soft_nms_sigma=0.5),
              tf.image.non_max_suppression_overlaps([[1.0, 0.8, 0.0], [0.8, 1.0, 0.0], [0.0, 0.0, 1.0]], [0.9, 0.8, 0.7], 3)],
    "sampled": list(tf.image.sample_distorted_bounding_box([20, 30, 3], [[[0.1, 0.1, 0.9, 0.9]]], seed=3, seed2=4, min_object_covered=0.5)),
    "joined": [tf.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 3, separator=":")],
}
ragged = {
    "points": tf.strings.unicode_decode(texts, "UTF-8"), "points of one": tf.strings.unicode_decode("h\u00e9", "UTF-8"), "points of a square": tf.strings.unicode_decode(square, "UTF-8"),
    "characters": tf.strings.unicode_split(texts, "UTF-8"), "bytes": tf.strings.bytes_split(texts), "bytes of one": tf.strings.bytes_split("ab"),
    "bytes of rows": tf.strings.bytes_split(words), "split rows": tf.strings.unicode_split(words, "UTF-8"),
    "pairs": tf.strings.ngrams(words, 2), "several": tf.strings.ngrams(words, [1, 2], separator="-"), "padded": tf.strings.ngrams(words, 3, pad_values=("<", ">")),
    "narrow": tf.strings.ngrams(words, 3, pad_values="_", padding_width=1), "of a vector": tf.strings.ngrams(["a", "b", "c"], 2), "of a matrix": tf.strings.ngrams([["a", "b", "c"]], 2),
    "kept": tf.strings.ngrams(words, 3, preserve_short_sequences=True),
    "encoded": tf.strings.unicode_encode(tf.strings.unicode_decode(texts, "UTF-8"), "UTF-8"), "encoded vector": tf.strings.unicode_encode([104, 233], "UTF-8"),
    "encoded matrix": tf.strings.unicode_encode([[104, 233], [65, 66]], "UTF-16-BE"), "encoded square": tf.strings.unicode_encode(tf.strings.unicode_decode(square, "UTF-8"), "UTF-8"),
}
offsets = [tf.strings.unicode_decode_with_offsets(texts, "UTF-8"), tf.strings.unicode_split_with_offsets(texts, "UTF-8")]


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    value = value.to_list() if hasattr(value, "to_list") else value
    return value.hex() if isinstance(value, bytes) else [plain(v) for v in value] if isinstance(value, (list, np.ndarray)) else value


with tf.Session() as session:
    for name, tensors in shown.items():
        show(name, session.run(tensors))
    for name, tensor in ragged.items():
        show(name, plain(session.run(tensor)))
    show("offsets", plain([session.run(list(pair)) for pair in offsets]))
    show("shapes", [tf.image.sobel_edges(small).shape.as_list(), tf.image.decode_image(png, channels=3, expand_animations=False).shape.as_list()])
    show("failures", [failure(f) for f in (
        lambda: session.run(tf.image.ssim(small, small, 1.0)), lambda: tf.image.ssim(image, small, 1.0), lambda: tf.image.image_gradients(pixels),
        lambda: tf.image.random_jpeg_quality(pixels, 5, 101), lambda: tf.image.random_jpeg_quality(pixels, 50, 5), lambda: session.run(tf.image.decode_image("none")),
        lambda: tf.strings.ngrams(words, 0), lambda: tf.strings.ngrams(words, "2"), lambda: tf.strings.ngrams(words, 2, padding_width=-1, pad_values="x"),
        lambda: session.run(tf.strings.unicode_decode(tf.constant([b"\xff"]), "UTF-8", errors="strict").flat_values))])
