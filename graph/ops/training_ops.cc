#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"ApplyAdaMax",
     "var:Ref(T), m:Ref(T), v:Ref(T), beta1_power:T, lr:T, beta1:T, beta2:T, epsilon:T, grad:T", "out:Ref(T)",
     "T:numbers; use_locking:bool = False", ""},
    {"ApplyAdadelta", "var:Ref(T), accum:Ref(T), accum_update:Ref(T), lr:T, rho:T, epsilon:T, grad:T",
     "out:Ref(T)", "T:numbers; use_locking:bool = False", ""},
    {"ApplyAdagrad", "var:Ref(T), accum:Ref(T), lr:T, grad:T", "out:Ref(T)",
     "T:numbers; use_locking:bool = False; update_slots:bool = True", ""},
    {"ApplyAdagradDA",
     "var:Ref(T), gradient_accumulator:Ref(T), gradient_squared_accumulator:Ref(T), grad:T, lr:T, l1:T, "
     "l2:T, global_step:int64",
     "out:Ref(T)", "T:numbers; use_locking:bool = False", ""},
    {"ApplyAdagradV2", "var:Ref(T), accum:Ref(T), lr:T, epsilon:T, grad:T", "out:Ref(T)",
     "T:numbers; use_locking:bool = False; update_slots:bool = True", ""},
    {"ApplyAdam",
     "var:Ref(T), m:Ref(T), v:Ref(T), beta1_power:T, beta2_power:T, lr:T, beta1:T, beta2:T, epsilon:T, "
     "grad:T",
     "out:Ref(T)", "T:numbers; use_locking:bool = False; use_nesterov:bool = False", ""},
    {"ApplyAddSign", "var:Ref(T), m:Ref(T), lr:T, alpha:T, sign_decay:T, beta:T, grad:T", "out:Ref(T)",
     "T:numbers; use_locking:bool = False", ""},
    {"ApplyCenteredRMSProp",
     "var:Ref(T), mg:Ref(T), ms:Ref(T), mom:Ref(T), lr:T, rho:T, momentum:T, epsilon:T, grad:T", "out:Ref(T)",
     "T:numbers; use_locking:bool = False", ""},
    {"ApplyFtrl", "var:Ref(T), accum:Ref(T), linear:Ref(T), grad:T, lr:T, l1:T, l2:T, lr_power:T",
     "out:Ref(T)", "T:numbers; use_locking:bool = False; multiply_linear_by_lr:bool = False", ""},
    {"ApplyFtrlV2",
     "var:Ref(T), accum:Ref(T), linear:Ref(T), grad:T, lr:T, l1:T, l2:T, l2_shrinkage:T, lr_power:T",
     "out:Ref(T)", "T:numbers; use_locking:bool = False; multiply_linear_by_lr:bool = False", ""},
    {"ApplyGradientDescent", "var:Ref(T), alpha:T, delta:T", "out:Ref(T)",
     "T:numbers; use_locking:bool = False", ""},
    {"ApplyMomentum", "var:Ref(T), accum:Ref(T), lr:T, grad:T, momentum:T", "out:Ref(T)",
     "T:numbers; use_locking:bool = False; use_nesterov:bool = False", ""},
    {"ApplyPowerSign", "var:Ref(T), m:Ref(T), lr:T, logbase:T, sign_decay:T, beta:T, grad:T", "out:Ref(T)",
     "T:numbers; use_locking:bool = False", ""},
    {"ApplyProximalAdagrad", "var:Ref(T), accum:Ref(T), lr:T, l1:T, l2:T, grad:T", "out:Ref(T)",
     "T:numbers; use_locking:bool = False", ""},
    {"ApplyProximalGradientDescent", "var:Ref(T), alpha:T, l1:T, l2:T, delta:T", "out:Ref(T)",
     "T:numbers; use_locking:bool = False", ""},
    {"ApplyRMSProp", "var:Ref(T), ms:Ref(T), mom:Ref(T), lr:T, rho:T, momentum:T, epsilon:T, grad:T",
     "out:Ref(T)", "T:numbers; use_locking:bool = False", ""},
    {"BoostedTreesAggregateStats", "node_ids:int32, gradients:float, hessians:float, feature:int32",
     "stats_summary:float", "max_splits:int >= 1; num_buckets:int >= 1", ""},
    {"BoostedTreesBucketize", "float_values:num_features * float, bucket_boundaries:num_features * float",
     "buckets:num_features * int32", "num_features:int >= 0", ""},
    {"BoostedTreesCalculateBestFeatureSplit",
     "node_id_range:int32, stats_summary:float, l1:float, l2:float, tree_complexity:float, "
     "min_node_weight:float",
     "node_ids:int32, gains:float, feature_dimensions:int32, thresholds:int32, "
     "left_node_contribs:float, right_node_contribs:float, "
     "split_with_default_directions:string",
     "logits_dimension:int >= 1; split_type:string in [b'inequality',b'equality'] = 'inequality'", ""},
    {"BoostedTreesCalculateBestFeatureSplitV2",
     "node_id_range:int32, stats_summaries_list:num_features * float, split_types:string, "
     "candidate_feature_ids:int32, l1:float, l2:float, tree_complexity:float, "
     "min_node_weight:float",
     "node_ids:int32, gains:float, feature_ids:int32, feature_dimensions:int32, "
     "thresholds:int32, left_node_contribs:float, right_node_contribs:float, "
     "split_with_default_directions:string",
     "num_features:int >= 1; logits_dimension:int >= 1", ""},
    {"BoostedTreesCalculateBestGainsPerFeature",
     "node_id_range:int32, stats_summary_list:num_features * float, l1:float, l2:float, "
     "tree_complexity:float, min_node_weight:float",
     "node_ids_list:num_features * int32, gains_list:num_features * float, "
     "thresholds_list:num_features * int32, left_node_contribs_list:num_features * float, "
     "right_node_contribs_list:num_features * float",
     "max_splits:int >= 1; num_features:int >= 1", ""},
    {"BoostedTreesCenterBias",
     "tree_ensemble_handle:resource, mean_gradients:float, mean_hessians:float, l1:float, "
     "l2:float",
     "continue_centering:bool", "", "stateful"},
    {"BoostedTreesCreateEnsemble",
     "tree_ensemble_handle:resource, stamp_token:int64, tree_ensemble_serialized:string", "", "", "stateful"},
    {"BoostedTreesCreateQuantileStreamResource",
     "quantile_stream_resource_handle:resource, epsilon:float, num_streams:int64", "",
     "max_elements:int = 1099511627776", "stateful"},
    {"BoostedTreesDeserializeEnsemble",
     "tree_ensemble_handle:resource, stamp_token:int64, tree_ensemble_serialized:string", "", "", "stateful"},
    {"BoostedTreesEnsembleResourceHandleOp", "", "resource:resource",
     "container:string = ''; shared_name:string = ''", "stateful"},
    {"BoostedTreesExampleDebugOutputs",
     "tree_ensemble_handle:resource, bucketized_features:num_bucketized_features * int32",
     "examples_debug_outputs_serialized:string", "num_bucketized_features:int >= 1; logits_dimension:int",
     "stateful"},
    {"BoostedTreesFlushQuantileSummaries", "quantile_stream_resource_handle:resource",
     "summaries:num_features * float", "num_features:int >= 0", "stateful"},
    {"BoostedTreesGetEnsembleStates", "tree_ensemble_handle:resource",
     "stamp_token:int64, num_trees:int32, num_finalized_trees:int32, "
     "num_attempted_layers:int32, last_layer_nodes_range:int32",
     "", "stateful"},
    {"BoostedTreesMakeQuantileSummaries",
     "float_values:num_features * float, example_weights:float, epsilon:float",
     "summaries:num_features * float", "num_features:int >= 0", ""},
    {"BoostedTreesMakeStatsSummary",
     "node_ids:int32, gradients:float, hessians:float, bucketized_features_list:num_features "
     "* int32",
     "stats_summary:float", "max_splits:int >= 1; num_buckets:int >= 1; num_features:int >= 1", ""},
    {"BoostedTreesPredict",
     "tree_ensemble_handle:resource, bucketized_features:num_bucketized_features * int32", "logits:float",
     "num_bucketized_features:int >= 1; logits_dimension:int", "stateful"},
    {"BoostedTreesQuantileStreamResourceAddSummaries",
     "quantile_stream_resource_handle:resource, summaries:num_features * float", "", "num_features:int >= 0",
     "stateful"},
    {"BoostedTreesQuantileStreamResourceDeserialize",
     "quantile_stream_resource_handle:resource, bucket_boundaries:num_streams * float", "",
     "num_streams:int >= 1", "stateful"},
    {"BoostedTreesQuantileStreamResourceFlush", "quantile_stream_resource_handle:resource, num_buckets:int64",
     "", "generate_quantiles:bool = False", "stateful"},
    {"BoostedTreesQuantileStreamResourceGetBucketBoundaries", "quantile_stream_resource_handle:resource",
     "bucket_boundaries:num_features * float", "num_features:int >= 0", "stateful"},
    {"BoostedTreesQuantileStreamResourceHandleOp", "", "resource:resource",
     "container:string = ''; shared_name:string = ''", "stateful"},
    {"BoostedTreesSerializeEnsemble", "tree_ensemble_handle:resource",
     "stamp_token:int64, tree_ensemble_serialized:string", "", "stateful"},
    {"BoostedTreesSparseAggregateStats",
     "node_ids:int32, gradients:float, hessians:float, feature_indices:int32, "
     "feature_values:int32, feature_shape:int32",
     "stats_summary_indices:int32, stats_summary_values:float, stats_summary_shape:int32",
     "max_splits:int >= 1; num_buckets:int >= 1", ""},
    {"BoostedTreesSparseCalculateBestFeatureSplit",
     "node_id_range:int32, stats_summary_indices:int32, stats_summary_values:float, "
     "stats_summary_shape:int32, l1:float, l2:float, tree_complexity:float, "
     "min_node_weight:float",
     "node_ids:int32, gains:float, feature_dimensions:int32, thresholds:int32, "
     "left_node_contribs:float, right_node_contribs:float, "
     "split_with_default_directions:string",
     "logits_dimension:int >= 1; split_type:string in [b'inequality'] = 'inequality'", ""},
    {"BoostedTreesTrainingPredict",
     "tree_ensemble_handle:resource, cached_tree_ids:int32, cached_node_ids:int32, "
     "bucketized_features:num_bucketized_features * int32",
     "partial_logits:float, tree_ids:int32, node_ids:int32",
     "num_bucketized_features:int >= 1; logits_dimension:int", "stateful"},
    {"BoostedTreesUpdateEnsemble",
     "tree_ensemble_handle:resource, feature_ids:int32, node_ids:num_features * int32, "
     "gains:num_features * float, thresholds:num_features * int32, "
     "left_node_contribs:num_features * float, right_node_contribs:num_features * float, "
     "max_depth:int32, learning_rate:float",
     "", "pruning_mode:int >= 0; num_features:int >= 0", "stateful"},
    {"BoostedTreesUpdateEnsembleV2",
     "tree_ensemble_handle:resource, feature_ids:num_groups * int32, "
     "dimension_ids:num_features * int32, node_ids:num_features * int32, gains:num_features * "
     "float, thresholds:num_features * int32, left_node_contribs:num_features * float, "
     "right_node_contribs:num_features * float, split_types:num_features * string, "
     "max_depth:int32, learning_rate:float, pruning_mode:int32",
     "", "num_features:int >= 0; logits_dimension:int = 1; num_groups:int >= 1 = 1", "stateful"},
    {"IsBoostedTreesEnsembleInitialized", "tree_ensemble_handle:resource", "is_initialized:bool", "",
     "stateful"},
    {"IsBoostedTreesQuantileStreamResourceInitialized", "quantile_stream_resource_handle:resource",
     "is_initialized:bool", "", "stateful"},
    {"ResourceApplyAdaMax",
     "var:resource, m:resource, v:resource, beta1_power:T, lr:T, beta1:T, beta2:T, epsilon:T, grad:T", "",
     "T:numbers; use_locking:bool = False", "stateful"},
    {"ResourceApplyAdadelta",
     "var:resource, accum:resource, accum_update:resource, lr:T, rho:T, epsilon:T, grad:T", "",
     "T:numbers; use_locking:bool = False", "stateful"},
    {"ResourceApplyAdagrad", "var:resource, accum:resource, lr:T, grad:T", "",
     "T:numbers; use_locking:bool = False; update_slots:bool = True", "stateful"},
    {"ResourceApplyAdagradDA",
     "var:resource, gradient_accumulator:resource, gradient_squared_accumulator:resource, grad:T, lr:T, "
     "l1:T, l2:T, global_step:int64",
     "", "T:numbers; use_locking:bool = False", "stateful"},
    {"ResourceApplyAdagradV2", "var:resource, accum:resource, lr:T, epsilon:T, grad:T", "",
     "T:numbers; use_locking:bool = False; update_slots:bool = True", "stateful"},
    {"ResourceApplyAdam",
     "var:resource, m:resource, v:resource, beta1_power:T, beta2_power:T, lr:T, beta1:T, beta2:T, epsilon:T, "
     "grad:T",
     "", "T:numbers; use_locking:bool = False; use_nesterov:bool = False", "stateful"},
    {"ResourceApplyAdamWithAmsgrad",
     "var:resource, m:resource, v:resource, vhat:resource, beta1_power:T, beta2_power:T, lr:T, beta1:T, "
     "beta2:T, epsilon:T, grad:T",
     "", "T:numbers; use_locking:bool = False", "stateful"},
    {"ResourceApplyAddSign", "var:resource, m:resource, lr:T, alpha:T, sign_decay:T, beta:T, grad:T", "",
     "T:numbers; use_locking:bool = False", "stateful"},
    {"ResourceApplyCenteredRMSProp",
     "var:resource, mg:resource, ms:resource, mom:resource, lr:T, rho:T, momentum:T, epsilon:T, grad:T", "",
     "T:numbers; use_locking:bool = False", "stateful"},
    {"ResourceApplyFtrl",
     "var:resource, accum:resource, linear:resource, grad:T, lr:T, l1:T, l2:T, lr_power:T", "",
     "T:numbers; use_locking:bool = False; multiply_linear_by_lr:bool = False", "stateful"},
    {"ResourceApplyFtrlV2",
     "var:resource, accum:resource, linear:resource, grad:T, lr:T, l1:T, l2:T, l2_shrinkage:T, lr_power:T",
     "", "T:numbers; use_locking:bool = False; multiply_linear_by_lr:bool = False", "stateful"},
    {"ResourceApplyGradientDescent", "var:resource, alpha:T, delta:T", "",
     "T:numbers; use_locking:bool = False", "stateful"},
    {"ResourceApplyKerasMomentum", "var:resource, accum:resource, lr:T, grad:T, momentum:T", "",
     "T:numbers; use_locking:bool = False; use_nesterov:bool = False", "stateful"},
    {"ResourceApplyMomentum", "var:resource, accum:resource, lr:T, grad:T, momentum:T", "",
     "T:numbers; use_locking:bool = False; use_nesterov:bool = False", "stateful"},
    {"ResourceApplyPowerSign", "var:resource, m:resource, lr:T, logbase:T, sign_decay:T, beta:T, grad:T", "",
     "T:numbers; use_locking:bool = False", "stateful"},
    {"ResourceApplyProximalAdagrad", "var:resource, accum:resource, lr:T, l1:T, l2:T, grad:T", "",
     "T:numbers; use_locking:bool = False", "stateful"},
    {"ResourceApplyProximalGradientDescent", "var:resource, alpha:T, l1:T, l2:T, delta:T", "",
     "T:numbers; use_locking:bool = False", "stateful"},
    {"ResourceApplyRMSProp",
     "var:resource, ms:resource, mom:resource, lr:T, rho:T, momentum:T, epsilon:T, grad:T", "",
     "T:numbers; use_locking:bool = False", "stateful"},
    {"ResourceSparseApplyAdadelta",
     "var:resource, accum:resource, accum_update:resource, lr:T, rho:T, epsilon:T, grad:T, indices:Tindices",
     "", "T:numbers; Tindices:index; use_locking:bool = False", "stateful"},
    {"ResourceSparseApplyAdagrad", "var:resource, accum:resource, lr:T, grad:T, indices:Tindices", "",
     "T:numbers; Tindices:index; use_locking:bool = False; update_slots:bool = True", "stateful"},
    {"ResourceSparseApplyAdagradDA",
     "var:resource, gradient_accumulator:resource, gradient_squared_accumulator:resource, grad:T, "
     "indices:Tindices, lr:T, l1:T, l2:T, global_step:int64",
     "", "T:numbers; Tindices:index; use_locking:bool = False", "stateful"},
    {"ResourceSparseApplyAdagradV2",
     "var:resource, accum:resource, lr:T, epsilon:T, grad:T, indices:Tindices", "",
     "T:numbers; Tindices:index; use_locking:bool = False; update_slots:bool = True", "stateful"},
    {"ResourceSparseApplyCenteredRMSProp",
     "var:resource, mg:resource, ms:resource, mom:resource, lr:T, rho:T, momentum:T, epsilon:T, grad:T, "
     "indices:Tindices",
     "", "T:numbers; Tindices:index; use_locking:bool = False", "stateful"},
    {"ResourceSparseApplyFtrl",
     "var:resource, accum:resource, linear:resource, grad:T, indices:Tindices, lr:T, l1:T, l2:T, lr_power:T",
     "", "T:numbers; Tindices:index; use_locking:bool = False; multiply_linear_by_lr:bool = False",
     "stateful"},
    {"ResourceSparseApplyFtrlV2",
     "var:resource, accum:resource, linear:resource, grad:T, indices:Tindices, lr:T, l1:T, l2:T, "
     "l2_shrinkage:T, lr_power:T",
     "", "T:numbers; Tindices:index; use_locking:bool = False; multiply_linear_by_lr:bool = False",
     "stateful"},
    {"ResourceSparseApplyKerasMomentum",
     "var:resource, accum:resource, lr:T, grad:T, indices:Tindices, momentum:T", "",
     "T:numbers; Tindices:index; use_locking:bool = False; use_nesterov:bool = False", "stateful"},
    {"ResourceSparseApplyMomentum",
     "var:resource, accum:resource, lr:T, grad:T, indices:Tindices, momentum:T", "",
     "T:numbers; Tindices:index; use_locking:bool = False; use_nesterov:bool = False", "stateful"},
    {"ResourceSparseApplyProximalAdagrad",
     "var:resource, accum:resource, lr:T, l1:T, l2:T, grad:T, indices:Tindices", "",
     "T:numbers; Tindices:index; use_locking:bool = False", "stateful"},
    {"ResourceSparseApplyProximalGradientDescent",
     "var:resource, alpha:T, l1:T, l2:T, grad:T, indices:Tindices", "",
     "T:numbers; Tindices:index; use_locking:bool = False", "stateful"},
    {"ResourceSparseApplyRMSProp",
     "var:resource, ms:resource, mom:resource, lr:T, rho:T, momentum:T, epsilon:T, grad:T, indices:Tindices",
     "", "T:numbers; Tindices:index; use_locking:bool = False", "stateful"},
    {"SdcaFprint", "input:string", "output:int64", "", ""},
    {"SdcaOptimizer",
     "sparse_example_indices:num_sparse_features * int64, "
     "sparse_feature_indices:num_sparse_features * int64, "
     "sparse_feature_values:num_sparse_features_with_values * float, "
     "dense_features:num_dense_features * float, example_weights:float, example_labels:float, "
     "sparse_indices:num_sparse_features * int64, sparse_weights:num_sparse_features * float, "
     "dense_weights:num_dense_features * float, example_state_data:float",
     "out_example_state_data:float, out_delta_sparse_weights:num_sparse_features * float, "
     "out_delta_dense_weights:num_dense_features * float",
     "loss_type:string in [b'logistic_loss',b'squared_loss',b'hinge_loss',"
     "b'smooth_hinge_loss',b'poisson_loss']; adaptative:bool = False; num_sparse_features:int "
     ">= 0; num_sparse_features_with_values:int >= 0; num_dense_features:int >= 0; l1:float; "
     "l2:float; num_loss_partitions:int >= 1; num_inner_iterations:int >= 1",
     ""},
    {"SdcaOptimizerV2",
     "sparse_example_indices:num_sparse_features * int64, "
     "sparse_feature_indices:num_sparse_features * int64, "
     "sparse_feature_values:num_sparse_features_with_values * float, "
     "dense_features:num_dense_features * float, example_weights:float, example_labels:float, "
     "sparse_indices:num_sparse_features * int64, sparse_weights:num_sparse_features * float, "
     "dense_weights:num_dense_features * float, example_state_data:float",
     "out_example_state_data:float, out_delta_sparse_weights:num_sparse_features * float, "
     "out_delta_dense_weights:num_dense_features * float",
     "loss_type:string in [b'logistic_loss',b'squared_loss',b'hinge_loss',"
     "b'smooth_hinge_loss',b'poisson_loss']; adaptive:bool = False; num_sparse_features:int "
     ">= 0; num_sparse_features_with_values:int >= 0; num_dense_features:int >= 0; l1:float; "
     "l2:float; num_loss_partitions:int >= 1; num_inner_iterations:int >= 1",
     ""},
    {"SdcaShrinkL1", "weights:Ref(num_features * float)", "", "num_features:int >= 0; l1:float; l2:float",
     ""},
    {"SparseApplyAdadelta",
     "var:Ref(T), accum:Ref(T), accum_update:Ref(T), lr:T, rho:T, epsilon:T, grad:T, indices:Tindices",
     "out:Ref(T)", "T:numbers; Tindices:index; use_locking:bool = False", ""},
    {"SparseApplyAdagrad", "var:Ref(T), accum:Ref(T), lr:T, grad:T, indices:Tindices", "out:Ref(T)",
     "T:numbers; Tindices:index; use_locking:bool = False; update_slots:bool = True", ""},
    {"SparseApplyAdagradDA",
     "var:Ref(T), gradient_accumulator:Ref(T), gradient_squared_accumulator:Ref(T), grad:T, "
     "indices:Tindices, lr:T, l1:T, l2:T, global_step:int64",
     "out:Ref(T)", "T:numbers; Tindices:index; use_locking:bool = False", ""},
    {"SparseApplyAdagradV2", "var:Ref(T), accum:Ref(T), lr:T, epsilon:T, grad:T, indices:Tindices",
     "out:Ref(T)", "T:numbers; Tindices:index; use_locking:bool = False; update_slots:bool = True", ""},
    {"SparseApplyCenteredRMSProp",
     "var:Ref(T), mg:Ref(T), ms:Ref(T), mom:Ref(T), lr:T, rho:T, momentum:T, epsilon:T, grad:T, "
     "indices:Tindices",
     "out:Ref(T)", "T:numbers; Tindices:index; use_locking:bool = False", ""},
    {"SparseApplyFtrl",
     "var:Ref(T), accum:Ref(T), linear:Ref(T), grad:T, indices:Tindices, lr:T, l1:T, l2:T, lr_power:T",
     "out:Ref(T)", "T:numbers; Tindices:index; use_locking:bool = False; multiply_linear_by_lr:bool = False",
     ""},
    {"SparseApplyFtrlV2",
     "var:Ref(T), accum:Ref(T), linear:Ref(T), grad:T, indices:Tindices, lr:T, l1:T, l2:T, l2_shrinkage:T, "
     "lr_power:T",
     "out:Ref(T)", "T:numbers; Tindices:index; use_locking:bool = False; multiply_linear_by_lr:bool = False",
     ""},
    {"SparseApplyMomentum", "var:Ref(T), accum:Ref(T), lr:T, grad:T, indices:Tindices, momentum:T",
     "out:Ref(T)", "T:numbers; Tindices:index; use_locking:bool = False; use_nesterov:bool = False", ""},
    {"SparseApplyProximalAdagrad", "var:Ref(T), accum:Ref(T), lr:T, l1:T, l2:T, grad:T, indices:Tindices",
     "out:Ref(T)", "T:numbers; Tindices:index; use_locking:bool = False", ""},
    {"SparseApplyProximalGradientDescent", "var:Ref(T), alpha:T, l1:T, l2:T, grad:T, indices:Tindices",
     "out:Ref(T)", "T:numbers; Tindices:index; use_locking:bool = False", ""},
    {"SparseApplyRMSProp",
     "var:Ref(T), ms:Ref(T), mom:Ref(T), lr:T, rho:T, momentum:T, epsilon:T, grad:T, indices:Tindices",
     "out:Ref(T)", "T:numbers; Tindices:index; use_locking:bool = False", ""},
};

}  // namespace

absl::Status register_training_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
