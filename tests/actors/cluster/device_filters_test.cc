#include "actors/cluster/device_filters.h"

#include <gmock/gmock.h>

namespace troupe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const TaskId kPs{"ps", 0}, kW0{"worker", 0}, kW1{"worker", 1};

std::vector<TaskId> kept(const std::vector<std::string>& filters, const TaskId& master = kW0) {
  const auto parsed = DeviceFilters::parse(filters);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  if (!parsed.ok()) return {};
  return parsed->choose(std::vector<TaskId>{kPs, kW0, kW1}, master);
}

TEST(DeviceFilters, keep_the_tasks_that_fit_one_of_them) {
  EXPECT_THAT(kept({}), ElementsAre(kPs, kW0, kW1)) << "no filter, no choice";
  EXPECT_THAT(kept({"/job:ps"}), ElementsAre(kPs, kW0)) << "and the master's own";
  EXPECT_THAT(kept({"/job:ps"}, kPs), ElementsAre(kPs));
  EXPECT_THAT(kept({"/job:worker/task:1", "/job:ps"}), ElementsAre(kPs, kW0, kW1));
  EXPECT_THAT(kept({"/task:0"}, kW1), ElementsAre(kPs, kW0, kW1));
  EXPECT_THAT(kept({"/job:worker/replica:1"}, kPs), ElementsAre(kPs)) << "there is one replica";
  EXPECT_THAT(kept({"/device:GPU:0"}), ElementsAre(kPs, kW0, kW1)) << "any task may have one";
  EXPECT_THAT(kept({"/job:elsewhere"}), ElementsAre(kW0));
}

TEST(DeviceFilters, keep_the_devices_that_fit_one_of_them) {
  const auto filters =
      DeviceFilters::parse(std::vector<std::string>{"/job:ps", "/job:worker/task:1/device:GPU:0"});
  ASSERT_TRUE(filters.ok());
  EXPECT_TRUE(filters->pass("/job:ps/replica:0/task:0/device:CPU:0"));
  EXPECT_TRUE(filters->pass("/job:worker/replica:0/task:1/device:GPU:0"));
  EXPECT_FALSE(filters->pass("/job:worker/replica:0/task:1/device:CPU:0"));
  EXPECT_FALSE(filters->pass("/job:worker/replica:0/task:0/device:GPU:0"));
  EXPECT_FALSE(filters->pass("no name"));
  EXPECT_TRUE(DeviceFilters().pass("/job:worker/replica:0/task:1/device:CPU:0"));
}

TEST(DeviceFilters, are_refused_when_malformed) {
  const absl::Status status = DeviceFilters::parse(std::vector<std::string>{"/job:ps", "ps"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("device_filters has \"ps\", expected the name of a device"));
}

}  // namespace
}  // namespace troupe
