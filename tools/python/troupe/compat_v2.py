"""`tf.compat.v2`: functions whose arguments TensorFlow 2 has in another order. All other names are those of `tf`: graphs and sessions are all that there
is."""

from __future__ import annotations

import re
import types
from typing import Any

# As in thin: the function, its parameters in their order, the function of `tf` that is called. "x:y" is another name there.
_TABLE = """
argmax(input, axis=None, output_type=int64, name=None) = argmax
argmin(input, axis=None, output_type=int64, name=None) = argmin
assert_equal(x, y, message=None, summarize=None, name=None) = assert_equal
assert_greater(x, y, message=None, summarize=None, name=None) = assert_greater
assert_less(x, y, message=None, summarize=None, name=None) = assert_less
assert_rank(x, rank, message=None, name=None) = assert_rank
batch_to_space(input, block_shape, crops, name=None) = batch_to_space_nd
boolean_mask(tensor, mask, axis=None, name='boolean_mask') = boolean_mask
cond(pred, true_fn=None, false_fn=None, name=None) = cond
constant(value, dtype=None, shape=None, name='Const') = constant
convert_to_tensor(value, dtype=None, dtype_hint=None, name=None) = convert_to_tensor
debugging.assert_all_finite(x, message, name=None) = verify_tensor_all_finite
debugging.assert_greater_equal(x, y, message=None, summarize=None, name=None) = assert_greater_equal
debugging.assert_integer(x, message=None, name=None) = assert_integer
debugging.assert_less_equal(x, y, message=None, summarize=None, name=None) = assert_less_equal
debugging.assert_near(x, y, rtol=None, atol=None, message=None, summarize=None, name=None) = assert_near
debugging.assert_negative(x, message=None, summarize=None, name=None) = assert_negative
debugging.assert_non_negative(x, message=None, summarize=None, name=None) = assert_non_negative
debugging.assert_non_positive(x, message=None, summarize=None, name=None) = assert_non_positive
debugging.assert_none_equal(x, y, summarize=None, message=None, name=None) = assert_none_equal
debugging.assert_positive(x, message=None, summarize=None, name=None) = assert_positive
debugging.assert_rank_at_least(x, rank, message=None, name=None) = assert_rank_at_least
debugging.assert_rank_in(x, ranks, message=None, name=None) = assert_rank_in
debugging.assert_scalar(tensor, message=None, name=None) = assert_scalar
expand_dims(input, axis, name=None) = expand_dims
gather(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None) = gather
gather_nd(params, indices, batch_dims=0, name=None) = gather_nd
hessians(ys, xs, gate_gradients=False, aggregation_method=None, name='hessians') = hessians
image.crop_and_resize(image, boxes, box_indices, crop_size, method='bilinear', extrapolation_value=0.0, name=None) = image.crop_and_resize
io.decode_csv(records, record_defaults, field_delim=',', use_quote_delim=True, na_value='', select_cols=None, name=None) = io.decode_csv
io.parse_example(serialized, features, example_names=None, name=None) = io.parse_example
io.parse_single_example(serialized, features, example_names=None, name=None) = io.parse_single_example
io.serialize_many_sparse(sp_input, out_type=string, name=None) = io.serialize_many_sparse
io.serialize_sparse(sp_input, out_type=string, name=None) = io.serialize_sparse
math.confusion_matrix(labels, predictions, num_classes=None, weights=None, dtype=int32, name=None) = confusion_matrix
math.count_nonzero(input, axis=None, keepdims=None, dtype=int64, name=None) = count_nonzero
math.in_top_k(targets, predictions, k, name=None) = nn.in_top_k
nn.conv1d(input, filters, stride, padding, data_format='NWC', dilations=None, name=None) = nn.conv1d
nn.conv2d(input, filters, strides, padding, data_format='NHWC', dilations=None, name=None) = nn.conv2d
nn.conv2d_transpose(input, filters, output_shape, strides, padding='SAME', data_format='NHWC', dilations=None, name=None) = nn.conv2d_transpose
nn.conv3d(input, filters, strides, padding, data_format='NDHWC', dilations=None, name=None) = nn.conv3d
nn.conv3d_transpose(input, filters, output_shape, strides, padding='SAME', data_format='NDHWC', dilations=None, name=None) = nn.conv3d_transpose
nn.convolution(input, filters, strides=None, padding='VALID', data_format=None, dilations=None, name=None) = nn.convolution
nn.crelu(features, axis=-1, name=None) = nn.crelu
nn.depth_to_space(input, block_size, data_format='NHWC', name=None) = nn.depth_to_space
nn.depthwise_conv2d(input, filter, strides, padding, data_format=None, dilations=None, name=None) = nn.depthwise_conv2d
nn.dropout(x, rate, noise_shape=None, seed=None, name=None) = nn.dropout
nn.embedding_lookup(params, ids, max_norm=None, name=None) = nn.embedding_lookup
nn.embedding_lookup_sparse(params, sp_ids, sp_weights, combiner=None, max_norm=None, name=None) = nn.embedding_lookup_sparse
nn.in_top_k(targets, predictions, k, name=None) = nn.in_top_k
nn.log_softmax(logits, axis=None, name=None) = nn.log_softmax
nn.moments(x, axes, shift=None, keepdims=False, name=None) = nn.moments
nn.pool(input, window_shape, pooling_type, strides=None, padding='VALID', data_format=None, dilations=None, name=None) = nn.pool
nn.separable_conv2d(input, depthwise_filter, pointwise_filter, strides, padding, data_format=None, dilations=None, name=None) = nn.separable_conv2d
nn.softmax(logits, axis=None, name=None) = nn.softmax
nn.softmax_cross_entropy_with_logits(labels, logits, axis=-1, name=None) = nn.softmax_cross_entropy_with_logits_v2
nn.space_to_batch(input, block_shape, paddings, name=None) = space_to_batch_nd
nn.space_to_depth(input, block_size, data_format='NHWC', name=None) = nn.space_to_depth
nn.sufficient_statistics(x, axes, shift=None, keepdims=False, name=None) = nn.sufficient_statistics
nn.weighted_cross_entropy_with_logits(labels, logits, pos_weight, name=None) = nn.weighted_cross_entropy_with_logits
nn.weighted_moments(x, axes, frequency_weights, keepdims=False, name=None) = nn.weighted_moments
norm(tensor, ord='euclidean', axis=None, keepdims=None, name=None) = norm
ones_like(input:tensor, dtype=None, name=None) = ones_like
pad(tensor, paddings, mode='CONSTANT', constant_values=0, name=None) = pad
random.poisson(shape, lam, dtype=float32, seed=None, name=None) = random_poisson
random_normal_initializer(mean=0.0, stddev=0.05, seed=None) = random_normal_initializer
random_uniform_initializer(minval=-0.05, maxval=0.05, seed=None) = random_uniform_initializer
reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None, name=None) = reverse_sequence
shape(input, out_type=int32, name=None) = shape
size(input, out_type=int32, name=None) = size
space_to_batch(input, block_shape, paddings, name=None) = space_to_batch_nd
squeeze(input, axis=None, name=None) = squeeze
strings.length(input, unit='BYTE', name=None) = strings.length
strings.reduce_join(inputs, axis=None, keepdims=False, separator='', name=None) = strings.reduce_join
strings.substr(input, pos, len, unit='BYTE', name=None) = strings.substr
transpose(a, perm=None, conjugate=False, name='transpose') = transpose
tuple(tensors, control_inputs=None, name=None) = tuple
while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True, swap_memory=False, maximum_iterations=None, name=None) = while_loop
zeros_like(input:tensor, dtype=None, name=None) = zeros_like
""" + "\n".join(f"reduce_{name}(input_tensor, axis=None, keepdims=False, name=None) = reduce_{name}" for name in (
    "all", "any", "logsumexp", "max", "mean", "min", "prod", "sum"))
