// Unary ops in a row.
#include <gmock/gmock.h>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {
using ::testing::ElementsAre;

/// Without the node, which errors of attrs name.
std::string message_of(const absl::StatusOr<std::vector<Tensor>>& result) {
  const std::string text(result.status().message());
  return text.substr(0, text.find("\n\t [["));
}

TEST(UnaryOps, run_in_a_row) {
  auto compose = [](std::vector<std::string> ops) {
    return run_kernel("_UnaryOpsComposition", {Tensor::vector<double>({4, -9})},
                      {{"op_names", std::move(ops)}});
  };
  auto out = compose({"Abs", "Sqrt", "Neg"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<double>(), ElementsAre(-2, -3));
  EXPECT_EQ(message_of(compose({})), "Unary op composition must have at least one op");
  EXPECT_EQ(message_of(compose({"Abs", "Sign"})), "Do not have a compute function registered for op: Sign");
  EXPECT_EQ(message_of(run_kernel("_UnaryOpsComposition", {zeros(DataType::kHalf, Shape{1})},
                                  {{"op_names", std::vector<std::string>{"Tan"}}})),
            "Do not have a compute function registered for op: Tan");
}

}  // namespace
}  // namespace troupe::test
