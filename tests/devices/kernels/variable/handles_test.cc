// What handles tell, and the names of what they are to.
#include <gmock/gmock.h>

#include "devices/cpu/cpu_device.h"
#include "devices/common/variable/resource_access.h"
#include "graph/ir/graph.h"
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

/// The name of the resource of a node "foo" with these attrs, of a kind whose resources are private without one.
absl::StatusOr<ResourceName> name_of(const AttrMap& attrs,
                                     UnnamedResource unnamed = UnnamedResource::kPrivate) {
  const auto device =
      make_cpu_device("/job:localhost/replica:0/task:0", 0, plain_allocator(), serial_runner());
  KernelNode node;
  node.name = "foo";
  node.attrs = attrs;
  return resolve_resource_name(KernelConstruction(&node, device.get()), unnamed);
}

TEST(Handles, s354_name_resources_by_container_and_shared_name) {
  const AttrMap both{{"container", "cat"}, {"shared_name", "bar"}}, shared{{"shared_name", "bar"}},
      contained{{"container", "cat"}}, by_node{{"use_node_name_sharing", true}};
  auto expect = [](const absl::StatusOr<ResourceName>& name, const std::string& container,
                   const std::string& pattern, bool is_private) {
    ASSERT_TRUE(name.ok()) << name.status();
    EXPECT_EQ(name->container, container);
    EXPECT_THAT(name->name, testing::MatchesRegex(pattern));
    EXPECT_EQ(name->is_private, is_private);
  };
  expect(name_of(both), "cat", "bar", false);
  expect(name_of(shared), "localhost", "bar", false);
  expect(name_of(contained), "cat", "_[0-9]+_foo", true);
  expect(name_of({}), "localhost", "_[0-9]+_foo", true);
  expect(name_of(by_node), "localhost", "foo", false);
  expect(name_of({}, UnnamedResource::kNodeName), "localhost", "foo", false);
  EXPECT_NE(name_of({})->name, name_of({})->name) << "nobody else's";
}

TEST(Handles, s354_refuse_names_that_are_none) {
  for (const char* bad : {"12$%", "-cat", "/cat", "_cat", "a b"}) {
    const absl::Status s = name_of({{"container", bad}}).status();
    EXPECT_EQ(s.code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_THAT(std::string(s.message()), HasSubstr("container contains invalid characters"));
  }
  const absl::Status s = name_of({{"shared_name", "_foo"}}).status();
  EXPECT_EQ(s.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(s.message()), HasSubstr("shared_name cannot start with '_'"));
  for (const char* good : {"cat", "1", ".a", "a/b_c-d.e"})
    EXPECT_TRUE(name_of({{"container", good}}).ok()) << good;
}

TEST(Handles, s354_are_for_their_device_and_their_type) {
  KernelHarness harness;
  const AttrMap dtype{{"dtype", DataType::kFloat}};
  auto made = harness.run("VarHandleOp", {},
                          {{"dtype", DataType::kFloat}, {"shared_name", "v"}, {"shape", PartialShape()}});
  ASSERT_TRUE(made.ok()) << made.status();
  ASSERT_TRUE(harness.run("AssignVariableOp", {made->at(0), Tensor::scalar(1.0f)}, dtype).ok());
  const ResourceHandle own = made->at(0).value<ResourceHandle>();
  auto read = [&](const ResourceHandle& handle) {
    return harness.run("ReadVariableOp", {handle_tensor(handle)}, dtype);
  };
  ASSERT_TRUE(read(own).ok()) << read(own).status();
  ResourceHandle elsewhere = own;
  elsewhere.device = "/job:localhost/replica:0/task:0/device:CPU:9";
  EXPECT_EQ(read(elsewhere).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(message_of(read(elsewhere)), HasSubstr("Trying to access resource v located in device " +
                                                     elsewhere.device + " from device"));
  ResourceHandle other = own;
  other.hash_code = 7;
  EXPECT_EQ(read(other).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(message_of(read(other)), HasSubstr("using the wrong type"));
  ASSERT_TRUE(harness.run("DestroyResourceOp", {made->at(0)}, {}).ok());
  EXPECT_FALSE(read(own).ok());
}

}  // namespace
}  // namespace troupe::test
