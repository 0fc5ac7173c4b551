#include "actors/step_trace.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "actors/run_metadata.h"

namespace troupe {
namespace {

/// Names of each kind in a label, and bytes of each name.
constexpr size_t kNames = 2, kNameBytes = 48;

void append_names(const std::vector<std::string>& names, std::string* to) {
  for (size_t i = 0; i < std::min(kNames, names.size()); ++i) {
    if (i > 0) to->append(", ");
    to->append(names[i], 0, kNameBytes);
    if (names[i].size() > kNameBytes) to->append("...");
  }
  if (names.size() > kNames) absl::StrAppend(to, " +", names.size() - kNames);
}

/// The same text for a _Send and the _Recv that takes its value.
std::string transfer_of(const KernelNode& node) {
  if (node.op->name != "_Send" && node.op->name != "_Recv") return "";
  std::string text;
  for (const char* attr : {"send_device", "recv_device", "tensor_name"}) {
    const auto value = node.attrs.get<std::string>(attr);
    absl::StrAppend(&text, text.empty() ? "" : ";", value.ok() ? *value : "");
  }
  return text;
}

StepTrace::Partition describe(const CompiledPartition& partition, const std::vector<NodeTiming>& timings) {
  StepTrace::Partition out;
  out.device = partition.device()->name();
  out.nodes.reserve(timings.size());
  for (const NodeTiming& t : timings) {
    const KernelNode& info = partition.info(t.node);
    out.nodes.push_back({info.name, std::string(info.op->name), t.begin_ns, t.end_ns, t.thread, t.launched_ns,
                         transfer_of(info)});
  }
  return out;
}

}  // namespace

std::string step_label(const std::vector<std::string>& fetches, const std::vector<std::string>& targets) {
  std::string label;
  append_names(fetches, &label);
  if (targets.empty()) return label;
  label.append(label.empty() ? "-> " : " -> ");
  append_names(targets, &label);
  return label;
}

StepTrace trace_of(const StepSlot& slot, const std::vector<NestedTimings>& called) {
  StepTrace trace;
  trace.step_id = slot.life.id();
  trace.label = step_label(slot.code->fetches, slot.code->targets);
  trace.recorded = slot.collect_stats;
  for (const auto& state : slot.states)
    trace.partitions.push_back(describe(state->partition(), state->timings()));
  for (const NestedTimings& nested : called) {
    trace.partitions.push_back(describe(*nested.partition, nested.timings));
    trace.partitions.back().called = true;
  }
  trace.messages = message_counts(slot);
  return trace;
}

}  // namespace troupe
