#!/usr/bin/env python3
"""Writes a graph for each of a hundred common ops in three sizes, for a driver that loads either library through the C API.

    op_graphs.py FOLDER                      with a Python that has TensorFlow (any 2.x)

FOLDER gets NAME_SIZE.pb and workloads.tsv, in the form of the reference data's drivers: name, graph, init target, feeds, fetches, targets, units a run, raw,
note. Sizes: s 64 by 64 floats, m 512 by 512, l 2,048 by 2,048 (16 KiB, 1 MiB, 16 MiB).
"""
import pathlib
import sys

import tensorflow as tf

_SIZES = {"s": 64, "m": 512, "l": 2048}


def _elementwise():
    nn, math = tf.nn, tf.math
    return {
        "add": lambda a: a + a[:1], "mul": lambda a: a * 2.5, "addn": lambda a: tf.add_n([a, a, a]), "square": tf.square,
        "squared_difference": lambda a: math.squared_difference(a, a[:1]), "maximum": lambda a: tf.maximum(a, 0.3),
        "clip": lambda a: tf.clip_by_value(a, -1, 1), "relu": nn.relu, "gelu": nn.gelu, "sigmoid": tf.sigmoid, "exp": tf.exp,
        "log1p": lambda a: math.log1p(tf.abs(a)), "sqrt": lambda a: tf.sqrt(tf.abs(a)), "rsqrt": lambda a: math.rsqrt(tf.abs(a) + 1),
        "pow": lambda a: tf.pow(tf.abs(a) + 0.1, 2.2), "sin": tf.sin, "atan2": lambda a: tf.atan2(a, a + 1), "erf": math.erf,
        "floor": tf.floor, "mod": lambda a: math.floormod(a, 0.7), "is_nan": math.is_nan, "greater": lambda a: a > 0.5,
        "logical": lambda a: tf.logical_and(a > 0, a < 1), "select": lambda a: tf.where(a > 0, a, -a),
        "bias": lambda a: nn.bias_add(a, tf.ones([a.shape[1]])), "int_add": lambda a: tf.cast(a, tf.int32) + 1,
        "int_mul": lambda a: tf.cast(a, tf.int64) * 3, "int_div": lambda a: tf.cast(a * 100, tf.int32) // 7,
        "half_mul": lambda a: tf.cast(tf.cast(a, tf.float16) * 2, tf.float32), "double_sigmoid": lambda a: tf.sigmoid(tf.cast(a, tf.float64)),
        "cast_int": lambda a: tf.cast(a, tf.int32), "cast_half": lambda a: tf.cast(a, tf.float16), "cast_bfloat16": lambda a: tf.cast(a, tf.bfloat16),
        "cast_double": lambda a: tf.cast(a, tf.float64), "cast_bool": lambda a: tf.cast(a, tf.bool),
    }


def _reductions():
    return {
        "sum": tf.reduce_sum, "sum_columns": lambda a: tf.reduce_sum(a, 0), "sum_rows": lambda a: tf.reduce_sum(a, 1),
        "max_columns": lambda a: tf.reduce_max(a, 0), "max_rows": lambda a: tf.reduce_max(a, 1), "mean_rows": lambda a: tf.reduce_mean(a, 1),
        "prod_rows": lambda a: tf.reduce_prod(a, 1), "any_rows": lambda a: tf.reduce_any(a > 0, 1), "l2_loss": tf.nn.l2_loss,
        "moments": lambda a: tf.nn.moments(a, [0])[1], "argmax_rows": lambda a: tf.argmax(a, 1), "argmax_columns": lambda a: tf.argmax(a, 0),
        "softmax": tf.nn.softmax, "log_softmax": tf.nn.log_softmax, "cumsum_rows": lambda a: tf.cumsum(a, 1), "cumsum_columns": lambda a: tf.cumsum(a, 0),
        "norm": lambda a: a / tf.norm(a, axis=1, keepdims=True),
        "layer_norm": lambda a: (a - tf.reduce_mean(a, 1, keepdims=True)) * tf.math.rsqrt(tf.math.reduce_variance(a, 1, keepdims=True) + 1e-5),
        "sparse_cross_entropy": lambda a: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.zeros([a.shape[0]], tf.int32), logits=a),
        "segment_sum": lambda a: tf.math.segment_sum(a, tf.range(a.shape[0]) // 4),
        "unsorted_segment_sum": lambda a: tf.math.unsorted_segment_sum(a, tf.range(a.shape[0]) % 16, 16),
        "bincount": lambda a: tf.math.bincount(tf.cast(tf.abs(tf.reshape(a, [-1])) * 10, tf.int32)),
    }


