#include "graph/gradients/gradient_scope.h"

#include "absl/strings/str_cat.h"
#include "graph/tensor/shape.h"

namespace troupe {

DataType Val::dtype() const { return valid() ? scope_->type_of(endpoint_) : DataType::kInvalid; }

Val GradientScope::fail(absl::Status status) {
  status_.Update(status);
  return Val();
}

DataType GradientScope::type_of(Endpoint e) const {
  if (e.node < 0 || e.slot < 0 || e.slot >= graph_.node(e.node).num_outputs()) return DataType::kInvalid;
  return base_type(graph_.type_of(e));
}

void GradientScope::hint_shape(Endpoint e, const PartialShape& shape) {
  if (shapes_ == nullptr || !shape.known_rank()) return;
  // It was known already, or does not fit and fails where it runs.
  shapes_->set_shape(e, shape).IgnoreError();
}

bool GradientScope::infer_attrs(const OpDef& op, const std::vector<Arg>& inputs, AttrMap* attrs,
                                std::vector<Endpoint>* flat) {
  if (inputs.size() != op.inputs.size()) {
    fail(absl::InternalError(absl::StrCat("A gradient rule gives ", inputs.size(), " arguments to ", op.name,
                                          ", which takes ", op.inputs.size())));
    return false;
  }
  auto infer_attr = [&](const std::string& attr, AttrValue value) {
    if (!attr.empty() && !attrs->contains(attr)) attrs->set(attr, std::move(value));
  };
  for (size_t a = 0; a < op.inputs.size(); ++a) {
    const ArgDef& arg = op.inputs[a];
    std::vector<DataType> types;
    for (Val v : inputs[a].vals()) {
      const DataType type = v.dtype();
      if (type == DataType::kInvalid) {
        fail(absl::InternalError(
            absl::StrCat("A gradient rule gives nothing to argument '", arg.name, "' of ", op.name)));
        return false;
      }
      types.push_back(type);
      flat->push_back(v.endpoint());
    }
    if (!arg.number_attr.empty()) infer_attr(arg.number_attr, static_cast<int64_t>(types.size()));
    if (!types.empty()) infer_attr(arg.type_attr, types[0]);
    infer_attr(arg.type_list_attr, types);
  }
  return true;
}

Val GradientScope::op(absl::string_view name, const std::vector<Arg>& inputs, AttrMap attrs) {
  if (!status_.ok()) return Val();
  const OpDef* def = graph_.find_op(name);
  if (def == nullptr) return fail(graph_.ops().lookup(name).status());
  std::vector<Endpoint> flat;
  if (!infer_attrs(*def, inputs, &attrs, &flat)) return Val();
  std::vector<int> controls;
  if (flat.empty() && pivot_ >= 0) controls.push_back(pivot_);
  if (importer_ != nullptr) {
    for (Endpoint& e : flat) {
      auto imported = importer_->import(e);
      if (!imported.ok()) return fail(imported.status());
      e = *imported;
    }
  }
  return raw_op(name, flat, std::move(attrs), controls);
}

std::vector<Val> GradientScope::op_outputs(absl::string_view name, const std::vector<Arg>& inputs,
                                           AttrMap attrs) {
  const Val first = op(name, inputs, std::move(attrs));
  std::vector<Val> all;
  if (!first.valid()) return all;
  for (int i = 0; i < graph_.node(first.endpoint().node).num_outputs(); ++i) all.push_back(first[i]);
  return all;
}

Val GradientScope::raw_op(absl::string_view name, const std::vector<Endpoint>& inputs, AttrMap attrs,
                          const std::vector<int>& controls) {
  if (!status_.ok()) return Val();
  auto added = graph_.add_node(graph_.unique_name(absl::StrCat(prefix_, "/", name)), name, std::move(attrs),
                               inputs, controls);
  if (!added.ok()) return fail(added.status());
  const Node& node = **added;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const DataType has = type_of(node.inputs[i]);
    if (has == base_type(node.input_types[i])) continue;
    return fail(absl::InvalidArgumentError(
        absl::StrCat("Input ", i, " of node ", node.name, " was passed ", dtype_name(has), " from ",
                     graph_.node(node.inputs[i].node).name, ":", node.inputs[i].slot,
                     " incompatible with expected ", dtype_name(node.input_types[i]), ".")));
  }
  if (importer_ != nullptr) made_in_[node.id] = importer_;
  // What closes a loop comes later: until then nothing is known of a Merge. A node that does not fit fails again when
  // it runs.
  if (shapes_ != nullptr && !node.is("Merge")) shapes_->add(node).IgnoreError();
  return Val(this, {node.id, 0});
}

Val GradientScope::constant(const Tensor& value) {
  return op("Const", {}, {{"dtype", value.dtype()}, {"value", value}});
}

Val GradientScope::scalar(DataType dtype, double value) {
  if (auto it = scalars_.find({dtype, value}); it != scalars_.end()) return it->second;
  Val made;
  switch (dtype) {
    case DataType::kFloat: made = constant(Tensor::scalar<float>(static_cast<float>(value))); break;
    case DataType::kDouble: made = constant(Tensor::scalar<double>(value)); break;
    case DataType::kInt32: made = constant(Tensor::scalar<int32_t>(static_cast<int32_t>(value))); break;
    case DataType::kInt64: made = constant(Tensor::scalar<int64_t>(static_cast<int64_t>(value))); break;
    case DataType::kBool: made = constant(Tensor::scalar<bool>(value != 0)); break;
    case DataType::kComplex128: made = constant(Tensor::scalar<std::complex<double>>(value)); break;
    case DataType::kInvalid: return Val();
    default: made = cast(scalar(DataType::kDouble, value), dtype);
  }
  if (made.valid()) scalars_[{dtype, value}] = made;
  return made;
}

Val GradientScope::ints(const std::vector<int>& values) {
  Tensor t(DataType::kInt32, Shape{static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.flat<int32_t>().begin());
  return constant(t);
}

Val GradientScope::cast(Val x, DataType to) {
  if (!x.valid() || x.dtype() == to) return x;
  return op("Cast", {x}, {{"DstT", to}});
}

PartialShape GradientScope::shape(Val x) const {
  if (!x.valid() || shapes_ == nullptr) return PartialShape();
  return shapes_->shape(x.endpoint());
}

Tensor GradientScope::constant_value(Val x) const {
  if (!x.valid()) return Tensor();
  if (shapes_ != nullptr && shapes_->known(x.endpoint()).constant.initialized()) {
    return shapes_->known(x.endpoint()).constant;
  }
  const Node& n = graph_.node(x.endpoint().node);
  return n.is("Const") ? n.attrs.get_or<Tensor>("value", Tensor()) : Tensor();
}

DataType GradientScope::handle_type(Val handle) const {
  if (!handle.valid() || shapes_ == nullptr) return DataType::kInvalid;
  const auto& behind = shapes_->known(handle.endpoint()).handle;
  return behind == nullptr || behind->empty() ? DataType::kInvalid : (*behind)[0].first;
}

}  // namespace troupe
