#include "devices/memory/step_allocations.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace troupe {
namespace {

/// How much a report names.
constexpr size_t kReportedNodes = 100;
constexpr double kReportedShare = 0.99;

}  // namespace

std::string human_readable_bytes(int64_t bytes) {
  if (bytes < 1024) return absl::StrCat(bytes, "B");
  double size = static_cast<double>(bytes) / 1024;
  if (size < 1024) return absl::StrFormat("%.1fKiB", size);
  constexpr absl::string_view kUnits = "MGTPE";
  size_t unit = 0;
  for (size /= 1024; size >= 1024 && unit + 1 < kUnits.size(); size /= 1024) ++unit;
  return absl::StrFormat("%.2f%ciB", size, kUnits[unit]);
}

void StepAllocations::log_to(AllocationLog* log, int64_t step_id) {
  log_ = log;
  step_id_ = step_id;
}

std::shared_ptr<TrackingAllocator> StepAllocations::track(const std::string& node, const std::string& device,
                                                          Allocator* memory) {
  auto tracking = TrackingAllocator::make(memory);
  if (log_ != nullptr) tracking->log_to(log_, step_id_, node);
  std::lock_guard lock(mu_);
  if (executions_.size() >= sweep_at_) {
    // Nobody else holds them: they end with this step's account.
    std::erase_if(executions_, [](const Execution& e) { return e.memory.use_count() == 1; });
    sweep_at_ = std::max(kFirstSweep, 2 * executions_.size());
  }
  executions_.push_back({node, device, tracking});
  return tracking;
}

std::string StepAllocations::usage(const std::string& device, absl::string_view allocator) const {
  std::map<std::string, int64_t> by_node;
  int64_t total = 0;
  {
    std::lock_guard lock(mu_);
    for (const Execution& e : executions_) {
      if (e.device != device || e.memory->name() != allocator) continue;
      const int64_t live = e.memory->bytes().live;
      if (live > 0) by_node[e.node] += live;
      total += live;
    }
  }
  std::vector<std::pair<std::string, int64_t>> nodes(by_node.begin(), by_node.end());
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text = absl::StrCat("Current usage from device: ", device, ", allocator: ", allocator, "\n");
  int64_t told = 0;
  size_t n = 0;
  for (; n < nodes.size() && n < kReportedNodes; ++n) {
    if (static_cast<double>(told) > kReportedShare * static_cast<double>(total)) break;
    absl::StrAppend(&text, "  ", human_readable_bytes(nodes[n].second), " from ", nodes[n].first, "\n");
    told += nodes[n].second;
  }
  if (n < nodes.size()) {
    absl::StrAppend(&text, "  Remaining ", nodes.size() - n, " nodes with ",
                    human_readable_bytes(total - told), "\n");
  }
  return text;
}

}  // namespace troupe
