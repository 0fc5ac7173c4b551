#include "graph/ir/device_name.h"

#include <gmock/gmock.h>

namespace troupe {
namespace {

using ::testing::HasSubstr;
using Conflict = DeviceName::OnConflict;

std::string canonical(absl::string_view text) {
  auto name = DeviceName::parse(text);
  return name ? name->to_string() : "malformed";
}

DeviceName name(absl::string_view text) { return *DeviceName::parse(text); }

TEST(DeviceName, reads_components_in_any_order_and_keeps_the_last) {
  EXPECT_EQ(canonical("/job:w/replica:1/task:2/device:GPU:3"), "/job:w/replica:1/task:2/device:GPU:3");
  EXPECT_EQ(canonical("/task:2/device:GPU:3/job:w"), "/job:w/task:2/device:GPU:3");
  EXPECT_EQ(canonical("/job:a/job:b"), "/job:b");
  EXPECT_EQ(canonical(""), "");
  EXPECT_EQ(canonical("/"), "");
}

TEST(DeviceName, reads_legacy_forms_and_stars) {
  EXPECT_EQ(canonical("/cpu:0"), "/device:CPU:0");
  EXPECT_EQ(canonical("/job:j/GPU:1"), "/job:j/device:GPU:1");
  EXPECT_EQ(canonical("/gpu:*"), "/device:GPU:*");
  EXPECT_EQ(canonical("/device:GPU"), "/device:GPU:*");
  EXPECT_EQ(canonical("/job:*/replica:*/task:*/device:TPU:*"), "/device:TPU:*");
  EXPECT_EQ(canonical("/device:cpu:0"), "/device:cpu:0");
}

TEST(DeviceName, refuses_what_is_no_name) {
  for (const char* bad :
       {"x", "/job", "/job:", "/job:1a", "/replica:x", "/task:-1", "/task:99999999999", "/cpu",
        "/cpu:", "/tpu:0", "/foo:bar:baz", "/job:a/", "//", "/device:GPU:0x", "CPU:0"}) {
    EXPECT_EQ(canonical(bad), "malformed") << bad;
  }
}

TEST(DeviceName, takes_local_names_where_devices_are_looked_up) {
  EXPECT_EQ(DeviceName::parse_any("CPU:0")->to_string(), "/device:CPU:0");
  EXPECT_EQ(DeviceName::parse_any("/device:CPU:0")->to_string(), "/device:CPU:0");
  EXPECT_FALSE(DeviceName::parse_local("CPU").has_value());
  EXPECT_FALSE(DeviceName::parse_local("CPU:*").has_value());
}

TEST(DeviceName, merges_what_does_not_conflict) {
  DeviceName d = name("/job:a/device:GPU:*");
  ASSERT_TRUE(d.merge(name("/task:1/device:GPU:2")).ok());
  EXPECT_EQ(d.to_string(), "/job:a/task:1/device:GPU:2");
}

TEST(DeviceName, refuses_to_merge_other_tasks_always) {
  for (Conflict c : {Conflict::kError, Conflict::kDrop, Conflict::kTakeOther}) {
    DeviceName d = name("/job:a");
    EXPECT_THAT(std::string(d.merge(name("/job:b"), c).message()),
                HasSubstr("Cannot merge devices with incompatible jobs: '/job:a' and '/job:b'"));
    EXPECT_EQ(d.to_string(), "/job:a");
  }
}

TEST(DeviceName, treats_conflicts_of_type_and_id_as_told) {
  DeviceName d = name("/device:GPU:1");
  EXPECT_EQ(d.merge(name("/job:a/cpu:0")).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(d.to_string(), "/device:GPU:1");
  ASSERT_TRUE(d.merge(name("/cpu:0"), Conflict::kDrop).ok());
  EXPECT_EQ(d.to_string(), "");
  d = name("/device:GPU:1");
  ASSERT_TRUE(d.merge(name("/device:GPU:0"), Conflict::kDrop).ok());
  EXPECT_EQ(d.to_string(), "/device:GPU:*");
  d = name("/device:GPU:1");
  ASSERT_TRUE(d.merge(name("/device:CPU:*"), Conflict::kTakeOther).ok());
  EXPECT_EQ(d.to_string(), "/device:CPU:*");
}

TEST(DeviceName, compares_wishes) {
  EXPECT_TRUE(name("/job:a").is_specification_of(name("/job:a/task:1/cpu:0")));
  EXPECT_FALSE(name("/job:a/task:0").is_specification_of(name("/job:a")));
  EXPECT_TRUE(name("/job:a").compatible_with(name("/task:1")));
  EXPECT_FALSE(name("/cpu:0").compatible_with(name("/cpu:1")));
  EXPECT_TRUE(
      name("/job:a/replica:0/task:1/cpu:0").same_address_space(name("/job:a/replica:0/task:1/gpu:0")));
  EXPECT_FALSE(name("/job:a/task:1").same_address_space(name("/job:a/task:1")));
}

TEST(DeviceName, fills_in_from_a_complete_name) {
  const char* base = "/job:a/replica:0/task:1/device:CPU:0";
  EXPECT_EQ(*canonical_device_name("/gpu:2", base), "/job:a/replica:0/task:1/device:GPU:2");
  EXPECT_EQ(*canonical_device_name("", base), base);
  EXPECT_FALSE(canonical_device_name("/gpu:2", "/job:a").ok());
  EXPECT_FALSE(canonical_device_name("gpu2", base).ok());
}

TEST(DeviceName, splits_task_and_device) {
  auto parts = split_device_name("/job:a/task:1/cpu:0");
  ASSERT_TRUE(parts.has_value());
  EXPECT_EQ(parts->first, "/job:a/task:1");
  EXPECT_EQ(parts->second, "CPU:0");
  EXPECT_FALSE(split_device_name("/job:a/device:GPU:*").has_value());
}

}  // namespace
}  // namespace troupe
