// Barriers: tuples that become complete by key.

#include <gmock/gmock.h>

#include <future>
#include <string>
#include <vector>

#include "graph/status.h"
#include "tests/devices/kernels/queue/data_flow_fixture.h"
#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

TEST_F(DataFlowTest, completes_tuples_by_key) {
  const Types types{DataType::kFloat, DataType::kInt32};
  int barrier = add("b", "Barrier",
                    {{"component_types", types}, {"shapes", std::vector<PartialShape>{Shape(), Shape()}}});
  int keys = constant("keys", Tensor::from<TString>(Shape{2}, {TString("x"), TString("y")}));
  int floats = constant("floats", Tensor::vector<float>({1, 2}));
  int ints = constant("ints", Tensor::vector<int32_t>({10, 20}));
  int two = constant("n", Tensor::scalar<int32_t>(2));
  add("in0", "BarrierInsertMany", {{"T", DataType::kFloat}, {"component_index", 0}},
      {{barrier, 0}, {keys, 0}, {floats, 0}});
  add("in1", "BarrierInsertMany", {{"T", DataType::kInt32}, {"component_index", 1}},
      {{barrier, 0}, {keys, 0}, {ints, 0}});
  add("take", "BarrierTakeMany", {{"component_types", types}}, {{barrier, 0}, {two, 0}});
  Session& session = open();
  ASSERT_TRUE(session.run({}, {}, {"in0"}).ok());
  EXPECT_THAT(session.run({}, {}, {"in0"}).status().message(),
              HasSubstr("Key x already has a value for component 0"));
  auto waiting = std::async(std::launch::async, [&] {
    return session.run({}, {"take:1", "take:2", "take:3"});
  });
  ASSERT_TRUE(session.run({}, {}, {"in1"}).ok());
  auto taken = waiting.get();
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(taken->at(0).flat<TString>()[1], TString("y"));
  EXPECT_TRUE(tensors_near(taken->at(1), Tensor::vector<float>({1, 2})));
  EXPECT_TRUE(tensors_near(taken->at(2), Tensor::vector<int32_t>({10, 20})));
}

class BarrierTest : public testing::Test {
 protected:
  absl::StatusOr<std::vector<Tensor>> run(const std::string& op, std::vector<Tensor> inputs,
                                          AttrMap attrs = {}) {
    TROUPE_ASSIGN_OR_RETURN(auto handle, harness_.run("Barrier", {},
                                                      {{"component_types", Types{DataType::kFloat}},
                                                       {"shapes", shapes_},
                                                       {"shared_name", "b"}}));
    inputs.insert(inputs.begin(), handle[0]);
    return harness_.run(op, std::move(inputs), std::move(attrs));
  }
  absl::Status insert(const std::string& key, Tensor values) {
    return run("BarrierInsertMany", {Tensor::from<TString>(Shape{1}, {TString(key)}), std::move(values)},
               {{"component_index", 0}, {"T", DataType::kFloat}})
        .status();
  }

  KernelHarness harness_;
  std::vector<PartialShape> shapes_{PartialShape()};
};

TEST_F(BarrierTest, takes_a_component_of_unknown_shape_for_a_scalar) {
  EXPECT_TRUE(insert("a", Tensor::vector<float>({1})).ok());
  EXPECT_THAT(insert("b", Tensor::from<float>(Shape{1, 2}, {1, 2})).message(),
              HasSubstr("Shape mismatch in tuple component 2. Expected [], got [2]"));
}

TEST_F(BarrierTest, refuses_values_without_elements_but_not_an_insertion_of_nothing) {
  EXPECT_THAT(insert("a", Tensor(DataType::kFloat, Shape{1, 0})).message(),
              HasSubstr("Tensors with no elements are not supported"));
  EXPECT_TRUE(run("BarrierInsertMany",
                  {Tensor(DataType::kString, Shape{0}), Tensor(DataType::kFloat, Shape{0})},
                  {{"component_index", 0}, {"T", DataType::kFloat}})
                  .ok());
}

TEST_F(BarrierTest, tells_in_which_way_a_shared_one_differs) {
  EXPECT_TRUE(insert("a", Tensor::vector<float>({1})).ok());
  shapes_ = {PartialShape{2}};
  EXPECT_THAT(insert("b", Tensor::vector<float>({1})).message(),
              HasSubstr("has component shapes [[]] but requested component shapes were [[2]]"));
}

TEST(Barrier, gives_a_small_batch_once_closed_though_some_are_incomplete) {
  KernelHarness harness;
  const Types types{DataType::kFloat, DataType::kFloat};
  const Tensor b = harness
                       .run("Barrier", {},
                            {{"component_types", types},
                             {"shapes", std::vector<PartialShape>{Shape(), Shape()}},
                             {"shared_name", "b"}})
                       ->at(0);
  auto insert = [&](int64_t component, std::vector<TString> keys) {
    const Shape shape{static_cast<int64_t>(keys.size())};
    Tensor values(DataType::kFloat, shape);
    for (float& v : values.flat<float>()) v = 1;
    return harness
        .run("BarrierInsertMany", {b, Tensor::from<TString>(shape, keys), values},
             {{"component_index", component}})
        .status();
  };
  auto take = [&](int32_t n, bool small) {
    return harness.run("BarrierTakeMany", {b, Tensor::scalar<int32_t>(n)},
                       {{"component_types", types}, {"allow_small_batch", small}});
  };
  ASSERT_TRUE(insert(0, {TString("a"), TString("b")}).ok());
  ASSERT_TRUE(insert(1, {TString("a")}).ok());
  ASSERT_TRUE(harness.run("BarrierClose", {b}).ok());
  auto taken = take(3, true);
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(taken->at(1).num_elements(), 1);
  EXPECT_EQ(take(1, true).status().code(), absl::StatusCode::kOutOfRange) << "it does not wait for b";
  EXPECT_EQ(take(2, false).status().code(), absl::StatusCode::kOutOfRange) << "no more than b can come";
  ASSERT_TRUE(insert(1, {TString("b")}).ok());
  EXPECT_EQ(take(1, false)->at(1).flat<TString>()[0], TString("b"));
}

TEST_F(BarrierTest, needs_a_shape_for_every_component) {
  shapes_.clear();
  EXPECT_THAT(insert("a", Tensor::vector<float>({1})).message(),
              HasSubstr("All of the component shapes must be specified"));
}

}  // namespace
}  // namespace troupe::test
