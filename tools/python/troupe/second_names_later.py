"""More functions by the names that TensorFlow's modules have for them: those of the second interface, whose arguments are in another order, and
what its own code calls. They are made when they are first asked for."""

from __future__ import annotations

import functools
import importlib
import inspect
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Module below python.ops: lines "name = function: its parameters", with values where they are not the function's own.
_SECOND = {
    "array_ops": """space_to_batch_v2 = space_to_batch: input block_shape paddings name
        batch_to_space_v2 = batch_to_space: input block_shape crops name
        space_to_depth_v2 = space_to_depth: input block_size data_format name
        depth_to_space_v2 = depth_to_space: input block_size data_format name
        extract_image_patches_v2 = extract_image_patches: images sizes strides rates padding name
        shape_internal = shape: input name optimize out_type
        batch_gather_nd = gather_nd: params indices batch_dims name""",
    "bincount_ops": "bincount_v1 = bincount: arr weights minlength maxlength dtype",
    "check_ops": """assert_negative_v2 = assert_negative: x message summarize name
        assert_positive_v2 = assert_positive: x message summarize name
        assert_non_negative_v2 = assert_non_negative: x message summarize name
        assert_non_positive_v2 = assert_non_positive: x message summarize name
        assert_near_v2 = assert_near: x y rtol atol message summarize name
        assert_rank_v2 = assert_rank: x rank message name
        assert_rank_at_least_v2 = assert_rank_at_least: x rank message name
        assert_rank_in_v2 = assert_rank_in: x ranks message name
        assert_integer_v2 = assert_integer: x message name
        assert_type_v2 = assert_type: tensor tf_type message name
        assert_scalar_v2 = assert_scalar: tensor message name""",
    "control_flow_case": "case_v2 = case: pred_fn_pairs default exclusive strict name",
    "control_flow_ops": "tuple_v2 = tuple: tensors control_inputs name",
    "embedding_ops": "embedding_lookup_v2 = embedding_lookup: params ids max_norm name partition_strategy='div'",
    "functional_ops": """foldl_v2 = foldl: fn elems initializer parallel_iterations back_prop swap_memory name
        foldr_v2 = foldr: fn elems initializer parallel_iterations back_prop swap_memory name
        scan_v2 = scan: fn elems initializer parallel_iterations back_prop swap_memory infer_shape reverse name""",
    "gradients_impl": "gradients_v2 = gradients: ys xs grad_ys name gate_gradients aggregation_method stop_gradients unconnected_gradients",
    "image_ops_impl": """crop_and_resize_v1 = crop_and_resize: image boxes box_ind crop_size method extrapolation_value name box_indices
        crop_and_resize_v2 = crop_and_resize: image boxes box_indices crop_size method extrapolation_value name
        draw_bounding_boxes_v2 = draw_bounding_boxes: images boxes colors name
        resize_image_with_pad_v1 = resize_image_with_pad: image target_height target_width method align_corners""",
    "linalg_ops": "norm_v2 = norm: tensor ord axis keepdims name",
    "map_fn": "map_fn_v2 = map_fn: fn elems dtype parallel_iterations back_prop swap_memory infer_shape name fn_output_signature",
    "math_ops": """scalar_mul_v2 = scalar_mul: scalar x name
        count_nonzero_v2 = count_nonzero: input axis keepdims dtype name
        sparse_segment_sum_v2 = sparse_segment_sum: data indices segment_ids num_segments name sparse_gradient
        sparse_segment_mean_v2 = sparse_segment_mean: data indices segment_ids num_segments name sparse_gradient
        sparse_segment_sqrt_n_v2 = sparse_segment_sqrt_n: data indices segment_ids num_segments name sparse_gradient
        and_ = logical_and: x y name
        or_ = logical_or: x y name
        xor_ = logical_xor: x y name""",
    "nn_impl": """sigmoid_cross_entropy_with_logits_v2 = sigmoid_cross_entropy_with_logits: labels logits name
        weighted_cross_entropy_with_logits_v2 = weighted_cross_entropy_with_logits: labels logits pos_weight name
        depthwise_conv2d_v2 = depthwise_conv2d: input filter strides padding data_format dilations name
        separable_conv2d_v2 = separable_conv2d: input depthwise_filter pointwise_filter strides padding data_format dilations name
        sufficient_statistics_v2 = sufficient_statistics: x axes shift keepdims name
        moments_v2 = moments: x axes shift keepdims name
        weighted_moments_v2 = weighted_moments: x axes frequency_weights keepdims name
        batch_norm_with_global_normalization_v2 = batch_norm_with_global_normalization: input mean variance beta gamma variance_epsilon
            scale_after_normalization name
        nce_loss_v2 = nce_loss: weights biases labels inputs num_sampled num_classes num_true sampled_values remove_accidental_hits name
            partition_strategy='div'
        sampled_softmax_loss_v2 = sampled_softmax_loss: weights biases labels inputs num_sampled num_classes num_true sampled_values
            remove_accidental_hits seed name partition_strategy='div'""",
    "nn_ops": """dilation2d_v1 = dilation2d: input filter strides rates padding name filters dilations
        convolution_v2 = convolution: input filters strides padding='VALID' data_format dilations name
        pool_v2 = pool: input window_shape pooling_type strides padding='VALID' data_format dilations name
        conv1d_v2 = conv1d: input filters stride padding data_format dilations name
        conv2d_v2 = conv2d: input filters strides padding data_format dilations name
        conv2d_transpose_v2 = conv2d_transpose: input filters output_shape strides padding='SAME' data_format dilations name
        conv3d_v1 = conv3d: input filter strides padding data_format dilations name filters
        conv3d_v2 = conv3d: input filters strides padding data_format dilations name
        conv3d_transpose_v2 = conv3d_transpose: input filters output_shape strides padding='SAME' data_format dilations name
        crelu_v2 = crelu: features axis name
        softmax_cross_entropy_with_logits_v2_helper = softmax_cross_entropy_with_logits_v2: labels logits axis name dim
        sparse_softmax_cross_entropy_with_logits_v2 = sparse_softmax_cross_entropy_with_logits: labels logits name
        max_pool_with_argmax_v1 = max_pool_with_argmax: input ksize strides padding data_format Targmax name output_dtype include_batch_in_index
        max_pool_with_argmax_v2 = max_pool_with_argmax: input ksize strides padding data_format output_dtype include_batch_in_index name
        xw_plus_b_v1 = xw_plus_b: x weights biases name
        dropout_v2 = dropout: x rate noise_shape seed name""",
    "numerics": "verify_tensor_all_finite_v2 = verify_tensor_all_finite: x message name",
    "parsing_ops": """parse_single_example_v2 = parse_single_example: serialized features example_names name
        decode_raw_v1 = decode_raw: input_bytes out_type little_endian name bytes
        decode_csv_v2 = decode_csv: records record_defaults field_delim use_quote_delim na_value select_cols name""",
    "sparse_ops": """sparse_concat_v2 = sparse_concat: axis sp_inputs expand_nonconcat_dims name
        sparse_add_v2 = sparse_add: a b threshold
        sparse_split_v2 = sparse_split: sp_input num_split axis name
        serialize_sparse_v2 = serialize_sparse: sp_input out_type name
        serialize_many_sparse_v2 = serialize_many_sparse: sp_input out_type name""",
    "string_ops": """reduce_join_v2 = reduce_join: inputs axis keepdims separator name
        string_length_v2 = string_length: input unit name
        substr_v2 = substr: input pos len unit name
        substr_deprecated = substr: input pos len name unit
        string_to_number_v1 = string_to_number: string_tensor out_type name input
        string_to_hash_bucket_v1 = string_to_hash_bucket: string_tensor num_buckets name input""",
    "tensor_conversion": """convert_to_tensor_v1 = convert_to_tensor: value dtype name preferred_dtype dtype_hint
        convert_to_tensor_v1_with_dispatch = convert_to_tensor: value dtype name preferred_dtype dtype_hint
        convert_to_tensor_v2 = convert_to_tensor: value dtype dtype_hint name
        convert_to_tensor_v2_with_dispatch = convert_to_tensor: value dtype dtype_hint name""",
    "variable_scope": "variable_creator_scope_v1 = variable_creator_scope: variable_creator",
    "while_loop": """while_loop_v2 = while_loop: cond body loop_vars shape_invariants parallel_iterations back_prop swap_memory maximum_iterations
        name return_same_structure=True""",
}
# Classes and functions that have another name here: the module of this package, and the name there.
_OTHERWISE = {
    "VariableV1": ("variables", "Variable"), "DatasetV1": ("data", "Dataset"), "DatasetV2": ("data", "Dataset"),
    "get_legacy_output_types": ("data", "get_output_types"), "get_legacy_output_shapes": ("data", "get_output_shapes"),
    "get_legacy_output_classes": ("data", "get_output_classes"), "TextLineDatasetV1": ("data", "TextLineDataset"),
    "TextLineDatasetV2": ("data", "TextLineDataset"), "TFRecordDatasetV1": ("data", "TFRecordDataset"),
    "TFRecordDatasetV2": ("data", "TFRecordDataset"), "FixedLengthRecordDatasetV1": ("data", "FixedLengthRecordDataset"),
    "FixedLengthRecordDatasetV2": ("data", "FixedLengthRecordDataset"), "GetTempDir": ("test_case", "get_temp_dir"),
    "BaseResourceVariable": ("resource_variable", "ResourceVariable"), "smart_constant_value": ("layer", "smart_constant"),
    "MakeNdarray": ("tensor_util", "make_ndarray"), "is_tf_type": ("tensor_util", "is_tensor"), "IsTensorLike": ("tensor_util", "is_tensor"),
}


