#include <gmock/gmock.h>

#include "proto/config.pb.h"
#include "proto/cost_graph.pb.h"
#include "proto/step_stats.pb.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

namespace pb = ::tensorflow;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// x = a + a here, y = x + x there, z = a constant behind y; nothing is folded.
class RunMetadataTest : public SessionTest {
 protected:
  RunMetadataTest() {
    const int a = placeholder("a");
    const int x = add("x", "TestAdd", {}, {{a, 0}, {a, 0}}, {}, "/cpu:0");
    const int y = add("y", "TestAdd", {}, {{x, 0}, {x, 0}}, {}, "/cpu:1");
    const int v = constant("v", Tensor::vector<float>({1, 2, 3}));
    add("z", "Identity", {{"T", DataType::kFloat}}, {{v, 0}}, {y}, "/cpu:0");
  }

  pb::RunMetadata run() {
    auto options = SessionOptions::from_config_text(
        "device_count { key: 'CPU' value: 2 } graph_options { build_cost_model: 1 optimizer_options { "
        "opt_level: L0 } }");
    EXPECT_TRUE(options.ok()) << options.status();
    RunStats stats;
    auto out = open(*options).run({{"a", Tensor::scalar<float>(1)}}, {"z", "y"}, {}, {}, &stats);
    EXPECT_TRUE(out.ok()) << out.status();
    pb::RunMetadata metadata;
    EXPECT_TRUE(metadata.ParseFromString(stats.metadata));
    return metadata;
  }
};

TEST_F(RunMetadataTest, lists_the_kernels_of_each_device_in_the_order_in_which_they_ended) {
  const pb::RunMetadata metadata = run();
  ASSERT_EQ(metadata.step_stats().dev_stats_size(), 2);
  std::vector<std::string> names;
  for (const auto& device : metadata.step_stats().dev_stats()) {
    int64_t last = 0;
    for (const auto& n : device.node_stats()) {
      names.push_back(n.node_name());
      EXPECT_THAT(n.timeline_label(), Not(HasSubstr("_Send("))) << "TensorFlow leaves transfers out";
      EXPECT_THAT(n.timeline_label(), Not(HasSubstr("_Recv(")));
      EXPECT_EQ(n.all_start_micros(), n.all_start_nanos() / 1000);
      EXPECT_EQ(n.op_end_rel_nanos(), n.all_end_rel_nanos());
      EXPECT_EQ(n.op_end_rel_micros(), n.op_end_rel_nanos() / 1000);
      EXPECT_EQ(n.scheduled_nanos(), n.all_start_nanos());
      EXPECT_NE(n.thread_id(), 0u);
      EXPECT_GE(n.all_start_nanos() + n.all_end_rel_nanos(), last);
      last = n.all_start_nanos() + n.all_end_rel_nanos();
    }
  }
  for (const char* name : {"x", "y", "z"}) EXPECT_THAT(names, Contains(name));
}

TEST_F(RunMetadataTest, tells_the_shapes_and_bytes_of_outputs) {
  const pb::RunMetadata metadata = run();
  int seen = 0;
  for (const auto& device : metadata.step_stats().dev_stats()) {
    for (const auto& n : device.node_stats()) {
      if (n.node_name() != "z" && n.node_name() != "x") continue;
      ++seen;
      ASSERT_EQ(n.output_size(), 1) << n.node_name();
      const auto& tensor = n.output(0).tensor_description();
      ASSERT_EQ(tensor.shape().dim_size(), n.node_name() == "z" ? 1 : 0);
      if (n.node_name() == "z") {
        EXPECT_EQ(tensor.shape().dim(0).size(), 3);
      }
      EXPECT_EQ(tensor.allocation_description().requested_bytes(), n.node_name() == "z" ? 12 : 4);
      EXPECT_EQ(tensor.allocation_description().allocated_bytes(), n.node_name() == "z" ? 12 : 4);
      EXPECT_EQ(tensor.allocation_description().allocator_name(), "cpu");
    }
  }
  EXPECT_EQ(seen, 2);
}

TEST_F(RunMetadataTest, numbers_the_nodes_of_all_devices_in_a_cost_graph) {
  const pb::RunMetadata metadata = run();
  const auto& nodes = metadata.cost_graph().node();
  std::map<std::string, const pb::CostGraphDef::Node*> by_name;
  int finals = 0;
  for (int i = 0; i < nodes.size(); ++i) {
    EXPECT_EQ(nodes[i].id(), i);
    by_name[nodes[i].name()] = &nodes[i];
    finals += nodes[i].is_final();
    for (const auto& input : nodes[i].input_info()) EXPECT_LT(input.preceding_node(), nodes.size());
    if (nodes[i].is_final()) {
      EXPECT_EQ(nodes[i].output_info_size(), 0) << "what is sent away is final";
    }
  }
  EXPECT_EQ(finals, 3) << "x goes there; y, which is fetched, and the word that it is done come back";
  for (const char* name : {"x", "y", "z", "v"}) ASSERT_TRUE(by_name.contains(name)) << name;
  EXPECT_THAT(by_name["y"]->device(), HasSubstr("CPU:1"));
  EXPECT_EQ(by_name["v"]->persistent_memory_size(), 12);
  EXPECT_EQ(by_name["x"]->persistent_memory_size(), 0);
  ASSERT_EQ(by_name["z"]->output_info_size(), 1);
  EXPECT_EQ(by_name["z"]->output_info(0).size(), 12);
  ASSERT_EQ(by_name["z"]->output_info(0).shape().dim_size(), 1);
  EXPECT_EQ(by_name["z"]->output_info(0).shape().dim(0).size(), 3);
  EXPECT_EQ(by_name["x"]->output_info(0).shape().dim_size(), 0);
  ASSERT_EQ(by_name["z"]->control_input_size(), 1);
  EXPECT_EQ(by_name["z"]->input_info_size(), 1);
  EXPECT_EQ(by_name["z"]->input_info(0).preceding_node(), by_name["v"]->id());
}

}  // namespace
}  // namespace troupe::test
