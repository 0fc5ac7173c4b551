#include "tools/troupe/graph_summary.h"

#include <algorithm>
#include <set>

#include "graph/ir/graph.h"
#include "graph/ir/graph_def.h"
#include "graph/ir/names.h"
#include "graph/ops/op_registry.h"
#include "graph/tensor/tensor_proto.h"
#include "proto/attr_value.pb.h"
#include "proto/function.pb.h"
#include "proto/graph.pb.h"
#include "proto/node_def.pb.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "tools/troupe/messages.h"

namespace troupe {
namespace {

/// Older producers wrote an empty shape for a placeholder of unknown shape.
constexpr int kEmptyShapeIsScalar = 24;

bool is_input(const std::string& op) { return op == "_Arg" || absl::StartsWith(op, "Placeholder"); }

bool is_variable(const std::string& op) {
  return op == "Variable" || op == "VariableV2" || op == "VarHandleOp" || op == "AutoReloadVariable" ||
         op == "TemporaryVariable";
}

TensorSummary describe_node(const pb::NodeDef& node, int producer) {
  TensorSummary t{node.name(), node.op(), "", ""};
  for (const char* key : {"dtype", "T", "output_type"}) {
    const auto attr = node.attr().find(key);
    if (attr == node.attr().end() || !is_valid_dtype(attr->second.type())) continue;
    t.dtype = dtype_name(static_cast<DataType>(attr->second.type()));
    break;
  }
  const auto shape = node.attr().find("shape");
  if (shape != node.attr().end() && shape->second.has_shape()) {
    const absl::StatusOr<PartialShape> parsed = from_proto(shape->second.shape());
    t.shape = parsed.ok() ? parsed->to_string() : "<malformed>";
    if (parsed.ok() && parsed->rank() == 0 && producer < kEmptyShapeIsScalar)
      t.shape = PartialShape().to_string();
  }
  return t;
}

/// The edges between the nodes that exist, by position in the graph.
struct Edges {
  std::vector<std::vector<int>> producers;
  std::vector<bool> consumed;
};

Edges find_edges(const pb::GraphDef& graph, GraphSummary* out) {
  absl::flat_hash_map<absl::string_view, int> index;
  for (int i = 0; i < graph.node_size(); ++i) index.emplace(graph.node(i).name(), i);
  Edges edges;
  edges.producers.resize(graph.node_size());
  edges.consumed.resize(graph.node_size());
  for (int i = 0; i < graph.node_size(); ++i) {
    for (const std::string& input : graph.node(i).input()) {
      const TensorName name = parse_tensor_name(input);
      ++(name.is_control() ? out->control_edges : out->data_edges);
      const auto found = index.find(name.node);
      if (found == index.end()) {
        out->dangling_inputs.push_back(absl::StrCat(graph.node(i).name(), " <- ", input));
        continue;
      }
      edges.producers[i].push_back(found->second);
      edges.consumed[found->second] = true;
    }
  }
  return edges;
}

/// Tarjan's strongly connected components, without recursion: graphs are deep.
class CycleFinder {
 public:
  CycleFinder(const pb::GraphDef& graph, const Edges& edges)
      : graph_(graph), edges_(edges), order_(graph.node_size(), -1), low_(graph.node_size(), 0),
        on_stack_(graph.node_size(), false) {}

  std::vector<std::vector<std::string>> find() {
    for (int i = 0; i < graph_.node_size(); ++i) {
      if (order_[i] < 0) visit(i);
    }
    return std::move(cycles_);
  }

 private:
  struct Call {
    int node;
    size_t next = 0;
  };

  /// The edge that closes a loop's iteration is no cycle.
  bool is_back_edge(int consumer, int producer) const {
    return absl::EndsWith(graph_.node(consumer).op(), "Merge") &&
           absl::EndsWith(graph_.node(producer).op(), "NextIteration");
  }

  void enter(int node, std::vector<Call>* calls) {
    order_[node] = low_[node] = next_order_++;
    stack_.push_back(node);
    on_stack_[node] = true;
    calls->push_back({node});
  }

  void visit(int root) {
    std::vector<Call> calls;
    enter(root, &calls);
    while (!calls.empty()) {
      const int node = calls.back().node;
      const std::vector<int>& producers = edges_.producers[node];
      if (calls.back().next < producers.size()) {
        const int producer = producers[calls.back().next++];
        if (is_back_edge(node, producer)) continue;
        if (order_[producer] < 0) {
          enter(producer, &calls);
        } else if (on_stack_[producer]) {
          low_[node] = std::min(low_[node], order_[producer]);
        }
        continue;
      }
      if (low_[node] == order_[node]) take_component(node);
      calls.pop_back();
      if (!calls.empty()) low_[calls.back().node] = std::min(low_[calls.back().node], low_[node]);
    }
  }

