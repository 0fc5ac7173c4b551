#pragma once

#include <string>

#include "graph/ops/op_def.h"
#include "tools/python/native/native.h"

namespace troupe::python {

/// What an attr of this kind ("int", "list(type)", ...) holds. Types are numbers, shapes None or tuples with -1, tensors native ones,
/// functions names or serialised AttrValues. TypeError for another value.
AttrValue to_attr(const std::string& kind, py::handle value);
/// The same without an op that tells the kind: "_class" and its like.
AttrValue to_attr_by_value(py::handle value);
/// The value again: text as bytes.
py::object from_attr(const AttrValue& value);

py::object from_shape(const PartialShape& shape);
PartialShape to_shape(py::handle dims);

/// An op as `op_def` of the module tells it.
py::object describe(const OpDef& op);

}  // namespace troupe::python
