// Makes bodies of FunctionDefs.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "graph/ir/attr_proto.h"
#include "graph/ir/names.h"
#include "graph/passes/bind_attrs.h"
#include "graph/passes/function_body.h"

#include "proto/function.pb.h"

namespace troupe {
namespace {

/// Reads one FunctionDef with one set of attrs.
class Instantiator {
 public:
  Instantiator(const Graph& graph, const pb::FunctionDef& def, const OpDef& signature, const AttrMap& attrs)
      : graph_(graph), def_(def), signature_(signature), body_(std::make_shared<FunctionBody>()) {
    body_->attrs = attrs;
  }

  absl::StatusOr<std::shared_ptr<const FunctionBody>> run() {
    body_->name = signature_.name;
    TROUPE_RETURN_IF_ERROR(complete_and_check_attrs(signature_, &body_->attrs));
    TROUPE_RETURN_IF_ERROR(op_types(signature_, body_->attrs, &body_->arg_types, &body_->ret_types));
    TROUPE_RETURN_IF_ERROR(name_args());
    for (int i = 0; i < def_.node_def_size(); ++i) {
      if (auto s = add_node(i); !s.ok())
        return annotate(s, "", absl::StrCat("\n\tIn {{node ", def_.node_def(i).name(), "}}"));
    }
    for (int i = 0; i < def_.node_def_size(); ++i) {
      if (auto s = connect(i); !s.ok())
        return annotate(s, "", absl::StrCat("\n\tIn {{node ", def_.node_def(i).name(), "}}"));
    }
    TROUPE_RETURN_IF_ERROR(add_rets());
    TROUPE_RETURN_IF_ERROR(check_acyclic());
    prune();
    return std::shared_ptr<const FunctionBody>(std::move(body_));
  }

 private:
  /// What an input text can name: some outputs of a node, or some arguments.
  struct Item {
    Endpoint first;
    int count = 1;
  };

  absl::Status name_args() {
    TROUPE_ASSIGN_OR_RETURN(auto ranges, arg_ranges(signature_.inputs, body_->attrs));
    for (size_t i = 0; i < ranges.size(); ++i) {
      const int count = ranges[i].second - ranges[i].first;
      items_[signature_.inputs[i].name] = {{-1 - ranges[i].first, 0}, count};
    }
    return absl::OkStatus();
  }

  absl::Status add_node(int i) {
    const pb::NodeDef& def = def_.node_def(i);
    FunctionBody::BodyNode node;
    node.name = def.name();
    if (auto it = items_.find(node.name); it != items_.end() && FunctionBody::is_arg(it->second.first))
      return absl::InvalidArgumentError(absl::StrCat("Node '", node.name, "' is not unique"));
    if (!is_valid_node_name(node.name, /*internal=*/true)) {
      return absl::InvalidArgumentError(
          absl::StrCat("Node '", node.name, "': Node name contains invalid characters"));
    }
    node.device = def.device();
    node.op = graph_.find_op(def.op());
    if (node.op == nullptr) return graph_.ops().lookup(def.op()).status();
    for (const auto& [name, proto] : def.attr()) {
      TROUPE_ASSIGN_OR_RETURN(AttrValue value, from_proto(proto));
      TROUPE_ASSIGN_OR_RETURN(value, substitute(value, body_->attrs));
      node.attrs.set(name, std::move(value));
    }
    TROUPE_RETURN_IF_ERROR(check_type_attrs(*node.op, node.attrs));
    TROUPE_RETURN_IF_ERROR(complete_and_check_attrs(*node.op, &node.attrs));
    if (const AttrValue* scope = body_->attrs.find(kRandomScopeAttr)) {
      set_random_scope(*scope, graph_.ops().find(def.op()) != node.op, *node.op, &node.attrs);
    }
    std::vector<DataType> inputs;
    TROUPE_RETURN_IF_ERROR(op_types(*node.op, node.attrs, &inputs, &node.output_types));
    TROUPE_ASSIGN_OR_RETURN(auto ranges, arg_ranges(node.op->outputs, node.attrs));
    for (size_t o = 0; o < ranges.size(); ++o) {
      Item item{{i, ranges[o].first}, ranges[o].second - ranges[o].first};
      items_[absl::StrCat(node.name, ":", node.op->outputs[o].name)] = item;
      if (o == 0) items_.try_emplace(node.name, item);
    }
    if (!by_name_.emplace(node.name, i).second) {
      const auto& outputs = node.op->outputs;
      return absl::InvalidArgumentError(absl::StrCat("Duplicated ret name: ", node.name,
                                                     outputs.empty() ? "" : ":",
                                                     outputs.empty() ? "" : outputs[0].name));
    }
    node.effect = has_side_effects(*node.op);
    input_types_.push_back(std::move(inputs));
    body_->nodes.push_back(std::move(node));
    return absl::OkStatus();
  }

