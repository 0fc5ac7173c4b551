// Bytes and texts as other programs write them.

#include "tests/proto/describe.h"

#include "proto/config.pb.h"
#include "proto/error_codes.pb.h"
#include "proto/event.pb.h"
#include "proto/graph.pb.h"
#include "proto/meta_graph.pb.h"
#include "proto/pb.h"
#include "proto/saved_object_graph.pb.h"
#include "proto/tensor.pb.h"
#include "proto/worker.pb.h"

#include <absl/status/status.h>
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace troupe::proto_test {
namespace {

using google::protobuf::TextFormat;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Wire, alias_names_the_package) {
  EXPECT_TRUE((std::is_same_v<pb::GraphDef, ::tensorflow::GraphDef>));
  EXPECT_EQ(pb::GraphDef::descriptor()->full_name(), "tensorflow.GraphDef");
}

TEST(Wire, reads_bytes_of_a_node) {
  const std::string bytes(
      "\x0a\x0b"           // GraphDef.node, 11 bytes
      "\x0a\x01x"          // name
      "\x12\x03Neg"        // op
      "\x1a\x01y"          // input
      "\x22\x02\x08\x1b",  // GraphDef.versions, producer 27
      17);
  pb::GraphDef graph;
  ASSERT_TRUE(graph.ParseFromString(bytes));

  ASSERT_EQ(graph.node_size(), 1);
  EXPECT_EQ(graph.node(0).name(), "x");
  EXPECT_EQ(graph.node(0).op(), "Neg");
  EXPECT_THAT(graph.node(0).input(), ElementsAre("y"));
  EXPECT_EQ(graph.versions().producer(), 27);
}

TEST(Wire, writes_number_lists_packed) {
  pb::TensorProto tensor;
  tensor.add_int_val(1);
  tensor.add_int_val(2);
  EXPECT_EQ(tensor.SerializeAsString(), "\x3a\x02\x01\x02");

  for (const auto* file : {pb::ConfigProto::descriptor()->file(), pb::Event::descriptor()->file(),
                           pb::MetaGraphDef::descriptor()->file(), pb::TensorProto::descriptor()->file(),
                           pb::RunGraphRequest::descriptor()->file()}) {
    EXPECT_THAT(unpacked_fields(*file), IsEmpty());
  }
}

TEST(Wire, reads_unpacked_number_lists) {
  pb::TensorProto tensor;
  ASSERT_TRUE(tensor.ParseFromString("\x38\x01\x38\x02"));
  EXPECT_THAT(tensor.int_val(), ElementsAre(1, 2));
}

TEST(Wire, tells_an_empty_list_from_no_value) {
  pb::AttrValue empty, none;
  ASSERT_TRUE(TextFormat::ParseFromString("list {}", &empty));
  EXPECT_EQ(empty.value_case(), pb::AttrValue::kList);
  EXPECT_EQ(empty.SerializeAsString(), std::string("\x0a\x00", 2));
  EXPECT_EQ(none.value_case(), pb::AttrValue::VALUE_NOT_SET);
}

TEST(Wire, keeps_fields_that_it_does_not_know) {
  const std::string bytes(
      "\x10\x04"  // intra_op_parallelism_threads: 4
      "\xfa\x7f\x03"
      "new");  // field 2047
  pb::ConfigProto config;
  ASSERT_TRUE(config.ParseFromString(bytes));
  EXPECT_EQ(config.intra_op_parallelism_threads(), 4);
  EXPECT_EQ(config.SerializeAsString(), bytes);
}

TEST(Wire, keeps_enum_values_that_it_does_not_know) {
  pb::TensorProto tensor;
  ASSERT_TRUE(tensor.ParseFromString("\x08\x63"));
  EXPECT_EQ(tensor.dtype(), 99);
  EXPECT_EQ(tensor.SerializeAsString(), "\x08\x63");
}

TEST(Wire, optimises_unless_told_not_to) {
  pb::OptimizerOptions options;
  EXPECT_EQ(options.opt_level(), pb::OptimizerOptions::L1);
  ASSERT_TRUE(TextFormat::ParseFromString("opt_level: L0", &options));
  EXPECT_EQ(options.opt_level(), -1);
}

TEST(Wire, codes_equal_those_of_status) {
  EXPECT_EQ(pb::error::INVALID_ARGUMENT, static_cast<int>(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(pb::error::DATA_LOSS, static_cast<int>(absl::StatusCode::kDataLoss));
  EXPECT_EQ(pb::error::UNAUTHENTICATED, static_cast<int>(absl::StatusCode::kUnauthenticated));
}

TEST(Wire, reads_texts_of_later_releases) {
  pb::GraphDef graph;
  ASSERT_TRUE(TextFormat::ParseFromString(R"(
    node {
      name: "d" op: "RangeDataset"
      attr { key: "output_types" value { list { type: DT_FLOAT8_E5M2 type: DT_INT4 } } }
      experimental_type { type_id: TFT_PRODUCT args { type_id: TFT_SHAPE_TENSOR } }
    }
    debug_info { files: "a.py" name_to_trace_id { key: "d" value: 7 } })",
                                          &graph));
  EXPECT_THAT(graph.node(0).attr().at("output_types").list().type(),
              ElementsAre(pb::DT_FLOAT8_E5M2, pb::DT_INT4));
  EXPECT_EQ(graph.debug_info().name_to_trace_id().at("d"), 7u);
}

TEST(Wire, gives_vendor_options_their_numbers) {
  pb::ConfigProto config;
  config.set_run_graph_mode(true);
  EXPECT_EQ(config.SerializeAsString(), "\xd8\x0c\x01");
}

TEST(Wire, packs_messages_by_their_public_name) {
  pb::RecvTensorResponse response;
  pb::NodeDef node;
  node.set_name("n");
  response.mutable_transport_options()->PackFrom(node);
  EXPECT_EQ(response.transport_options().type_url(), "type.googleapis.com/tensorflow.NodeDef");
}

}  // namespace
}  // namespace troupe::proto_test