def _lines(text):
    """(name, function, parameters) of each; a line without "=" before ":" goes on with the one before."""
    found = []
    for line in text.splitlines():
        head, colon, parameters = line.partition(":")
        if colon and "=" in head:
            name, _, function = head.partition("=")
            found.append((name.strip(), function.strip(), parameters.split()))
        else:
            found[-1][2].extend(line.split())
    return found


@functools.cache
def _specifications():
    """{name: (module, function, [(parameter, value or None)])}."""
    return {name: (module, function, [(p.partition("=")[0], p.partition("=")[2].strip("'") or None) for p in parameters])
            for module, text in _SECOND.items() for name, function, parameters in _lines(text)}


def _made(name, module, function_name, parameters):
    # convert_to_tensor is of the framework's.
    path = f"troupe.python.{'framework' if module == 'tensor_conversion' else 'ops'}.{module}"
    function = getattr(importlib.import_module(path), function_name)
    names = [p for p, _ in parameters]
    own = {p: True if value == "True" else value for p, value in parameters if value is not None}

    def called(*args, **kwargs):
        if len(args) > len(names):
            raise TypeError(f"{name}() takes {len(names)} positional arguments but {len(args)} were given")
        given = dict(zip(names, args))
        twice = given.keys() & kwargs.keys()
        if twice:
            raise TypeError(f"{name}() got multiple values for argument {min(twice)!r}")
        return function(**{**own, **given, **kwargs})

    called.__name__ = called.__qualname__ = name
    called.__doc__ = f"`{function_name}`, whose arguments come in another order: {', '.join(names)}.\n\n{function.__doc__ or ''}"
    kind = inspect.Parameter
    called.__signature__ = inspect.Signature([kind(p, kind.POSITIONAL_OR_KEYWORD) for p in names])
    return called