  /// NotFound for types of outputs that neither the node nor its op says.
  static absl::Status check_type_attrs(const OpDef& op, const AttrMap& attrs) {
    for (const ArgDef& arg : op.outputs) {
      for (const std::string* name : {&arg.type_attr, &arg.type_list_attr}) {
        if (name->empty() || attrs.contains(*name)) continue;
        const AttrDef* attr = op.find_attr(*name);
        if (attr != nullptr && attr->default_value) continue;
        return absl::NotFoundError(
            absl::StrCat(name == &arg.type_attr ? "type" : "type list", " attr not found: ", *name));
      }
    }
    return absl::OkStatus();
  }

  /// Loops go round by NextIteration; any other cycle would never run.
  absl::Status check_acyclic() const {
    const auto& nodes = body_->nodes;
    std::vector<int> missing(nodes.size(), 0), ready;
    std::vector<std::vector<int>> users(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) {
      auto wait_for = [&](int producer) {
        if (producer < 0 || is_next_iteration(*nodes[producer].op)) return;
        ++missing[i];
        users[producer].push_back(static_cast<int>(i));
      };
      for (Endpoint e : nodes[i].inputs) wait_for(e.node);
      for (int c : nodes[i].controls) wait_for(c);
      if (missing[i] == 0) ready.push_back(static_cast<int>(i));
    }
    for (size_t next = 0; next < ready.size(); ++next) {
      for (int user : users[ready[next]]) {
        if (--missing[user] == 0) ready.push_back(user);
      }
    }
    if (ready.size() == nodes.size()) return absl::OkStatus();
    // With the results that wait for it.
    auto is_stuck = [&](Endpoint e) { return e.node >= 0 && missing[e.node] > 0; };
    const auto results = std::count_if(body_->rets.begin(), body_->rets.end(), is_stuck);
    return absl::InvalidArgumentError(
        absl::StrCat(nodes.size() - ready.size() + static_cast<size_t>(results), " nodes in a cycle"));
  }
  static bool is_next_iteration(const OpDef& op) {
    return op.name == "NextIteration" || op.name == "RefNextIteration";
  }

  /// Appends what `text` names: "arg", "arg:1", "node:out", "node:out:1".
  absl::Status resolve(absl::string_view text, std::vector<Endpoint>* out) const {
    auto append = [&](const Item& item, int from, int count) {
      for (int k = from; k < from + count; ++k) {
        Endpoint e = item.first;
        if (FunctionBody::is_arg(e)) {
          e.node -= k;
        } else {
          e.slot += k;
        }
        out->push_back(e);
      }
    };
    if (auto it = items_.find(text); it != items_.end()) {
      append(it->second, 0, it->second.count);
      return absl::OkStatus();
    }
    size_t colon = text.rfind(':');
    int index = 0;
    if (colon != absl::string_view::npos && absl::SimpleAtoi(text.substr(colon + 1), &index)) {
      auto it = items_.find(text.substr(0, colon));
      if (it != items_.end() && index >= 0 && index < it->second.count) {
        append(it->second, index, 1);
        return absl::OkStatus();
      }
    }
    return absl::InvalidArgumentError(absl::StrCat("input ", text, " is not found"));
  }

