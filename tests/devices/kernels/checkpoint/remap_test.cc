// Matrices out of checkpoints, with rows and columns in other places.
#include <gmock/gmock.h>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor ramp(const Shape& shape, float step) {
  Tensor t(DataType::kFloat, shape);
  float next = 0;
  for (float& v : t.flat<float>()) v = step * next++;
  return t;
}

/// Without the node, which errors of attrs name.
std::string message_of(const absl::StatusOr<std::vector<Tensor>>& result) {
  const std::string text(result.status().message());
  return text.substr(0, text.find("\n\t [["));
}

class RemapTest : public testing::Test {
 protected:
  void SetUp() override {
    prefix_ = testing::TempDir() + "/remap";
    auto names = [](const char* s) {
      Tensor t(DataType::kString, Shape{1});
      t.flat<TString>()[0].assign(s);
      return t;
    };
    auto saved =
        run_kernel("SaveV2", {Tensor::string_scalar(prefix_), names("w"), names(""), ramp({4, 3}, 1)});
    ASSERT_TRUE(saved.ok()) << saved.status();
  }
  absl::StatusOr<std::vector<Tensor>> load(std::vector<int64_t> rows, std::vector<int64_t> cols,
                                           std::vector<float> fresh, int64_t max_rows = -1,
                                           const char* name = "w") {
    auto ints = [](const std::vector<int64_t>& v) {
      return Tensor::from<int64_t>({static_cast<int64_t>(v.size())}, std::span<const int64_t>(v));
    };
    return run_kernel(
        "LoadAndRemapMatrix",
        {Tensor::string_scalar(prefix_), Tensor::string_scalar(name), ints(rows), ints(cols),
         Tensor::from<float>({static_cast<int64_t>(fresh.size())}, std::span<const float>(fresh))},
        {{"num_rows", static_cast<int64_t>(rows.size())},
         {"num_cols", int64_t{3}},
         {"max_rows_in_memory", max_rows}});
  }
  std::string prefix_;
};

TEST_F(RemapTest, moves_rows_and_columns_and_fills_gaps) {
  for (int64_t max_rows : {-1, 1, 2, 3}) {
    auto out = load({3, -1, 0}, {2, -1, 0}, {9, 8, 7, 6, 5}, max_rows);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_THAT(out->at(0).flat<float>(), ElementsAre(11, 9, 9, 8, 7, 6, 2, 5, 0)) << max_rows;
  }
  EXPECT_THAT(load({2, 1}, {}, {})->at(0).flat<float>(), ElementsAre(6, 7, 8, 3, 4, 5));
}

TEST_F(RemapTest, refuses_what_is_not_there) {
  EXPECT_EQ(message_of(load({3, -1}, {}, {1, 2})),
            "initializing_values contained 2 elements, but more missing values remain.");
  EXPECT_EQ(
      message_of(load({3}, {}, {1})),
      "initializing_values contained 1 elements, but only 0 elements were used to fill in missing values.");
  EXPECT_EQ(load({0, 0}, {}, {}).status(),
            absl::UnimplementedError("Old ID 0 is mapped to both new ID 0 and 1, which is not supported."));
  EXPECT_THAT(message_of(load({4}, {}, {})), HasSubstr("out of bounds"));
  EXPECT_THAT(message_of(load({0}, {3, 0, 1}, {})), HasSubstr("out of bounds"));
  EXPECT_THAT(message_of(load({0}, {0}, {})), HasSubstr("Provided col_remapping, but its size is 1"));
  EXPECT_EQ(load({0}, {}, {}, -1, "v").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace troupe::test
