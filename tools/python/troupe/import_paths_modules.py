"""Paths of modules whose functions lie elsewhere in this package, or that only say something to registries when they are imported."""

from __future__ import annotations

# As in import_paths: a path, and where its names are looked up before `tf` itself.
MODULES = {
    "python.client.client_lib": "session", "python.data.ops.structured_function": "captured_function",
    "python.eager.def_function": "function", "python.eager.function": "function", "python.eager.remote": "", "python.eager.test": "test",
    "python.eager.polymorphic_function.polymorphic_function": "function", "python.eager.wrap_function": "function",
    "python.feature_column.feature_column_v2_types": ".feature_column",
    "python.feature_column.sequence_feature_column": ".feature_column feature_column_layers",
    "python.ops.control_flow_v2_toggles": "toggles", "python.ops.distributions.dirichlet_multinomial": ".distributions",
    "python.ops.distributions.distributions": ".distributions", "python.ops.gradients_util": "gradients",
    "python.ops.initializers_ns": "initializers", "python.ops.linalg_ops_impl": ".linalg", "python.ops.list_ops": "list_ops",
    "python.ops.map_ops": "", "python.ops.proto_ops": ".io", "python.ops.random_crop_ops": ".image",
    "python.ops.random_ops_util": "random_generator .random.experimental", "python.ops.resource_variables_toggle": "toggles",
    "python.ops.resources": "resource_lists", "python.ops.sdca_ops": ".train", "python.ops.signal.util_ops": ".signal",
    "python.ops.summary_op_util": "summary_scopes", "python.platform.benchmark": "benchmark", "python.platform.build_info": ".sysconfig",
    "python.saved_model.saved_model": ".saved_model", "python.training.basic_loops": ".train",
    "python.tools.saved_model_utils": "saved_model_loader",
    "python.util.keyword_args": "plain_utilities", "python.util.numpy_compat": "plain_utilities",
    "python.util.tf_should_use": "plain_utilities", "python.util.traceback_utils": ".debugging",
}
# Gradients are registered by the native library, operators by `operators`, kinds of datasets by `data`.
MODULES.update({f"python.ops.{name}": "" for name in (
    "array_grad", "bitwise_grad", "control_flow_grad", "cudnn_rnn_grad", "data_flow_grad", "image_grad", "linalg_grad", "lookup_grad", "manip_grad",
    "math_grad", "nn_fused_batch_norm_grad", "nn_grad", "optional_grad", "parsing_grad", "random_grad", "rnn_grad", "sparse_grad", "state_grad",
    "tensor_array_grad", "tensor_getitem_override", "tensor_math_operator_overrides")})
MODULES.update({f"python.data.ops.{name}_op": ".data" for name in (
    "batch", "cache", "choose_from_datasets", "concatenate", "counter", "directed_interleave", "filter", "flat_map", "from_generator",
    "from_sparse_tensor_slices", "from_tensor_slices", "from_tensors", "group_by_window", "ignore_errors", "interleave", "map", "padded_batch",
    "prefetch", "ragged_batch", "random", "range", "rebatch", "repeat", "sample_from_datasets", "scan", "shard", "shuffle", "skip", "snapshot",
    "sparse_batch", "take", "take_while", "unbatch", "unique", "window", "zip")})
MODULES.update({f"python.ops.ragged.{name}": ".ragged ragged_tensor ragged ragged_functions" for name in (
    "ragged_autograph", "ragged_batch_gather_ops", "ragged_batch_gather_with_default_op", "ragged_bincount_ops", "ragged_check_ops",
    "ragged_embedding_ops", "ragged_getitem", "ragged_map_ops", "ragged_operators", "ragged_ops", "ragged_util")})
# Where names of the second interface are made: behind what a module has.
SECOND = tuple(f"python.ops.{name}" for name in (
    "array_ops", "bincount_ops", "check_ops", "control_flow_case", "control_flow_ops", "embedding_ops", "functional_ops", "gradients_impl",
    "image_ops_impl", "linalg_ops", "map_fn", "math_ops", "nn_impl", "nn_ops", "numerics", "parsing_ops", "resource_variable_ops", "sparse_ops",
    "string_ops", "variable_scope", "variable_v1", "variables", "while_loop")) + (
    "python.data.ops.dataset_ops", "python.data.ops.readers", "python.framework.smart_cond", "python.framework.tensor_conversion",
    "python.framework.tensor_util", "python.platform.googletest")