  absl::Status connect(int i) {
    const pb::NodeDef& def = def_.node_def(i);
    FunctionBody::BodyNode& node = body_->nodes[i];
    const auto& types = input_types_[i];
    for (int at = 0; at < def.input_size(); ++at) {
      const std::string& text = def.input(at);
      if (absl::StartsWith(text, "^")) {
        TROUPE_RETURN_IF_ERROR(connect_control(absl::string_view(text).substr(1), at, &node));
        continue;
      }
      const size_t first = node.inputs.size();
      if (first >= types.size()) {
        return absl::InvalidArgumentError(
            absl::StrCat("Expected input[", at, "] == '", text, "' to be a control input."));
      }
      const absl::Status found = resolve(text, &node.inputs);
      if (!found.ok()) return annotate(found, "", absl::StrCat(": {{node ", node.name, "}}"));
      for (size_t s = first; s < std::min(node.inputs.size(), types.size()); ++s) {
        if (accepts(types[s], type_of(node.inputs[s]))) continue;
        const std::string which = absl::StrCat(text, "[", s - first, "]");
        return absl::InvalidArgumentError(
            absl::StrCat("input ", which, " expected type ", dtype_name(types[s]),
                         " != ", dtype_name(type_of(node.inputs[s])), ", the type of ", which));
      }
    }
    if (node.inputs.size() < types.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Attempt to access beyond input size: ", def.input_size(), " >= ", def.input_size()));
    }
    if (node.inputs.size() > types.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Expected ", types.size(), " inputs, got ", node.inputs.size()));
    }
    return absl::OkStatus();
  }

  absl::Status connect_control(absl::string_view name, int at, FunctionBody::BodyNode* node) {
    if (auto it = by_name_.find(name); it != by_name_.end()) {
      node->controls.push_back(it->second);
      return absl::OkStatus();
    }
    auto arg = items_.find(name);
    if (arg == items_.end() || !FunctionBody::is_arg(arg->second.first)) {
      return absl::InvalidArgumentError(absl::StrCat("input[", at, "] == '^", name, "', is not found."));
    }
    node->controls.push_back(arg->second.first.node);
    return absl::OkStatus();
  }

  DataType type_of(Endpoint e) const {
    return FunctionBody::is_arg(e) ? body_->arg_types[FunctionBody::arg_of(e)]
                                   : body_->nodes[e.node].output_types[e.slot];
  }
  static bool accepts(DataType want, DataType have) {
    return base_type(have) == base_type(want) && (is_ref(have) || !is_ref(want));
  }

  /// Results [begin, end).
  absl::Status add_ret(const std::string& name, int begin, int end) {
    auto it = def_.ret().find(name);
    if (it == def_.ret().end()) return absl::InvalidArgumentError(absl::StrCat("Return ", name, " missing."));
    const size_t before = body_->rets.size();
    if (!resolve(it->second, &body_->rets).ok())
      return absl::InvalidArgumentError(absl::StrCat("Return ", name, " -> ", it->second, " is not found."));
    const size_t want = static_cast<size_t>(end - begin);
    if (body_->rets.size() - before != want) {
      return absl::InvalidArgumentError(
          absl::StrCat("Return ", name, " should have ", want, " values, not ", body_->rets.size() - before));
    }
    for (size_t r = before; r < body_->rets.size(); ++r) {
      if (accepts(body_->ret_types[r], type_of(body_->rets[r]))) continue;
      return absl::InvalidArgumentError(absl::StrCat("Invalid ret types ", name, " : ",
                                                     dtype_name(body_->ret_types[r]), " vs. ",
                                                     dtype_name(type_of(body_->rets[r]))));
    }
    return absl::OkStatus();
  }

