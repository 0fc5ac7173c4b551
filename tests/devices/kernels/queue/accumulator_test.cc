// Accumulators of gradients.

#include <gmock/gmock.h>

#include <future>
#include <memory>

#include "devices/cpu/kernels/queue/accumulator.h"
#include "tests/devices/kernels/queue/data_flow_fixture.h"
#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

TEST(Accumulator, drops_a_late_gradient_without_a_look_at_it) {
  GradientAccumulator::Options o;
  o.shape = PartialShape{2};
  GradientAccumulator dense(o);
  dense.set_global_step(5);
  EXPECT_TRUE(dense.apply(4, Tensor::vector<float>({1, 2, 3})).ok());
  EXPECT_THAT(dense.apply(5, Tensor::vector<float>({1, 2, 3})).message(),
              HasSubstr("Shape mismatch: expected [2], got [3]"));
  EXPECT_EQ(dense.num_accumulated(), 0);
  GradientAccumulator sparse(o);
  sparse.set_global_step(5);
  EXPECT_TRUE(sparse.apply_slices(4, {Tensor::scalar<int64_t>(1), Tensor(), Tensor()}, false).ok());
}

TEST(Accumulator, merges_slices_as_sorted_lists_even_when_they_are_not) {
  GradientAccumulator::Options o;
  o.sparse = true;
  o.mean = false;
  auto accumulator = std::make_shared<GradientAccumulator>(o);
  const Tensor none = Tensor::vector<int64_t>({});
  auto add = [&](std::vector<int64_t> indices, std::vector<float> values) {
    const int64_t n = static_cast<int64_t>(indices.size());
    return accumulator->apply_slices(
        0, {Tensor::from<int64_t>(Shape{n}, indices), Tensor::from<float>(Shape{n, 1}, values), none}, false);
  };
  ASSERT_TRUE(add({1, 3}, {10, 30}).ok());
  ASSERT_TRUE(add({1, 4}, {1, 4}).ok());
  ASSERT_TRUE(add({4, 1}, {40, 5}).ok());
  CancellationToken token;
  GradientAccumulator::Slices taken;
  accumulator->take(token, 3, accumulator,
                    [&](const absl::Status&, GradientAccumulator::Slices t) { taken = std::move(t); });
  EXPECT_TRUE(tensors_near(taken.indices, Tensor::vector<int64_t>({1, 3, 4, 1})));
  EXPECT_TRUE(tensors_near(taken.values, Tensor::from<float>(Shape{4, 1}, {11, 30, 44, 5})));
  EXPECT_TRUE(tensors_near(taken.shape, Tensor::vector<int64_t>({-1, 1})));
}

TEST_F(DataFlowTest, takes_the_mean_of_gradients_of_this_step) {
  const AttrMap type{{"dtype", DataType::kFloat}};
  int acc =
      add("acc", "ResourceConditionalAccumulator", {{"dtype", DataType::kFloat}, {"shape", PartialShape{2}}});
  int step = placeholder("step", DataType::kInt64), gradient = placeholder("gradient");
  int two = constant("two", Tensor::scalar<int32_t>(2));
  add("apply", "ResourceAccumulatorApplyGradient", type, {{acc, 0}, {step, 0}, {gradient, 0}});
  add("take", "ResourceAccumulatorTakeGradient", type, {{acc, 0}, {two, 0}});
  Session& session = open();
  auto apply = [&](int64_t s, Tensor g) {
    return session.run({{"step", Tensor::scalar<int64_t>(s)}, {"gradient", std::move(g)}}, {}, {"apply"})
        .status();
  };
  EXPECT_THAT(apply(0, Tensor::vector<float>({1})).message(),
              HasSubstr("Shape mismatch: expected [2], got [1]"));
  ASSERT_TRUE(apply(0, Tensor::vector<float>({1, 2})).ok());
  auto waiting = std::async(std::launch::async, [&] { return session.run({}, {"take"}); });
  ASSERT_TRUE(apply(0, Tensor::vector<float>({3, 6})).ok());
  auto taken = waiting.get();
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_TRUE(tensors_near(taken->at(0), Tensor::vector<float>({2, 4})));
}

}  // namespace
}  // namespace troupe::test