_LINE = re.compile(r"([\w.]+)\((.*)\) = ([\w.]+)")
_ROWS = {row[1]: row.groups() for row in map(_LINE.fullmatch, filter(None, _TABLE.split("\n"))) if row}
# What is another function of `tf`, with the arguments that TensorFlow 2 has.
_OTHERS = {
    "where": "where_v2", "nn.avg_pool": "nn.avg_pool_v2", "nn.max_pool": "nn.max_pool_v2", "nn.ctc_loss": "nn.ctc_loss_v2",
    "nn.batch_normalization": "nn.batch_normalization", "random.set_seed": "set_random_seed", "unique_with_counts_v2": "unique_with_counts",
}
# Where the functions of a module are those at the top.
_TOP = ("math.", "linalg.", "debugging.")
_MODULES = ("audio", "autograph", "bitwise", "compat", "config", "data", "debugging", "dtypes", "errors", "experimental", "feature_column", "graph_util", "image", "io",
            "linalg", "lookup", "math", "nest", "nn", "quantization", "ragged", "random", "raw_ops", "saved_model", "sets", "signal", "sparse", "strings", "summary",
            "sysconfig", "test", "train", "version")


class Later(types.ModuleType):
    """TensorFlow 2's interface, or one of its modules, whose names are looked up when they are asked for."""

    def __init__(self, path: str = "") -> None:
        super().__init__(f"troupe.compat.v2{path and '.' + path}", f"Names of `tf.compat.v2{path and '.' + path}`.")
        self.__path__: list[str] = []
        self._path = path

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module '{self.__name__}' has no attribute {name!r}")
        path = f"{self._path}.{name}" if self._path else name
        value = self.__dict__[name] = _found(path)
        return value

    def __dir__(self) -> list[str]:
        inner = self._path and self._path + "."
        own = [p[len(inner):] for p in (*_ROWS, *_OTHERS) if p.startswith(inner)]
        return sorted({*dir(_of_tf(self._path)), *(name for name in own if "." not in name)})


def _of_tf(path):
    import troupe

    value = troupe
    for part in filter(None, path.split(".")):
        value = getattr(value, part)
    return value


def _found(path):
    plain = next((path[len(m):] for m in _TOP if path.startswith(m)), path)
    plain = path if path in _ROWS or path in _OTHERS else f"nn.{plain}" if path in ("math.softmax", "math.log_softmax") else plain
    if plain in _ROWS:
        return _made(*_ROWS[plain])
    if plain in _OTHERS:
        return _of_tf(_OTHERS[plain])
    value = _of_tf(path)
    return Later(path) if path in _MODULES and path not in ("compat", "errors", "raw_ops") else value


def _made(path, parameters, target):
    signature, arguments = [], []
    for parameter in parameters.split(", "):
        left, equals, default = parameter.partition("=")
        ours, _, theirs = left.partition(":")
        signature.append(ours + equals + default)
        arguments.append(f"{theirs or ours}={ours}")
    name = path.rpartition(".")[2]
    from troupe import dtypes

    scope = {"_target": _of_tf(target), "__name__": __name__, **{n: getattr(dtypes, n) for n in ("float32", "int32", "int64", "string")}}
    exec(f"def {name}({', '.join(signature)}):\n    return _target({', '.join(arguments)})", scope)  # noqa: S102, our own table
    scope[name].__doc__ = f"`tf.{target}`, with the arguments of TensorFlow 2."
    return scope[name]
