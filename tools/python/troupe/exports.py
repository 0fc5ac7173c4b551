"""Names of the package whose modules are imported when they are first asked for, and the modules of names: tf.math, tf.linalg, ..."""

from __future__ import annotations

import importlib
import types
from typing import TYPE_CHECKING

from troupe.namespaces import NAMESPACES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any


# Module of the package: its names for `tf`.
_NAMES = {
    "accumulators": "ConditionalAccumulator ConditionalAccumulatorBase SparseConditionalAccumulator",
    "case_ops": "case switch_case",
    "check_ops": """assert_equal assert_greater assert_greater_equal assert_integer assert_less assert_less_equal assert_near
        assert_negative assert_non_negative assert_non_positive assert_none_equal assert_positive assert_proper_iterable
        assert_rank assert_rank_at_least assert_rank_in assert_same_float_dtype assert_scalar assert_type ensure_shape
        is_non_decreasing is_numeric_tensor is_strictly_increasing is_symbolic_tensor verify_tensor_all_finite""",
    "custom_gradients": "custom_gradient grad_pass_through recompute_grad",
    "contractions": "einsum tensordot",
    "graph_picture": "show",
    "functional_ops": "foldl foldr map_fn scan",
    "image_boxes": "extract_image_patches",
    "gather_ops": "batch_gather gather_nd",
    "gradient_tape": "GradientTape",
    "gradient_rules": "NoGradient NotDifferentiable RegisterGradient no_gradient",
    "logging_ops": "print",
    "more_ops": """CriticalSection add_check_numerics_ops approx_top_k assert_variables_initialized batch_scatter_update conv
        conv2d_backprop_filter_v2 conv2d_backprop_input_v2 dimension_at_index extract_volume_patches fftnd fingerprint ifftnd irfftnd
        load_file_system_library load_library load_op_library parallel_stack ragged_fill_empty_rows ragged_fill_empty_rows_grad
        random_index_shuffle
        required_space_to_batch_paddings rfftnd vectorized_map""",
    "linalg_ops": """cholesky cholesky_solve matrix_determinant matrix_diag matrix_diag_part matrix_inverse matrix_set_diag matrix_solve
        matrix_solve_ls matrix_square_root matrix_triangular_solve qr self_adjoint_eig self_adjoint_eigvals svd trace""",
    "script_ops": "numpy_function py_func",
    "parsing_ops": """FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature parse_example parse_single_example
        parse_single_sequence_example""",
    "partitioned_variables": """create_partitioned_variables fixed_size_partitioner min_max_variable_partitioner
        variable_axis_size_partitioner""",
    "py_functions": "py_function",
    "quantize_ops": """dequantize fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient fake_quant_with_min_max_vars
        fake_quant_with_min_max_vars_gradient fake_quant_with_min_max_vars_per_channel
        fake_quant_with_min_max_vars_per_channel_gradient quantize quantize_v2 quantized_concat""",
    "readers": "FixedLengthRecordReader IdentityReader LMDBReader ReaderBase TFRecordReader TextLineReader WholeFileReader",
    "versions": "COMPILER_VERSION GIT_VERSION GRAPH_DEF_VERSION GRAPH_DEF_VERSION_MIN_CONSUMER GRAPH_DEF_VERSION_MIN_PRODUCER VERSION __version__",
    "ragged_tensor": "RaggedTensor",
    "resources": "CXX11_ABI_FLAG CXX_VERSION MONOLITHIC_BUILD",
    "sort_ops": """argsort batch_to_space dynamic_partition dynamic_stitch repeat reverse_v2 roll searchsorted sort space_to_batch
        tensor_scatter_nd_add tensor_scatter_nd_max tensor_scatter_nd_min tensor_scatter_nd_sub tensor_scatter_nd_update
        tensor_scatter_sub""",
    "sparse_ops": """convert_to_tensor_or_sparse_tensor edit_distance sparse_add sparse_concat sparse_fill_empty_rows sparse_mask
        sparse_maximum sparse_minimum sparse_reduce_max sparse_reduce_max_sparse sparse_reduce_sum sparse_reduce_sum_sparse
        sparse_reorder sparse_reshape sparse_retain sparse_segment_mean sparse_segment_sqrt_n sparse_segment_sum
        sparse_slice sparse_softmax sparse_split sparse_tensor_dense_matmul sparse_tensor_to_dense sparse_to_dense
        sparse_to_indicator sparse_transpose""",
    "sparse_shapes": "deserialize_many_sparse serialize_many_sparse serialize_sparse sparse_merge sparse_reset_shape",
    "special_math_ops": """arg_max arg_min betainc clip_by_average_norm floor_div histogram_fixed_width
        histogram_fixed_width_bins igamma igammac lbeta log_sigmoid polygamma random_crop random_poisson realdiv scalar_mul
        segment_prod sparse_matmul unsorted_segment_mean unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n""",
    "spectral_ops": "fft fft2d fft3d ifft ifft2d ifft3d",
    "state_ops": """count_up_to scatter_add scatter_div scatter_max scatter_min scatter_mul scatter_nd_add scatter_nd_sub
        scatter_nd_update scatter_sub scatter_update""",
    "tf_logging": "get_logger",
    "string_ops": """decode_base64 decode_compressed decode_csv decode_json_example decode_raw encode_base64 matching_files parse_tensor
        read_file reduce_join regex_replace serialize_tensor string_join string_split string_strip string_to_hash_bucket
        string_to_hash_bucket_fast string_to_hash_bucket_strong string_to_number substr timestamp write_file""",
    "tensor_array_ops": "TensorArray",
    "variable_creators": "variable_creator_scope",
    "type_specs": "IndexedSlicesSpec OptionalSpec RaggedTensorSpec SparseTensorSpec TensorSpec TypeSpec type_spec_from_value",
    "toggles": """disable_resource_variables enable_resource_variables resource_variables_enabled control_flow_v2_enabled disable_control_flow_v2 disable_tensor_equality disable_v2_tensorshape
        enable_tensor_equality enable_control_flow_v2 enable_eager_execution enable_v2_behavior executing_eagerly_outside_functions
        get_static_value initialize_local_variables initialize_variables make_template op_scope""",
}
MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}


