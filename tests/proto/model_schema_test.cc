#include "tests/proto/describe.h"

#include "proto/control_flow.pb.h"
#include "proto/event.pb.h"
#include "proto/example.pb.h"
#include "proto/feature.pb.h"
#include "proto/memmapped_file_system.pb.h"
#include "proto/meta_graph.pb.h"
#include "proto/pb.h"
#include "proto/queue_runner.pb.h"
#include "proto/saved_model.pb.h"
#include "proto/saved_object_graph.pb.h"
#include "proto/saved_tensor_slice.pb.h"
#include "proto/saver.pb.h"
#include "proto/struct.pb.h"
#include "proto/summary.pb.h"
#include "proto/tensor_bundle.pb.h"
#include "proto/tensor_slice.pb.h"
#include "proto/trackable_object_graph.pb.h"
#include "proto/variable.pb.h"

#include <gtest/gtest.h>

namespace troupe::proto_test {
namespace {

TEST(ModelSchema, keeps_fields_of_variables) {
  EXPECT_EQ(fields<pb::VariableDef>(),
            "1 variable_name string; 2 initializer_name string; 3 snapshot_name string; "
            "4 save_slice_info_def SaveSliceInfoDef; 5 is_resource bool; "
            "6 initial_value_name string; 7 trainable bool; "
            "8 synchronization VariableSynchronization; 9 aggregation VariableAggregation");
  EXPECT_EQ(fields<pb::SaveSliceInfoDef>(),
            "1 full_name string; 2 full_shape int64[]; 3 var_offset int64[]; 4 var_shape int64[]");
}

TEST(ModelSchema, keeps_fields_of_tensor_slices) {
  EXPECT_EQ(fields<pb::TensorSliceProto::Extent>(), "1 start int64; 2 length int64 |has_length");
}

TEST(ModelSchema, keeps_fields_of_summaries) {
  EXPECT_EQ(fields<pb::Summary::Value>(),
            "1 tag string; 2 simple_value float |value; "
            "3 obsolete_old_style_histogram bytes |value; 4 image Summary.Image |value; "
            "5 histo HistogramProto |value; 6 audio Summary.Audio |value; 7 node_name string; "
            "8 tensor TensorProto |value; 9 metadata SummaryMetadata");
  EXPECT_EQ(fields<pb::HistogramProto>(),
            "1 min double; 2 max double; 3 num double; 4 sum double; 5 sum_squares double; "
            "6 bucket_limit double[]; 7 bucket double[]");
  EXPECT_EQ(fields<pb::SummaryMetadata>(),
            "1 plugin_data SummaryMetadata.PluginData; 2 display_name string; "
            "3 summary_description string; 4 data_class DataClass");
}

TEST(ModelSchema, keeps_fields_of_meta_graphs) {
  EXPECT_EQ(fields<pb::MetaGraphDef>(),
            "1 meta_info_def MetaGraphDef.MetaInfoDef; 2 graph_def GraphDef; "
            "3 saver_def SaverDef; 4 collection_def map<string, CollectionDef>; "
            "5 signature_def map<string, SignatureDef>; 6 asset_file_def AssetFileDef[]; "
            "7 object_graph_def SavedObjectGraph");
  EXPECT_EQ(fields<pb::MetaGraphDef::MetaInfoDef>(),
            "1 meta_graph_version string; 2 stripped_op_list OpList; "
            "3 any_info google.protobuf.Any; 4 tags string[]; 5 tensorflow_version string; "
            "6 tensorflow_git_version string; 7 stripped_default_attrs bool; "
            "8 function_aliases map<string, string>");
  EXPECT_EQ(fields<pb::CollectionDef>(),
            "1 node_list CollectionDef.NodeList |kind; "
            "2 bytes_list CollectionDef.BytesList |kind; "
            "3 int64_list CollectionDef.Int64List |kind; "
            "4 float_list CollectionDef.FloatList |kind; 5 any_list CollectionDef.AnyList |kind");
  EXPECT_EQ(fields<pb::AssetFileDef>(), "1 tensor_info TensorInfo; 2 filename string");
}

TEST(ModelSchema, keeps_fields_of_signatures) {
  EXPECT_EQ(fields<pb::SignatureDef>(),
            "1 inputs map<string, TensorInfo>; 2 outputs map<string, TensorInfo>; "
            "3 method_name string");
  EXPECT_EQ(fields<pb::TensorInfo>(),
            "1 name string |encoding; 2 dtype DataType; 3 tensor_shape TensorShapeProto; "
            "4 coo_sparse TensorInfo.CooSparse |encoding; "
            "5 composite_tensor TensorInfo.CompositeTensor |encoding");
  EXPECT_EQ(fields<pb::TensorInfo::CooSparse>(),
            "1 values_tensor_name string; 2 indices_tensor_name string; "
            "3 dense_shape_tensor_name string");
  EXPECT_EQ(fields<pb::TensorInfo::CompositeTensor>(),
            "1 type_spec TypeSpecProto; 2 components TensorInfo[]");
}

TEST(ModelSchema, keeps_fields_of_savers) {
  EXPECT_EQ(fields<pb::SaverDef>(),
            "1 filename_tensor_name string; 2 save_tensor_name string; 3 restore_op_name string; "
            "4 max_to_keep int32; 5 sharded bool; 6 keep_checkpoint_every_n_hours float; "
            "7 version SaverDef.CheckpointFormatVersion");
  EXPECT_EQ(values(*pb::SaverDef::CheckpointFormatVersion_descriptor()), "0 LEGACY; 1 V1; 2 V2");
}

TEST(ModelSchema, keeps_fields_of_saved_models) {
  EXPECT_EQ(fields<pb::SavedModel>(), "1 saved_model_schema_version int64; 2 meta_graphs MetaGraphDef[]");
}

TEST(ModelSchema, keeps_fields_of_saved_objects) {
  EXPECT_EQ(fields<pb::SavedObjectGraph>(),
            "1 nodes SavedObject[]; 2 concrete_functions map<string, SavedConcreteFunction>");
  EXPECT_EQ(fields<pb::SavedObject>(),
            "1 children TrackableObjectGraph.TrackableObject.ObjectReference[]; "
            "3 slot_variables TrackableObjectGraph.TrackableObject.SlotVariableReference[]; "
            "4 user_object SavedUserObject |kind; 5 asset SavedAsset |kind; "
            "6 function SavedFunction |kind; 7 variable SavedVariable |kind; "
            "8 bare_concrete_function SavedBareConcreteFunction |kind; "
            "9 constant SavedConstant |kind; 10 resource SavedResource |kind; "
            "11 saveable_objects map<string, SaveableObject>; "
            "12 captured_tensor CapturedTensor |kind; 13 registered_name string; "
            "14 serialized_user_proto google.protobuf.Any; "
            "15 dependencies TrackableObjectGraph.TrackableObject.ObjectReference[]; "
            "16 registered_saver string");
  EXPECT_EQ(fields<pb::SavedConcreteFunction>(),
            "2 bound_inputs int32[]; 3 canonicalized_input_signature StructuredValue; "
            "4 output_signature StructuredValue");
  EXPECT_EQ(fields<pb::SavedVariable>(),
            "1 dtype DataType; 2 shape TensorShapeProto; 3 trainable bool; "
            "4 synchronization VariableSynchronization; 5 aggregation VariableAggregation; "
            "6 name string; 7 device string; "
            "8 experimental_distributed_variable_components SavedVariable[]");
  EXPECT_EQ(fields<pb::FunctionSpec>(),
            "1 fullargspec StructuredValue; 2 is_method bool; 5 input_signature StructuredValue; "
            "6 jit_compile FunctionSpec.JitCompile");
}

TEST(ModelSchema, keeps_fields_of_trackable_objects) {
  EXPECT_EQ(fields<pb::TrackableObjectGraph::TrackableObject>(),
            "1 children TrackableObjectGraph.TrackableObject.ObjectReference[]; "
            "2 attributes TrackableObjectGraph.TrackableObject.SerializedTensor[]; "
            "3 slot_variables TrackableObjectGraph.TrackableObject.SlotVariableReference[]; "
            "4 registered_saver RegisteredSaver; "
            "5 has_checkpoint_values google.protobuf.BoolValue");
  EXPECT_EQ(fields<pb::TrackableObjectGraph::TrackableObject::SerializedTensor>(),
            "1 name string; 2 full_name string; 3 checkpoint_key string; 4 optional_restore bool");
}

TEST(ModelSchema, keeps_fields_of_structured_values) {
  EXPECT_EQ(fields<pb::StructuredValue>(),
            "1 none_value NoneValue |kind; 11 float64_value double |kind; "
            "12 int64_value sint64 |kind; 13 string_value string |kind; "
            "14 bool_value bool |kind; 31 tensor_shape_value TensorShapeProto |kind; "
            "32 tensor_dtype_value DataType |kind; 33 tensor_spec_value TensorSpecProto |kind; "
            "34 type_spec_value TypeSpecProto |kind; "
            "35 bounded_tensor_spec_value BoundedTensorSpecProto |kind; "
            "51 list_value ListValue |kind; 52 tuple_value TupleValue |kind; "
            "53 dict_value DictValue |kind; 54 named_tuple_value NamedTupleValue |kind");
  EXPECT_EQ(fields<pb::NamedTupleValue>(), "1 name string; 2 values PairValue[]");
  EXPECT_EQ(fields<pb::TypeSpecProto>(),
            "1 type_spec_class TypeSpecProto.TypeSpecClass; 2 type_state StructuredValue; "
            "3 type_spec_class_name string");
  EXPECT_EQ(fields<pb::BoundedTensorSpecProto>(),
            "1 name string; 2 shape TensorShapeProto; 3 dtype DataType; 4 minimum TensorProto; "
            "5 maximum TensorProto");
}

TEST(ModelSchema, keeps_fields_of_checkpoint_indexes) {
  EXPECT_EQ(fields<pb::BundleHeaderProto>(),
            "1 num_shards int32; 2 endianness BundleHeaderProto.Endianness; 3 version VersionDef");
  EXPECT_EQ(fields<pb::BundleEntryProto>(),
            "1 dtype DataType; 2 shape TensorShapeProto; 3 shard_id int32; 4 offset int64; "
            "5 size int64; 6 crc32c fixed32; 7 slices TensorSliceProto[]");
}

TEST(ModelSchema, keeps_fields_of_v1_checkpoints) {
  EXPECT_EQ(fields<pb::SavedSliceMeta>(),
            "1 name string; 2 shape TensorShapeProto; 3 type DataType; 4 slice TensorSliceProto[]");
  EXPECT_EQ(fields<pb::SavedTensorSlices>(), "1 meta SavedTensorSliceMeta; 2 data SavedSlice");
}

TEST(ModelSchema, keeps_fields_of_control_flow_contexts) {
  EXPECT_EQ(fields<pb::ControlFlowContextDef>(),
            "1 cond_ctxt CondContextDef |ctxt; 2 while_ctxt WhileContextDef |ctxt");
  EXPECT_EQ(fields<pb::CondContextDef>(),
            "1 context_name string; 2 pred_name string; 3 pivot_name string; 4 branch int32; "
            "5 values_def ValuesDef; 6 nested_contexts ControlFlowContextDef[]");
  EXPECT_EQ(fields<pb::WhileContextDef>(),
            "1 context_name string; 2 parallel_iterations int32; 3 back_prop bool; "
            "4 swap_memory bool; 5 pivot_name string; 6 pivot_for_pred_name string; "
            "7 pivot_for_body_name string; 8 loop_exit_names string[]; 9 values_def ValuesDef; "
            "10 loop_enter_names string[]; 11 maximum_iterations_name string; "
            "12 nested_contexts ControlFlowContextDef[]");
  EXPECT_EQ(fields<pb::ValuesDef>(), "1 values string[]; 2 external_values map<string, string>");
}

TEST(ModelSchema, keeps_fields_of_queue_runners) {
  EXPECT_EQ(fields<pb::QueueRunnerDef>(),
            "1 queue_name string; 2 enqueue_op_name string[]; 3 close_op_name string; "
            "4 cancel_op_name string; 5 queue_closed_exception_types error.Code[]");
}

TEST(ModelSchema, keeps_fields_of_examples) {
  EXPECT_EQ(fields<pb::Example>(), "1 features Features");
  EXPECT_EQ(fields<pb::SequenceExample>(), "1 context Features; 2 feature_lists FeatureLists");
  EXPECT_EQ(fields<pb::Feature>(),
            "1 bytes_list BytesList |kind; 2 float_list FloatList |kind; "
            "3 int64_list Int64List |kind");
  EXPECT_EQ(fields<pb::FeatureLists>(), "1 feature_list map<string, FeatureList>");
}

TEST(ModelSchema, keeps_fields_of_events) {
  EXPECT_EQ(fields<pb::Event>(),
            "1 wall_time double; 2 step int64; 3 file_version string |what; "
            "4 graph_def bytes |what; 5 summary Summary |what; 6 log_message LogMessage |what; "
            "7 session_log SessionLog |what; 8 tagged_run_metadata TaggedRunMetadata |what; "
            "9 meta_graph_def bytes |what");
  EXPECT_EQ(fields<pb::SessionLog>(),
            "1 status SessionLog.SessionStatus; 2 checkpoint_path string; 3 msg string");
  EXPECT_EQ(fields<pb::TaggedRunMetadata>(), "1 tag string; 2 run_metadata bytes");
  EXPECT_EQ(fields<pb::WorkerHeartbeatRequest>(),
            "1 shutdown_mode WorkerShutdownMode; 2 watchdog_config WatchdogConfig; "
            "3 exit_code RequestedExitCode");
}

TEST(ModelSchema, keeps_fields_of_mapped_files) {
  EXPECT_EQ(fields<pb::MemmappedFileSystemDirectoryElement>(),
            "1 offset uint64; 2 name string; 3 length uint64");
}

}  // namespace
}  // namespace troupe::proto_test
