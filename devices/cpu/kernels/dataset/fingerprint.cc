// What a dataset's graph computes, as a number.

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "devices/cpu/kernels/dataset/graph.h"
#include "devices/cpu/kernels/shared/encoded_tensor.h"
#include "devices/cpu/kernels/shared/hash_string.h"
#include "graph/ir/attr_proto.h"
#include "proto/function.pb.h"
#include "proto/pb.h"

namespace troupe {
namespace {

/// Hashes of texts that are the same for what computes the same.
class Fingerprints {
 public:
  explicit Fingerprints(const Graph& graph) : graph_(graph) {}

  uint64_t of_node(int id) {
    if (const auto known = nodes_.find(id); known != nodes_.end()) return known->second;
    const Node& node = graph_.node(id);
    std::string text = node.op->name;
    for (const auto& [name, value] : node.attrs) {
      if (is_label(name)) continue;
      pb::AttrValue proto;
      to_proto(value, &proto);
      absl::StrAppend(&text, "|", name, "=", of_value(proto));
    }
    for (const Endpoint input : node.inputs)
      absl::StrAppend(&text, "<", of_node(input.node), ":", input.slot);
    return nodes_.emplace(id, farm_fingerprint64(text)).first->second;
  }

 private:
  /// Attrs that change nothing.
  static bool is_label(absl::string_view name) { return name == "metadata" || absl::StartsWith(name, "_"); }

  uint64_t of_value(const pb::AttrValue& value) {
    if (value.has_func()) return of_call(value.func());
    if (value.list().func_size() == 0) return farm_fingerprint64(value.SerializeAsString());
    std::string text = "list";
    for (const auto& function : value.list().func()) absl::StrAppend(&text, ",", of_call(function));
    return farm_fingerprint64(text);
  }
  template <class Attrs>
  std::string attrs_text(const Attrs& attrs) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : attrs) {
      if (!is_label(name)) parts.push_back(absl::StrCat("|", name, "=", of_value(value)));
    }
    std::sort(parts.begin(), parts.end());
    std::string text;
    for (const std::string& part : parts) text += part;
    return text;
  }
  uint64_t of_call(const pb::NameAttrList& call) {
    return farm_fingerprint64(absl::StrCat(of_function(call.name()), attrs_text(call.attr())));
  }
  uint64_t of_function(const std::string& name) {
    const pb::FunctionDef* def = graph_.library()->find(name);
    if (def == nullptr) return farm_fingerprint64(name);
    const auto [entry, fresh] = functions_.emplace(name, 0);
    // A function that calls itself is 0 to itself.
    if (!fresh) return entry->second;
    std::string text;
    for (const auto& arg : def->signature().input_arg())
      absl::StrAppend(&text, ",", arg.name(), ":", arg.type());
    std::vector<std::string> nodes;
    for (const auto& node : def->node_def()) {
      std::string line = absl::StrCat(node.name(), "=", of_op(node.op()), attrs_text(node.attr()));
      for (const std::string& input : node.input()) absl::StrAppend(&line, "<", input);
      nodes.push_back(std::move(line));
    }
    for (const auto& [key, value] : def->ret()) nodes.push_back(absl::StrCat("ret ", key, "<", value));
    std::sort(nodes.begin(), nodes.end());
    for (const std::string& line : nodes) absl::StrAppend(&text, "\n", line);
    return functions_[name] = farm_fingerprint64(text);
  }
  std::string of_op(const std::string& op) {
    return graph_.library()->find(op) == nullptr ? op : absl::StrCat(of_function(op));
  }

  const Graph& graph_;
  absl::flat_hash_map<int, uint64_t> nodes_;
  absl::flat_hash_map<std::string, uint64_t> functions_;
};

}  // namespace

uint64_t fingerprint_of(const Graph& graph) {
  // The last node is the _Retval; its inputs come before it.
  Fingerprints all(graph);
  for (int i = 0; i < graph.num_ids(); ++i) all.of_node(i);
  return all.of_node(graph.num_ids() - 1);
}

}  // namespace troupe
