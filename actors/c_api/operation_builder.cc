#include "actors/c_api/operation_builder.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "actors/c_api/border.h"
#include "actors/c_api/graph_messages.h"

#include "graph/ir/deprecations.h"
#include "graph/ops/op_check.h"

using troupe::ArgDef;
using troupe::AttrValue;
using troupe::DataType;
using troupe::Node;
namespace c_api = troupe::c_api;

namespace {

std::string node_text(absl::string_view name) { return absl::StrCat("{{node ", name, "}}"); }

/// On the wire an empty list has no kind: it is as good as one of another kind.
bool is_empty_list(const AttrValue& value) {
  return std::visit(
      [](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (requires(T list) { list.emplace_back(); }) return v.empty();
        return false;
      },
      value.variant());
}

absl::Status check_types(const AttrValue& value, const std::string& attr) {
  auto bad = [&](DataType t) { return t == DataType::kInvalid; };
  const auto* one = value.get<DataType>();
  const auto* list = value.get<std::vector<DataType>>();
  if ((one == nullptr || !bad(*one)) && (list == nullptr || std::none_of(list->begin(), list->end(), bad)))
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("AttrValue has invalid DataType\n\t for attr '", attr, "'"));
}

}  // namespace

TF_OperationDescription::TF_OperationDescription(TF_Graph* g, const char* op_type, const char* oper_name)
    : graph(g), name(oper_name == nullptr ? "" : oper_name), op_name_(op_type == nullptr ? "" : op_type) {
  op_ = graph->graph.find_op(op_name_);
  if (op_ == nullptr) errors_.emplace_back(graph->graph.ops().lookup(op_name_).status().message());
}

bool TF_OperationDescription::check_source(const TF_Output& input) {
  if (input.oper == nullptr) {
    source_errors_.push_back(absl::StrCat("Attempt to add nullptr Node to node with type ", op_name_));
    return false;
  }
  const Node& n = *input.oper->node;
  if (!graph->owns(input.oper)) {
    source_errors_.push_back(absl::StrCat("Attempt to add an output of ", n.name,
                                          ", which belongs to a different graph, to node with type ",
                                          op_name_));
    return false;
  }
  if (input.index >= 0 && input.index < n.num_outputs()) return true;
  source_errors_.push_back(absl::StrCat("Attempt to add output ", input.index, " of ", n.name,
                                        " not in range [0, ", n.num_outputs(), ") to node with type ",
                                        op_name_, ". Node: ", node_text(n.name)));
  return false;
}

const ArgDef* TF_OperationDescription::next_arg() {
  if (op_ == nullptr) return nullptr;
  if (args_given_ < op_->inputs.size()) return &op_->inputs[args_given_++];
  errors_.push_back(absl::StrCat("More Input() calls than the ", op_->inputs.size(), " input_args"));
  return nullptr;
}

void TF_OperationDescription::check_input_type(const ArgDef& arg, DataType expected, DataType type) {
  if (arg.is_ref) expected = make_ref(expected);
  if (expected == type || expected == base_type(type)) return;
  errors_.push_back(
      absl::StrCat("Input '", arg.name, "' passed ", dtype_name(type), " expected ", dtype_name(expected)));
}

void TF_OperationDescription::check_input_ref(const ArgDef& arg, DataType type) {
  if (!arg.is_ref || is_ref(type)) return;
  errors_.push_back(absl::StrCat("Input '", arg.name, "' passed ", dtype_name(type), " expected ref type"));
}

void TF_OperationDescription::take_single(const ArgDef& arg, DataType type) {
  if (!arg.number_attr.empty() || !arg.type_list_attr.empty()) {
    errors_.push_back(absl::StrCat("Single tensor passed to '", arg.name, "', expected list"));
  } else if (arg.type != DataType::kInvalid) {
    check_input_type(arg, arg.type, type);
  } else {
    check_input_ref(arg, type);
    set_attr(arg.type_attr, base_type(type));
  }
}

void TF_OperationDescription::take_list(const ArgDef& arg, const std::vector<DataType>& types) {
  if (!arg.number_attr.empty()) {
    set_attr(arg.number_attr, static_cast<int64_t>(types.size()));
    if (types.empty()) return;
    const DataType expected = arg.type != DataType::kInvalid ? arg.type : base_type(types[0]);
    if (arg.type == DataType::kInvalid) set_attr(arg.type_attr, expected);
    for (DataType t : types) check_input_type(arg, expected, t);
  } else if (!arg.type_list_attr.empty()) {
    std::vector<DataType> bases;
    for (DataType t : types) {
      check_input_ref(arg, t);
      bases.push_back(base_type(t));
    }
    set_attr(arg.type_list_attr, std::move(bases));
  } else {
    errors_.push_back(absl::StrCat("List provided to input '", arg.name, "' when single Tensor expected"));
  }
}

