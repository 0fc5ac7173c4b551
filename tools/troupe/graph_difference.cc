#include "tools/troupe/graph_difference.h"

#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "proto/graph.pb.h"
#include "proto/node_def.pb.h"
#include "proto/pb.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace troupe {
namespace {

using NodesByName = std::unordered_map<std::string_view, const pb::NodeDef*>;

NodesByName by_name(const pb::GraphDef& graph) {
  NodesByName nodes;
  for (const pb::NodeDef& node : graph.node()) nodes.emplace(node.name(), &node);
  return nodes;
}

std::string titled(const pb::NodeDef& node) { return absl::StrCat(node.name(), " (", node.op(), ")"); }

/// Names of attrs that only one of the nodes has, or whose values differ.
std::vector<std::string> changed_attrs(const pb::NodeDef& before, const pb::NodeDef& after) {
  std::vector<std::string> names;
  for (const auto& [name, value] : before.attr()) {
    const auto other = after.attr().find(name);
    if (other == after.attr().end() ||
        !google::protobuf::util::MessageDifferencer::Equals(value, other->second)) {
      names.push_back(name);
    }
  }
  for (const auto& [name, value] : after.attr()) {
    if (before.attr().count(name) == 0) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// "" when the nodes are alike.
std::string what_changed(const pb::NodeDef& before, const pb::NodeDef& after) {
  std::vector<std::string> parts;
  if (before.op() != after.op()) parts.push_back(absl::StrCat("op ", before.op(), " -> ", after.op()));
  const std::string inputs_before = absl::StrJoin(before.input(), " "),
                    inputs_after = absl::StrJoin(after.input(), " ");
  if (inputs_before != inputs_after) {
    parts.push_back(absl::StrCat("inputs [", inputs_before, "] -> [", inputs_after, "]"));
  }
  if (before.device() != after.device()) {
    parts.push_back(
        absl::StrCat("device ", before.device().empty() ? "" : before.device() + " ", "-> ", after.device()));
  }
  // Another op has other attrs: nothing to tell.
  if (before.op() == after.op()) {
    const std::vector<std::string> attrs = changed_attrs(before, after);
    if (!attrs.empty()) parts.push_back(absl::StrCat("attrs ", absl::StrJoin(attrs, " ")));
  }
  return absl::StrJoin(parts, ", ");
}

void append(const std::vector<std::string>& lines, const char* mark, size_t most, std::string* out) {
  for (size_t i = 0; i < lines.size() && i < most; ++i) absl::StrAppend(out, "  ", mark, " ", lines[i], "\n");
  if (lines.size() > most) absl::StrAppend(out, "  ", mark, " ... and ", lines.size() - most, " more\n");
}

}  // namespace

GraphDifference difference(const pb::GraphDef& before, const pb::GraphDef& after) {
  const NodesByName old_nodes = by_name(before), new_nodes = by_name(after);
  GraphDifference out;
  for (const pb::NodeDef& node : before.node()) {
    const auto found = new_nodes.find(node.name());
    if (found == new_nodes.end()) {
      out.removed.push_back(titled(node));
      continue;
    }
    const std::string change = what_changed(node, *found->second);
    if (!change.empty()) out.changed.push_back(absl::StrCat(titled(node), ": ", change));
  }
  for (const pb::NodeDef& node : after.node()) {
    if (old_nodes.count(node.name()) == 0) out.added.push_back(titled(node));
  }
  return out;
}

std::string to_text(const GraphDifference& difference, size_t most) {
  std::string out;
  append(difference.removed, "-", most, &out);
  append(difference.added, "+", most, &out);
  append(difference.changed, "~", most, &out);
  return out;
}

}  // namespace troupe
