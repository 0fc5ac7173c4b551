#include "graph/passes/watch_tensors.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "graph/ir/names.h"

namespace troupe {
namespace {

constexpr char kAnyNode[] = "*";

/// "Op(name=value;name=value)" taken apart.
struct DebugOp {
  std::string name;
  std::vector<std::pair<std::string, std::string>> parameters;
};

absl::StatusOr<DebugOp> parse(absl::string_view text) {
  DebugOp op;
  const size_t open = text.find('(');
  op.name = std::string(text.substr(0, open));
  if (open == absl::string_view::npos) return op;
  absl::string_view inside = text.substr(open + 1);
  if (!absl::ConsumeSuffix(&inside, ")"))
    return absl::InvalidArgumentError(absl::StrCat("Malformed attributes in debug op name \"", text, "\""));
  for (absl::string_view part : absl::StrSplit(inside, ';', absl::SkipWhitespace())) {
    const std::pair<std::string, std::string> parameter = absl::StrSplit(part, absl::MaxSplits('=', 1));
    if (parameter.first.empty() || parameter.second.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Malformed attributes in debug op name \"", text, "\": \"", part, "\""));
    }
    op.parameters.push_back(parameter);
  }
  return op;
}

/// Of the kind of the attr's default.
absl::StatusOr<AttrValue> value_of(const AttrValue& like, const std::string& text) {
  float number = 0;
  int64_t integer = 0;
  bool truth = false;
  if (like.get<float>() != nullptr && absl::SimpleAtof(text, &number)) return AttrValue(number);
  if (like.get<int64_t>() != nullptr && absl::SimpleAtoi(text, &integer)) return AttrValue(integer);
  if (like.get<bool>() != nullptr && absl::SimpleAtob(text, &truth)) return AttrValue(truth);
  if (like.get<std::string>() != nullptr) return AttrValue(text);
  return absl::InvalidArgumentError(absl::StrCat("cannot read \"", text, "\""));
}

absl::Status set_parameters(const OpDef& op, const DebugOp& wanted, const std::string& node, AttrMap* attrs) {
  std::vector<std::string> unknown;
  for (const auto& [name, text] : wanted.parameters) {
    const AttrDef* attr = op.find_attr(name);
    if (attr == nullptr || !attr->default_value) {
      unknown.push_back(name);
      continue;
    }
    const auto value = value_of(*attr->default_value, text);
    if (!value.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("Failed to set value of attribute key ", name,
                                                     " of debug node ", node, ": ",
                                                     value.status().message()));
    }
    attrs->set(name, *value);
  }
  if (unknown.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(unknown.size(),
                                                 " attribute key(s) were not valid for debug node ", node,
                                                 ": ", absl::StrJoin(unknown, ", ")));
}

/// Of one tensor of a partition.
class Watcher {
 public:
  Watcher(Graph* graph, std::string device) : graph_(graph), device_(std::move(device)) {}

  absl::Status watch(Endpoint tensor, const TensorWatch& watch) {
    const std::string name = absl::StrCat(graph_->node(tensor.node).name, ":", tensor.slot);
    std::vector<int> added;
    for (size_t i = 0; i < watch.debug_ops.size(); ++i) {
      const auto node = add(tensor, name, static_cast<int>(i), watch.debug_ops[i], watch.urls);
      if (node.ok()) {
        added.push_back(*node);
      } else if (!watch.tolerates_failures) {
        return absl::FailedPreconditionError(absl::StrCat("Failed to create debug node ", watch.debug_ops[i],
                                                          " for tensor ", name,
                                                          ", due to: ", node.status().message()));
      }
    }
    if (is_ref(graph_->type_of(tensor))) hold_back_consumers(tensor, added);
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<int> add(Endpoint tensor, const std::string& name, int number, const std::string& text,
                          const std::vector<std::string>& urls) {
    auto wanted = parse(text);
    if (!wanted.ok()) return wanted.status();
    const OpDef* op = graph_->find_op(wanted->name);
    if (op == nullptr || op->find_attr("debug_urls") == nullptr || op->inputs.size() != 1) {
      return absl::NotFoundError(absl::StrCat("Failed to create node definition for debug op ", wanted->name,
                                              " on watched tensor ", name));
    }
    const std::string node_name = absl::StrCat("__dbg_", name, "_", number, "_", wanted->name);
    AttrMap attrs{{"T", base_type(graph_->type_of(tensor))}};
    for (const AttrDef& attr : op->attrs) {
      if (attr.default_value) attrs.set(attr.name, *attr.default_value);
    }
    attrs.set("device_name", device_);
    attrs.set("tensor_name", name);
    attrs.set("debug_urls", urls);
    absl::Status set = set_parameters(*op, *wanted, node_name, &attrs);
    if (!set.ok()) return set;
    const int device = graph_->node(tensor.node).device;
    auto node = graph_->add_node(graph_->unique_name(node_name), wanted->name, std::move(attrs), {tensor});
    if (!node.ok()) return node.status();
    (*node)->device = device;
    return (*node)->id;
  }

  /// They may write to what it refers to. A Merge waits for one of its inputs only: of a loop's, for none yet to come.
  void hold_back_consumers(Endpoint tensor, const std::vector<int>& until) {
    for (int id = 0; id < graph_->num_ids(); ++id) {
      const Node& n = graph_->node(id);
      if (n.removed() || n.is("Merge") || n.is("RefMerge")) continue;
      if (std::find(until.begin(), until.end(), id) != until.end()) continue;
      if (std::find(n.inputs.begin(), n.inputs.end(), tensor) == n.inputs.end()) continue;
      graph_->add_control_inputs(id, until);
    }
  }

  Graph* const graph_;
  const std::string device_;
};

}  // namespace

absl::Status check_watches(const Graph& graph, std::span<const TensorWatch> watches) {
  for (const TensorWatch& w : watches) {
    if (w.node == kAnyNode && w.slot < 0) continue;
    if (w.slot < 0) {
      return absl::FailedPreconditionError(
          absl::StrCat("A negative output_slot in DebugTensorWatch is valid only for the wildcard node name "
                       "(\"*\"), but got node name ",
                       w.node));
    }
    const Node* n = graph.find(w.node);
    if (n == nullptr)
      return absl::NotFoundError(
          absl::StrCat("Watched tensor ", tensor_text(w.node, w.slot), ": the graph has no node ", w.node));
    if (w.slot >= n->num_outputs() && n->defect.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("Watched tensor ", tensor_text(w.node, w.slot),
                                                     ": node ", w.node, " (", n->op->name, ") has ",
                                                     n->num_outputs(), " outputs"));
    }
  }
  return absl::OkStatus();
}

absl::Status watch_tensors(std::span<const TensorWatch> watches, const std::string& device,
                           Graph* partition) {
  Watcher watcher(partition, device);
  const int num_ids = partition->num_ids();
  for (const TensorWatch& w : watches) {
    for (int id = 0; id < num_ids; ++id) {
      const Node& n = partition->node(id);
      if (n.removed() || (w.node != kAnyNode && w.node != n.name)) continue;
      const int first = w.slot < 0 ? 0 : w.slot;
      const int last = w.slot < 0 ? n.num_outputs() - 1 : w.slot;
      for (int slot = first; slot <= last && slot < n.num_outputs(); ++slot)
        if (absl::Status added = watcher.watch({id, slot}, w); !added.ok()) return added;
    }
  }
  return absl::OkStatus();
}

}  // namespace troupe
