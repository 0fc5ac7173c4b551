#include "actors/c_api/op_spec.h"

#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "actors/c_api/op_spec_parts.h"
#include "graph/ir/attr_proto.h"
#include "proto/op_def.pb.h"

namespace troupe::c_api {
namespace {

using absl::string_view;

absl::Status check_default(const pb::OpDef& proto, const pb::OpDef::AttrDef& attr) {
  pb::OpDef one;
  *one.add_attr() = attr;
  TROUPE_ASSIGN_OR_RETURN(OpDef op, from_proto(one));
  AttrMap attrs;
  attrs.set(attr.name(), *op.attrs[0].default_value);
  absl::Status status = complete_and_check_attrs(op, &attrs);
  return status.ok() ? status : annotate(status, "", absl::StrCat("\n\t in Op '", proto.name(), "'"));
}

absl::Status check_attr(const pb::OpDef::AttrDef& attr, std::set<std::string>* names) {
  if (!names->insert(attr.name()).second) return fault({"Duplicate name: ", attr.name()});
  if (spec_dtype(attr.name())) {
    return fault({"Attr can't have name ", attr.name(), " that matches a data type"});
  }
  if (!attr.has_minimum()) return absl::OkStatus();
  const bool is_list = absl::StartsWith(attr.type(), "list(");
  if (!is_list && attr.type() != "int") {
    return fault({"Attr '", attr.name(), "' has minimum for unsupported type ", attr.type()});
  }
  if (is_list && attr.minimum() < 0) {
    return fault({"Attr '", attr.name(), "' with list type must have a non-negative minimum, not ",
                  absl::StrCat(attr.minimum())});
  }
  return absl::OkStatus();
}

absl::Status check_arg(const pb::OpDef::ArgDef& arg, string_view side, pb::OpDef* op,
                       std::set<std::string>* names) {
  const std::string where = absl::StrCat(" for ", side, " '", arg.name(), "'");
  if (!names->insert(arg.name()).second) return fault({"Duplicate name: ", arg.name()});
  if (is_ref(static_cast<DataType>(arg.type()))) {
    return fault({"Illegal use of ref type '", dtype_name(static_cast<DataType>(arg.type())),
                  "'. Use 'Ref(type)' instead", where});
  }
  if (arg.number_attr().empty()) return absl::OkStatus();
  const pb::OpDef::AttrDef* attr = find_attr(arg.number_attr(), op);
  if (attr == nullptr) return fault({"No attr with name '", arg.number_attr(), "'", where});
  if (attr->type() != "int") {
    return fault({"Attr '", attr->name(), "' used as length", where, " has type ", attr->type(), " != int"});
  }
  if (attr->minimum() < 0) {
    return fault({"Attr '", attr->name(), "' used as length", where, " must have minimum >= 0"});
  }
  if (!arg.type_list_attr().empty()) {
    return fault({"Can't have both number_attr and type_list_attr", where});
  }
  return absl::OkStatus();
}

/// What parts that are well-formed may still get wrong together.
absl::Status check_op(pb::OpDef* op) {
  if (!is_op_name(op->name())) return fault({"Invalid name: ", op->name(), " (Did you use CamelCase?)"});
  std::set<std::string> names;
  for (const auto& attr : op->attr()) TROUPE_RETURN_IF_ERROR(check_attr(attr, &names));
  for (const auto& arg : op->input_arg()) TROUPE_RETURN_IF_ERROR(check_arg(arg, "input", op, &names));
  for (const auto& arg : op->output_arg()) TROUPE_RETURN_IF_ERROR(check_arg(arg, "output", op, &names));
  return absl::OkStatus();
}

void parse_parts(const OpSpec& spec, pb::OpDef* op, std::vector<std::string>* faults) {
  auto note = [&](const absl::Status& status, string_view part, string_view text) {
    if (status.ok()) return;
    faults->push_back(absl::StrCat(status.message(), " from ", part, "(\"", text, "\") for Op ", spec.name));
  };
  for (const std::string& text : spec.attrs) note(parse_attr(text, op->add_attr()), "Attr", text);
  for (const std::string& text : spec.inputs) note(parse_arg(text, op, op->add_input_arg()), "Input", text);
  for (const std::string& text : spec.outputs)
    note(parse_arg(text, op, op->add_output_arg()), "Output", text);
}

}  // namespace

absl::StatusOr<OpDef> parse_op_spec(const OpSpec& spec) {
  pb::OpDef op;
  op.set_name(spec.name);
  op.set_is_stateful(spec.is_stateful);
  op.set_is_commutative(spec.is_commutative);
  op.set_is_aggregate(spec.is_aggregate);
  op.set_allows_uninitialized_input(spec.allows_uninitialized_input);
  if (spec.deprecated_since != 0) {
    op.mutable_deprecation()->set_version(spec.deprecated_since);
    op.mutable_deprecation()->set_explanation(spec.deprecation);
  }
  std::vector<std::string> faults;
  parse_parts(spec, &op, &faults);
  if (!faults.empty()) return fault({absl::StrJoin(faults, "\n")});
  if (absl::Status status = check_op(&op); !status.ok()) {
    return annotate(status, "", absl::StrCat("; in OpDef: ", op.ShortDebugString()));
  }
  for (const auto& attr : op.attr()) {
    if (attr.has_default_value()) TROUPE_RETURN_IF_ERROR(check_default(op, attr));
  }
  return from_proto(op);
}

}  // namespace troupe::c_api
