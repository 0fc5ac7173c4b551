#include "tools/python/native/values.h"

#include <pybind11/stl.h>

#include "absl/strings/match.h"
#include "graph/ir/attr_proto.h"
#include "proto/attr_value.pb.h"

namespace troupe::python {
namespace {

std::string text_of(py::handle value) {
  if (!PyBytes_Check(value.ptr()) && !PyUnicode_Check(value.ptr()))
    throw py::type_error("Expected a string, got " + std::string(py::repr(value)));
  return value.cast<std::string>();
}

DataType type_of(py::handle value) { return static_cast<DataType>(value.cast<int>()); }

AttrValue parse_attr(const std::string& bytes) {
  pb::AttrValue proto;
  if (!proto.ParseFromString(bytes)) throw py::value_error("These bytes are no AttrValue");
  return value_or_raise(from_proto(proto));
}

FunctionRef function_of(py::handle value) {
  if (PyUnicode_Check(value.ptr()))
    return FunctionRef{value.cast<std::string>(), std::make_shared<AttrMap>()};
  const AttrValue parsed = parse_attr(text_of(value));
  if (const auto* f = parsed.get<FunctionRef>()) return *f;
  throw py::type_error("Expected a function, got " + std::string(py::repr(value)));
}

template <class T, class Convert>
AttrValue list_of(py::handle values, const Convert& one) {
  std::vector<T> list;
  for (py::handle v : values) list.push_back(one(v));
  if (list.empty()) return EmptyList();
  return list;
}

AttrValue to_list(absl::string_view kind, py::handle v) {
  auto as = [](auto tag) { return [](py::handle x) { return x.cast<decltype(tag)>(); }; };
  if (kind == "string") return list_of<std::string>(v, text_of);
  if (kind == "int") return list_of<int64_t>(v, as(int64_t{}));
  if (kind == "float") return list_of<float>(v, as(float{}));
  if (kind == "bool") return list_of<bool>(v, as(bool{}));
  if (kind == "type") return list_of<DataType>(v, type_of);
  if (kind == "shape") return list_of<PartialShape>(v, to_shape);
  if (kind == "tensor") return list_of<Tensor>(v, [](py::handle x) { return x.cast<const Tensor&>(); });
  if (kind == "func") return list_of<FunctionRef>(v, function_of);
  throw py::type_error("No attr is of the kind list(" + std::string(kind) + ")");
}

}  // namespace

py::object from_shape(const PartialShape& shape) {
  if (!shape.known_rank()) return py::none();
  py::tuple dims(shape.rank());
  for (int i = 0; i < shape.rank(); ++i) dims[i] = shape.dim(i);
  return dims;
}

PartialShape to_shape(py::handle dims) {
  if (dims.is_none()) return PartialShape();
  return PartialShape(dims.cast<std::vector<int64_t>>());
}

AttrValue to_attr(const std::string& kind, py::handle v) {
  if (kind == "string") return text_of(v);
  if (kind == "int") return v.cast<int64_t>();
  if (kind == "float") return v.cast<float>();
  if (kind == "bool") return v.cast<bool>();
  if (kind == "type") return type_of(v);
  if (kind == "shape") return to_shape(v);
  if (kind == "tensor") return v.cast<const Tensor&>();
  if (kind == "func") return function_of(v);
  if (absl::StartsWith(kind, "list(")) return to_list(absl::string_view(kind).substr(5, kind.size() - 6), v);
  throw py::type_error("No attr is of the kind " + kind);
}

AttrValue to_attr_by_value(py::handle v) {
  if (PyBool_Check(v.ptr())) return v.cast<bool>();
  if (PyLong_Check(v.ptr())) return v.cast<int64_t>();
  if (PyFloat_Check(v.ptr())) return v.cast<float>();
  if (PyUnicode_Check(v.ptr())) return v.cast<std::string>();
  if (PyBytes_Check(v.ptr())) return parse_attr(v.cast<std::string>());
  if (py::isinstance<py::sequence>(v)) return list_of<std::string>(v, text_of);
  throw py::type_error("No attr can hold " + std::string(py::repr(v)));
}

namespace {

py::object from_one(const std::string& v) { return py::bytes(v); }
py::object from_one(int64_t v) { return py::int_(v); }
py::object from_one(float v) { return py::float_(v); }
py::object from_one(bool v) { return py::bool_(v); }
py::object from_one(DataType v) { return py::int_(static_cast<int>(v)); }
py::object from_one(const PartialShape& v) { return from_shape(v); }
py::object from_one(const Tensor& v) { return py::cast(v); }
py::object from_one(const FunctionRef& v) { return py::str(v.name); }
py::object from_one(const AttrPlaceholder& v) { return py::str("$" + v.name); }
py::object from_one(std::monostate) { return py::none(); }
py::object from_one(EmptyList) { return py::list(); }
template <class T>
py::object from_one(const std::vector<T>& values) {
  py::list list;
  for (auto&& v : values) list.append(from_one(static_cast<const T&>(v)));
  return list;
}

}  // namespace

py::object from_attr(const AttrValue& value) {
  return std::visit([](const auto& v) { return from_one(v); }, value.variant());
}

}  // namespace troupe::python
