#include <gmock/gmock.h>

#include <set>

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

/// y = a * x there, y_neg = -y and z here, of constants on both devices; nothing is folded.
class CostModelTest : public SessionTest {
 protected:
  CostModelTest() {
    Tensor a(DataType::kFloat, Shape({2, 2}));
    for (int i = 0; i < 4; ++i) a.flat<float>()[i] = static_cast<float>(i);
    Tensor x(DataType::kFloat, Shape({2, 1}));
    for (float& v : x.flat<float>()) v = 1;
    const int ca =
        add("a", "Const", {{"dtype", DataType::kFloat}, {"value", std::move(a)}}, {}, {}, "/cpu:0");
    const int cx =
        add("x", "Const", {{"dtype", DataType::kFloat}, {"value", std::move(x)}}, {}, {}, "/cpu:1");
    const AttrMap t{{"T", DataType::kFloat}};
    const int y = add("y", "MatMul", t, {{ca, 0}, {cx, 0}}, {}, "/cpu:0");
    const int neg = add("y_neg", "Neg", t, {{y, 0}}, {}, "/cpu:1");
    add("z", "Identity", t, {{neg, 0}}, {}, "/cpu:1");
    add("minus", "Neg", t, {{placeholder("fed"), 0}}, {}, "/cpu:0");
  }

  void open_with(const std::string& cost_model) {
    auto options = SessionOptions::from_config_text("device_count { key: 'CPU' value: 2 } graph_options { " +
                                                    cost_model + " optimizer_options { opt_level: L0 } }");
    ASSERT_TRUE(options.ok()) << options.status();
    open(*options);
  }
  pb::RunMetadata run(const std::vector<std::string>& fetches, const std::vector<NamedTensor>& feeds = {}) {
    RunStats stats;
    const auto out = session_->run(feeds, fetches, {"y_neg"}, {}, &stats);
    EXPECT_TRUE(out.ok()) << out.status();
    pb::RunMetadata metadata;
    EXPECT_TRUE(metadata.ParseFromString(stats.metadata));
    return metadata;
  }
  static const pb::CostGraphDef::Node* find(const pb::RunMetadata& metadata, const std::string& name) {
    for (const auto& n : metadata.cost_graph().node()) {
      if (n.name() == name) return &n;
    }
    return nullptr;
  }
  static int64_t allocation_id(const pb::RunMetadata& metadata, const std::string& name) {
    for (const auto& device : metadata.step_stats().dev_stats()) {
      for (const auto& n : device.node_stats()) {
        if (n.node_name() == name)
          return n.output(0).tensor_description().allocation_description().allocation_id();
      }
    }
    return 0;
  }
};

TEST_F(CostModelTest, s069_tells_sizes_shapes_memory_and_times_of_both_devices_in_every_run) {
  open_with("build_cost_model: 1");
  for (int i = 0; i < 3; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const pb::RunMetadata metadata = run({"z"});
    const auto took =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
    std::set<std::string> devices;
    for (const auto& n : metadata.cost_graph().node()) devices.insert(n.device());
    EXPECT_EQ(devices.size(), 2u);
    for (const char* name : {"y", "y_neg"}) {
      const pb::CostGraphDef::Node* node = find(metadata, name);
      ASSERT_NE(node, nullptr) << name;
      ASSERT_EQ(node->output_info_size(), 1);
      EXPECT_EQ(node->output_info(0).size(), 8);
      EXPECT_EQ(node->output_info(0).shape().dim_size(), 2);
      EXPECT_EQ(node->output_info(0).shape().dim(0).size(), 2);
      EXPECT_EQ(node->output_info(0).shape().dim(1).size(), 1);
      EXPECT_GE(node->compute_cost(), 0);
      if (i == 0) {
        EXPECT_LE(node->compute_cost(), took.count());
      }
      EXPECT_GT(allocation_id(metadata, name), 0);
    }
    // The same memory has the same number, and then the output is said to be the input.
    const bool in_place = allocation_id(metadata, "y_neg") == allocation_id(metadata, "y");
    EXPECT_EQ(find(metadata, "y_neg")->output_info(0).alias_input_port(), in_place ? 0 : -1);
    EXPECT_EQ(find(metadata, "z")->output_info(0).alias_input_port(), 0);
    EXPECT_EQ(find(metadata, "y")->output_info(0).alias_input_port(), -1);
  }
}

TEST_F(CostModelTest, s070_is_updated_after_the_first_runs_that_are_left_out) {
  open_with("build_cost_model: 1 build_cost_model_after: 10");
  int updates = 0;
  for (int i = 0; i < 25; ++i) {
    const bool updated = run({"z"}).has_cost_graph();
    EXPECT_EQ(updated, i >= 10) << "run " << i;
    updates += updated;
  }
  EXPECT_EQ(updates, 15);
}

TEST_F(CostModelTest, s073_is_a_cost_graph_in_the_metadata_of_a_run) {
  open_with("build_cost_model: 1");
  const auto begin = std::chrono::steady_clock::now();
  const pb::RunMetadata metadata = run({"z"});
  const auto took =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
  EXPECT_GE(metadata.cost_graph().node_size(), 2);
  int of_shape = 0;
  for (const auto& n : metadata.cost_graph().node()) {
    EXPECT_LE(n.compute_cost(), took.count()) << n.name();
    if (n.name() != "y" && n.name() != "y_neg") continue;
    ++of_shape;
    ASSERT_EQ(n.output_info_size(), 1);
    EXPECT_EQ(n.output_info(0).dtype(), pb::DT_FLOAT);
    ASSERT_EQ(n.output_info(0).shape().dim_size(), 2);
    EXPECT_EQ(n.output_info(0).shape().dim(0).size(), 2);
    EXPECT_EQ(n.output_info(0).shape().dim(1).size(), 1);
  }
  EXPECT_EQ(of_shape, 2);
}

TEST_F(CostModelTest, keeps_the_most_of_all_runs_of_a_signature) {
  open_with("build_cost_model: 2");
  const Tensor three = Tensor::vector<float>({1, 2, 3});
  const Tensor one = Tensor::vector<float>({1});
  auto size = [&](const Tensor& fed) -> int64_t {
    const pb::RunMetadata metadata = run({"minus"}, {{"fed", fed}});
    const pb::CostGraphDef::Node* node = find(metadata, "minus");
    return node == nullptr ? 0 : node->output_info(0).size();
  };
  EXPECT_EQ(size(three), 0) << "only every second run is measured";
  EXPECT_EQ(size(one), 4);
  EXPECT_EQ(size(one), 0);
  EXPECT_EQ(size(three), 12);
  EXPECT_EQ(size(one), 0);
  EXPECT_EQ(size(one), 12) << "as much as it ever was";
}

}  // namespace
}  // namespace troupe::test
