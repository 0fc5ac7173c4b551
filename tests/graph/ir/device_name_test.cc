#include "graph/ir/device_name.h"

#include <gmock/gmock.h>

#include <tuple>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

using ::testing::HasSubstr;
using Conflict = DeviceName::OnConflict;

std::string canonical(absl::string_view text) {
  auto name = DeviceName::parse(text);
  return name ? name->to_string() : "malformed";
}

DeviceName name(absl::string_view text) { return *DeviceName::parse(text); }

TEST(DeviceName, s242_reads_components_in_any_order_and_keeps_the_last) {
  EXPECT_EQ(canonical("/job:w/replica:1/task:2/device:GPU:3"), "/job:w/replica:1/task:2/device:GPU:3");
  EXPECT_EQ(canonical("/task:2/device:GPU:3/job:w"), "/job:w/task:2/device:GPU:3");
  EXPECT_EQ(canonical("/job:a/job:b"), "/job:b");
  EXPECT_EQ(canonical(""), "");
  EXPECT_EQ(canonical("/"), "");
}

TEST(DeviceName, s242_reads_legacy_forms_and_stars) {
  EXPECT_EQ(canonical("/cpu:0"), "/device:CPU:0");
  EXPECT_EQ(canonical("/job:j/GPU:1"), "/job:j/device:GPU:1");
  EXPECT_EQ(canonical("/gpu:*"), "/device:GPU:*");
  EXPECT_EQ(canonical("/device:GPU"), "/device:GPU:*");
  EXPECT_EQ(canonical("/job:*/replica:*/task:*/device:TPU:*"), "/device:TPU:*");
  EXPECT_EQ(canonical("/device:cpu:0"), "/device:cpu:0");
}

TEST(DeviceName, s242_refuses_what_is_no_name) {
  for (const char* bad :
       {"foobar", "x", "/job", "/job:", "/job:1a", "/replica:x", "/task:-1", "/task:99999999999", "/cpu",
        "/cpu:", "/tpu:0", "/foo:bar:baz", "/job:a/", "//", "/device:GPU:0x", "CPU:0", "/job:foo-bar",
        "/job:foo bar", "/job:foo/replica:1/task:1/cpu:0 more"}) {
    EXPECT_EQ(canonical(bad), "malformed") << bad;
  }
}

TEST(DeviceName, s242_prints_a_full_name_that_it_reads) {
  const DeviceName full = DeviceName::full("foo_bar", 10, 0, "GPU", 22);
  EXPECT_EQ(full.to_string(), "/job:foo_bar/replica:10/task:0/device:GPU:22");
  EXPECT_EQ(name(full.to_string()), full);
  EXPECT_EQ(name("/job:foo_bar/replica:10/task:0/gpu:22"), full);
  EXPECT_EQ(full.local_string(), "/device:GPU:22");
  EXPECT_EQ(full.task_string(), "/job:foo_bar/replica:10/task:0");
}

TEST(DeviceName, s242_takes_local_names_where_devices_are_looked_up) {
  EXPECT_EQ(DeviceName::parse_any("CPU:0")->to_string(), "/device:CPU:0");
  EXPECT_EQ(DeviceName::parse_any("/device:CPU:0")->to_string(), "/device:CPU:0");
  EXPECT_FALSE(DeviceName::parse_local("CPU").has_value());
  EXPECT_FALSE(DeviceName::parse_local("CPU:*").has_value());
}

TEST(DeviceName, s245_merges_what_does_not_conflict) {
  DeviceName d = name("/job:a/device:GPU:*");
  ASSERT_TRUE(d.merge(name("/task:1/device:GPU:2")).ok());
  EXPECT_EQ(d.to_string(), "/job:a/task:1/device:GPU:2");
}

TEST(DeviceName, s245_s246_refuses_to_merge_other_tasks_always) {
  const std::pair<const char*, const char*> cases[] = {
      {"/job:a", "/job:b"}, {"/replica:0", "/replica:1"}, {"/task:0", "/task:1"}};
  const char* const fields[] = {"jobs", "replicas", "tasks"};
  for (Conflict c : {Conflict::kError, Conflict::kDrop, Conflict::kTakeOther}) {
    for (int i : {0, 1, 2}) {
      DeviceName d = name(cases[i].first);
      EXPECT_THAT(std::string(d.merge(name(cases[i].second), c).message()),
                  HasSubstr(absl::StrCat("Cannot merge devices with incompatible ", fields[i], ": '",
                                         cases[i].first, "' and '", cases[i].second, "'")));
      EXPECT_EQ(d.to_string(), cases[i].first);
    }
  }
}

TEST(DeviceName, s245_refuses_to_merge_other_types_and_ids) {
  DeviceName d = name("/device:GPU:1");
  EXPECT_THAT(std::string(d.merge(name("/device:CPU:*")).message()),
              HasSubstr("Cannot merge devices with incompatible types: '/device:GPU:1' and '/device:CPU:*'"));
  EXPECT_THAT(std::string(d.merge(name("/device:GPU:0")).message()),
              HasSubstr("Cannot merge devices with incompatible ids: '/device:GPU:1' and '/device:GPU:0'"));
  EXPECT_EQ(d.to_string(), "/device:GPU:1");
}

