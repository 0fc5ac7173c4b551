#include "graph/ir/attr_proto.h"

#include "absl/strings/str_cat.h"
#include "graph/tensor/tensor_proto.h"

#include "proto/attr_value.pb.h"
#include "proto/op_def.pb.h"
#include "proto/tensor.pb.h"
#include "proto/tensor_shape.pb.h"

namespace troupe {
namespace {

absl::StatusOr<DataType> attr_dtype(int number) {
  if (number == 0) return DataType::kInvalid;
  if (!is_valid_dtype(number)) {
    return absl::InvalidArgumentError(absl::StrCat("AttrValue has invalid DataType enum: ", number));
  }
  return static_cast<DataType>(number);
}

/// The messages of a repeated field, each by its own from_proto.
template <class T, class Field>
absl::StatusOr<AttrValue> read_list(const Field& field) {
  std::vector<T> out;
  out.reserve(field.size());
  for (const auto& item : field) {
    TROUPE_ASSIGN_OR_RETURN(T value, from_proto(item));
    out.push_back(std::move(value));
  }
  return AttrValue(std::move(out));
}

absl::StatusOr<AttrValue> list_from_proto(const pb::AttrValue::ListValue& list) {
  const int kinds = (list.s_size() > 0) + (list.i_size() > 0) + (list.f_size() > 0) + (list.b_size() > 0) +
                    (list.type_size() > 0) + (list.shape_size() > 0) + (list.tensor_size() > 0) +
                    (list.func_size() > 0);
  if (kinds > 1) return absl::InvalidArgumentError("AttrValue has a list with values of more than one type");
  if (list.s_size() > 0) return AttrValue(std::vector<std::string>(list.s().begin(), list.s().end()));
  if (list.i_size() > 0) return AttrValue(std::vector<int64_t>(list.i().begin(), list.i().end()));
  if (list.f_size() > 0) return AttrValue(std::vector<float>(list.f().begin(), list.f().end()));
  if (list.b_size() > 0) return AttrValue(std::vector<bool>(list.b().begin(), list.b().end()));
  if (list.shape_size() > 0) return read_list<PartialShape>(list.shape());
  if (list.tensor_size() > 0) return read_list<Tensor>(list.tensor());
  if (list.func_size() > 0) return read_list<FunctionRef>(list.func());
  if (list.type_size() == 0) return AttrValue(EmptyList());
  std::vector<DataType> types;
  types.reserve(list.type_size());
  for (int number : list.type()) {
    TROUPE_ASSIGN_OR_RETURN(DataType t, attr_dtype(number));
    types.push_back(t);
  }
  return AttrValue(std::move(types));
}

/// Writes each kind of value into the field of its own.
struct AttrWriter {
  pb::AttrValue* out;

  void operator()(std::monostate) const {}
  void operator()(const std::string& v) const { out->set_s(v); }
  void operator()(int64_t v) const { out->set_i(v); }
  void operator()(float v) const { out->set_f(v); }
  void operator()(bool v) const { out->set_b(v); }
  void operator()(DataType v) const { out->set_type(static_cast<pb::DataType>(v)); }
  void operator()(const PartialShape& v) const { to_proto(v, out->mutable_shape()); }
  void operator()(const Tensor& v) const { to_proto(v, out->mutable_tensor()); }
  void operator()(const FunctionRef& v) const { to_proto(v, out->mutable_func()); }
  void operator()(const AttrPlaceholder& v) const { out->set_placeholder(v.name); }
  void operator()(EmptyList) const { out->mutable_list(); }
  void operator()(const std::vector<std::string>& v) const {
    list();  // present even when empty
    for (const auto& x : v) list()->add_s(x);
  }
  void operator()(const std::vector<int64_t>& v) const { list()->mutable_i()->Add(v.begin(), v.end()); }
  void operator()(const std::vector<float>& v) const { list()->mutable_f()->Add(v.begin(), v.end()); }
  void operator()(const std::vector<bool>& v) const {
    list();
    for (bool x : v) list()->add_b(x);
  }
  void operator()(const std::vector<DataType>& v) const {
    list();
    for (DataType x : v) list()->add_type(static_cast<pb::DataType>(x));
  }
  void operator()(const std::vector<PartialShape>& v) const {
    list();
    for (const auto& x : v) to_proto(x, list()->add_shape());
  }
  void operator()(const std::vector<Tensor>& v) const {
    list();
    for (const auto& x : v) to_proto(x, list()->add_tensor());
  }
  void operator()(const std::vector<FunctionRef>& v) const {
    list();
    for (const auto& x : v) to_proto(x, list()->add_func());
  }

