#include "graph/ir/graph.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "graph/ir/function_library.h"

namespace troupe {

const OpDef* Graph::find_op(absl::string_view name) const {
  if (const OpDef* op = ops_->find(name)) return op;
  return library_ == nullptr ? nullptr : library_->find_signature(name);
}

absl::StatusOr<Node*> Graph::add_node(std::string name, const OpDef* op, AttrMap attrs) {
  if (by_name_.contains(name))
    return absl::AlreadyExistsError(absl::StrCat("Node '", name, "' is not unique"));
  auto node = std::make_unique<Node>();
  std::vector<DataType> inputs, outputs;
  if (auto s = op_types(*op, attrs, &inputs, &outputs); !s.ok()) {
    return annotate(s, "", absl::StrCat("; node '", name, "'"));
  }
  node->id = num_ids();
  node->name = std::move(name);
  node->op = op;
  node->attrs = std::move(attrs);
  node->inputs.resize(inputs.size());
  node->input_types.assign(inputs.begin(), inputs.end());
  node->output_types.assign(outputs.begin(), outputs.end());
  by_name_[node->name] = node->id;
  nodes_.push_back(std::move(node));
  ++live_;
  return nodes_.back().get();
}

absl::StatusOr<Node*> Graph::add_node(std::string name, absl::string_view op_name, AttrMap attrs,
                                      std::vector<Endpoint> inputs, std::vector<int> control_inputs,
                                      std::string device) {
  const OpDef* op = find_op(op_name);
  if (op == nullptr) return ops_->lookup(op_name).status();
  if (auto s = complete_and_check_attrs(*op, &attrs); !s.ok()) {
    return annotate(s, "", absl::StrCat("; node '", name, "'"));
  }
  TROUPE_ASSIGN_OR_RETURN(Node * node, add_node(std::move(name), op, std::move(attrs)));
  if (inputs.size() != node->inputs.size()) {
    absl::Status bad = absl::InvalidArgumentError(
        absl::StrCat("NodeDef expected inputs of ", node->inputs.size(), " but ", inputs.size(),
                     " inputs specified; node '", node->name, "' (", op_name, ")"));
    remove_node(node->id);
    return bad;
  }
  node->inputs.assign(inputs.begin(), inputs.end());
  node->requested_device = std::move(device);
  add_control_inputs(node->id, control_inputs);
  return node;
}

void Graph::remove_node(int id) {
  Node& n = *nodes_[id];
  if (n.removed()) return;
  by_name_.erase(n.name);
  n.op = nullptr;
  n.inputs.clear();
  n.control_inputs.clear();
  --live_;
}

std::vector<int> Graph::compact() {
  std::vector<int> renumbered(nodes_.size(), -1);
  int next = 0;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i]->removed()) continue;
    renumbered[i] = next;
    if (static_cast<size_t>(next) != i) nodes_[next] = std::move(nodes_[i]);
    ++next;
  }
  nodes_.resize(next);
  for (auto& n : nodes_) {
    n->id = renumbered[n->id];
    by_name_[n->name] = n->id;
    for (Endpoint& e : n->inputs) e.node = renumbered[e.node];
    for (int& c : n->control_inputs) c = renumbered[c];
    auto gone = std::remove(n->control_inputs.begin(), n->control_inputs.end(), -1);
    n->control_inputs.erase(gone, n->control_inputs.end());
  }
  return renumbered;
}

void Graph::reserve(int nodes) {
  nodes_.reserve(nodes_.size() + nodes);
  by_name_.reserve(by_name_.size() + nodes);
}

void Graph::truncate(int num_ids) {
  for (size_t i = num_ids; i < nodes_.size(); ++i) {
    if (nodes_[i]->removed()) continue;
    by_name_.erase(nodes_[i]->name);
    --live_;
  }
  nodes_.resize(std::min(nodes_.size(), static_cast<size_t>(num_ids)));
}

absl::Status Graph::check_runnable() const {
  for (const auto& n : nodes_) {
    if (!n->removed() && !n->defect.ok()) return n->defect;
  }
  return absl::OkStatus();
}

void Graph::rename_node(int id, std::string name) {
  Node& n = *nodes_[id];
  by_name_.erase(n.name);
  n.name = std::move(name);
  by_name_[n.name] = id;
}

std::string Graph::unique_name(absl::string_view prefix) {
  std::string name(prefix);
  int& suffix = unique_suffix_[name];
  while (by_name_.contains(name)) name = absl::StrCat(prefix, "_", ++suffix);
  return name;
}

const Node* Graph::find(absl::string_view name) const {
  auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : nodes_[it->second].get();
}

Node* Graph::find(absl::string_view name) {
  auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : nodes_[it->second].get();
}

void Graph::add_control_input(int id, int from) {
  auto& list = nodes_[id]->control_inputs;
  if (std::find(list.begin(), list.end(), from) == list.end()) list.push_back(from);
}

void Graph::add_control_inputs(int id, std::span<const int> from) {
  constexpr size_t kFew = 16;
  auto& list = nodes_[id]->control_inputs;
  if (list.size() + from.size() <= kFew) {
    for (int c : from) add_control_input(id, c);
    return;
  }
  absl::flat_hash_set<int> known(list.begin(), list.end());
  for (int c : from) {
    if (known.insert(c).second) list.push_back(c);
  }
}

Graph Graph::clone() const {
  Graph copy(ops_);
  copy.library_ = library_;
  copy.pinned_ = pinned_;
  copy.versions_ = versions_;
  copy.unique_suffix_ = unique_suffix_;
  copy.live_ = live_;
  copy.nodes_.reserve(nodes_.size());
  copy.by_name_.reserve(nodes_.size());
  for (const auto& n : nodes_) {
    copy.nodes_.push_back(std::make_unique<Node>(*n));
    if (!n->removed()) copy.by_name_[copy.nodes_.back()->name] = n->id;
  }
  return copy;
}

ConsumerIndex::ConsumerIndex(const Graph& graph) : begin_(graph.num_ids() + 1) {
  for (int i = 0; i < graph.num_ids(); ++i) {
    const Node& n = graph.node(i);
    for (Endpoint e : n.inputs) ++begin_[e.node + 1];
    for (int c : n.control_inputs) ++begin_[c + 1];
  }
  for (size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  uses_.resize(begin_.back());
  std::vector<int> fill(begin_.begin(), begin_.end() - 1);
  for (int i = 0; i < graph.num_ids(); ++i) {
    const Node& n = graph.node(i);
    for (int s = 0; s < n.num_inputs(); ++s) uses_[fill[n.inputs[s].node]++] = {i, s, n.inputs[s].slot};
    for (int c : n.control_inputs) uses_[fill[c]++] = {i, -1, -1};
  }
}

}  // namespace troupe