TEST(DeviceName, s245_s246_s247_treats_conflicts_of_type_and_id_as_told) {
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

TEST(DeviceName, s243_compares_wishes) {
  EXPECT_TRUE(name("/job:a").is_specification_of(name("/job:a/task:1/cpu:0")));
  EXPECT_FALSE(name("/job:a/task:0").is_specification_of(name("/job:a")));
  EXPECT_TRUE(name("/job:a").compatible_with(name("/task:1")));
  EXPECT_FALSE(name("/cpu:0").compatible_with(name("/cpu:1")));
  EXPECT_TRUE(
      name("/job:a/replica:0/task:1/cpu:0").same_address_space(name("/job:a/replica:0/task:1/gpu:0")));
  EXPECT_FALSE(name("/job:a/task:1").same_address_space(name("/job:a/task:1")));
}

TEST(DeviceName, s243_is_a_specification_of_what_says_as_much_or_more) {
  const DeviceName full = name("/job:work/replica:1/task:2/device:GPU:3");
  for (const char* wish : {"", "/job:*", "/job:work", "/replica:1", "/task:2", "/device:GPU:*", "/gpu:3",
                           "/job:work/replica:1/task:2/device:GPU:3"}) {
    EXPECT_TRUE(name(wish).is_specification_of(full)) << wish;
    EXPECT_EQ(full.is_specification_of(name(wish)), name(wish) == full) << wish;
  }
  for (const char* wish :
       {"/job:play", "/replica:2", "/task:1", "/device:CPU:*", "/gpu:1", "/job:work/gpu:1"}) {
    EXPECT_FALSE(name(wish).is_specification_of(full)) << wish;
  }
}

TEST(DeviceName, s243_is_complete_when_nothing_is_open) {
  EXPECT_TRUE(name("/job:work/replica:1/task:2/device:GPU:3").complete());
  for (const char* open : {"/replica:1/task:2/device:GPU:3", "/job:*/replica:1/task:2/device:GPU:3",
                           "/job:work/task:2/device:GPU:3", "/job:work/replica:1/device:GPU:3",
                           "/job:work/replica:1/task:2", "/job:work/replica:1/task:2/device:GPU:*", ""}) {
    EXPECT_FALSE(name(open).complete()) << open;
  }
}

TEST(DeviceName, s248_takes_only_what_it_leaves_open) {
  DeviceName d = name("/job:a/device:GPU:*");
  d.fill_from(name("/job:b/replica:0/task:1/device:CPU:2"));
  EXPECT_EQ(d.to_string(), "/job:a/replica:0/task:1/device:GPU:2");
  DeviceName none;
  none.fill_from(name("/task:1/device:CPU:*"));
  EXPECT_EQ(none.to_string(), "/task:1/device:CPU:*");
}

TEST(DeviceName, s249_is_the_same_in_every_spelling) {
  const DeviceName full = DeviceName::full("foo_bar", 10, 0, "GPU", 22);
  for (const char* spelling :
       {"/job:foo_bar/replica:10/task:0/device:GPU:22", "/job:foo_bar/replica:10/task:0/gpu:22"}) {
    EXPECT_EQ(DeviceName::parse_any(spelling), full) << spelling;
  }
  for (const char* spelling : {"/device:GPU:22", "/gpu:22", "GPU:22"}) {
    EXPECT_EQ(DeviceName::parse_any(spelling)->to_string(), full.local_string()) << spelling;
  }
}

TEST(DeviceName, s250_fills_in_from_a_complete_name) {
  const char* base = "/job:a/replica:0/task:1/device:CPU:0";
  EXPECT_EQ(*canonical_device_name("/gpu:2", base), "/job:a/replica:0/task:1/device:GPU:2");
  EXPECT_EQ(*canonical_device_name("/job:b/task:7", base), "/job:b/replica:0/task:7/device:CPU:0");
  EXPECT_EQ(*canonical_device_name("CPU:3", base), "/job:a/replica:0/task:1/device:CPU:3");
  EXPECT_EQ(*canonical_device_name("", base), base);
  EXPECT_THAT(std::string(canonical_device_name("/gpu:2", "/job:a").status().message()),
              HasSubstr("Could not parse '/job:a' as a complete device name"));
  EXPECT_EQ(canonical_device_name("gpu2", base).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(DeviceName, s244_splits_task_and_device) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"/job:a/task:1/cpu:0", "/job:a/task:1", "CPU:0"},
      {"/job:foo/replica:10/task:0/device:GPU:22", "/job:foo/replica:10/task:0", "GPU:22"},
      {"/device:TPU:3/job:foo", "/job:foo", "TPU:3"},
      {"/gpu:2", "", "GPU:2"},
  };
  for (const auto& [text, task, device] : cases) {
    auto parts = split_device_name(text);
    ASSERT_TRUE(parts.has_value()) << text;
    EXPECT_EQ(parts->first, task);
    EXPECT_EQ(parts->second, device);
  }
  for (const char* open : {"/job:a/device:GPU:*", "/job:a/replica:0/task:1", "", "nonsense"}) {
    EXPECT_FALSE(split_device_name(open).has_value()) << open;
  }
}

}  // namespace
}  // namespace troupe
