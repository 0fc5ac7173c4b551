#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/ir/importer.h"
#include "graph/ops/op_check.h"

namespace troupe {
namespace {

absl::Status invalid(std::string text) { return absl::InvalidArgumentError(std::move(text)); }

}  // namespace

absl::Status Importer::resolve_mapped(const TensorName& in, const pb::NodeDef& def, Source* out) {
  if (options_.input_map.empty()) return absl::OkStatus();
  auto it = options_.input_map.find(NamedOutput(std::string(in.node), in.slot));
  if (it == options_.input_map.end()) return absl::OkStatus();
  used_map_keys_.insert(it->first);
  const auto& [name, slot] = it->second;
  std::string entry = absl::StrCat("(input_map entry: ", input_text(it->first.first, it->first.second), "->",
                                   input_text(name, slot), ")");
  if ((slot < 0) != in.is_control()) {
    return invalid(absl::StrCat("Node '", def.name(),
                                "': data and control outputs cannot be mapped to each other ", entry));
  }
  const Node* node = graph_.find(name);
  if (node == nullptr || node->id >= first_id_) {
    return invalid(absl::StrCat("node '", name, "' in input_map does not exist in graph ", entry));
  }
  *out = {node->id, slot};
  return absl::OkStatus();
}

absl::Status Importer::resolve_inputs() {
  ids_.assign(def_.node_size(), -1);
  int next = first_id_;
  for (int i = 0; i < def_.node_size(); ++i) {
    if (!skipped_[i]) ids_[i] = next++;
  }
  source_begin_.reserve(def_.node_size() + 1);
  for (int i = 0; i < def_.node_size(); ++i) {
    source_begin_.push_back(static_cast<int>(sources_.size()));
    const pb::NodeDef& n = def_.node(i);
    if (skipped_[i]) continue;
    for (const std::string& text : n.input()) {
      TensorName in = parse_tensor_name(text);
      Source source;
      TROUPE_RETURN_IF_ERROR(resolve_mapped(in, n, &source));
      if (source.node < 0) {
        if (auto it = index_.find(in.node); it != index_.end()) {
          source = {ids_[it->second], in.slot};
        } else if (const Node* old = first_id_ > 0 && !importing() ? graph_.find(in.node) : nullptr) {
          source = {old->id, in.slot};
        }
      }
      if (source.node < 0)
        return invalid(absl::StrCat("Node '", n.name(), "': Unknown input node '", text, "'"));
      sources_.push_back(source);
    }
  }
  source_begin_.push_back(static_cast<int>(sources_.size()));
  return absl::OkStatus();
}

absl::Status Importer::connect(int index) {
  Node& node = graph_.node(ids_[index]);
  int slot = 0;
  for (const Source& source : sources_of(index)) {
    if (source.slot < 0) {
      if (control_stamp_[source.node] == node.id) continue;
      control_stamp_[source.node] = node.id;
      node.control_inputs.push_back(source.node);
      continue;
    }
    const Node& from = graph_.node(source.node);
    if (source.slot >= from.num_outputs()) {
      absl::string_view name = from.name;
      if (from.id >= first_id_ && !prefix_.empty()) name.remove_prefix(prefix_.size() + 1);
      return invalid(absl::StrCat("Node '", def_.node(index).name(), "': Connecting to invalid output ",
                                  source.slot, " of source node ", name, " which has ", from.num_outputs(),
                                  " outputs."));
    }
    if (slot >= node.num_inputs() && importing()) {
      const auto sources = sources_of(index);
      return wrong_count(node, static_cast<int>(std::count_if(sources.begin(), sources.end(),
                                                              [](const Source& i) { return i.slot >= 0; })));
    }
    if (slot >= node.num_inputs()) {
      return invalid(absl::StrCat("Input ", slot, " of node ", node.name, " does not exist. Node only has ",
                                  node.num_inputs(), " inputs."));
    }
    DataType has = from.output_types[source.slot];
    DataType wants = node.input_types[slot];
    if (has != wants && (is_ref(wants) || base_type(has) != wants)) {
      return invalid(absl::StrCat("Input ", slot, " of node ", node.name, " was passed ", dtype_name(has),
                                  " from ", tensor_text(from.name, source.slot),
                                  " incompatible with expected ", dtype_name(wants), "."));
    }
    node.inputs[slot++] = {source.node, source.slot};
  }
  return slot < node.num_inputs() ? check_missing(&node, slot) : absl::OkStatus();
}

absl::Status Importer::wrong_count(const Node& node, int given) const {
  std::string types = absl::StrJoin(
      node.input_types, ", ", [](std::string* out, DataType t) { absl::StrAppend(out, dtype_name(t)); });
  return invalid(absl::StrCat("NodeDef expected inputs '", types, "' do not match ", given,
                              " inputs specified; ", summarize_op(*node.op), "; NodeDef: {{node ", node.name,
                              "}}"));
}

absl::Status Importer::check_missing(Node* node, int given) {
  if (strict_) return wrong_count(*node, given);
  node->defect.Update(invalid(
      absl::StrCat("Incomplete graph, missing ", node->num_inputs() - given, " inputs for ", node->name)));
  node->inputs.resize(given);
  node->input_types.resize(given);
  return absl::OkStatus();
}

/// Nodes with an input among the imported ones wait through it; the others wait themselves.
absl::Status Importer::add_control_dependencies() {
  for (const std::string& name : options_.control_dependencies) {
    const Node* node = graph_.find(name);
    if (node == nullptr || node->id >= first_id_) {
      return invalid(absl::StrCat("node '", name, "' in control_dependencies does not exist in graph"));
    }
    for (int id = first_id_; id < graph_.num_ids(); ++id) {
      const Node& n = graph_.node(id);
      auto imported = [&](int from) { return from >= first_id_; };
      bool waits =
          std::any_of(n.control_inputs.begin(), n.control_inputs.end(), imported) ||
          std::any_of(n.inputs.begin(), n.inputs.end(), [&](Endpoint e) { return imported(e.node); });
      if (!waits) graph_.add_control_input(id, node->id);
    }
  }
  return absl::OkStatus();
}

}  // namespace troupe
