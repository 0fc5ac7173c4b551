// Staging areas and maps.

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;
using Types = std::vector<DataType>;

TEST(Staging, gives_parts_of_a_tuple_by_key) {
  KernelHarness harness;
  const Types both{DataType::kFloat, DataType::kInt32}, one{DataType::kFloat};
  Tensor key = Tensor::scalar<int64_t>(4);
  const AttrMap attrs{{"dtypes", both}, {"shared_name", "m"}};
  auto stage = [&](int32_t i, Tensor v) {
    AttrMap a = attrs;
    a.set("fake_dtypes", Types{v.dtype()});
    return harness.run("OrderedMapStage", {key, Tensor::vector<int32_t>({i}), std::move(v)}, a).status();
  };
  ASSERT_TRUE(stage(0, Tensor::scalar<float>(1.5f)).ok());
  EXPECT_THAT(stage(0, Tensor::scalar<float>(1)).message(), HasSubstr("for key '4' was already initialized"));
  EXPECT_EQ(harness.run("OrderedMapIncompleteSize", {}, attrs)->at(0).value<int32_t>(), 1);
  ASSERT_TRUE(stage(1, Tensor::scalar<int32_t>(3)).ok());
  AttrMap first{{"dtypes", one}, {"shared_name", "m"}};
  auto taken = harness.run("OrderedMapUnstage", {key, Tensor::vector<int32_t>({0})}, first);
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(taken->at(0).value<float>(), 1.5f);
  EXPECT_THAT(harness.run("OrderedMapUnstage", {key, Tensor::vector<int32_t>({0})}, first).status().message(),
              HasSubstr("has already been removed"));
}

class StagingMapTest : public testing::Test {
 protected:
  AttrMap attrs(Types dtypes, Types fake = {}) const {
    AttrMap a{{"dtypes", std::move(dtypes)}, {"shared_name", "m"}};
    if (!fake.empty()) a.set("fake_dtypes", std::move(fake));
    return a;
  }
  absl::Status stage(int64_t key, std::vector<int32_t> indices, std::vector<Tensor> values) {
    Types fake;
    for (const Tensor& v : values) fake.push_back(v.dtype());
    values.insert(values.begin(),
                  {Tensor::scalar<int64_t>(key),
                   Tensor::from<int32_t>(Shape{static_cast<int64_t>(indices.size())}, indices)});
    return harness_.run("MapStage", std::move(values), attrs(all_, fake)).status();
  }
  absl::StatusOr<std::vector<Tensor>> take(const std::string& op, int64_t key, int32_t index, DataType type) {
    return harness_.run(op, {Tensor::scalar<int64_t>(key), Tensor::vector<int32_t>({index})}, attrs({type}));
  }
  int size(const std::string& op) { return harness_.run(op, {}, attrs(all_))->at(0).value<int32_t>(); }

  KernelHarness harness_;
  const Types all_{DataType::kFloat, DataType::kInt32, DataType::kString};
  const std::vector<Tensor> whole_{Tensor::scalar<float>(1), Tensor::scalar<int32_t>(2),
                                   Tensor::string_scalar("three")};
};

TEST_F(StagingMapTest, gives_a_late_part_to_who_names_its_type_alone) {
  ASSERT_TRUE(stage(7, {0, 1, 2}, whole_).ok());
  auto last = take("MapPeek", 7, 2, DataType::kString);
  ASSERT_TRUE(last.ok()) << last.status();
  EXPECT_EQ(last->at(0).value<TString>().str(), "three");
  EXPECT_EQ(take("MapUnstage", 7, 1, DataType::kInt32)->at(0).value<int32_t>(), 2);
  EXPECT_THAT(take("MapUnstage", 7, 3, DataType::kInt32).status().message(),
              HasSubstr("Index '3' for key '7' was out of bounds '3'."));
}

TEST_F(StagingMapTest, lets_parts_wait_beside_a_whole_tuple_of_the_same_key) {
  ASSERT_TRUE(stage(7, {0, 1, 2}, whole_).ok());
  ASSERT_TRUE(stage(7, {1}, {Tensor::scalar<int32_t>(20)}).ok());
  EXPECT_EQ(size("MapSize"), 1);
  EXPECT_EQ(size("MapIncompleteSize"), 1);
  ASSERT_TRUE(stage(7, {0, 1, 2}, whole_).ok()) << "the second is dropped";
  EXPECT_EQ(size("MapSize"), 1);
}

TEST_F(StagingMapTest, refuses_indices_that_are_none_or_out_of_order) {
  EXPECT_THAT(stage(7, {}, {whole_[0]}).message(), HasSubstr("Indices are empty"));
  EXPECT_THAT(stage(7, {1, 0}, {whole_[1], whole_[0]}).message(),
              HasSubstr("Indices are not strictly ordered"));
  EXPECT_THAT(stage(7, {3}, {whole_[0]}).message(),
              HasSubstr("Index '3' for key '7' was out of bounds '3'."));
}

}  // namespace
}  // namespace troupe::test
