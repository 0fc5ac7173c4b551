#include "graph/ops/op_check.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace troupe {
namespace {

std::string type_list(const std::vector<DataType>& types) {
  return absl::StrJoin(types, ", ", [](std::string* o, DataType t) { absl::StrAppend(o, dtype_name(t)); });
}

absl::Status check_type(const AttrDef& def, DataType t) {
  if (!def.allowed_types.empty() && std::find(def.allowed_types.begin(), def.allowed_types.end(),
                                              base_type(t)) == def.allowed_types.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Value for attr '", def.name, "' of ", dtype_name(t),
                     " is not in the list of allowed values: ", type_list(def.allowed_types)));
  }
  return absl::OkStatus();
}

absl::Status check_string(const AttrDef& def, const std::string& s) {
  if (!def.allowed_strings.empty() &&
      std::find(def.allowed_strings.begin(), def.allowed_strings.end(), s) == def.allowed_strings.end()) {
    return absl::InvalidArgumentError(absl::StrCat("Value for attr '", def.name, "' of \"", s,
                                                   "\" is not in the list of allowed values: \"",
                                                   absl::StrJoin(def.allowed_strings, "\", \""), "\""));
  }
  return absl::OkStatus();
}

template <class T>
absl::Status check_length(const AttrDef& def, const std::vector<T>& list) {
  if (def.minimum && static_cast<int64_t>(list.size()) < *def.minimum) {
    return absl::InvalidArgumentError(absl::StrCat("Length for attr '", def.name, "' of ", list.size(),
                                                   " must be at least minimum ", *def.minimum));
  }
  return absl::OkStatus();
}

std::string arg_text(const ArgDef& arg) {
  // The attr of a list with a type each is not written: neither does TensorFlow.
  std::string type = !arg.type_list_attr.empty() ? ""
                     : !arg.type_attr.empty()    ? arg.type_attr
                                                 : dtype_name(arg.type);
  if (arg.is_ref) type = absl::StrCat("Ref(", type, ")");
  return absl::StrCat(arg.name, ":", arg.number_attr.empty() ? "" : absl::StrCat(arg.number_attr, "*"), type);
}

std::string attr_text(const AttrDef& attr) {
  std::string out = absl::StrCat("; attr=", attr.name, ":", attr.kind);
  if (attr.default_value) absl::StrAppend(&out, ",default=", attr.default_value->to_string());
  if (attr.minimum) absl::StrAppend(&out, ",min=", *attr.minimum);
  if (!attr.allowed_types.empty()) {
    absl::StrAppend(&out, ",allowed=", AttrValue(attr.allowed_types).to_string());
  } else if (!attr.allowed_strings.empty()) {
    absl::StrAppend(&out, ",allowed=", AttrValue(attr.allowed_strings).to_string());
  }
  return out;
}

}  // namespace

std::string summarize_op(const OpDef& op) {
  auto join = [](const std::vector<ArgDef>& args) {
    return absl::StrJoin(args, ", ",
                         [](std::string* o, const ArgDef& a) { absl::StrAppend(o, arg_text(a)); });
  };
  std::string out =
      absl::StrCat("Op<name=", op.name, "; signature=", join(op.inputs), " -> ", join(op.outputs));
  for (const AttrDef& attr : op.attrs) out += attr_text(attr);
  if (op.is_commutative) out += "; is_commutative=true";
  if (op.is_aggregate) out += "; is_aggregate=true";
  if (op.is_stateful) out += "; is_stateful=true";
  if (op.allows_uninitialized_input) out += "; allows_uninitialized_input=true";
  if (op.is_distributed_communication) out += "; is_distributed_communication=true";
  return out + ">";
}

absl::Status check_attr(const AttrDef& def, const AttrValue& value) {
  if (value.get<AttrPlaceholder>() != nullptr) return absl::OkStatus();
  auto wrong = [&] {
    const bool missing = value.get<std::monostate>() != nullptr || value.get<EmptyList>() != nullptr;
    const std::string what = missing
                                 ? absl::StrCat("AttrValue missing value with expected type '", def.kind, "'")
                                 : absl::StrCat("AttrValue had value with type '", value.kind(), "' when '",
                                                def.kind, "' expected");
    return absl::InvalidArgumentError(absl::StrCat(what, "\n\t for attr '", def.name, "'"));
  };
  if (value.get<EmptyList>() != nullptr) {
    if (!absl::StartsWith(def.kind, "list(")) return wrong();
    return check_length(def, std::vector<int64_t>());
  }
  if (value.kind() != def.kind) return wrong();
  if (const auto* t = value.get<DataType>()) return check_type(def, *t);
  if (const auto* s = value.get<std::string>()) return check_string(def, *s);
  if (const auto* i = value.get<int64_t>()) {
    if (def.minimum && *i < *def.minimum) {
      return absl::InvalidArgumentError(absl::StrCat("Value for attr '", def.name, "' of ", *i,
                                                     " must be at least minimum ", *def.minimum));
    }
  }
  if (const auto* list = value.get<std::vector<DataType>>()) {
    for (DataType t : *list) TROUPE_RETURN_IF_ERROR(check_type(def, t));
    return check_length(def, *list);
  }
  if (const auto* list = value.get<std::vector<std::string>>()) {
    for (const std::string& s : *list) TROUPE_RETURN_IF_ERROR(check_string(def, s));
    return check_length(def, *list);
  }
  if (const auto* list = value.get<std::vector<int64_t>>()) return check_length(def, *list);
  if (const auto* list = value.get<std::vector<PartialShape>>()) return check_length(def, *list);
  return absl::OkStatus();
}

absl::Status complete_and_check_attrs(const OpDef& op, AttrMap* attrs) {
  for (const AttrDef& def : op.attrs) {
    const AttrValue* v = attrs->find(def.name);
    if (v == nullptr) {
      if (!def.default_value) {
        return absl::InvalidArgumentError(
            absl::StrCat("NodeDef missing attr '", def.name, "' from ", summarize_op(op)));
      }
      attrs->set(def.name, *def.default_value);
      continue;
    }
    TROUPE_RETURN_IF_ERROR(check_attr(def, *v));
  }
  return absl::OkStatus();
}

}  // namespace troupe
