#include "tools/troupe/graph_picture.h"

#include <map>

#include "graph/ir/names.h"
#include "proto/graph.pb.h"
#include "proto/node_def.pb.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace troupe {

namespace pb = ::tensorflow;

namespace {

std::string dot_text(absl::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    out.push_back(c);
  }
  out.push_back('"');
  return out;
}

/// Fill colours by what an op is for.
absl::string_view colour(absl::string_view op) {
  if (absl::StartsWith(op, "Placeholder") || op == "_Arg") return "#cfe8ff";
  if (op == "Const") return "#eeeeee";
  if (absl::StrContains(op, "Variable") || op == "VarHandleOp") return "#ffe8b3";
  if (absl::EndsWith(op, "Switch") || absl::EndsWith(op, "Merge") || absl::EndsWith(op, "Enter") ||
      absl::EndsWith(op, "Exit") || absl::EndsWith(op, "NextIteration") || op == "LoopCond") {
    return "#e6d5f5";
  }
  if (op == "_Send" || op == "_Recv" || op == "_HostSend" || op == "_HostRecv") return "#ffd6d6";
  return "#ffffff";
}

void add_node(const pb::NodeDef& node, absl::string_view part, absl::string_view indent, std::string* out) {
  absl::StrAppend(out, indent, dot_text(absl::StrCat(part, node.name())),
                  " [label=", dot_text(absl::StrCat(node.name(), "\n", node.op())), ", fillcolor=\"",
                  colour(node.op()), "\"];\n");
}

void add_edges(const pb::GraphDef& graph, absl::string_view part, std::string* out) {
  for (const pb::NodeDef& node : graph.node()) {
    for (const std::string& input : node.input()) {
      const TensorName from = parse_tensor_name(input);
      absl::StrAppend(out, "  ", dot_text(absl::StrCat(part, from.node)), " -> ",
                      dot_text(absl::StrCat(part, node.name())));
      if (from.is_control()) {
        absl::StrAppend(out, " [style=dashed]");
      } else if (from.slot > 0) {
        absl::StrAppend(out, " [label=\"", from.slot, "\"]");
      }
      absl::StrAppend(out, ";\n");
    }
  }
}

std::string begin() {
  return "digraph troupe {\n  rankdir=TB;\n  node [shape=box, style=\"rounded,filled\", "
         "fontname=\"sans-serif\", fontsize=10];\n"
         "  edge [fontsize=8];\n";
}

void add_cluster(int number, const std::string& title, const std::vector<const pb::NodeDef*>& nodes,
                 absl::string_view part, std::string* out) {
  absl::StrAppend(out, "  subgraph cluster_", number, " {\n    label=", dot_text(title), ";\n");
  for (const pb::NodeDef* node : nodes) add_node(*node, part, "    ", out);
  absl::StrAppend(out, "  }\n");
}

}  // namespace

std::string graph_picture(const pb::GraphDef& graph) {
  std::map<std::string, std::vector<const pb::NodeDef*>> by_device;
  for (const pb::NodeDef& node : graph.node()) by_device[node.device()].push_back(&node);
  std::string out = begin();
  int number = 0;
  for (const auto& [device, nodes] : by_device) {
    if (device.empty()) {
      for (const pb::NodeDef* node : nodes) add_node(*node, "", "  ", &out);
    } else {
      add_cluster(number++, device, nodes, "", &out);
    }
  }
  add_edges(graph, "", &out);
  return out + "}\n";
}

std::string parts_picture(const std::vector<std::pair<std::string, pb::GraphDef>>& parts) {
  std::string out = begin();
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string prefix = absl::StrCat(i, "/");
    std::vector<const pb::NodeDef*> nodes;
    for (const pb::NodeDef& node : parts[i].second.node()) nodes.push_back(&node);
    add_cluster(static_cast<int>(i), parts[i].first, nodes, prefix, &out);
    add_edges(parts[i].second, prefix, &out);
  }
  return out + "}\n";
}

}  // namespace troupe