void TF_OperationDescription::add_input(const TF_Output& input) {
  if (!check_source(input)) return;
  inputs_.push_back(c_api::endpoint_of(input));
  if (const ArgDef* arg = next_arg()) take_single(*arg, input.oper->node->output_types[input.index]);
}

void TF_OperationDescription::add_input_list(const TF_Output* inputs, int count) {
  std::vector<DataType> types;
  for (int i = 0; i < count; ++i) {
    if (!check_source(inputs[i])) continue;
    inputs_.push_back(c_api::endpoint_of(inputs[i]));
    types.push_back(inputs[i].oper->node->output_types[inputs[i].index]);
  }
  if (const ArgDef* arg = next_arg()) take_list(*arg, types);
}

void TF_OperationDescription::add_control_input(TF_Operation* input) {
  if (input == nullptr) {
    source_errors_.push_back(absl::StrCat("Attempt to add nullptr Node to node with type ", op_name_));
  } else if (!graph->owns(input)) {
    source_errors_.push_back(absl::StrCat("Attempt to add control input ", input->node->name,
                                          ", which belongs to a different graph, to node with type ",
                                          op_name_));
  } else {
    control_inputs_.push_back(input->id);
  }
}

void TF_OperationDescription::set_attr(const std::string& attr, AttrValue value) {
  if (is_empty_list(value)) value = troupe::EmptyList();
  const AttrValue* before = attrs_.find(attr);
  if (before == nullptr) {
    attrs_.set(attr, std::move(value));
  } else if (!(*before == value)) {
    errors_.push_back(absl::StrCat("Inconsistent values for attr '", attr, "' ", before->to_string(), " vs. ",
                                   value.to_string()));
  }
}

void TF_OperationDescription::set_malformed(const std::string& attr, absl::Status why) {
  malformed_.emplace_back(attr, std::move(why));
}

absl::Status TF_OperationDescription::building_error() const {
  if (!source_errors_.empty()) return absl::InvalidArgumentError(absl::StrJoin(source_errors_, "\n"));
  std::vector<std::string> errors = errors_;
  if (op_ != nullptr && args_given_ < op_->inputs.size())
    errors.push_back(absl::StrCat(args_given_, " inputs specified of ", op_->inputs.size(), " inputs in Op"));
  if (errors.empty()) return absl::OkStatus();
  const std::string where = absl::StrCat(" while building NodeDef '", name, "'",
                                         op_ == nullptr ? "" : absl::StrCat(" using ", summarize_op(*op_)));
  if (errors.size() == 1) return absl::InvalidArgumentError(errors[0] + where);
  return absl::InvalidArgumentError(
      absl::StrCat(errors.size(), " errors", where, ":\n", absl::StrJoin(errors, "\n")));
}

absl::Status TF_OperationDescription::check_attrs() {
  auto where = [&] { return absl::StrCat("\n\t; NodeDef: ", node_text(name), "; ", summarize_op(*op_)); };
  for (const auto& [attr, why] : malformed_) {
    if (op_->find_attr(attr) != nullptr) {
      return troupe::annotate(why, "", absl::StrCat("\n\t for attr '", attr, "'", where()));
    }
    attrs_.erase(attr);
  }
  std::vector<std::string> missing;
  for (const troupe::AttrDef& def : op_->attrs) {
    const AttrValue* value = attrs_.find(def.name);
    if (value != nullptr) {
      absl::Status s = check_attr(def, *value);
      s.Update(check_types(*value, def.name));
      if (!s.ok()) return troupe::annotate(s, "", where());
    } else if (def.default_value) {
      attrs_.set(def.name, *def.default_value);
    } else {
      missing.push_back(def.name);
    }
  }
  if (missing.empty()) return absl::OkStatus();
  std::sort(missing.begin(), missing.end());
  return absl::InvalidArgumentError(absl::StrCat("NodeDef missing attr", missing.size() == 1 ? "" : "s", " '",
                                                 absl::StrJoin(missing, "', '"), "' from ",
                                                 summarize_op(*op_), "; NodeDef: ", node_text(name)));
}

