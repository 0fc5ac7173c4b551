"""More names of modules, which `namespaces` takes up: those that fewer programs use."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def add_to(namespaces: dict[str, str], all_of: Callable[[str, str], str]) -> None:
    """Adds the names to the tables; `all_of` makes the entries of one module's."""
    for path, parts in _LATER.items():
        entries = [all_of(module, names) if module else names for module, names in parts]
        namespaces[path] = " ".join(filter(None, [namespaces.get(path, ""), *entries]))


_DEVICES = "get_visible_devices list_logical_devices list_physical_devices set_visible_devices"
_OPERATORS = [("linear_operator", "LinearOperator"),
              ("linear_operators", """LinearOperatorDiag LinearOperatorFullMatrix LinearOperatorIdentity LinearOperatorLowerTriangular
                  LinearOperatorScaledIdentity LinearOperatorZeros"""),
              ("linear_operators_structured", """LinearOperatorHouseholder LinearOperatorLowRankUpdate LinearOperatorPermutation
                  LinearOperatorTridiag"""),
              ("linear_operator_compositions", """LinearOperatorAdjoint LinearOperatorComposition LinearOperatorInversion LinearOperatorKronecker"""),
              ("linear_operator_blocks", "LinearOperatorBlockDiag LinearOperatorBlockLowerTriangular"),
              ("linear_operator_circulant", "LinearOperatorCirculant LinearOperatorCirculant2D LinearOperatorCirculant3D LinearOperatorToeplitz")]
_GENERATORS = "Algorithm Generator create_rng_state get_global_generator set_global_generator"
_LOSS_SCALES = "DynamicLossScale FixedLossScale LossScale"
_MIXED = "MixedPrecisionLossScaleOptimizer disable_mixed_precision_graph_rewrite enable_mixed_precision_graph_rewrite"

# Namespace: (module, its names) or ("", entries as `namespaces` has them).
_LATER = {
    "audio": [("more_ops", "decode_wav encode_wav")],
    "autograph": [("autograph_names", "set_verbosity to_code to_graph trace")],
    "autograph.experimental": [("autograph_names", "Feature do_not_convert set_loop_options")],
    "config": [("device_config", f"""LogicalDevice LogicalDeviceConfiguration PhysicalDevice experimental_connect_to_cluster
        experimental_connect_to_host functions_run_eagerly get_logical_device_configuration get_soft_device_placement run_functions_eagerly
        set_logical_device_configuration set_soft_device_placement {_DEVICES}"""),
        ("", """experimental_functions_run_eagerly=device_config:functions_run_eagerly
        experimental_run_functions_eagerly=device_config:run_functions_eagerly""")],
    "config.experimental": [("device_config", f"""disable_mlir_bridge enable_mlir_bridge enable_tensor_float_32_execution get_device_details
        get_device_policy get_memory_growth get_memory_info get_memory_usage get_synchronous_execution reset_memory_stats set_device_policy
        set_memory_growth set_synchronous_execution tensor_float_32_execution_enabled {_DEVICES}"""),
        ("", """VirtualDeviceConfiguration=device_config:LogicalDeviceConfiguration
        get_virtual_device_configuration=device_config:get_logical_device_configuration
        set_virtual_device_configuration=device_config:set_logical_device_configuration""")],
    "config.optimizer": [("", """get_experimental_options=device_config:get_optimizer_options get_jit=device_config:get_optimizer_jit
        set_experimental_options=device_config:set_optimizer_options set_jit=device_config:set_optimizer_jit""")],
    "config.threading": [("device_config", """get_inter_op_parallelism_threads get_intra_op_parallelism_threads
        set_inter_op_parallelism_threads set_intra_op_parallelism_threads""")],
    "contrib.graph_editor": [("op_selector", """filter_ops filter_ops_from_regex filter_ts filter_ts_from_regex get_backward_walk_ops
        get_forward_walk_ops get_walks_intersection_ops make_list_of_op make_list_of_t select_ops""")],
    "contrib.feature_column": [("feature_column_layers", "concatenate_context_input sequence_input_layer"),
                               ("feature_column", """sequence_categorical_column_with_hash_bucket sequence_categorical_column_with_identity
        sequence_categorical_column_with_vocabulary_file sequence_categorical_column_with_vocabulary_list sequence_numeric_column""")],
    "debugging": [("check_shapes", "assert_shapes"), ("numeric_checks", "disable_check_numerics enable_check_numerics"),
                  ("device_config", "get_log_device_placement set_log_device_placement")],
    "distribute": [("distribution_strategy", """InputContext InputReplicationMode MirroredStrategy OneDeviceStrategy ReduceOp ReplicaContext Strategy
        get_loss_reduction get_replica_context get_strategy has_strategy in_cross_replica_context"""), ("", "Server=train:Server")],
    "distribute.cluster_resolver": [("cluster_resolvers", """ClusterResolver SimpleClusterResolver SlurmClusterResolver TFConfigClusterResolver
        UnionResolver""")],
    "experimental": [("optional_ops", "Optional")],
    "image": [("image_boxes_later", "combined_non_max_suppression non_max_suppression_padded")],
    "io": [("parsing_ragged", "RaggedFeature"), ("more_ops", "decode_proto encode_proto")],
    "linalg": [("linalg_exp", "eigh_tridiagonal expm tridiagonal_solve"), *_OPERATORS],
    "linalg.experimental": [("conjugate_gradients", "conjugate_gradient")],
    "math": [("more_nn", "approx_max_k approx_min_k"), ("more_ops", "erfcinv sobol_sample")],
    "mixed_precision": [("loss_scales", f"{_LOSS_SCALES} {_MIXED}")],
    "mixed_precision.experimental": [("loss_scales", _LOSS_SCALES)],
    "nn.experimental": [("nn_dropout", "general_dropout stateless_dropout")],
    "profiler": [("graph_profile", "GraphNodeProto MultiGraphNodeProto ProfileOptionBuilder Profiler profile")],
    "random": [("random_generator", f"{_GENERATORS} fold_in split stateless_parameterized_truncated_normal"),
               ("", """stateless_binomial=random_generator:stateless_random_binomial stateless_gamma=random_generator:stateless_random_gamma
        stateless_poisson=random_generator:stateless_random_poisson""")],
    "random.experimental": [("random_generator", f"{_GENERATORS} index_shuffle stateless_shuffle"),
                            ("", "stateless_fold_in=random_generator:fold_in stateless_split=random_generator:split")],
    "resource_loader": [("resources", """get_data_files_path get_path_to_datafile get_root_dir_with_all_resources load_resource
        readahead_file_path""")],
    "signal": [("signal_ops", """fftnd ifftnd inverse_mdct irfftnd kaiser_bessel_derived_window kaiser_window mdct rfftnd vorbis_window""")],
    "sparse": [("", """SparseConditionalAccumulator bincount=ragged_functions:sparse_bincount cross=sparse_cross:sparse_cross
        cross_hashed=sparse_cross:sparse_cross_hashed""")],
    "sysconfig": [("resources", "CXX11_ABI_FLAG CXX_VERSION MONOLITHIC_BUILD get_build_info get_compile_flags get_include get_lib get_link_flags")],
    "train.experimental": [("loss_scales", f"{_LOSS_SCALES} {_MIXED}")],
    "user_ops": [("more_ops", "my_fact")],
    "version": [("versions", "COMPILER_VERSION")],
    "xla.experimental": [("", "compile=more_ops:xla_compile jit_scope=more_ops:jit_scope")],
}
