#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
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
    {"CollectiveAllToAllV2",
     "input:T, group_size:int32, group_key:int32, instance_key:int32, "
     "ordering_token:Nordering_token * resource",
     "data:T",
     "T:type in [bfloat16,float,half,double,int32,int64]; communication_hint:string = 'auto'; "
     "timeout_seconds:float = 0.0; is_stateless:bool = False; Nordering_token:int >= 0 = 0",
     "stateful distributed"},
    {"CollectiveAllToAllV3", "input:T, communicator:resource, group_assignment:int32", "data:T",
     "T:type in [bfloat16,float,half,double,int32,int64]; timeout_seconds:float = 0.0",
     "stateful distributed"},
    {"CollectiveAssignGroupV2", "group_assignment:int32, device_index:int32, base_key:int32",
     "group_size:int32, group_key:int32", "", "stateful distributed"},
    {"CollectiveBcastRecvV2", "group_size:int32, group_key:int32, instance_key:int32, shape:Tshape", "data:T",
     "T:type in [bool,float,half,double,int32,int64]; Tshape:type in [int32,int64] = int32; "
     "communication_hint:string = 'auto'; timeout_seconds:float = 0.0",
     "stateful distributed"},
    {"CollectiveBcastSendV2", "input:T, group_size:int32, group_key:int32, instance_key:int32", "data:T",
     "T:type in [bool,float,half,double,int32,int64]; communication_hint:string = 'auto'; "
     "timeout_seconds:float = 0.0",
     "stateful distributed"},
    {"CollectiveGatherV2",
     "input:T, group_size:int32, group_key:int32, instance_key:int32, "
     "ordering_token:Nordering_token * resource",
     "data:T",
     "T:type in [float,half,double,int32,int64]; communication_hint:string = 'auto'; "
     "timeout_seconds:float = 0.0; is_stateless:bool = False; Nordering_token:int >= 0 = 0",
     "stateful distributed"},
    {"CollectiveInitializeCommunicator", "group_key:int32, rank:int32, group_size:int32",
     "communicator:resource", "communication_hint:string = 'auto'; timeout_seconds:float = 0.0",
     "stateful distributed"},
    {"CollectivePermute", "input:T, source_target_pairs:int32", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]",
     "stateful"},
    {"CollectiveReduceScatterV2",
     "input:T, group_size:int32, group_key:int32, instance_key:int32, "
     "ordering_token:Nordering_token * resource",
     "data:T",
     "T:type in [bfloat16,float,half,double,int32,int64]; merge_op:string in [b'Min',b'Max',"
     "b'Mul',b'Add']; final_op:string in [b'Id',b'Div']; communication_hint:string = 'auto'; "
     "timeout_seconds:float = 0.0; is_stateless:bool = False; Nordering_token:int >= 0 = 0; "
     "max_subdivs_per_device:int = -1",
     "stateful distributed"},
    {"CollectiveReduceV2",
     "input:T, group_size:int32, group_key:int32, instance_key:int32, "
     "ordering_token:Nordering_token * resource",
     "data:T",
     "T:type in [bfloat16,float,half,double,int32,int64]; merge_op:string in [b'Min',b'Max',"
     "b'Mul',b'Add']; final_op:string in [b'Id',b'Div']; communication_hint:string = 'auto'; "
     "timeout_seconds:float = 0.0; is_stateless:bool = False; Nordering_token:int >= 0 = 0; "
     "max_subdivs_per_device:int = -1",
     "stateful distributed"},
    {"CollectiveReduceV3", "input:T, communicator:resource, group_assignment:int32", "data:T",
     "T:type in [bfloat16,float,half,double,int32,int64]; reduction:string in [b'Min',b'Max',"
     "b'Mul',b'Add']; timeout_seconds:float = 0.0",
     "stateful distributed"},
    {"IsBoostedTreesEnsembleInitialized", "tree_ensemble_handle:resource", "is_initialized:bool", "",
     "stateful"},
    {"IsBoostedTreesQuantileStreamResourceInitialized", "quantile_stream_resource_handle:resource",
     "is_initialized:bool", "", "stateful"},
    {"NcclBroadcast", "input:T", "output:T", "T:type in [half,float,double,int32,int64]; shape:shape",
     "stateful"},
    {"NcclReduce", "input:num_devices * T", "data:T",
     "reduction:string in [b'min',b'max',b'prod',b'sum']; T:type in [half,float,double,int32,"
     "int64]; num_devices:int >= 1",
     "stateful"},
    {"_NcclBroadcastRecv", "shape:int32", "output:T",
     "T:type in [half,float,double,int32,int64]; num_devices:int; shared_name:string", "stateful"},
    {"_NcclBroadcastSend", "input:T", "",
     "T:type in [half,float,double,int32,int64]; num_devices:int; shared_name:string", "stateful"},
    {"_NcclReduceRecv", "input:T", "data:T",
     "reduction:string in [b'min',b'max',b'prod',b'sum']; T:type in [half,float,double,int32,"
     "int64]; num_devices:int; shared_name:string",
     "stateful"},
    {"_NcclReduceSend", "input:T", "",
     "reduction:string in [b'min',b'max',b'prod',b'sum']; T:type in [half,float,double,int32,"
     "int64]; num_devices:int; shared_name:string",
     "stateful"},
};

}  // namespace

absl::Status register_training_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
