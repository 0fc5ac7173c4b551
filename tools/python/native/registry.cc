#include "actors/c_api/handles.h"
#include <pybind11/stl.h>

#include "graph/ops/op_registry.h"
#include "tools/python/native/values.h"

namespace troupe::python {
namespace {

py::list arguments(const std::vector<ArgDef>& args) {
  py::list list;
  for (const ArgDef& a : args) {
    list.append(py::make_tuple(a.name, static_cast<int>(a.type), a.type_attr, a.number_attr, a.type_list_attr,
                               a.is_ref));
  }
  return list;
}

/// None without a default.
py::object default_of(const AttrDef& attr) {
  return attr.default_value ? py::object(py::make_tuple(from_attr(*attr.default_value))) : py::none();
}

py::list attrs_of(const OpDef& op) {
  py::list list;
  for (const AttrDef& a : op.attrs) {
    py::list types;
    for (DataType t : a.allowed_types) types.append(static_cast<int>(t));
    list.append(py::make_tuple(a.name, a.kind, default_of(a), types, a.allowed_strings, a.minimum));
  }
  return list;
}

py::object op_def(const std::string& name) {
  const OpDef* op = c_api::process_ops().find(name);
  return op == nullptr ? py::object(py::none()) : describe(*op);
}

}  // namespace

py::object describe(const OpDef& op) {
  return py::make_tuple(op.name, arguments(op.inputs), arguments(op.outputs), attrs_of(op), op.is_stateful);
}

void define_registry(py::module_& module) {
  module.def(
      "op_names", [] { return c_api::process_ops().names(); }, "The names of all ops, sorted.");
  module.def("op_def", &op_def,
             "(name, inputs, outputs, attrs, stateful) of an op, or None. An argument: (name, type, "
             "type_attr, number_attr, "
             "type_list_attr, is_ref). An attr: (name, kind, (default,) or None, allowed types, allowed "
             "strings, minimum).");
  module.def("dtype_name", [](int number) { return dtype_name(static_cast<DataType>(number)); });
}

}  // namespace troupe::python
