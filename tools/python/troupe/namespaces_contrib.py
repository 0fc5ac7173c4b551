"""Names of tf.contrib beside those of `namespaces`: what programs about pictures, generative models and reinforcement learning used."""

from __future__ import annotations

_LAYERS = {
    "contrib_layers_more": """avg_pool3d bow_encoder conv2d_in_plane conv3d_transpose convolution2d_in_plane convolution3d_transpose dense_to_sparse elu
        embedding_lookup_unique group_norm inner_flatten instance_norm max_pool3d maxout pool scale_gradient spatial_softmax""",
    "contrib_summaries": """summarize_activation summarize_activations summarize_biases summarize_collection summarize_tensor summarize_tensors
        summarize_variables summarize_weights""",
}
_STREAMS = """accuracy auc covariance false_negatives false_negatives_at_thresholds false_positives false_positives_at_thresholds mean
    mean_absolute_error mean_cosine_distance mean_iou mean_relative_error mean_squared_error mean_tensor pearson_correlation percentage_less
    precision precision_at_thresholds recall recall_at_k recall_at_thresholds root_mean_squared_error sensitivity_at_specificity
    sparse_average_precision_at_k sparse_precision_at_k sparse_recall_at_k specificity_at_sensitivity true_negatives
    true_negatives_at_thresholds true_positives true_positives_at_thresholds"""
_METRICS = {"contrib_metrics": " ".join(f"streaming_{n}" for n in _STREAMS.split()) + " accuracy aggregate_metric_map aggregate_metrics confusion_matrix"}
_LOSSES = {"contrib_losses": """absolute_difference add_loss compute_weighted_loss cosine_distance get_losses get_regularization_loss
    get_regularization_losses get_total_loss hinge_loss log_loss mean_pairwise_squared_error mean_squared_error sigmoid_cross_entropy
    softmax_cross_entropy sparse_softmax_cross_entropy"""}
_STEPS = {"contrib_learning": "add_gradients_summaries clip_gradient_norms clip_gradient_norms_fn multiply_gradients"}
_CHECKPOINTS = {"contrib_evaluation": "checkpoints_iterator wait_for_new_checkpoint"}
_FRAMEWORK = {"contrib_framework": """VariableDeviceChooser add_model_variable assert_scalar_int assign_from_checkpoint assign_from_values
    assign_from_values_fn get_graph_from_inputs get_name_scope global_variable local_variable reduce_sum_n
    remove_squeezable_dimensions with_same_shape with_shape zero_initializer""",
              "deprecations": "deprecated deprecated_arg_values deprecated_args", "layer": "smart_cond"}
_SLIM_FRAMEWORK = {"contrib_framework": """VariableDeviceChooser add_model_variable assign_from_checkpoint assign_from_values assign_from_values_fn
    global_variable local_variable"""}
_UTILS = {"contrib_layers_utils": """append_tensor_alias channel_dimension collect_named_outputs constant_value convert_collection_to_dict
    gather_tensors_aliases get_tensor_aliases get_variable_collections last_dimension n_positive_integers smart_cond=smart_condition
    static_cond=static_condition two_element_tuple"""}
_DECODERS = {"contrib_slim_data": "BoundingBox Image ItemHandler TFExampleDecoder Tensor"}

