#include "tests/proto/describe.h"

#include "proto/attr_value.pb.h"
#include "proto/device_attributes.pb.h"
#include "proto/full_type.pb.h"
#include "proto/function.pb.h"
#include "proto/graph.pb.h"
#include "proto/graph_debug_info.pb.h"
#include "proto/kernel_def.pb.h"
#include "proto/node_def.pb.h"
#include "proto/op_def.pb.h"
#include "proto/pb.h"
#include "proto/resource_handle.pb.h"
#include "proto/tensor.pb.h"
#include "proto/tensor_shape.pb.h"
#include "proto/types.pb.h"
#include "proto/versions.pb.h"

#include <gtest/gtest.h>

namespace troupe::proto_test {
namespace {

TEST(GraphSchema, keeps_numbers_of_data_types) {
  EXPECT_EQ(values(*pb::DataType_descriptor()),
            "0 DT_INVALID; 1 DT_FLOAT; 2 DT_DOUBLE; 3 DT_INT32; 4 DT_UINT8; 5 DT_INT16; "
            "6 DT_INT8; 7 DT_STRING; 8 DT_COMPLEX64; 9 DT_INT64; 10 DT_BOOL; 11 DT_QINT8; "
            "12 DT_QUINT8; 13 DT_QINT32; 14 DT_BFLOAT16; 15 DT_QINT16; 16 DT_QUINT16; "
            "17 DT_UINT16; 18 DT_COMPLEX128; 19 DT_HALF; 20 DT_RESOURCE; 21 DT_VARIANT; "
            "22 DT_UINT32; 23 DT_UINT64; 24 DT_FLOAT8_E5M2; 25 DT_FLOAT8_E4M3FN; "
            "26 DT_FLOAT8_E4M3FNUZ; 27 DT_FLOAT8_E4M3B11FNUZ; 28 DT_FLOAT8_E5M2FNUZ; 29 DT_INT4; "
            "30 DT_UINT4; 31 DT_INT2; 32 DT_UINT2; 101 DT_FLOAT_REF; 102 DT_DOUBLE_REF; "
            "103 DT_INT32_REF; 104 DT_UINT8_REF; 105 DT_INT16_REF; 106 DT_INT8_REF; "
            "107 DT_STRING_REF; 108 DT_COMPLEX64_REF; 109 DT_INT64_REF; 110 DT_BOOL_REF; "
            "111 DT_QINT8_REF; 112 DT_QUINT8_REF; 113 DT_QINT32_REF; 114 DT_BFLOAT16_REF; "
            "115 DT_QINT16_REF; 116 DT_QUINT16_REF; 117 DT_UINT16_REF; 118 DT_COMPLEX128_REF; "
            "119 DT_HALF_REF; 120 DT_RESOURCE_REF; 121 DT_VARIANT_REF; 122 DT_UINT32_REF; "
            "123 DT_UINT64_REF; 124 DT_FLOAT8_E5M2_REF; 125 DT_FLOAT8_E4M3FN_REF; "
            "126 DT_FLOAT8_E4M3FNUZ_REF; 127 DT_FLOAT8_E4M3B11FNUZ_REF; "
            "128 DT_FLOAT8_E5M2FNUZ_REF; 129 DT_INT4_REF; 130 DT_UINT4_REF; 131 DT_INT2_REF; "
            "132 DT_UINT2_REF");
}

TEST(GraphSchema, keeps_fields_of_shapes) {
  EXPECT_EQ(fields<pb::TensorShapeProto>(), "2 dim TensorShapeProto.Dim[]; 3 unknown_rank bool");
  EXPECT_EQ(fields<pb::TensorShapeProto::Dim>(), "1 size int64; 2 name string");
}

TEST(GraphSchema, keeps_fields_of_tensors) {
  EXPECT_EQ(fields<pb::TensorProto>(),
            "1 dtype DataType; 2 tensor_shape TensorShapeProto; 3 version_number int32; "
            "4 tensor_content bytes; 5 float_val float[]; 6 double_val double[]; "
            "7 int_val int32[]; 8 string_val bytes[]; 9 scomplex_val float[]; "
            "10 int64_val int64[]; 11 bool_val bool[]; 12 dcomplex_val double[]; "
            "13 half_val int32[]; 14 resource_handle_val ResourceHandleProto[]; "
            "15 variant_val VariantTensorDataProto[]; 16 uint32_val uint32[]; "
            "17 uint64_val uint64[]; 18 float8_val bytes");
  EXPECT_EQ(fields<pb::VariantTensorDataProto>(),
            "1 type_name string; 2 metadata bytes; 3 tensors TensorProto[]");
}

TEST(GraphSchema, keeps_fields_of_resource_handles) {
  EXPECT_EQ(fields<pb::ResourceHandleProto>(),
            "1 device string; 2 container string; 3 name string; 4 hash_code uint64; "
            "5 maybe_type_name string; 6 dtypes_and_shapes ResourceHandleProto.DtypeAndShape[]");
  EXPECT_EQ(fields<pb::ResourceHandleProto::DtypeAndShape>(), "1 dtype DataType; 2 shape TensorShapeProto");
}

TEST(GraphSchema, keeps_fields_of_attributes) {
  EXPECT_EQ(fields<pb::AttrValue>(),
            "1 list AttrValue.ListValue |value; 2 s bytes |value; 3 i int64 |value; "
            "4 f float |value; 5 b bool |value; 6 type DataType |value; "
            "7 shape TensorShapeProto |value; 8 tensor TensorProto |value; "
            "9 placeholder string |value; 10 func NameAttrList |value");
  EXPECT_EQ(fields<pb::AttrValue::ListValue>(),
            "2 s bytes[]; 3 i int64[]; 4 f float[]; 5 b bool[]; 6 type DataType[]; "
            "7 shape TensorShapeProto[]; 8 tensor TensorProto[]; 9 func NameAttrList[]");
  EXPECT_EQ(fields<pb::NameAttrList>(), "1 name string; 2 attr map<string, AttrValue>");
}

TEST(GraphSchema, keeps_fields_of_nodes) {
  EXPECT_EQ(fields<pb::NodeDef>(),
            "1 name string; 2 op string; 3 input string[]; 4 device string; "
            "5 attr map<string, AttrValue>; "
            "6 experimental_debug_info NodeDef.ExperimentalDebugInfo; "
            "7 experimental_type FullTypeDef");
  EXPECT_EQ(fields<pb::NodeDef::ExperimentalDebugInfo>(),
            "1 original_node_names string[]; 2 original_func_names string[]");
}

TEST(GraphSchema, keeps_fields_of_versions) {
  EXPECT_EQ(fields<pb::VersionDef>(), "1 producer int32; 2 min_consumer int32; 3 bad_consumers int32[]");
}

TEST(GraphSchema, keeps_fields_of_op_signatures) {
  EXPECT_EQ(fields<pb::OpDef>(),
            "1 name string; 2 input_arg OpDef.ArgDef[]; 3 output_arg OpDef.ArgDef[]; "
            "4 attr OpDef.AttrDef[]; 5 summary string; 6 description string; "
            "8 deprecation OpDeprecation; 16 is_aggregate bool; 17 is_stateful bool; "
            "18 is_commutative bool; 19 allows_uninitialized_input bool; "
            "20 control_output string[]; 21 is_distributed_communication bool");
  EXPECT_EQ(fields<pb::OpDef::ArgDef>(),
            "1 name string; 2 description string; 3 type DataType; 4 type_attr string; "
            "5 number_attr string; 6 type_list_attr string; "
            "7 handle_data ResourceHandleProto.DtypeAndShape[]; 16 is_ref bool; "
            "17 experimental_full_type FullTypeDef");
  EXPECT_EQ(fields<pb::OpDef::AttrDef>(),
            "1 name string; 2 type string; 3 default_value AttrValue; 4 description string; "
            "5 has_minimum bool; 6 minimum int64; 7 allowed_values AttrValue");
  EXPECT_EQ(fields<pb::OpDeprecation>(), "1 version int32; 2 explanation string");
}

TEST(GraphSchema, keeps_fields_of_full_types) {
  EXPECT_EQ(fields<pb::FullTypeDef>(),
            "1 type_id FullTypeId; 2 args FullTypeDef[]; 3 s string |attr; 4 i int64 |attr");
}

TEST(GraphSchema, keeps_fields_of_functions) {
  EXPECT_EQ(fields<pb::FunctionDef>(),
            "1 signature OpDef; 3 node_def NodeDef[]; 4 ret map<string, string>; "
            "5 attr map<string, AttrValue>; 6 control_ret map<string, string>; "
            "7 arg_attr map<uint32, FunctionDef.ArgAttrs>; "
            "8 resource_arg_unique_id map<uint32, uint32>");
  EXPECT_EQ(fields<pb::FunctionDef::ArgAttrs>(), "1 attr map<string, AttrValue>");
  EXPECT_EQ(fields<pb::FunctionDefLibrary>(),
            "1 function FunctionDef[]; 2 gradient GradientDef[]; "
            "3 registered_gradients RegisteredGradient[]");
  EXPECT_EQ(fields<pb::GradientDef>(), "1 function_name string; 2 gradient_func string");
  EXPECT_EQ(fields<pb::RegisteredGradient>(), "1 gradient_func string; 2 registered_op_type string");
}

TEST(GraphSchema, keeps_fields_of_graphs) {
  EXPECT_EQ(fields<pb::GraphDef>(),
            "1 node NodeDef[]; 2 library FunctionDefLibrary; 3 version int32; "
            "4 versions VersionDef; 5 debug_info GraphDebugInfo");
}

TEST(GraphSchema, keeps_fields_of_graph_debug_info) {
  EXPECT_EQ(fields<pb::GraphDebugInfo>(),
            "1 files string[]; 2 traces map<string, GraphDebugInfo.StackTrace>; "
            "4 frames_by_id map<fixed64, GraphDebugInfo.FileLineCol>; "
            "5 name_to_trace_id map<string, fixed64>; "
            "6 traces_by_id map<fixed64, GraphDebugInfo.StackTrace>");
  EXPECT_EQ(fields<pb::GraphDebugInfo::FileLineCol>(),
            "1 file_index int32; 2 line int32; 3 col int32; 4 func string; 5 code string");
  EXPECT_EQ(fields<pb::GraphDebugInfo::StackTrace>(),
            "1 file_line_cols GraphDebugInfo.FileLineCol[]; 2 frame_id fixed64[]");
}

TEST(GraphSchema, keeps_fields_of_kernel_lists) {
  EXPECT_EQ(fields<pb::KernelDef>(),
            "1 op string; 2 device_type string; 3 constraint KernelDef.AttrConstraint[]; "
            "4 host_memory_arg string[]; 5 label string; 6 priority int32");
  EXPECT_EQ(fields<pb::KernelDef::AttrConstraint>(), "1 name string; 2 allowed_values AttrValue");
}

TEST(GraphSchema, keeps_fields_of_device_attributes) {
  EXPECT_EQ(fields<pb::DeviceAttributes>(),
            "1 name string; 2 device_type string; 4 memory_limit int64; "
            "5 locality DeviceLocality; 6 incarnation fixed64; 7 physical_device_desc string");
  EXPECT_EQ(fields<pb::DeviceLocality>(), "1 bus_id int32; 2 numa_node int32; 3 links LocalLinks");
  EXPECT_EQ(fields<pb::InterconnectLink>(), "1 device_id int32; 2 type string; 3 strength int32");
}

}  // namespace
}  // namespace troupe::proto_test