  pb::AttrValue::ListValue* list() const { return out->mutable_list(); }
};

absl::StatusOr<ArgDef> arg_from_proto(const pb::OpDef::ArgDef& proto) {
  ArgDef arg;
  arg.name = proto.name();
  TROUPE_ASSIGN_OR_RETURN(arg.type, attr_dtype(proto.type()));
  arg.type_attr = proto.type_attr();
  arg.number_attr = proto.number_attr();
  arg.type_list_attr = proto.type_list_attr();
  arg.is_ref = proto.is_ref();
  return arg;
}

void arg_to_proto(const ArgDef& arg, pb::OpDef::ArgDef* out) {
  out->set_name(arg.name);
  out->set_type(static_cast<pb::DataType>(arg.type));
  out->set_type_attr(arg.type_attr);
  out->set_number_attr(arg.number_attr);
  out->set_type_list_attr(arg.type_list_attr);
  out->set_is_ref(arg.is_ref);
}

absl::StatusOr<AttrDef> attr_def_from_proto(const pb::OpDef::AttrDef& proto) {
  AttrDef attr;
  attr.name = proto.name();
  attr.kind = proto.type();
  if (proto.has_default_value()) {
    TROUPE_ASSIGN_OR_RETURN(attr.default_value, from_proto(proto.default_value()));
  }
  for (int number : proto.allowed_values().list().type()) {
    TROUPE_ASSIGN_OR_RETURN(DataType t, attr_dtype(number));
    attr.allowed_types.push_back(t);
  }
  const auto& strings = proto.allowed_values().list().s();
  attr.allowed_strings.assign(strings.begin(), strings.end());
  if (proto.has_minimum()) attr.minimum = proto.minimum();
  return attr;
}

void attr_def_to_proto(const AttrDef& attr, pb::OpDef::AttrDef* out) {
  out->set_name(attr.name);
  out->set_type(attr.kind);
  if (attr.default_value) to_proto(*attr.default_value, out->mutable_default_value());
  for (DataType t : attr.allowed_types) {
    out->mutable_allowed_values()->mutable_list()->add_type(static_cast<pb::DataType>(t));
  }
  for (const std::string& s : attr.allowed_strings) out->mutable_allowed_values()->mutable_list()->add_s(s);
  if (attr.minimum) {
    out->set_has_minimum(true);
    out->set_minimum(*attr.minimum);
  }
}

}  // namespace

absl::StatusOr<AttrValue> from_proto(const pb::AttrValue& proto) {
  switch (proto.value_case()) {
    case pb::AttrValue::kS: return AttrValue(proto.s());
    case pb::AttrValue::kI: return AttrValue(static_cast<int64_t>(proto.i()));
    case pb::AttrValue::kF: return AttrValue(proto.f());
    case pb::AttrValue::kB: return AttrValue(proto.b());
    case pb::AttrValue::kType: {
      TROUPE_ASSIGN_OR_RETURN(DataType t, attr_dtype(proto.type()));
      return AttrValue(t);
    }
    case pb::AttrValue::kShape: {
      TROUPE_ASSIGN_OR_RETURN(PartialShape shape, from_proto(proto.shape()));
      return AttrValue(std::move(shape));
    }
    case pb::AttrValue::kTensor: {
      TROUPE_ASSIGN_OR_RETURN(Tensor tensor, from_proto(proto.tensor()));
      return AttrValue(std::move(tensor));
    }
    case pb::AttrValue::kList: return list_from_proto(proto.list());
    case pb::AttrValue::kFunc: {
      TROUPE_ASSIGN_OR_RETURN(FunctionRef function, from_proto(proto.func()));
      return AttrValue(std::move(function));
    }
    case pb::AttrValue::kPlaceholder: return AttrValue(AttrPlaceholder{proto.placeholder()});
    case pb::AttrValue::VALUE_NOT_SET: break;
  }
  return AttrValue();
}

void to_proto(const AttrValue& value, pb::AttrValue* out) {
  out->Clear();
  std::visit(AttrWriter{out}, value.variant());
}

absl::StatusOr<FunctionRef> from_proto(const pb::NameAttrList& proto) {
  auto attrs = std::make_shared<AttrMap>();
  for (const auto& [name, value] : proto.attr()) {
    TROUPE_ASSIGN_OR_RETURN(AttrValue v, from_proto(value));
    attrs->set(name, std::move(v));
  }
  return FunctionRef{proto.name(), std::move(attrs)};
}

void to_proto(const FunctionRef& function, pb::NameAttrList* out) {
  out->Clear();
  out->set_name(function.name);
  if (function.attrs == nullptr) return;
  for (const auto& [name, value] : *function.attrs) to_proto(value, &(*out->mutable_attr())[name]);
}

absl::StatusOr<OpDef> from_proto(const pb::OpDef& proto) {
  OpDef op;
  op.name = proto.name();
  for (const auto& arg : proto.input_arg()) {
    TROUPE_ASSIGN_OR_RETURN(ArgDef a, arg_from_proto(arg));
    op.inputs.push_back(std::move(a));
  }
  for (const auto& arg : proto.output_arg()) {
    TROUPE_ASSIGN_OR_RETURN(ArgDef a, arg_from_proto(arg));
    op.outputs.push_back(std::move(a));
  }
  for (const auto& attr : proto.attr()) {
    TROUPE_ASSIGN_OR_RETURN(AttrDef a, attr_def_from_proto(attr));
    op.attrs.push_back(std::move(a));
  }
  op.control_outputs.assign(proto.control_output().begin(), proto.control_output().end());
  op.is_stateful = proto.is_stateful();
  op.is_commutative = proto.is_commutative();
  op.is_aggregate = proto.is_aggregate();
  op.allows_uninitialized_input = proto.allows_uninitialized_input();
  op.is_distributed_communication = proto.is_distributed_communication();
  op.deprecated_since = proto.deprecation().version();
  op.deprecation = proto.deprecation().explanation();
  return op;
}

void to_proto(const OpDef& op, pb::OpDef* out) {
  out->Clear();
  out->set_name(op.name);
  for (const ArgDef& arg : op.inputs) arg_to_proto(arg, out->add_input_arg());
  for (const ArgDef& arg : op.outputs) arg_to_proto(arg, out->add_output_arg());
  for (const AttrDef& attr : op.attrs) attr_def_to_proto(attr, out->add_attr());
  for (const std::string& c : op.control_outputs) out->add_control_output(c);
  out->set_is_stateful(op.is_stateful);
  out->set_is_commutative(op.is_commutative);
  out->set_is_aggregate(op.is_aggregate);
  out->set_allows_uninitialized_input(op.allows_uninitialized_input);
  out->set_is_distributed_communication(op.is_distributed_communication);
  if (op.deprecated_since > 0) {
    out->mutable_deprecation()->set_version(op.deprecated_since);
    out->mutable_deprecation()->set_explanation(op.deprecation);
  }
}

}  // namespace troupe