def _moves():
    v1 = tf.compat.v1
    return {
        "transpose": tf.transpose, "concat_rows": lambda a: tf.concat([a, a], 0), "concat_columns": lambda a: tf.concat([a, a], 1),
        "split": lambda a: tf.split(a, 4, 1)[1], "stack": lambda a: tf.stack([a, a], 2), "unstack": lambda a: tf.unstack(a)[3],
        "slice": lambda a: tf.slice(a, [1, 1], [n - 2 for n in a.shape]), "strided_slice": lambda a: a[::2, ::2], "reverse": lambda a: tf.reverse(a, [1]),
        "pad": lambda a: tf.pad(a, [[1, 1], [1, 1]]), "mirror_pad": lambda a: tf.pad(a, [[1, 1], [1, 1]], "REFLECT"), "tile": lambda a: tf.tile(a, [2, 2]),
        "roll": lambda a: tf.roll(a, 3, 1), "gather_rows": lambda a: tf.gather(a, tf.range(a.shape[0])[::-1]),
        "gather_columns": lambda a: tf.gather(a, tf.range(a.shape[1])[::-1], axis=1),
        "scatter_nd": lambda a: tf.scatter_nd(tf.reshape(tf.range(a.shape[0]), [-1, 1]), a, a.shape),
        "boolean_mask": lambda a: tf.boolean_mask(a, a[:, 0] > 0), "where": lambda a: tf.where(a > 0),
        "one_hot": lambda a: tf.one_hot(tf.cast(a[:, 0], tf.int32), a.shape[1]), "fill": lambda a: tf.fill(a.shape, a[0, 0]),
        "range": lambda a: tf.range(a.shape.num_elements()) + tf.cast(a[0, 0], tf.int32), "diag": lambda a: tf.linalg.diag(a[0]),
        "band_part": lambda a: tf.linalg.band_part(a, 3, 3), "top_k": lambda a: tf.math.top_k(a, 10)[0], "sort": lambda a: tf.sort(a, 1),
        "unique": lambda a: tf.unique(tf.cast(tf.reshape(a, [-1]) * 100, tf.int32))[0],
        "space_to_depth": lambda a: tf.nn.space_to_depth(tf.reshape(a, [1, *a.shape, 1]), 2),
        "space_to_batch": lambda a: tf.space_to_batch(tf.reshape(a, [1, *a.shape, 1]), [2, 2], [[0, 0], [0, 0]]),
        "batch_to_space": lambda a: v1.batch_to_space(tf.reshape(a, [4, a.shape[0] // 2, -1, 1]), [[0, 0], [0, 0]], 2),
        "to_channels_first": lambda a: tf.transpose(_image(a), [0, 3, 1, 2]),
        "random_uniform": lambda a: tf.random.uniform(a.shape) + a[:1], "random_normal": lambda a: tf.random.normal(a.shape) + a[:1],
        "dropout": lambda a: tf.nn.dropout(a, rate=0.3),
    }


def _image(a):
    """One picture of sixteen channels."""
    return tf.reshape(a, [1, a.shape[0] // 4, a.shape[1] // 4, 16])


def _images():
    v1 = tf.compat.v1
    return {
        "max_pool": lambda a: tf.nn.max_pool2d(_image(a), 3, 2, "SAME"), "avg_pool": lambda a: tf.nn.avg_pool2d(_image(a), 3, 2, "SAME"),
        "conv_3x3": lambda a: tf.nn.conv2d(_image(a), tf.ones([3, 3, 16, 16]), 1, "SAME"),
        "conv_1x1": lambda a: tf.nn.conv2d(_image(a), tf.ones([1, 1, 16, 16]), 1, "SAME"),
        "depthwise_conv": lambda a: tf.nn.depthwise_conv2d(_image(a), tf.ones([3, 3, 16, 1]), [1, 1, 1, 1], "SAME"),
        "batch_norm": lambda a: v1.nn.fused_batch_norm(_image(a), tf.ones([16]), tf.zeros([16]), tf.zeros([16]), tf.ones([16]), is_training=False)[0],
        "batch_norm_training": lambda a: v1.nn.fused_batch_norm(_image(a), tf.ones([16]), tf.zeros([16]))[0],
        "response_norm": lambda a: tf.nn.lrn(_image(a)),
        "resize_bilinear": lambda a: v1.image.resize_bilinear(tf.reshape(a, [1, a.shape[0] // 2, -1, 4]), a.shape),
        "resize_nearest": lambda a: v1.image.resize_nearest_neighbor(tf.reshape(a, [1, a.shape[0] // 2, -1, 4]), a.shape),
        "batch_matmul": lambda a: tf.matmul(tf.reshape(a, [16, a.shape[0] // 4, -1]), tf.reshape(a, [16, a.shape[0] // 4, -1]), transpose_b=True),
        "narrow_matmul": lambda a: tf.matmul(a, tf.ones([a.shape[1], 10])), "matrix_vector": lambda a: tf.matmul(a, tf.ones([a.shape[1], 1])),
        "double_matmul": lambda a: tf.matmul(tf.cast(a[:512, :512], tf.float64), tf.cast(a[:512, :512], tf.float64)),
        "rfft": lambda a: tf.abs(tf.signal.rfft(a)),
    }


def _write(folder, name, function, size):
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [size, size], name="x")
        tf.identity(function(x), name="y")
    (folder / f"{name}.pb").write_bytes(graph.as_graph_def().SerializeToString())
    return "\t".join([name, f"{name}.pb", "-", f"x|float32|[{size},{size}]", "y:0", "-", "1", "0", "-"])


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    ops = {**_elementwise(), **_reductions(), **_moves(), **_images()}
    rows = [_write(folder, f"{name}_{tag}", function, size) for tag, size in _SIZES.items() for name, function in ops.items()]
    (folder / "workloads.tsv").write_text("#name\tgraph\tinit\tfeeds\tfetches\ttargets\tunits\traw\tnote\n" + "\n".join(rows) + "\n")
    print(f"{len(rows)} workloads in {folder}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
