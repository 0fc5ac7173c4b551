#include "actors/node/task_stats.h"

#include "proto/config.pb.h"
#include "proto/step_stats.pb.h"

namespace troupe {
namespace {

constexpr int64_t kNsPerUs = 1000;

int64_t micros_by_ours(int64_t micros, const ClockOffset& clock) {
  return clock.to_ours(micros * kNsPerUs) / kNsPerUs;
}

void set_clock(tensorflow::NodeExecStats* node, const ClockOffset& clock) {
  node->set_all_start_nanos(clock.to_ours(node->all_start_nanos()));
  node->set_all_start_micros(node->all_start_nanos() / kNsPerUs);
  node->set_scheduled_nanos(clock.to_ours(node->scheduled_nanos()));
  node->set_scheduled_micros(node->scheduled_nanos() / kNsPerUs);
  for (auto& used : *node->mutable_memory()) {
    for (auto& record : *used.mutable_allocation_records())
      record.set_alloc_micros(micros_by_ours(record.alloc_micros(), clock));
  }
}

}  // namespace

std::string step_stats_of(const std::string& metadata, const ClockOffset& clock) {
  tensorflow::RunMetadata all;
  if (!all.ParseFromString(metadata)) return "";
  for (auto& device : *all.mutable_step_stats()->mutable_dev_stats()) {
    for (auto& node : *device.mutable_node_stats()) set_clock(&node, clock);
  }
  return all.step_stats().SerializeAsString();
}

}  // namespace troupe
