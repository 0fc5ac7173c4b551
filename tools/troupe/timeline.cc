#include "tools/troupe/timeline.h"

#include <algorithm>
#include <map>

#include "proto/config.pb.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/tensor/dtype.h"
#include "nlohmann/json.hpp"

namespace troupe {
namespace {

namespace pb = ::tensorflow;
using Json = nlohmann::json;

int64_t first_nanos(const pb::StepStats& stats) {
  int64_t first = INT64_MAX;
  for (const auto& device : stats.dev_stats()) {
    for (const auto& node : device.node_stats()) first = std::min<int64_t>(first, node.all_start_nanos());
  }
  return first;
}

std::string output_text(const pb::NodeOutput& output) {
  const auto& t = output.tensor_description();
  std::string shape;
  for (const auto& d : t.shape().dim()) absl::StrAppend(&shape, shape.empty() ? "" : ",", d.size());
  return absl::StrCat(output.slot(), ": ", dtype_name(static_cast<DataType>(t.dtype())), " [", shape, "], ",
                      t.allocation_description().requested_bytes(), " bytes");
}

/// The op in "y = MatMul(x, w)".
std::string op_of(const pb::NodeExecStats& node) {
  std::pair<std::string, std::string> parts =
      absl::StrSplit(node.timeline_label(), absl::MaxSplits(" = ", 1));
  return parts.second.substr(0, parts.second.find('('));
}

Json name_of(const char* what, int pid, int64_t tid, const std::string& name) {
  return {{"ph", "M"}, {"name", what}, {"pid", pid}, {"tid", tid}, {"args", {{"name", name}}}};
}

Json slice(const pb::NodeExecStats& node, int pid, int64_t first) {
  constexpr double kNsPerUs = 1000;
  Json outputs = Json::array();
  for (const auto& o : node.output()) outputs.push_back(output_text(o));
  return {{"ph", "X"},
          {"name", node.node_name()},
          {"cat", op_of(node)},
          {"pid", pid},
          {"tid", node.thread_id()},
          {"ts", static_cast<double>(node.all_start_nanos() - first) / kNsPerUs},
          {"dur", static_cast<double>(node.all_end_rel_nanos()) / kNsPerUs},
          {"args", {{"op", op_of(node)}, {"label", node.timeline_label()}, {"outputs", std::move(outputs)}}}};
}

}  // namespace

absl::StatusOr<std::string> timeline_json(const std::string& run_metadata) {
  pb::RunMetadata metadata;
  if (!metadata.ParseFromString(run_metadata)) {
    return absl::InvalidArgumentError("the statistics of the run do not parse as RunMetadata");
  }
  const int64_t first = first_nanos(metadata.step_stats());
  Json events = Json::array();
  int pid = 0;
  for (const auto& device : metadata.step_stats().dev_stats()) {
    events.push_back(name_of("process_name", ++pid, 0, device.device()));
    std::map<uint32_t, int> threads;
    for (const auto& node : device.node_stats()) {
      if (threads.try_emplace(node.thread_id(), 1).second) {
        events.push_back(
            name_of("thread_name", pid, node.thread_id(), absl::StrCat("thread ", threads.size())));
      }
      events.push_back(slice(node, pid, first));
    }
  }
  return Json{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}}.dump(
      1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace troupe
