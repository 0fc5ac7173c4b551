// What handles tell.
#include <gmock/gmock.h>

#include "graph/tensor/resource_handle.h"
#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {
using ::testing::HasSubstr;

/// Without the node, which errors of attrs name.
std::string message_of(const absl::StatusOr<std::vector<Tensor>>& result) {
  const std::string text(result.status().message());
  return text.substr(0, text.find("\n\t [["));
}

TEST(Handles, say_whether_they_hold_their_resource) {
  KernelHarness harness;
  auto table = harness.run("AnonymousMutableHashTable", {},
                           {{"key_dtype", DataType::kInt64}, {"value_dtype", DataType::kInt64}});
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_TRUE(harness.run("IsResourceHandleRefCounting", {table->at(0)})->at(0).value<bool>());
  auto weak = harness.run("MakeWeakResourceHandle", {table->at(0)});
  ASSERT_TRUE(weak.ok()) << weak.status();
  EXPECT_FALSE(harness.run("IsResourceHandleRefCounting", {weak->at(0)})->at(0).value<bool>());
  EXPECT_THAT(message_of(harness.run("DisableCopyOnRead", {table->at(0)})),
              HasSubstr("Could not find variable"));
}

}  // namespace
}  // namespace troupe::test
