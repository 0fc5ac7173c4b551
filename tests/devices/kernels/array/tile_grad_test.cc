// The gradient of Tile.
#include <gmock/gmock.h>

#include "tests/support/string_tensors.h"

namespace troupe::test {
namespace {
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TileGrad, adds_up_what_was_made_of_one) {
  const Tensor in = Tensor::from<float>({4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  auto out = run("TileGrad", {in, Tensor::vector<int32_t>({2, 3})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0).shape(), (Shape{2, 1}));
  EXPECT_THAT(out->at(0).flat<float>(), ElementsAre(30, 48));
  EXPECT_THAT(run("TileGrad", {in, Tensor::vector<int32_t>({3, 3})}).status().message(),
              HasSubstr("to divide 4"));
  EXPECT_THAT(run("TileGrad", {in, Tensor::vector<int32_t>({0, 3})}).status().message(),
              HasSubstr("positive"));
}

}  // namespace
}  // namespace troupe::test
