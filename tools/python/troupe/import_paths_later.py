"""Paths of modules of TensorFlow 2 that programs and tests of graphs import: `from tensorflow.python.ops import control_flow_util`."""

from __future__ import annotations

# As in import_paths: a path, and where its names are looked up before `tf` itself.
LATER = {
    "python.framework.combinations": "test_combinations test_util", "python.framework.composite_tensor": "composite ragged_tensor",
    "python.framework.config": ".config.experimental", "python.framework.device_spec": "device_spec second_names",
    "python.framework.indexed_slices": "composite conversion op_statistics", "python.framework.load_library": "",
    "python.framework.tensor": "tensor type_specs operators", "python.framework.tensor_conversion": "conversion",
    "python.framework.tensor_conversion_registry": "conversion", "python.framework.tensor_spec": "type_specs",
    "python.framework.test_util": "test_util test_util_more test_case test", "python.framework.type_spec": "type_specs",
    "python.client.session_ops": "session_ops", "python.framework.op_def_registry": "op_def_registry",
    "python.framework.test_combinations": "test_combinations",
    "python.data.kernel_tests.test_base": "dataset_tests", "python.ops.control_flow_util": "control_flow_util",
    "python.util.protobuf.compare": "message_comparison", "python.util.tf_decorator": "decorated", "python.util.tf_inspect": "decorated_inspect",
    "python.training.evaluation": "contrib_evaluation", "python.keras.engine.input_spec": "layer_inputs",
    "python.eager.backprop": "gradient_tape", "python.eager.context": "eager_context",
    "python.ops.array_ops_stack": "array_ops", "python.ops.batch_ops": "", "python.ops.bincount_ops": "", "python.ops.bitwise_ops": ".bitwise",
    "python.ops.candidate_sampling_ops": ".nn", "python.ops.cond": "control_flow_ops", "python.ops.confusion_matrix": ".math inner_names",
    "python.ops.control_flow_assert": "check_ops control_flow_ops", "python.ops.control_flow_case": "case_ops",
    "python.ops.control_flow_switch_case": "case_ops", "python.ops.critical_section_ops": "",
    "python.ops.distributions.bernoulli": ".distributions", "python.ops.distributions.beta": ".distributions",
    "python.ops.distributions.categorical": ".distributions", "python.ops.distributions.dirichlet": ".distributions",
    "python.ops.distributions.distribution": ".distributions", "python.ops.distributions.exponential": ".distributions",
    "python.ops.distributions.gamma": ".distributions", "python.ops.distributions.kullback_leibler": ".distributions",
    "python.ops.distributions.laplace": ".distributions", "python.ops.distributions.multinomial": ".distributions",
    "python.ops.distributions.normal": ".distributions", "python.ops.distributions.student_t": ".distributions",
    "python.ops.distributions.uniform": ".distributions",
    "python.ops.gradient_checker": "test", "python.ops.gradient_checker_v2": "test_gradients", "python.ops.histogram_ops": "",
    "python.ops.init_ops_v2": "initializers", "python.ops.linalg.linalg": ".linalg", "python.ops.linalg.linalg_impl": ".linalg",
    "python.ops.manip_ops": ".manip", "python.ops.map_fn": "functional_ops", "python.ops.numerics": "numeric_checks",
    "python.ops.parsing_config": "parsing_ops parsing_ragged", "python.ops.ref_variable": "variables",
    "python.ops.sets": ".sets", "python.ops.sets_impl": ".sets", "python.ops.session_ops": "session_ops",
    "python.ops.signal": ".signal", "python.ops.sort_ops": "sort_ops", "python.ops.stateful_random_ops": "random_generator",
    "python.ops.stateless_random_ops": "stateless_random_ops .random", "python.ops.unconnected_gradients": "gradients",
    "python.ops.variable_v1": "variables", "python.ops.weights_broadcast_ops": "weights", "python.ops.while_loop": "control_flow_ops",
    "python.data.ops.dataset_ops": ".data data dataset_iterators", "python.data.ops.iterator_ops": "dataset_iterators .data",
    "python.data.ops.optional_ops": "optional_ops .data.experimental", "python.data.ops.options": ".data dataset_options",
    "python.data.ops.readers": ".data", "python.data.util.nest": "contrib_nest nest", "python.data.util.structure": "type_specs .data.experimental",
    "python.feature_column": ".feature_column", "python.feature_column.feature_column": ".feature_column",
    "python.feature_column.feature_column_lib": ".feature_column", "python.feature_column.feature_column_v2": ".feature_column",
    "python.debug": "debug_wrappers", "python.ops.op_selector": "op_selector", "contrib.rnn.python.ops.core_rnn": "rnn",
    "python.platform.sysconfig": ".sysconfig", "python.profiler.model_analyzer": ".profiler", "python.profiler.option_builder": ".profiler",
    "python.saved_model.builder_impl": ".saved_model.builder", "python.saved_model.constants": ".saved_model.constants",
    "python.saved_model.loader_impl": "saved_model_loader .saved_model.loader", "python.saved_model.main_op_impl": ".saved_model.main_op",
    "python.saved_model.method_name_updater": "method_name_updater",
    "python.saved_model.signature_def_utils_impl": ".saved_model.signature_def_utils", "python.saved_model.utils_impl": ".saved_model.utils",
    "python.summary.writer.event_file_writer": "event_writer", "python.summary.writer.writer_cache": "event_writer summary",
    "python.checkpoint.checkpoint": "object_checkpoints", "python.checkpoint.checkpoint_management": "checkpoint_state object_checkpoints",
    "python.training.device_setter": "train", "python.training.py_checkpoint_reader": "checkpoint_reader",
    "python.training.saving.saveable_object": "saveable", "python.training.saving.saveable_object_util": "saveable",
    "python.framework.graph_io": "meta_graph model_tools", "python.ops.inplace_ops": "inplace_ops", "python.training.training_ops": "",
    "python.tpu": "tpu_context", "python.tpu.ops": "tpu_context", "python.tpu.ops.tpu_ops": "tpu_context", "python.tpu.tpu_function": "tpu_context",
    "python.ops.summary_ops_v2": "summary_writers", "python.ops.weights": "weights", "python.tf2": "plain_utilities", "python.types.core": "typing tensor",
    "python.util.all_util": "plain_utilities", "python.util.dispatch": "plain_utilities", "python.util.function_utils": "plain_utilities",
    "python.util.lazy_loader": "plain_utilities", "python.util.object_identity": "plain_utilities",
    "python.util.tf_contextlib": "plain_utilities", "python.util.tf_export": "deprecations",
    "python.training.server_lib": "server_lib", "python.training.sync_replicas_optimizer": "sync_replicas",
    "python.training.warm_starting_util": "warm_starting", "python.training.experimental.loss_scale": "loss_scales",
}
LATER.update({f"python.data.experimental.ops.{name}": ".data.experimental data_experimental" for name in (
    "batching", "cardinality", "counter", "enumerate_ops", "error_ops", "get_single_element", "grouping", "interleave_ops", "iterator_ops",
    "random_ops", "readers", "resampling", "scan_ops", "shuffle_ops", "take_while_ops", "unique", "writers")})
LATER.update({f"python.ops.linalg.linear_operator{name}": ".linalg" for name in (
    "", "_adjoint", "_block_diag", "_block_lower_triangular", "_circulant", "_composition", "_diag", "_full_matrix", "_householder", "_identity",
    "_inversion", "_kronecker", "_low_rank_update", "_lower_triangular", "_permutation", "_toeplitz", "_tridiag", "_zeros")})
LATER.update({f"python.ops.ragged.{name}": ".ragged ragged_tensor ragged ragged_functions type_specs" for name in (
    "ragged_array_ops", "ragged_concat_ops", "ragged_conversion_ops", "ragged_factory_ops", "ragged_functional_ops", "ragged_gather_ops",
    "ragged_math_ops", "ragged_squeeze_op", "ragged_string_ops", "ragged_tensor", "ragged_tensor_value", "ragged_where_op", "segment_id_ops")})
LATER.update({f"python.ops.signal.{name}": ".signal" for name in (
    "dct_ops", "fft_ops", "mel_ops", "mfcc_ops", "reconstruction_ops", "shape_ops", "signal", "spectral_ops", "window_ops")})