def __getattr__(name: str) -> Callable[..., Any]:
    if name in _OTHERWISE:
        module, other = _OTHERWISE[name]
        return getattr(importlib.import_module(f"troupe.{module}"), other)
    if name not in _specifications():
        raise AttributeError(f"module 'troupe.second_names_later' has no attribute {name!r}")
    made = globals()[name] = _made(name, *_specifications()[name])
    return made


def __dir__() -> list[str]:
    return sorted({*globals(), *_specifications(), *_OTHERWISE})


def size_internal(input: Any, name: str | None = None, optimize: bool = True, out_type: Any = None) -> Any:
    """How many elements a tensor has. What is known of it is a constant in any case."""
    from troupe import array_ops, dtypes

    return array_ops.size(input, name, dtypes.int32 if out_type is None else out_type)


def rank_internal(input: Any, name: str | None = None, optimize: bool = True) -> Any:
    from troupe import array_ops

    return array_ops.rank(input, name)


def repeat_with_axis(data: Any, repeats: Any, axis: int | None, name: str | None = None) -> Any:
    """Each element of an axis so many times."""
    from troupe import sort_ops

    return sort_ops.repeat(data, repeats, axis, name)


def convert_to_int_tensor(tensor: Any, name: str, dtype: Any = None) -> Any:
    """A tensor of one integer. TypeError for other types, ValueError for other shapes."""
    from troupe import conversion, dtypes, math_ops

    made = conversion.convert_to_tensor(tensor, name=name)
    if not made.dtype.is_integer:
        raise TypeError(f"Arguments `tensor` must be an integer tensor. Received: tensor={tensor} of dtype {made.dtype.name}")
    if made.shape.rank not in (0, None):
        raise ValueError(f"Argument `{name}` must be a scalar. Received shape {made.shape}")
    return math_ops.cast(made, dtypes.int32 if dtype is None else dtype)


