#include "tests/proto/describe.h"

#include "proto/allocation_description.pb.h"
#include "proto/cluster.pb.h"
#include "proto/config.pb.h"
#include "proto/cost_graph.pb.h"
#include "proto/debug.pb.h"
#include "proto/device_filters.pb.h"
#include "proto/error_codes.pb.h"
#include "proto/log_memory.pb.h"
#include "proto/master.pb.h"
#include "proto/named_tensor.pb.h"
#include "proto/pb.h"
#include "proto/rewriter_config.pb.h"
#include "proto/step_stats.pb.h"
#include "proto/tensor_description.pb.h"
#include "proto/tensorflow_server.pb.h"
#include "proto/transport_options.pb.h"
#include "proto/verifier_config.pb.h"
#include "proto/worker.pb.h"

#include <gtest/gtest.h>

namespace troupe::proto_test {
namespace {

TEST(SessionSchema, keeps_fields_of_session_options) {
  EXPECT_EQ(fields<pb::ConfigProto>(),
            "1 device_count map<string, int32>; 2 intra_op_parallelism_threads int32; "
            "3 placement_period int32; 4 device_filters string[]; "
            "5 inter_op_parallelism_threads int32; 6 gpu_options GPUOptions; "
            "7 allow_soft_placement bool; 8 log_device_placement bool; "
            "9 use_per_session_threads bool; 10 graph_options GraphOptions; "
            "11 operation_timeout_in_ms int64; "
            "12 session_inter_op_thread_pool ThreadPoolOptionProto[]; 13 rpc_options RPCOptions; "
            "14 cluster_def ClusterDef; 15 isolate_session_state bool; "
            "16 experimental ConfigProto.Experimental; 17 share_cluster_devices_in_session bool; "
            "200 session_handle string; 201 tensor_fuse bool; "
            "202 global_io_parallelism_threads int32; 203 run_graph_mode bool");
  EXPECT_EQ(fields<pb::ConfigProto::Experimental>(),
            "1 collective_group_leader string; 3 executor_type string; "
            "4 recv_buf_max_chunk int32; 5 use_numa_affinity bool; "
            "6 collective_deterministic_sequential_execution bool; 7 collective_nccl bool; "
            "8 share_session_state_in_clusterspec_propagation bool; "
            "9 disable_thread_spinning bool; 10 share_cluster_devices_in_session bool; "
            "11 session_metadata SessionMetadata; 12 optimize_for_static_graph bool; "
            "13 enable_mlir_bridge bool; 14 disable_output_partition_graphs bool; "
            "15 xla_fusion_autotuner_thresh int64; 16 enable_mlir_graph_optimization bool; "
            "17 mlir_bridge_rollout ConfigProto.Experimental.MlirBridgeRollout; "
            "18 use_tfrt bool; 19 coordination_service string; "
            "20 fetch_remote_devices_in_multi_client bool");
  EXPECT_EQ(fields<pb::ThreadPoolOptionProto>(), "1 num_threads int32; 2 global_name string");
  EXPECT_EQ(fields<pb::RPCOptions>(),
            "1 use_rpc_for_inprocess_master bool; 2 compression_algorithm string; "
            "3 compression_level int32; 4 cache_rpc_response bool; "
            "5 disable_session_connection_sharing bool; 6 num_channels_per_target int32");
}

TEST(SessionSchema, keeps_fields_of_gpu_options) {
  EXPECT_EQ(fields<pb::GPUOptions>(),
            "1 per_process_gpu_memory_fraction double; 2 allocator_type string; "
            "3 deferred_deletion_bytes int64; 4 allow_growth bool; 5 visible_device_list string; "
            "6 polling_active_delay_usecs int32; 7 polling_inactive_delay_msecs int32; "
            "8 force_gpu_compatible bool; 9 experimental GPUOptions.Experimental");
  EXPECT_EQ(fields<pb::GPUOptions::Experimental>(),
            "1 virtual_devices GPUOptions.Experimental.VirtualDevices[]; "
            "2 use_unified_memory bool; 3 num_dev_to_dev_copy_streams int32; "
            "4 collective_ring_order string; 5 timestamped_allocator bool; "
            "7 kernel_tracker_max_interval int32; 8 kernel_tracker_max_bytes int32; "
            "9 kernel_tracker_max_pending int32; 10 internal_fragmentation_fraction double; "
            "11 use_cuda_malloc_async bool");
  EXPECT_EQ(fields<pb::GPUOptions::Experimental::VirtualDevices>(),
            "1 memory_limit_mb float[]; 2 priority int32[]");
}

TEST(SessionSchema, keeps_fields_of_graph_options) {
  EXPECT_EQ(fields<pb::GraphOptions>(),
            "2 enable_recv_scheduling bool; 3 optimizer_options OptimizerOptions; "
            "4 build_cost_model int64; 5 infer_shapes bool; 6 place_pruned_graph bool; "
            "7 enable_bfloat16_sendrecv bool; 8 timeline_step int32; "
            "9 build_cost_model_after int64; 10 rewrite_options RewriterConfig");
  EXPECT_EQ(fields<pb::OptimizerOptions>(),
            "1 do_common_subexpression_elimination bool; 2 do_constant_folding bool; "
            "3 opt_level OptimizerOptions.Level; 4 do_function_inlining bool; "
            "5 global_jit_level OptimizerOptions.GlobalJitLevel; "
            "6 max_folded_constant_in_bytes int64");
  EXPECT_EQ(values(*pb::OptimizerOptions::Level_descriptor()), "-1 L0; 0 L1");
  EXPECT_EQ(values(*pb::OptimizerOptions::GlobalJitLevel_descriptor()), "-1 OFF; 0 DEFAULT; 1 ON_1; 2 ON_2");
}

TEST(SessionSchema, keeps_fields_of_step_options) {
  EXPECT_EQ(fields<pb::RunOptions>(),
            "1 trace_level RunOptions.TraceLevel; 2 timeout_in_ms int64; "
            "3 inter_op_thread_pool int32; 5 output_partition_graphs bool; "
            "6 debug_options DebugOptions; 7 report_tensor_allocations_upon_oom bool; "
            "8 experimental RunOptions.Experimental");
  EXPECT_EQ(fields<pb::RunOptions::Experimental>(),
            "1 collective_graph_key int64; 2 use_run_handler_pool bool; "
            "3 run_handler_pool_options RunOptions.Experimental.RunHandlerPoolOptions");
  EXPECT_EQ(values(*pb::RunOptions::TraceLevel_descriptor()),
            "0 NO_TRACE; 1 SOFTWARE_TRACE; 2 HARDWARE_TRACE; 3 FULL_TRACE");
  EXPECT_EQ(fields<pb::RunMetadata>(),
            "1 step_stats StepStats; 2 cost_graph CostGraphDef; 3 partition_graphs GraphDef[]; "
            "4 function_graphs RunMetadata.FunctionGraphs[]");
  EXPECT_EQ(fields<pb::RunMetadata::FunctionGraphs>(),
            "1 partition_graphs GraphDef[]; 2 pre_optimization_graph GraphDef; "
            "3 post_optimization_graph GraphDef");
}

TEST(SessionSchema, keeps_fields_of_callables) {
  EXPECT_EQ(fields<pb::CallableOptions>(),
            "1 feed string[]; 2 fetch string[]; 3 target string[]; 4 run_options RunOptions; "
            "5 tensor_connection TensorConnection[]; 6 feed_devices map<string, string>; "
            "7 fetch_devices map<string, string>; 8 fetch_skip_sync bool");
  EXPECT_EQ(fields<pb::TensorConnection>(), "1 from_tensor string; 2 to_tensor string");
}

TEST(SessionSchema, keeps_fields_of_rewriter_options) {
  EXPECT_EQ(fields<pb::RewriterConfig>(),
            "1 layout_optimizer RewriterConfig.Toggle; 2 disable_model_pruning bool; "
            "3 constant_folding RewriterConfig.Toggle; "
            "4 memory_optimization RewriterConfig.MemOptType; "
            "5 auto_parallel AutoParallelOptions; "
            "6 memory_optimizer_target_node_name_scope string; "
            "7 arithmetic_optimization RewriterConfig.Toggle; "
            "8 dependency_optimization RewriterConfig.Toggle; "
            "9 loop_optimization RewriterConfig.Toggle; "
            "10 function_optimization RewriterConfig.Toggle; "
            "11 debug_stripper RewriterConfig.Toggle; "
            "12 meta_optimizer_iterations RewriterConfig.NumIterationsType; "
            "13 shape_optimization RewriterConfig.Toggle; 14 remapping RewriterConfig.Toggle; "
            "15 scoped_allocator_optimization RewriterConfig.Toggle; "
            "16 scoped_allocator_opts ScopedAllocatorOptions; 17 min_graph_nodes int32; "
            "18 pin_to_host_optimization RewriterConfig.Toggle; 19 disable_meta_optimizer bool; "
            "20 meta_optimizer_timeout_ms int64; 21 fail_on_optimizer_errors bool; "
            "22 implementation_selector RewriterConfig.Toggle; "
            "23 auto_mixed_precision RewriterConfig.Toggle; "
            "24 common_subgraph_elimination RewriterConfig.Toggle; "
            "25 auto_mixed_precision_mkl RewriterConfig.Toggle; "
            "26 experimental_disable_compressed_tensor_optimization bool; "
            "27 experimental_disable_folding_quantization_emulation bool; "
            "28 use_plugin_optimizers RewriterConfig.Toggle; "
            "50 cpu_layout_conversion RewriterConfig.CpuLayout; 100 optimizers string[]; "
            "200 custom_optimizers RewriterConfig.CustomGraphOptimizer[]; "
            "300 inter_optimizer_verifier_config VerifierConfig; "
            "301 post_optimization_verifier_config VerifierConfig");
  EXPECT_EQ(values(*pb::RewriterConfig::Toggle_descriptor()), "0 DEFAULT; 1 ON; 2 OFF; 3 AGGRESSIVE");
  EXPECT_EQ(values(*pb::RewriterConfig::MemOptType_descriptor()),
            "0 DEFAULT_MEM_OPT; 1 NO_MEM_OPT; 2 MANUAL; 3 HEURISTICS; 4 SWAPPING_HEURISTICS; "
            "5 RECOMPUTATION_HEURISTICS; 6 SCHEDULING_HEURISTICS");
  EXPECT_EQ(fields<pb::RewriterConfig::CustomGraphOptimizer>(),
            "1 name string; 2 parameter_map map<string, AttrValue>");
}

TEST(SessionSchema, keeps_fields_of_verifier_options) {
  EXPECT_EQ(fields<pb::VerifierConfig>(),
            "1 verification_timeout_in_ms int64; 2 structure_verifier VerifierConfig.Toggle");
}

TEST(SessionSchema, keeps_fields_of_clusters) {
  EXPECT_EQ(fields<pb::ClusterDef>(), "1 job JobDef[]");
  EXPECT_EQ(fields<pb::JobDef>(), "1 name string; 2 tasks map<int32, string>");
  EXPECT_EQ(fields<pb::ClusterDeviceFilters>(), "1 jobs JobDeviceFilters[]");
  EXPECT_EQ(fields<pb::JobDeviceFilters>(), "1 name string; 2 tasks map<int32, TaskDeviceFilters>");
  EXPECT_EQ(fields<pb::ServerDef>(),
            "1 cluster ClusterDef; 2 job_name string; 3 task_index int32; "
            "4 default_session_config ConfigProto; 5 protocol string; 6 port int32; "
            "7 cluster_device_filters ClusterDeviceFilters");
}

TEST(SessionSchema, keeps_numbers_of_error_codes) {
  EXPECT_EQ(values(*pb::error::Code_descriptor()),
            "0 OK; 1 CANCELLED; 2 UNKNOWN; 3 INVALID_ARGUMENT; 4 DEADLINE_EXCEEDED; 5 NOT_FOUND; "
            "6 ALREADY_EXISTS; 7 PERMISSION_DENIED; 8 RESOURCE_EXHAUSTED; 9 FAILED_PRECONDITION; "
            "10 ABORTED; 11 OUT_OF_RANGE; 12 UNIMPLEMENTED; 13 INTERNAL; 14 UNAVAILABLE; "
            "15 DATA_LOSS; 16 UNAUTHENTICATED; "
            "20 DO_NOT_USE_RESERVED_FOR_FUTURE_EXPANSION_USE_DEFAULT_IN_SWITCH_INSTEAD_");
}

TEST(SessionSchema, keeps_fields_of_named_tensors) {
  EXPECT_EQ(fields<pb::NamedTensorProto>(), "1 name string; 2 tensor TensorProto");
}

TEST(SessionSchema, keeps_fields_of_debug_options) {
  EXPECT_EQ(fields<pb::DebugOptions>(),
            "4 debug_tensor_watch_opts DebugTensorWatch[]; 10 global_step int64; "
            "11 reset_disk_byte_usage bool");
  EXPECT_EQ(fields<pb::DebugTensorWatch>(),
            "1 node_name string; 2 output_slot int32; 3 debug_ops string[]; "
            "4 debug_urls string[]; 5 tolerate_debug_op_creation_failures bool");
}

TEST(SessionSchema, keeps_fields_of_master_messages) {
  EXPECT_EQ(fields<pb::CreateSessionRequest>(),
            "1 graph_def GraphDef; 2 config ConfigProto; 3 target string");
  EXPECT_EQ(fields<pb::ExtendSessionRequest>(),
            "1 session_handle string; 2 graph_def GraphDef; 3 current_graph_version int64");
  EXPECT_EQ(fields<pb::ExtendSessionResponse>(), "4 new_graph_version int64");
  EXPECT_EQ(fields<pb::RunStepRequest>(),
            "1 session_handle string; 2 feed NamedTensorProto[]; 3 fetch string[]; "
            "4 target string[]; 5 options RunOptions; 6 partial_run_handle string; "
            "7 store_errors_in_response_body bool; 8 request_id int64");
  EXPECT_EQ(fields<pb::RunStepResponse>(),
            "1 tensor NamedTensorProto[]; 2 metadata RunMetadata; 3 status_code error.Code; "
            "4 status_error_message string");
  EXPECT_EQ(fields<pb::PartialRunSetupRequest>(),
            "1 session_handle string; 2 feed string[]; 3 fetch string[]; 4 target string[]; "
            "5 request_id int64");
  EXPECT_EQ(fields<pb::MakeCallableRequest>(),
            "1 session_handle string; 2 options CallableOptions; 3 request_id int64");
  EXPECT_EQ(fields<pb::RunCallableRequest>(),
            "1 session_handle string; 2 handle int64; 3 feed TensorProto[]; 4 request_id int64");
}

TEST(SessionSchema, keeps_fields_of_worker_messages) {
  EXPECT_EQ(fields<pb::CreateWorkerSessionRequest>(),
            "1 session_handle string; 2 server_def ServerDef; 3 isolate_session_state bool; "
            "4 cluster_device_attributes DeviceAttributes[]; 5 master_task string; "
            "6 master_incarnation int64");
  EXPECT_EQ(fields<pb::RegisterGraphRequest>(),
            "1 session_handle string; 2 graph_def GraphDef; 3 has_control_flow bool; "
            "4 graph_options GraphOptions; 5 debug_options DebugOptions; "
            "6 create_worker_session_called bool; 7 collective_graph_key int64; "
            "8 config_proto ConfigProto");
  EXPECT_EQ(fields<pb::RunGraphRequest>(),
            "1 graph_handle string; 2 step_id int64; 3 send NamedTensorProto[]; "
            "4 recv_key string[]; 5 exec_opts ExecutorOpts; 6 is_partial bool; "
            "7 is_last_partial_run bool; 8 session_handle string; "
            "9 store_errors_in_response_body bool; 10 create_worker_session_called bool; "
            "11 request_id int64");
  EXPECT_EQ(fields<pb::RunGraphResponse>(),
            "1 recv NamedTensorProto[]; 2 step_stats StepStats; 3 cost_graph CostGraphDef; "
            "4 partition_graph GraphDef[]; 5 status_code error.Code; "
            "6 status_error_message string");
  EXPECT_EQ(fields<pb::RecvTensorRequest>(),
            "1 step_id int64; 2 rendezvous_key string; 3 dma_ok bool; "
            "4 client_locality DeviceLocality; 5 server_locality DeviceLocality; "
            "6 transport_options google.protobuf.Any; 7 request_id int64");
  EXPECT_EQ(fields<pb::RecvTensorResponse>(),
            "1 tensor TensorProto; 2 is_dead bool; 3 send_start_micros int64; "
            "4 transport_options google.protobuf.Any; 5 require_ack bool");
}

TEST(SessionSchema, keeps_fields_of_collective_messages) {
  EXPECT_EQ(fields<pb::RecvBufRequest>(),
            "1 step_id int64; 2 buf_rendezvous_key string; 3 num_bytes int64; 4 buf_ptr fixed64; "
            "5 client_locality DeviceLocality; 6 server_locality DeviceLocality; "
            "7 transport_options google.protobuf.Any; 8 src_device string; 9 dst_device string; "
            "10 request_id int64; 11 src_incarnation uint64");
  EXPECT_EQ(fields<pb::RecvBufRespExtra>(), "1 tensor_content bytes[]");
  EXPECT_EQ(fields<pb::CompleteGroupRequest>(),
            "1 group_key int32; 2 group_size int32; 3 device_type string; "
            "5 collective_type int32; 6 device_attributes DeviceAttributes");
  EXPECT_EQ(fields<pb::CompleteGroupResponse>(),
            "1 group_key int32; 2 group_size int32; 3 device_type string; 4 num_tasks int32; "
            "7 communicator_key bytes; 8 device_attributes DeviceAttributes[]");
  EXPECT_EQ(fields<pb::CompleteInstanceRequest>(),
            "1 name string; 2 type int32; 3 data_type DataType; 4 shape TensorShapeProto; "
            "5 group_key int32; 6 group_size int32; 7 instance_key int32; 8 device_type string; "
            "9 subdiv_offset int32[]; 10 device string; 11 is_source bool");
  EXPECT_EQ(fields<pb::GetStepSequenceResponse>(), "1 step_sequence StepSequence[]");
}

TEST(SessionSchema, keeps_fields_of_step_statistics) {
  EXPECT_EQ(fields<pb::NodeExecStats>(),
            "1 node_name string; 2 all_start_micros int64; 3 op_start_rel_micros int64; "
            "4 op_end_rel_micros int64; 5 all_end_rel_micros int64; "
            "6 memory AllocatorMemoryUsed[]; 7 output NodeOutput[]; 8 timeline_label string; "
            "9 scheduled_micros int64; 10 thread_id uint32; "
            "11 referenced_tensor AllocationDescription[]; 12 memory_stats MemoryStats; "
            "13 all_start_nanos int64; 14 op_start_rel_nanos int64; 15 op_end_rel_nanos int64; "
            "16 all_end_rel_nanos int64; 17 scheduled_nanos int64");
  EXPECT_EQ(fields<pb::AllocatorMemoryUsed>(),
            "1 allocator_name string; 2 total_bytes int64; 3 peak_bytes int64; "
            "4 live_bytes int64; 5 allocator_bytes_in_use int64; "
            "6 allocation_records AllocationRecord[]");
  EXPECT_EQ(fields<pb::MemoryStats>(),
            "1 temp_memory_size int64; 2 device_temp_memory_size int64; "
            "3 persistent_memory_size int64; 4 device_persistent_memory_size int64; "
            "5 persistent_tensor_alloc_ids int64[]; 6 device_persistent_tensor_alloc_ids int64[]");
  EXPECT_EQ(fields<pb::DeviceStepStats>(),
            "1 device string; 2 node_stats NodeExecStats[]; 3 thread_names map<uint32, string>");
  EXPECT_EQ(fields<pb::AllocationDescription>(),
            "1 requested_bytes int64; 2 allocated_bytes int64; 3 allocator_name string; "
            "4 allocation_id int64; 5 has_single_reference bool; 6 ptr uint64");
  EXPECT_EQ(fields<pb::TensorDescription>(),
            "1 dtype DataType; 2 shape TensorShapeProto; "
            "4 allocation_description AllocationDescription");
}

TEST(SessionSchema, keeps_fields_of_cost_graphs) {
  EXPECT_EQ(fields<pb::CostGraphDef>(), "1 node CostGraphDef.Node[]; 2 cost CostGraphDef.AggregatedCost[]");
  EXPECT_EQ(fields<pb::CostGraphDef::Node>(),
            "1 name string; 2 device string; 3 id int32; "
            "4 input_info CostGraphDef.Node.InputInfo[]; "
            "5 output_info CostGraphDef.Node.OutputInfo[]; 6 temporary_memory_size int64; "
            "7 is_final bool; 8 control_input int32[]; 9 compute_cost int64; "
            "10 host_temp_memory_size int64; 11 device_temp_memory_size int64; "
            "12 persistent_memory_size int64; 14 compute_time int64; 15 memory_time int64; "
            "16 device_persistent_memory_size int64; 17 inaccurate bool");
  EXPECT_EQ(fields<pb::CostGraphDef::Node::OutputInfo>(),
            "1 size int64; 2 alias_input_port int64; 3 shape TensorShapeProto; 4 dtype DataType");
}

TEST(SessionSchema, keeps_fields_of_memory_logs) {
  EXPECT_EQ(fields<pb::MemoryLogTensorOutput>(),
            "1 step_id int64; 2 kernel_name string; 3 index int32; 4 tensor TensorDescription");
  EXPECT_EQ(fields<pb::MemoryLogRawAllocation>(),
            "1 step_id int64; 2 operation string; 3 num_bytes int64; 4 ptr uint64; "
            "5 allocation_id int64; 6 allocator_name string");
}

}  // namespace
}  // namespace troupe::proto_test
