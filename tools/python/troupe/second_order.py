"""Functions of `tf` whose arguments TensorFlow 2 has in another order, and those that its modules keep beside them: one table, for `tf.compat.v2`
and for the names in modules."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from troupe.import_paths import attribute

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# The name below `tf.compat.v2`, the function's parameters in their order, the function of `tf` that is called. "x:y" is another name there; behind a
# semicolon is what that function is told besides.
_PUBLIC = """
argmax(input, axis=None, output_type=int64, name=None) = argmax
argmin(input, axis=None, output_type=int64, name=None) = argmin
assert_equal(x, y, message=None, summarize=None, name=None) = assert_equal
assert_greater(x, y, message=None, summarize=None, name=None) = assert_greater
assert_less(x, y, message=None, summarize=None, name=None) = assert_less
assert_rank(x, rank, message=None, name=None) = assert_rank
batch_to_space(input, block_shape, crops, name=None) = batch_to_space_nd
boolean_mask(tensor, mask, axis=None, name='boolean_mask') = boolean_mask
case(pred_fn_pairs, default=None, exclusive=False, strict=False, name='case') = case
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
debugging.assert_type(tensor, tf_type, message=None, name=None) = assert_type
expand_dims(input, axis, name=None) = expand_dims
foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None) = foldl
foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None) = foldr
gather(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None) = gather
gather_nd(params, indices, batch_dims=0, name=None) = gather_nd
gradients(ys, xs, grad_ys=None, name='gradients', gate_gradients=False, aggregation_method=None, stop_gradients=None, unconnected_gradients='none') = gradients
hessians(ys, xs, gate_gradients=False, aggregation_method=None, name='hessians') = hessians
image.crop_and_resize(image, boxes, box_indices, crop_size, method='bilinear', extrapolation_value=0.0, name=None) = image.crop_and_resize
image.draw_bounding_boxes(images, boxes, colors, name=None) = image.draw_bounding_boxes
image.extract_patches(images, sizes, strides, rates, padding, name=None) = image.extract_image_patches
io.decode_csv(records, record_defaults, field_delim=',', use_quote_delim=True, na_value='', select_cols=None, name=None) = io.decode_csv
io.parse_example(serialized, features, example_names=None, name=None) = io.parse_example
io.parse_single_example(serialized, features, example_names=None, name=None) = io.parse_single_example
io.serialize_many_sparse(sp_input, out_type=string, name=None) = io.serialize_many_sparse
io.serialize_sparse(sp_input, out_type=string, name=None) = io.serialize_sparse
map_fn(fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False, infer_shape=True, name=None, fn_output_signature=None) = map_fn
math.confusion_matrix(labels, predictions, num_classes=None, weights=None, dtype=int32, name=None) = confusion_matrix
math.count_nonzero(input, axis=None, keepdims=None, dtype=int64, name=None) = count_nonzero
math.in_top_k(targets, predictions, k, name=None) = nn.in_top_k
math.scalar_mul(scalar, x, name=None) = scalar_mul
nn.batch_norm_with_global_normalization(input, mean, variance, beta, gamma, variance_epsilon, scale_after_normalization, name=None) = nn.batch_norm_with_global_normalization
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
nn.embedding_lookup(params, ids, max_norm=None, name=None) = nn.embedding_lookup; partition_strategy='div'
nn.embedding_lookup_sparse(params, sp_ids, sp_weights, combiner=None, max_norm=None, name=None) = nn.embedding_lookup_sparse; partition_strategy='div'
nn.in_top_k(targets, predictions, k, name=None) = nn.in_top_k
nn.log_softmax(logits, axis=None, name=None) = nn.log_softmax
nn.max_pool_with_argmax(input, ksize, strides, padding, data_format='NHWC', output_dtype=int64, include_batch_in_index=False, name=None) = nn.max_pool_with_argmax
nn.moments(x, axes, shift=None, keepdims=False, name=None) = nn.moments
nn.nce_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None, remove_accidental_hits=False, name='nce_loss') = nn.nce_loss; partition_strategy='div'
nn.pool(input, window_shape, pooling_type, strides=None, padding='VALID', data_format=None, dilations=None, name=None) = nn.pool
nn.sampled_softmax_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None, remove_accidental_hits=True, seed=None, name='sampled_softmax_loss') = nn.sampled_softmax_loss; partition_strategy='div'
nn.separable_conv2d(input, depthwise_filter, pointwise_filter, strides, padding, data_format=None, dilations=None, name=None) = nn.separable_conv2d
nn.sigmoid_cross_entropy_with_logits(labels=None, logits=None, name=None) = nn.sigmoid_cross_entropy_with_logits
nn.softmax(logits, axis=None, name=None) = nn.softmax
nn.softmax_cross_entropy_with_logits(labels, logits, axis=-1, name=None) = nn.softmax_cross_entropy_with_logits_v2
nn.space_to_batch(input, block_shape, paddings, name=None) = space_to_batch_nd
nn.space_to_depth(input, block_size, data_format='NHWC', name=None) = nn.space_to_depth
nn.sparse_softmax_cross_entropy_with_logits(labels, logits, name=None) = nn.sparse_softmax_cross_entropy_with_logits
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
scan(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, infer_shape=True, reverse=False, name=None) = scan
shape(input, out_type=int32, name=None) = shape
size(input, out_type=int32, name=None) = size
space_to_batch(input, block_shape, paddings, name=None) = space_to_batch_nd
sparse.add(a, b, threshold=0) = sparse.add
sparse.concat(axis, sp_inputs, expand_nonconcat_dims=False, name=None) = sparse.concat
sparse.segment_mean(data, indices, segment_ids, num_segments=None, name=None, sparse_gradient=False) = sparse.segment_mean
sparse.segment_sqrt_n(data, indices, segment_ids, num_segments=None, name=None, sparse_gradient=False) = sparse.segment_sqrt_n
sparse.segment_sum(data, indices, segment_ids, num_segments=None, name=None, sparse_gradient=False) = sparse.segment_sum
sparse.split(sp_input=None, num_split=None, axis=None, name=None) = sparse.split
squeeze(input, axis=None, name=None) = squeeze
strings.length(input, unit='BYTE', name=None) = strings.length
strings.reduce_join(inputs, axis=None, keepdims=False, separator='', name=None) = strings.reduce_join
strings.substr(input, pos, len, unit='BYTE', name=None) = strings.substr
transpose(a, perm=None, conjugate=False, name='transpose') = transpose
tuple(tensors, control_inputs=None, name=None) = tuple
while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True, swap_memory=False, maximum_iterations=None, name=None) = while_loop; return_same_structure=True
zeros_like(input:tensor, dtype=None, name=None) = zeros_like
""" + "\n".join(f"reduce_{name}(input_tensor, axis=None, keepdims=False, name=None) = reduce_{name}" for name in (
    "all", "any", "logsumexp", "max", "mean", "min", "prod", "sum"))
# Those that only modules have.
_INNER = """
batch_gather_nd(params, indices, batch_dims, name=None, bad_indices_policy='') = gather_nd
bincount_v1(arr, weights=None, minlength=None, maxlength=None, dtype=int32) = bincount
conv3d_v1(input, filter=None, strides=None, padding=None, data_format='NDHWC', dilations=[1, 1, 1, 1, 1], name=None, filters=None) = nn.conv3d
convert_to_tensor_v1(value, dtype=None, name=None, preferred_dtype=None, dtype_hint=None) = convert_to_tensor
crop_and_resize_v1(image, boxes, box_ind=None, crop_size=None, method='bilinear', extrapolation_value=0, name=None, box_indices=None) = image.crop_and_resize
decode_raw_v1(input_bytes=None, out_type=None, little_endian=True, name=None, bytes=None) = decode_raw
dilation2d_v1(input, filter=None, strides=None, rates=None, padding=None, name=None, filters=None, dilations=None) = nn.dilation2d
max_pool_with_argmax_v1(input, ksize, strides, padding, data_format='NHWC', Targmax=None, name=None, output_dtype=None, include_batch_in_index=False) = nn.max_pool_with_argmax
resize_image_with_pad_v1(image, target_height, target_width, method=0, align_corners=False) = image.resize_image_with_pad
shape_internal(input, name=None, optimize=True, out_type=None) = shape
string_to_hash_bucket_v1(string_tensor=None, num_buckets=None, name=None, input=None) = string_to_hash_bucket
string_to_number_v1(string_tensor=None, out_type=float32, name=None, input=None) = string_to_number
substr_deprecated(input, pos, len, name=None, unit='BYTE') = substr
variable_creator_scope_v1(variable_creator) = variable_creator_scope
xw_plus_b_v1(x, weights, biases, name=None) = nn.xw_plus_b
"""
_LINE = re.compile(r"([\w.]+)\((.*)\) = ([\w.]+)(?:; (.*))?")


def _rows(table):
    return {row[1]: row.groups() for row in map(_LINE.fullmatch, filter(None, table.split("\n"))) if row}


PUBLIC = _rows(_PUBLIC)
# The second of a function is called so in TensorFlow's modules, but for these: "add_v2" and its like are ops there.
_CALLED = {
    "debugging.assert_all_finite": "verify_tensor_all_finite_v2", "image.extract_patches": "extract_image_patches_v2", "sparse.add": "sparse_add_v2",
    "sparse.concat": "sparse_concat_v2", "sparse.segment_mean": "sparse_segment_mean_v2", "sparse.segment_sqrt_n": "sparse_segment_sqrt_n_v2",
    "sparse.segment_sum": "sparse_segment_sum_v2", "sparse.split": "sparse_split_v2", "strings.length": "string_length_v2",
}
# {name in TensorFlow's modules: row}.
NAMED = {_CALLED.get(path) or f"{path.rpartition('.')[2]}_v2": row for path, row in PUBLIC.items()}
NAMED.update(_rows(_INNER))
NAMED.update({second: NAMED[first] for first, second in (
    ("convert_to_tensor_v1", "convert_to_tensor_v1_with_dispatch"), ("convert_to_tensor_v2", "convert_to_tensor_v2_with_dispatch"),
    ("softmax_cross_entropy_with_logits_v2", "softmax_cross_entropy_with_logits_v2_helper"))})


@functools.cache
def made(path: str, parameters: str, target: str, besides: str | None) -> Callable[..., Any]:
    """The function of a row."""
    from troupe import dtypes

    signature, arguments = [], [besides] if besides else []
    for parameter in re.split(r", (?![\d ,]*\])", parameters):
        left, equals, default = parameter.partition("=")
        ours, _, theirs = left.partition(":")
        signature.append(ours + equals + default)
        arguments.append(f"{theirs or ours}={ours}")
    name = path.rpartition(".")[2]
    scope = {"_target": attribute(target), "__name__": __name__, **{n: getattr(dtypes, n) for n in ("float32", "int32", "int64", "string")}}
    exec(f"def {name}({', '.join(signature)}):\n    return _target({', '.join(arguments)})", scope)  # noqa: S102, our own table
    scope[name].__doc__ = f"`tf.{target}`, with the arguments that TensorFlow 2 has{'' if path in PUBLIC else ' under this name'}."
    return scope[name]