  absl::Status add_rets() {
    TROUPE_ASSIGN_OR_RETURN(auto ranges, arg_ranges(signature_.outputs, body_->attrs));
    for (size_t i = 0; i < ranges.size(); ++i) {
      const std::string& name = signature_.outputs[i].name;
      const DataType type =
          ranges[i].second > ranges[i].first ? body_->ret_types[ranges[i].first] : DataType::kInvalid;
      const absl::Status added = add_ret(name, ranges[i].first, ranges[i].second);
      if (!added.ok())
        return annotate(added, "", absl::StrCat("\n\tIn function output ", name, ":", dtype_name(type)));
    }
    for (const auto& [name, node] : def_.control_ret()) {
      auto it = by_name_.find(node);
      if (it == by_name_.end()) {
        return absl::InvalidArgumentError(
            absl::StrCat("Control return ", name, " names the node ", node, ", which is not there."));
      }
      body_->nodes[it->second].effect = true;
    }
    return absl::OkStatus();
  }

  /// Drops what neither a result nor an effect needs, and says who is awaited and which arguments are used.
  void prune() {
    auto& nodes = body_->nodes;
    std::vector<int> renumbered(nodes.size(), -1), stack;
    auto visit = [&](int i) {
      if (i < 0 || renumbered[i] >= 0) return;
      renumbered[i] = 0;
      stack.push_back(i);
    };
    for (Endpoint e : body_->rets) visit(e.node);
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].effect) visit(static_cast<int>(i));
    }
    while (!stack.empty()) {
      const auto& n = nodes[stack.back()];
      stack.pop_back();
      for (Endpoint e : n.inputs) visit(e.node);
      for (int c : n.controls) visit(c);
    }
    int next = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (renumbered[i] < 0) continue;
      renumbered[i] = next;
      if (static_cast<size_t>(next) != i) nodes[next] = std::move(nodes[i]);
      ++next;
    }
    nodes.resize(next);
    body_->arg_used.assign(body_->arg_types.size(), false);
    auto renumber = [&](Endpoint& e) {
      if (FunctionBody::is_arg(e)) {
        body_->arg_used[FunctionBody::arg_of(e)] = true;
      } else {
        e.node = renumbered[e.node];
      }
    };
    for (auto& n : nodes) {
      for (Endpoint& e : n.inputs) renumber(e);
      for (int& c : n.controls) {
        if (c < 0) continue;
        c = renumbered[c];
        nodes[c].awaited = true;
      }
    }
    for (Endpoint& e : body_->rets) renumber(e);
  }

  const Graph& graph_;
  const pb::FunctionDef& def_;
  const OpDef& signature_;
  std::shared_ptr<FunctionBody> body_;
  std::vector<std::vector<DataType>> input_types_;
  absl::flat_hash_map<std::string, Item> items_;
  absl::flat_hash_map<std::string, int> by_name_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const FunctionBody>> FunctionBodies::get(const std::string& name,
                                                                        const AttrMap& attrs) {
  const pb::FunctionDef* def = graph_.library() == nullptr ? nullptr : graph_.library()->find(name);
  const OpDef* signature = def == nullptr ? nullptr : graph_.library()->find_signature(name);
  if (def == nullptr) return absl::NotFoundError(absl::StrCat("Function ", name, " is not defined."));
  if (signature == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("Function ", name, " has a malformed signature."));
  }
  // A caller may carry attrs of its own beside those that the function declares.
  AttrMap declared;
  for (const AttrDef& a : signature->attrs) {
    if (const AttrValue* v = attrs.find(a.name)) declared.set(a.name, *v);
  }
  if (const AttrValue* scope = attrs.find(kRandomScopeAttr)) declared.set(kRandomScopeAttr, *scope);
  auto& known = bodies_[name];
  for (const auto& [body, asked] : known) {
    if (asked == declared) return body;
  }
  auto body = Instantiator(graph_, *def, *signature, declared).run();
  if (!body.ok()) return annotate(body.status(), "", absl::StrCat("\n\tIn function '", name, "'"));
  known.push_back({*body, std::move(declared)});
  return *body;
}

}  // namespace troupe
