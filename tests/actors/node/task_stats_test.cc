#include "actors/node/task_stats.h"

#include <gtest/gtest.h>

#include "proto/config.pb.h"
#include "proto/step_stats.pb.h"

namespace troupe {
namespace {

TEST(TaskStats, times_of_a_task_are_told_by_our_clock) {
  // The task's clock is two milliseconds ahead; each way took one.
  ClockOffset clock;
  ASSERT_TRUE(clock.add(10'000'000, 13'000'000, 14'000'000, 13'000'000));
  tensorflow::RunMetadata metadata;
  auto* device = metadata.mutable_step_stats()->add_dev_stats();
  device->set_device("/job:worker/replica:0/task:1/device:CPU:0");
  auto* node = device->add_node_stats();
  node->set_node_name("y");
  node->set_all_start_micros(13'500);
  node->set_all_start_nanos(13'500'250);
  node->set_scheduled_micros(13'400);
  node->set_scheduled_nanos(13'400'000);
  node->set_all_end_rel_nanos(70'000);
  node->add_memory()->add_allocation_records()->set_alloc_micros(13'600);
  tensorflow::StepStats ours;
  ASSERT_TRUE(ours.ParseFromString(step_stats_of(metadata.SerializeAsString(), clock)));
  ASSERT_EQ(ours.dev_stats_size(), 1);
  EXPECT_EQ(ours.dev_stats(0).device(), device->device());
  ASSERT_EQ(ours.dev_stats(0).node_stats_size(), 1);
  const auto& out = ours.dev_stats(0).node_stats(0);
  EXPECT_EQ(out.node_name(), "y");
  EXPECT_EQ(out.all_start_nanos(), 11'500'250);
  EXPECT_EQ(out.all_start_micros(), 11'500);
  EXPECT_EQ(out.scheduled_nanos(), 11'400'000);
  EXPECT_EQ(out.scheduled_micros(), 11'400);
  EXPECT_EQ(out.all_end_rel_nanos(), 70'000) << "how long it took is the same by any clock";
  EXPECT_EQ(out.memory(0).allocation_records(0).alloc_micros(), 11'600);
}

TEST(TaskStats, what_is_no_metadata_tells_nothing) {
  EXPECT_EQ(step_stats_of("\xff\xff nonsense", ClockOffset()), "");
}

}  // namespace
}  // namespace troupe
