#include "graph/ir/dot.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "graph/ir/algorithm.h"

namespace troupe {
namespace {

std::string quoted(absl::string_view text) {
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}}), "\"");
}

std::string device_of(const Node& node, const DotOptions& options) {
  if (node.device >= 0 && node.device < static_cast<int>(options.devices.size()))
    return options.devices[node.device];
  return node.requested_device;
}

void append_node(const Node& node, absl::string_view indent, std::string* out) {
  const bool source = node.inputs.empty();
  absl::StrAppend(out, indent, "n", node.id, " [label=", quoted(absl::StrCat(node.name, "\n", node.op->name)),
                  source ? ", style=rounded" : "", node.defect.ok() ? "" : ", color=red", "];\n");
}

void append_edge(int from, int to, absl::string_view attrs, std::string* out) {
  absl::StrAppend(out, "  n", from, " -> n", to);
  if (!attrs.empty()) absl::StrAppend(out, " [", attrs, "]");
  absl::StrAppend(out, ";\n");
}

void append_inputs(const Graph& graph, const Node& node, int limit, bool types, std::string* out) {
  for (Endpoint e : node.inputs) {
    if (e.node >= limit) continue;
    const Node& from = graph.node(e.node);
    std::string attrs = e.slot == 0 ? "" : absl::StrCat("taillabel=\"", e.slot, "\"");
    auto add = [&](const std::string& a) { absl::StrAppend(&attrs, attrs.empty() ? "" : ", ", a); };
    if (types) add(absl::StrCat("label=\"", dtype_name(graph.type_of(e)), "\""));
    if (is_ref(graph.type_of(e))) add("style=bold");
    if (is_back_edge(from, node)) add("constraint=false");
    append_edge(e.node, node.id, attrs, out);
  }
  for (int c : node.control_inputs) {
    if (c < limit) append_edge(c, node.id, "style=dashed", out);
  }
}

}  // namespace

std::string to_dot(const Graph& graph, const DotOptions& options) {
  std::string out = "digraph graph_def {\n  node [shape=box, fontsize=10];\n";
  std::map<std::string, std::vector<int>> by_device;
  int limit = 0;
  for (int shown = 0; limit < graph.num_ids() && shown < options.max_nodes; ++limit) {
    const Node& node = graph.node(limit);
    if (node.removed()) continue;
    by_device[device_of(node, options)].push_back(limit);
    ++shown;
  }
  int cluster = 0;
  for (const auto& [device, ids] : by_device) {
    const bool framed = !device.empty();
    if (framed)
      absl::StrAppend(&out, "  subgraph cluster_", cluster++, " {\n    label=", quoted(device), ";\n");
    for (int id : ids) append_node(graph.node(id), framed ? "    " : "  ", &out);
    if (framed) absl::StrAppend(&out, "  }\n");
  }
  for (int id = 0; id < limit; ++id) {
    if (!graph.node(id).removed()) append_inputs(graph, graph.node(id), limit, options.types, &out);
  }
  if (limit < graph.num_ids()) {
    absl::StrAppend(&out, "  cut [shape=plaintext, label=\"only the first ", limit, " nodes are shown\"];\n");
  }
  return absl::StrCat(out, "}\n");
}

}  // namespace troupe
