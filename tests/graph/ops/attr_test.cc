#include "graph/ops/attr.h"

#include <gmock/gmock.h>

namespace troupe {
namespace {

using ::testing::HasSubstr;

TEST(AttrMap, refuses_an_integer_that_does_not_fit) {
  const AttrMap attrs{
      {"axis", int64_t{4294967296}}, {"least", int64_t{INT32_MIN}}, {"most", int64_t{INT32_MAX}}};
  const absl::Status refused = attrs.get<int>("axis").status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("Attr axis has value 4294967296 out of range for an int32"));
  EXPECT_EQ(*attrs.get<int>("least"), INT32_MIN);
  EXPECT_EQ(*attrs.get<int>("most"), INT32_MAX);
  EXPECT_EQ(*attrs.get<int64_t>("axis"), 4294967296);
}

}  // namespace
}  // namespace troupe