# Path of `tf`: {module: names of it}.
_NAMES: dict[str, dict[str, str]] = {
    "contrib.layers": {**_LAYERS, "contrib_training": "OPTIMIZER_CLS_NAMES OPTIMIZER_SUMMARIES", "nn_sparse": "safe_embedding_lookup_sparse",
                       "custom_gradients": "recompute_grad"},
    "contrib.layers.utils": _UTILS,
    "contrib.slim.utils": _UTILS,
    "contrib.slim.summaries": {"contrib_layers_utils": """add_histogram_summaries add_histogram_summary add_image_summaries add_image_summary
        add_scalar_summaries add_scalar_summary add_zero_fraction_summaries add_zero_fraction_summary"""},
    "contrib.slim.model_analyzer": {"contrib_layers_utils": "analyze_ops analyze_vars"},
    "contrib.slim": {**_LAYERS, **_SLIM_FRAMEWORK, "contrib_initializers": "xavier_initializer_conv2d=xavier_initializer",
                     "contrib_training": "create_train_op"},
    "contrib.slim.learning": {**_STEPS, "contrib_learning": _STEPS["contrib_learning"] + " train train_step"},
    "contrib.slim.evaluation": {**_CHECKPOINTS, "contrib_evaluation": _CHECKPOINTS["contrib_evaluation"] + " evaluate_once evaluation_loop"},
    "contrib.slim.metrics": _METRICS,
    "contrib.slim.losses": _LOSSES,
    "contrib.slim.dataset": {"contrib_slim_data": "Dataset"},
    "contrib.slim.data_decoder": {"contrib_slim_data": "DataDecoder"},
    "contrib.slim.tfexample_decoder": _DECODERS,
    "contrib.slim.dataset_data_provider": {"contrib_slim_data": "DatasetDataProvider"},
    "contrib.slim.parallel_reader": {"contrib_slim_data": "get_data_files parallel_read single_pass_read"},
    "contrib.slim.prefetch_queue": {"contrib_slim_data": "prefetch_queue"},
    "contrib.slim.queues": {"contrib_slim_data": "QueueRunners"},
    "contrib.slim.nets.alexnet": {"slim_nets_vgg": "alexnet_v2 alexnet_v2_arg_scope"},
    "contrib.slim.nets.overfeat": {"slim_nets_vgg": "overfeat overfeat_arg_scope"},
    "contrib.slim.nets.vgg": {"slim_nets_vgg": "vgg_16 vgg_19 vgg_a vgg_arg_scope"},
    "contrib.slim.nets.resnet_utils": {"slim_nets_resnet": """Block conv2d_same resnet_arg_scope stack_blocks_dense subsample"""},
    "contrib.slim.nets.resnet_v1": {"slim_nets_resnet": """bottleneck=bottleneck_v1 resnet_arg_scope resnet_v1 resnet_v1_101 resnet_v1_152
        resnet_v1_200 resnet_v1_50 resnet_v1_block"""},
    "contrib.slim.nets.resnet_v2": {"slim_nets_resnet": """bottleneck=bottleneck_v2 resnet_arg_scope resnet_v2 resnet_v2_101 resnet_v2_152
        resnet_v2_200 resnet_v2_50 resnet_v2_block"""},
    "contrib.slim.nets.inception": {"slim_nets_inception": """inception_v1 inception_v1_base inception_v3 inception_v3_arg_scope
        inception_v3_base inception_v1_arg_scope=inception_v3_arg_scope"""},
    "contrib.framework": _FRAMEWORK,
    "contrib.metrics": _METRICS,
    "contrib.losses": _LOSSES,
    "contrib.summary": {"summary_writers": """SummaryWriter all_summary_ops always_record_summaries audio create_file_writer
        create_summary_file_writer eval_dir flush generic graph histogram image import_event initialize never_record_summaries
        record_summaries_every_n_global_steps scalar should_record_summaries summary_writer_initializer_op"""},
    "contrib.training": {**_STEPS, "contrib_learning": _STEPS["contrib_learning"] + " train=monitored_train", "contrib_evaluation": """
        StopAfterNEvalsHook SummaryAtEndHook checkpoints_iterator evaluate_once=evaluate_checkpoint evaluate_repeatedly get_or_create_eval_step
        wait_for_new_checkpoint"""},
    "contrib.image": {"contrib_image": """adjust_hsv_in_yiq angles_to_projective_transforms compose_transforms dense_image_warp
        flat_transforms_to_matrices interpolate_bilinear matrices_to_flat_transforms random_hsv_in_yiq rotate transform translate
        translations_to_projective_transforms"""},
    "contrib.opt": {
        "contrib_opt": """AdaMaxOptimizer AdamWOptimizer AddSignOptimizer DecoupledWeightDecayExtension LARSOptimizer LazyAdamOptimizer MomentumWOptimizer
            MovingAverageOptimizer NadamOptimizer PowerSignOptimizer VariableClippingOptimizer clip_gradients_by_global_norm
            extend_with_decoupled_weight_decay get_linear_decay_fn""",
        "contrib_scipy": "ExternalOptimizerInterface ScipyOptimizerInterface"},
    "contrib.distributions": {
        "contrib_distributions": """ExpRelaxedOneHotCategorical Independent MultivariateNormalDiag MultivariateNormalDiagWithSoftplusScale
            MultivariateNormalFullCovariance MultivariateNormalTriL OneHotCategorical RelaxedBernoulli RelaxedOneHotCategorical""",
        "contrib_counts": "Binomial Geometric Poisson",
        "contrib_mixtures": "Cauchy Deterministic Gumbel HalfNormal Logistic Mixture MixtureSameFamily NormalWithSoftplusScale"},
    "contrib.factorization": {"contrib_kmeans": "COSINE_DISTANCE KMEANS_PLUS_PLUS_INIT KMeans RANDOM_INIT SQUARED_EUCLIDEAN_DISTANCE"},
    "contrib.eager": {"eager_context": "defun executing_eagerly in_eager_mode num_gpus", "custom_gradients": "custom_gradient",
                      "gradient_tape": "GradientTape", "py_functions": "py_func=py_function", "resource_variable": "Variable=ResourceVariable",
                      "toggles": "enable_eager_execution"},
    "contrib.integrate": {"contrib_integrate": "odeint odeint_fixed"},
    "contrib.learn.datasets": {"mnist_data": "load_dataset"},
    "contrib.learn.datasets.mnist": {"mnist_data": "DataSet dense_to_one_hot extract_images extract_labels load_mnist read_data_sets"},
    "contrib.learn.datasets.base": {"mnist_data": "Dataset Datasets"},
    "examples.tutorials.mnist.input_data": {"mnist_data": "DataSet read_data_sets"},
}


def add_to(namespaces: dict[str, str]) -> None:
    """Puts them there, behind what a path has: names that are there twice are these."""
    for path, modules in _NAMES.items():
        entries = [_entry(module, name) for module, names in modules.items() for name in names.split()]
        namespaces[path] = " ".join([namespaces.get(path, ""), *entries]).strip()


def _entry(module, name):
    ours, _, theirs = name.partition("=")
    return f"{ours}={module}:{theirs or ours}"