  void take_component(int root) {
    std::vector<int> members;
    int node;
    do {
      node = stack_.back();
      stack_.pop_back();
      on_stack_[node] = false;
      members.push_back(node);
    } while (node != root);
    const std::vector<int>& producers = edges_.producers[root];
    if (members.size() == 1 && std::find(producers.begin(), producers.end(), root) == producers.end()) return;
    std::sort(members.begin(), members.end());
    std::vector<std::string> names;
    for (int m : members) names.push_back(graph_.node(m).name());
    cycles_.push_back(std::move(names));
  }

  const pb::GraphDef& graph_;
  const Edges& edges_;
  std::vector<int> order_;
  std::vector<int> low_;
  std::vector<bool> on_stack_;
  std::vector<int> stack_;
  int next_order_ = 0;
  std::vector<std::vector<std::string>> cycles_;
};

/// Frames by name. A node belongs to the frame of its producer, as far as it can be followed forwards from the Enter nodes.
std::vector<FrameSummary> find_frames(const pb::GraphDef& graph, const Edges& edges) {
  std::vector<FrameSummary> frames;
  absl::flat_hash_map<std::string, int> by_name;
  std::vector<std::vector<int>> consumers(graph.node_size());
  for (int i = 0; i < graph.node_size(); ++i) {
    for (int p : edges.producers[i]) consumers[p].push_back(i);
  }
  std::vector<std::pair<int, int>> open;  // node, frame
  for (int i = 0; i < graph.node_size(); ++i) {
    const pb::NodeDef& node = graph.node(i);
    if (node.op() != "Enter" && node.op() != "RefEnter") continue;
    const auto attr = node.attr().find("frame_name");
    const std::string name = attr == node.attr().end() ? "" : attr->second.s();
    const auto [it, added] = by_name.emplace(name, static_cast<int>(frames.size()));
    if (added) frames.push_back({name});
    ++frames[it->second].enters;
    open.emplace_back(i, it->second);
  }
  std::vector<bool> seen(graph.node_size());
  while (!open.empty()) {
    const auto [node, frame] = open.back();
    open.pop_back();
    for (int c : consumers[node]) {
      const std::string& op = graph.node(c).op();
      if (seen[c] || absl::EndsWith(op, "Enter")) continue;
      seen[c] = true;
      if (absl::EndsWith(op, "Exit")) {
        ++frames[frame].exits;
        continue;
      }
      if (absl::EndsWith(op, "Merge")) ++frames[frame].merges;
      open.emplace_back(c, frame);
    }
  }
  return frames;
}

void find_unknown_ops(GraphSummary* out) {
  for (const auto& [op, count] : out->ops) {
    if (builtin_ops().find(op) != nullptr || out->functions.count(op) != 0) continue;
    out->unknown_ops.push_back(op);
  }
}

std::string tensor_text(const TensorSummary& t) {
  std::string text = t.name;
  if (!t.dtype.empty()) absl::StrAppend(&text, "  ", t.dtype);
  if (!t.shape.empty()) absl::StrAppend(&text, t.dtype.empty() ? "  " : "", t.shape);
  return absl::StrCat(text, "  (", t.op, ")");
}

void add_list(std::string* out, const std::string& title, const std::vector<std::string>& lines,
              size_t most) {
  if (lines.empty()) return;
  absl::StrAppend(out, title, " (", lines.size(), "):\n");
  for (size_t i = 0; i < std::min(most, lines.size()); ++i) absl::StrAppend(out, "  ", lines[i], "\n");
  if (lines.size() > most) absl::StrAppend(out, "  ... and ", lines.size() - most, " more\n");
}

void add_tensors(std::string* out, const std::string& title, const std::vector<TensorSummary>& tensors,
                 size_t most) {
  std::vector<std::string> lines;
  for (const TensorSummary& t : tensors) lines.push_back(tensor_text(t));
  add_list(out, title, lines, most);
}

/// Ops with counts, the most frequent first.
std::vector<std::string> op_lines(const std::map<std::string, int>& ops) {
  std::vector<std::pair<int, std::string>> sorted;
  for (const auto& [op, count] : ops) sorted.emplace_back(-count, op);
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::string> lines;
  for (const auto& [count, op] : sorted) lines.push_back(absl::StrFormat("%6d  %s", -count, op));
  return lines;
}

}  // namespace

GraphSummary summarize(const pb::GraphDef& graph) {
  GraphSummary s;
  s.nodes = graph.node_size();
  s.producer = graph.versions().producer();
  s.min_consumer = graph.versions().min_consumer();
  for (const pb::FunctionDef& f : graph.library().function())
    s.functions[f.signature().name()] = f.node_def_size();
  const Edges edges = find_edges(graph, &s);
  for (int i = 0; i < graph.node_size(); ++i) {
    const pb::NodeDef& node = graph.node(i);
    ++s.ops[node.op()];
    ++s.devices[node.device()];
    if (is_input(node.op())) s.inputs.push_back(describe_node(node, s.producer));
    if (is_variable(node.op())) s.variables.push_back(describe_node(node, s.producer));
    if (!edges.consumed[i]) s.outputs.push_back(describe_node(node, s.producer));
  }
  s.cycles = CycleFinder(graph, edges).find();
  s.frames = find_frames(graph, edges);
  find_unknown_ops(&s);
  Graph imported;
  const absl::Status status = import_graph_def(graph, ImportOptions(), &imported);
  if (!status.ok()) s.import_error = one_line(status);
  const absl::Status runnable = status.ok() ? imported.check_runnable() : absl::OkStatus();
  if (!runnable.ok()) s.defect = one_line(runnable);
  return s;
}

std::string to_text(const GraphSummary& s, size_t most) {
  std::string out = absl::StrFormat("%d nodes of %d ops, %d data edges, %d control edges; producer %d",
                                    s.nodes, s.ops.size(), s.data_edges, s.control_edges, s.producer);
  if (s.min_consumer > 0) absl::StrAppend(&out, ", consumers from ", s.min_consumer);
  out += "\n";
  absl::StrAppend(&out, "import: ", s.import_error.empty() ? "OK" : s.import_error, "\n");
  if (!s.defect.empty()) absl::StrAppend(&out, "cannot run: ", s.defect, "\n");
  add_tensors(&out, "inputs", s.inputs, most);
  add_tensors(&out, "outputs", s.outputs, most);
  add_tensors(&out, "variables", s.variables, most);
  std::vector<std::string> lines;
  if (s.devices.size() > 1 || s.devices.count("") == 0) {
    for (const auto& [device, count] : s.devices) {
      lines.push_back(absl::StrFormat("%6d  %s", count, device.empty() ? "(any)" : device));
    }
    add_list(&out, "devices", lines, most);
  }
  lines.clear();
  for (const auto& [name, count] : s.functions) lines.push_back(absl::StrCat(name, ": ", count, " nodes"));
  add_list(&out, "functions", lines, most);
  lines.clear();
  for (const FrameSummary& f : s.frames) {
    lines.push_back(absl::StrCat(f.name, ": ", f.enters, " Enter, ", f.merges, " Merge, ", f.exits, " Exit"));
  }
  add_list(&out, "loops", lines, most);
  lines.clear();
  for (const auto& cycle : s.cycles) {
    const std::vector<std::string> first(cycle.begin(), cycle.begin() + std::min(cycle.size(), most));
    lines.push_back(
        absl::StrCat(cycle.size(), " nodes: ", absl::StrJoin(first, " "), cycle.size() > most ? " ..." : ""));
  }
  add_list(&out, "cycles", lines, most);
  add_list(&out, "inputs that no node provides", s.dangling_inputs, most);
  add_list(&out, "unknown ops", s.unknown_ops, most);
  add_list(&out, "ops", op_lines(s.ops), s.ops.size());
  return out;
}

namespace {

nlohmann::json to_json(const std::vector<TensorSummary>& tensors) {
  nlohmann::json out = nlohmann::json::array();
  for (const TensorSummary& t : tensors) {
    out.push_back({{"name", t.name}, {"op", t.op}, {"dtype", t.dtype}, {"shape", t.shape}});
  }
  return out;
}

}  // namespace

std::string to_json(const GraphSummary& s) {
  nlohmann::json frames = nlohmann::json::array();
  for (const FrameSummary& f : s.frames) {
    frames.push_back({{"name", f.name}, {"enters", f.enters}, {"merges", f.merges}, {"exits", f.exits}});
  }
  const nlohmann::json json = {{"nodes", s.nodes},
                               {"data_edges", s.data_edges},
                               {"control_edges", s.control_edges},
                               {"producer", s.producer},
                               {"min_consumer", s.min_consumer},
                               {"import_error", s.import_error},
                               {"defect", s.defect},
                               {"ops", s.ops},
                               {"devices", s.devices},
                               {"functions", s.functions},
                               {"inputs", to_json(s.inputs)},
                               {"outputs", to_json(s.outputs)},
                               {"variables", to_json(s.variables)},
                               {"loops", frames},
                               {"cycles", s.cycles},
                               {"dangling_inputs", s.dangling_inputs},
                               {"unknown_ops", s.unknown_ops}};
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace troupe