def get_positive_axis(axis: int, ndims: int | None, axis_name: str = "axis", ndims_name: str = "ndims") -> int:
    """An axis counted from the front. TypeError for no number, ValueError for one that is not there, or when the number of axes is unknown."""
    if not isinstance(axis, int):
        raise TypeError(f"{axis_name} must be an int; got {type(axis).__name__}")
    if ndims is not None:
        if not -ndims <= axis < ndims:
            raise ValueError(f"{axis_name}={axis} out of bounds: expected {-ndims}<={axis_name}<{ndims}")
        return axis % ndims if ndims else axis
    if axis < 0:
        raise ValueError(f"{axis_name}={axis} may only be negative if {ndims_name} is statically known.")
    return axis


def reduced_shape(input_shape: Any, axes: Any) -> Any:
    """The shape of a reduction that keeps its axes, as a tensor."""
    from troupe import array_ops, conversion, dtypes, math_ops, op_call

    shape = math_ops.cast(conversion.convert_to_tensor(input_shape), dtypes.int32)
    rank = array_ops.size(shape)
    axes = math_ops.floormod(conversion.convert_to_tensor(axes, dtypes.int32) + rank, rank)
    axes = array_ops.reshape(axes, [-1])
    ones = op_call.call("OnesLike", None, x=axes)
    return op_call.call("DynamicStitch", None, indices=[math_ops.range(rank), axes], data=[shape, ones])


def is_resource_variable(var: Any) -> bool:
    """Whether a variable is one that a resource holds."""
    from troupe.resource_variable import ResourceVariable

    return isinstance(var, ResourceVariable) or hasattr(var, "_should_act_as_resource_variable")


def DatasetV1Adapter(dataset: Any) -> Any:  # noqa: N802
    """The dataset: there is one kind."""
    return dataset


def ShapeEquals(tensor_proto: Any, shape: Any) -> bool:  # noqa: N802
    """Whether a TensorProto has this shape, a list or a message. TypeError for what is neither."""
    if not hasattr(tensor_proto, "tensor_shape"):
        raise TypeError(f"`tensor_proto` must be a tensor_pb2.TensorProto object, but got type {type(tensor_proto)}.")
    if hasattr(shape, "dim"):
        shape = [d.size for d in shape.dim]
    elif not isinstance(shape, (list, tuple)):
        raise TypeError(f"`shape` must be a list or tuple, but got type {type(shape)}.")
    return [d.size for d in tensor_proto.tensor_shape.dim] == list(shape)


def TensorShapeProtoToList(shape: Any) -> list[int]:  # noqa: N802
    """The sizes of a TensorShapeProto."""
    return [d.size for d in shape.dim]
