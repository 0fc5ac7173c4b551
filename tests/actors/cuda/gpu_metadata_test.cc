// What a step on a GPU says of itself, and what planning makes of constants there.
#include <gmock/gmock.h>

#include <set>

#include "proto/config.pb.h"
#include "proto/cost_graph.pb.h"
#include "proto/step_stats.pb.h"
#include "tests/actors/cuda/gpu_session.h"

namespace troupe::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// y = a * x on the GPU, y_neg = -y on the CPU, of constants; nothing is folded.
class GpuMetadata : public GpuSession {
 protected:
  void open_with(const std::string& graph_options) {
    Out y;
    {
      auto on_gpu = b.device("/gpu:0");
      y = b.matmul(b.constant(counted(Shape{2, 2}), "a"), b.constant(counted(Shape{2, 1}), "x"), "y");
    }
    auto on_cpu = b.device("/cpu:0");
    b.neg(y, "y_neg");
    const auto options = SessionOptions::from_config_text("graph_options { " + graph_options +
                                                          " optimizer_options { opt_level: L0 } }");
    ASSERT_TRUE(options.ok()) << options.status();
    open(*options);
  }
  tensorflow::RunMetadata measure(bool trace) {
    RunOptions options;
    options.collect_stats = trace;
    RunStats stats;
    const auto out = session->run({}, {"y_neg:0"}, {}, options, &stats);
    EXPECT_TRUE(out.ok()) << out.status();
    tensorflow::RunMetadata metadata;
    EXPECT_TRUE(metadata.ParseFromString(stats.metadata));
    return metadata;
  }
  /// Costs of both nodes and their outputs' shapes; on one or two devices, as those of GPUs may be told by their stream or with their host.
  static void expect_costs(const tensorflow::RunMetadata& metadata) {
    std::set<std::string> devices;
    int found = 0;
    for (const auto& n : metadata.cost_graph().node()) {
      devices.insert(n.device());
      if (n.name() != "y" && n.name() != "y_neg") continue;
      ++found;
      ASSERT_EQ(n.output_info_size(), 1) << n.name();
      EXPECT_EQ(n.output_info(0).size(), 8) << n.name();
      ASSERT_EQ(n.output_info(0).shape().dim_size(), 2) << n.name();
      EXPECT_EQ(n.output_info(0).shape().dim(0).size(), 2);
      EXPECT_EQ(n.output_info(0).shape().dim(1).size(), 1);
    }
    EXPECT_EQ(found, 2);
    EXPECT_GE(devices.size(), 1u);
    EXPECT_LE(devices.size(), 2u);
  }
};

TEST_F(GpuMetadata, s071_has_costs_of_nodes_on_the_gpu_without_a_trace) {
  open_with("build_cost_model: 1");
  for (int i = 0; i < 3; ++i) {
    const auto metadata = measure(false);
    expect_costs(metadata);
  }
}

TEST_F(GpuMetadata, s072_has_costs_of_nodes_on_the_gpu_with_a_full_trace) {
  open_with("build_cost_model: 1");
  for (int i = 0; i < 3; ++i) {
    const auto metadata = measure(true);
    expect_costs(metadata);
    EXPECT_GE(metadata.step_stats().dev_stats_size(), 2);
  }
}

TEST_F(GpuMetadata, names_the_memory_of_the_gpu) {
  open_with("");
  const auto metadata = measure(true);
  bool seen = false;
  for (const auto& device : metadata.step_stats().dev_stats()) {
    for (const auto& n : device.node_stats()) {
      if (n.node_name() != "y") continue;
      seen = true;
      EXPECT_THAT(device.device(), HasSubstr("device:GPU:0"));
      ASSERT_EQ(n.output_size(), 1);
      EXPECT_EQ(n.output(0).tensor_description().allocation_description().allocator_name(), "GPU_0_bfc");
      ASSERT_EQ(n.memory_size(), 1);
      EXPECT_EQ(n.memory(0).allocator_name(), "GPU_0_bfc");
      EXPECT_EQ(n.memory(0).total_bytes(), 8);
      EXPECT_GT(n.memory(0).allocator_bytes_in_use(), 0);
    }
  }
  EXPECT_TRUE(seen);
}

/// TensorFlow folds on the device, so it keeps a TopK whose indices are numbers in its memory. Here all is evaluated on the host before it is
/// placed, and goes to the memory where it is used.
TEST_F(GpuMetadata, s322_folds_both_outputs_of_top_k_on_a_gpu) {
  {
    auto on_gpu = b.device("/gpu:0");
    Out top = b.op("TopKV2", {b.constant(Tensor::vector<float>({1, 4, 2, 3}), "numbers"), b.constant(2)}, {},
                   "top");
    b.add(top, b.placeholder(DataType::kFloat, {}, "x"), "y");
    b.add(b.cast(top[1], DataType::kFloat), b.constant(scalar(0)), "indices");
  }
  open();
  const auto out = run({{"x", scalar(10)}}, {"y", "indices"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].flat<float>()[0], 14);
  EXPECT_EQ((*out)[0].flat<float>()[1], 13);
  EXPECT_EQ((*out)[1].flat<float>()[0], 1);
  EXPECT_EQ((*out)[1].flat<float>()[1], 3);
  EXPECT_THAT(planned({{"x", scalar(10)}}, {"y", "indices"}), Not(Contains(HasSubstr("TopKV2"))));
}

}  // namespace
}  // namespace troupe::test