# What is no part of the package: what to use instead.
APART = {
    "keras": "tf.keras is not part of this package: it is a package of its own (keras). Layers are tf.layers, losses tf.losses, metrics tf.metrics, optimizers "
             "tf.train; a model that Keras saved as a SavedModel is loaded by tf.saved_model.load.",
    "estimator": "tf.estimator is not part of this package, nor of TensorFlow 2.21. Programs train with tf.train.MonitoredTrainingSession; columns of features are "
                 "tf.feature_column, datasets tf.data.",
    "lite": "tf.lite is not part of this package: models for TensorFlow Lite are made by TensorFlow, of a SavedModel that tf.saved_model writes.",
    "tpu": "tf.tpu is not part of this package: there are no TPUs.",
}


class Namespace(types.ModuleType):
    """A module of names of the package. An entry "name" is tf.name, "name=other" tf.other, "name=module:other" one of a module."""

    def __init__(self, path: str) -> None:
        super().__init__(f"troupe.{path}", f"Names of `tf.{path}`.")
        self._path = path
        # What modules that others are in have: they are found by `import_paths`.
        self.__path__: list[str] = []
        self._entries = dict(entry.partition("=")[::2] for entry in NAMESPACES.get(path, "").split())

    def __getattr__(self, name):
        path = f"{self.__dict__.get('_path')}.{name}"
        if is_namespace(path):
            value = Namespace(path)
        elif name in self.__dict__.get("_entries", ()):
            module, _, attribute = (self._entries[name] or name).rpartition(":")
            value = getattr(importlib.import_module(f"troupe.{module}" if module else "troupe"), attribute)
        else:
            raise AttributeError(f"module '{self.__name__}' has no attribute {name!r}")
        setattr(self, name, value)
        return value

    def __dir__(self):
        inner = self._path + "."
        return sorted({*self._entries, *(path[len(inner):].partition(".")[0] for path in NAMESPACES if path.startswith(inner))})


def is_namespace(path: str) -> bool:
    """Whether `tf.path` is a module of names."""
    return any(p == path or p.startswith(path + ".") for p in NAMESPACES)


# What hints need of a module.
_OF_HINTS = {"annotations", "TYPE_CHECKING", "Any", "Operators"}


def listed(module_names: Mapping[str, Any], more: Iterable[str] = ()) -> list[str]:
    """What `dir` says of a module with these globals: its public names but modules, and those that are imported when they are asked for."""
    own = {n for n, value in module_names.items() if not n.startswith("_") and not isinstance(value, types.ModuleType)}
    return sorted({*more, *(own - _OF_HINTS)})


def names() -> set[str]:
    """All that `find` knows."""
    return {*MODULE_OF, *(path.partition(".")[0] for path in NAMESPACES)}


def find(name: str) -> Any:
    """What `tf.name` is. KeyError when these tables do not have it."""
    if name in MODULE_OF:
        return getattr(importlib.import_module("troupe." + MODULE_OF[name]), name)
    if not is_namespace(name):
        raise KeyError(name)
    return Namespace(name)