absl::StatusOr<TF_Operation*> TF_OperationDescription::finish() {
  if (graph->graph.find(name) != nullptr)
    return absl::InvalidArgumentError(absl::StrCat("Duplicate node name in graph: '", name, "'"));
  if (!colocation.empty()) set_attr("_class", std::vector<std::string>(colocation.begin(), colocation.end()));
  TROUPE_RETURN_IF_ERROR(building_error());
  TROUPE_RETURN_IF_ERROR(check_attrs());
  TROUPE_RETURN_IF_ERROR(troupe::check_not_deprecated(*op_, graph->graph.versions().producer));
  if (graph->require_shape_functions && !op_->shape_fn && graph->graph.library()->find(op_name_) == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("No shape inference function exists for op '", op_name_,
                                                   "', did you forget to define it?"));
  }
  TROUPE_ASSIGN_OR_RETURN(Node * node, graph->graph.add_node(name, op_, std::move(attrs_)));
  const int id = node->id;
  if (node->inputs.size() != inputs_.size()) {
    absl::Status wrong = absl::InvalidArgumentError(
        absl::StrCat("NodeDef expected ", node->inputs.size(), " inputs, but ", inputs_.size(),
                     " inputs specified; NodeDef: ", node_text(name)));
    graph->graph.truncate(id);
    return wrong;
  }
  node->inputs.assign(inputs_.begin(), inputs_.end());
  node->requested_device = std::move(device);
  graph->graph.add_control_inputs(id, control_inputs_);
  if (absl::Status s = graph->adopt_nodes(id); !s.ok()) {
    graph->drop_nodes(id);
    return s;
  }
  return graph->operation(id);
}

extern "C" {

TF_OperationDescription* TF_NewOperationLocked(TF_Graph* graph, const char* op_type,
                                               const char* oper_name) try {
  if (graph == nullptr) return nullptr;
  return new TF_OperationDescription(graph, op_type, oper_name);
}
TROUPE_BORDER_OR({}, nullptr)

TF_OperationDescription* TF_NewOperation(TF_Graph* graph, const char* op_type, const char* oper_name) try {
  if (graph == nullptr) return nullptr;
  std::lock_guard lock(graph->mu);
  return TF_NewOperationLocked(graph, op_type, oper_name);
}
TROUPE_BORDER_OR({}, nullptr)

void TF_SetDevice(TF_OperationDescription* desc, const char* device) try {
  if (desc == nullptr) return;
  desc->device = device == nullptr ? "" : device;
}
TROUPE_BORDER(nullptr)

void TF_AddInput(TF_OperationDescription* desc, TF_Output input) try {
  if (desc == nullptr) return;
  desc->add_input(input);
}
TROUPE_BORDER(nullptr)

void TF_AddInputList(TF_OperationDescription* desc, const TF_Output* inputs, int num_inputs) try {
  if (desc == nullptr) return;
  desc->add_input_list(inputs, inputs == nullptr ? 0 : num_inputs);
}
TROUPE_BORDER(nullptr)

void TF_AddControlInput(TF_OperationDescription* desc, TF_Operation* input) try {
  if (desc == nullptr) return;
  desc->add_control_input(input);
}
TROUPE_BORDER(nullptr)

void TF_ColocateWith(TF_OperationDescription* desc, TF_Operation* op) try {
  if (desc == nullptr) return;
  if (op != nullptr) desc->colocation.insert(absl::StrCat("loc:@", op->node->name));
}
TROUPE_BORDER(nullptr)

TF_Operation* TF_FinishOperationLocked(TF_OperationDescription* desc, TF_Status* status) try {
  if (desc == nullptr) {
    c_api::set_invalid(status, "The description is null");
    return nullptr;
  }
  auto made = desc->finish();
  delete desc;
  c_api::set_status(status, made.status());
  return made.ok() ? *made : nullptr;
}
TROUPE_BORDER_OR({}, status)

TF_Operation* TF_FinishOperation(TF_OperationDescription* desc, TF_Status* status) try {
  if (desc == nullptr) {
    c_api::set_invalid(status, "The description is null");
    return nullptr;
  }
  TF_Graph* const graph = desc->graph;
  std::lock_guard lock(graph->mu);
  return TF_FinishOperationLocked(desc, status);
}
TROUPE_BORDER_OR({}, status)

}  // extern "C"
