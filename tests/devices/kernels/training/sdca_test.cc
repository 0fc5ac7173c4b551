// Stochastic dual coordinate ascent. The numbers are TensorFlow 2.21's.
#include <gmock/gmock.h>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Without the node, which errors of attrs name.
std::string message_of(const absl::StatusOr<std::vector<Tensor>>& result) {
  const std::string text(result.status().message());
  return text.substr(0, text.find("\n\t [["));
}

/// One example with two sparse and two dense features.
absl::StatusOr<std::vector<Tensor>> ascend(const std::string& loss, float label, std::vector<float> state,
                                           int64_t partitions = 1, float weight = 1,
                                           std::vector<int64_t> features = {2, 5}) {
  const int64_t count = static_cast<int64_t>(features.size());
  return run_kernel(
      "SdcaOptimizerV2",
      {Tensor::vector<int64_t>({0, 0}), Tensor::from<int64_t>({count}, std::span<const int64_t>(features)),
       Tensor::vector<float>({1.5f, -2}), Tensor::from<float>({1, 2}, {1, 2}),
       Tensor::vector<float>({weight}), Tensor::vector<float>({label}), Tensor::vector<int64_t>({2, 5}),
       Tensor::vector<float>({.3f, -.1f}), Tensor::vector<float>({.2f, .4f}),
       Tensor::from<float>({1, static_cast<int64_t>(state.size())}, std::span<const float>(state))},
      {{"loss_type", loss},
       {"num_sparse_features", int64_t{1}},
       {"num_sparse_features_with_values", int64_t{1}},
       {"num_dense_features", int64_t{1}},
       {"l1", 0.1f},
       {"l2", 1.0f},
       {"num_loss_partitions", partitions},
       {"num_inner_iterations", int64_t{1}}});
}

TEST(Sdca, moves_weights_against_each_loss) {
  const struct {
    const char* loss;
    float label;
    float dual, primal, delta;
  } kCases[] = {
      {"logistic_loss", 1, 0.103252783f, 0.313261658f, 0.154879168f},
      {"logistic_loss", 0, -0.207828164f, 1.31326175f, -0.311742246f},
      {"squared_loss", 0, -0.0816326588f, 0.500000060f, -0.122448988f},
      {"hinge_loss", 0, -0.177777782f, 2.0f, -0.266666681f},
      {"smooth_hinge_loss", 0, -0.163265318f, 1.50000012f, -0.244897902f},
      {"poisson_loss", 1, -0.0818923041f, 1.71828198f, -0.122838460f},
      {"poisson_loss", 0, -0.222481146f, 2.71828198f, -0.333721727f},
  };
  for (const auto& c : kCases) {
    auto out = ascend(c.loss, c.label, {0, 0, 0, 0});
    ASSERT_TRUE(out.ok()) << out.status();
    const auto state = out->at(0).flat<float>();
    EXPECT_NEAR(state[0], c.dual, 1e-6) << c.loss;
    EXPECT_NEAR(state[1], c.primal, 1e-6) << c.loss;
    EXPECT_EQ(state[3], 1) << c.loss;
    EXPECT_NEAR(out->at(1).flat<float>()[0], c.delta, 1e-6) << c.loss;
    EXPECT_NEAR(out->at(2).flat<float>()[1], 2 * c.dual, 1e-6) << c.loss;
  }
}

TEST(Sdca, goes_on_from_a_state_with_partitions_and_weights) {
  auto out = ascend("logistic_loss", 1, {.25f, 1, 2, 3}, 3, 2);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(
      tensors_near(out->at(0), Tensor::from<float>({1, 4}, {0.251354128f, 0.626523316f, -1.12467027f, 2})));
  EXPECT_TRUE(tensors_near(out->at(1), Tensor::vector<float>({0.00406236574f, -0.00541648734f})));
  out = ascend("poisson_loss", 1, {.25f, 1, 2, 3}, 3, 2);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(
      tensors_near(out->at(0), Tensor::from<float>({1, 4}, {0.231288299f, 3.43656397f, -1.93152308f, 2})));
}

TEST(Sdca, refuses_wrong_examples) {
  EXPECT_EQ(message_of(ascend("logistic_loss", .5f, {0, 0, 0, 0})),
            "Only labels of 0.0 or 1.0 are supported right now. Found example with label: 0.5");
  EXPECT_THAT(message_of(ascend("poisson_loss", -1, {0, 0, 0, 0})), HasSubstr("Only non-negative labels"));
  EXPECT_EQ(message_of(ascend("squared_loss", 1, {0, 0, 0})),
            "Expected shape [1,4] for example_state_data, got [1,3]");
  EXPECT_EQ(message_of(ascend("squared_loss", 1, {0, 0, 0, 0}, 1, 1, {2, 2})),
            "Duplicate index in sparse vector.");
  EXPECT_EQ(message_of(ascend("squared_loss", 1, {0, 0, 0, 0}, 1, 1, {2, 7})),
            "Found sparse feature indices out of valid range: 7");
  EXPECT_THAT(message_of(ascend("squared_loss", 1, {0, 0, 0, 0}, 1, 1, {2})),
              HasSubstr("Found mismatched example_indices and feature_indices"));
}

TEST(Sdca, prints_fingers_of_any_length) {
  auto print = [](const std::string& s) {
    Tensor in(DataType::kString, Shape{1});
    in.flat<TString>()[0].assign(s);
    return run_kernel("SdcaFprint", {in})->at(0);
  };
  auto text = [](int n) {
    std::string s;
    for (int i = 0; i < n; ++i) s += static_cast<char>((i * 7 + n) % 251);
    return s;
  };
  EXPECT_THAT(print("abc").flat<int64_t>(), ElementsAre(4143508125394299908, -6879828354153669051));
  EXPECT_THAT(print("").flat<int64_t>(), ElementsAre(4463240938071824939, 4374473821787594281));
  EXPECT_THAT(print(text(16)).flat<int64_t>(), ElementsAre(-143878671975529173, -1001422539681817232));
  EXPECT_THAT(print(text(33)).flat<int64_t>(), ElementsAre(7857404423184014609, -519618524723518248));
  EXPECT_THAT(print(text(300)).flat<int64_t>(), ElementsAre(4393927632115293758, -7610244557406730863));
  EXPECT_FALSE(run_kernel("SdcaFprint", {Tensor::string_scalar("abc")}).ok());
}

}  // namespace
}  // namespace troupe::test
