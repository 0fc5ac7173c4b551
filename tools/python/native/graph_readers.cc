#include <pybind11/stl.h>

#include "actors/c_api/graph_messages.h"
#include "graph/ir/attr_proto.h"
#include "graph/ir/function_library.h"
#include "proto/attr_value.pb.h"
#include "proto/function.pb.h"
#include "proto/graph.pb.h"
#include "proto/node_def.pb.h"
#include "tools/python/native/arrays.h"
#include "tools/python/native/gil.h"
#include "tools/python/native/graph.h"
#include "tools/python/native/values.h"

namespace troupe::python {
namespace {

py::list inputs_of(const PyGraph& g, int id) {
  const TF_Operation* op = g.operation(id);
  std::lock_guard lock(g.get()->mu);
  py::list list;
  for (Endpoint e : op->node->inputs) list.append(py::make_tuple(e.node, e.slot));
  return list;
}

std::vector<int> control_inputs_of(const PyGraph& g, int id) {
  const TF_Operation* op = g.operation(id);
  std::lock_guard lock(g.get()->mu);
  return {op->node->control_inputs.begin(), op->node->control_inputs.end()};
}

/// Operations that use output `index`; those that wait for the operation when it is -1.
std::vector<int> consumers_of(const PyGraph& g, int id, int index) {
  const TF_Operation* op = g.operation(id);
  std::lock_guard lock(g.get()->mu);
  std::vector<int> users;
  for (const auto& use : g.get()->consumers[op->id])
    if (use.src_slot == index) users.push_back(use.node);
  return users;
}

std::vector<int> output_types_of(const PyGraph& g, int id) {
  std::vector<int> types;
  for (DataType t : g.operation(id)->node->output_types) types.push_back(static_cast<int>(t));
  return types;
}

int find(const PyGraph& g, const std::string& name) {
  std::lock_guard lock(g.get()->mu);
  const Node* node = g.get()->graph.find(name);
  return node == nullptr ? -1 : node->id;
}

py::object op_def(const PyGraph& g, const std::string& name) {
  std::lock_guard lock(g.get()->mu);
  const OpDef* op = g.get()->graph.find_op(name);
  return op == nullptr ? py::object(py::none()) : describe(*op);
}

std::vector<std::string> function_names(const PyGraph& g) {
  std::lock_guard lock(g.get()->mu);
  return g.get()->graph.library()->names();
}

py::object function_def(const PyGraph& g, const std::string& name) {
  std::lock_guard lock(g.get()->mu);
  const pb::FunctionDef* f = g.get()->graph.library()->find(name);
  return f == nullptr ? py::object(py::none()) : py::bytes(f->SerializeAsString());
}

}  // namespace

py::bytes PyGraph::graph_def() const {
  std::string bytes;
  {
    const GilRelease release;
    pb::GraphDef def;
    std::lock_guard lock(graph_->mu);
    c_api::graph_to_proto(*graph_, &def);
    bytes = def.SerializeAsString();
  }
  return bytes;
}

py::bytes PyGraph::node_def(int id) const {
  const TF_Operation* op = operation(id);
  pb::NodeDef def;
  std::lock_guard lock(graph_->mu);
  c_api::node_to_proto(*graph_, *op->node, &def);
  return def.SerializeAsString();
}

py::object PyGraph::attr(int id, const std::string& name) const {
  const TF_Operation* op = operation(id);
  std::lock_guard lock(graph_->mu);
  const AttrValue* value = op->node->attrs.find(name);
  if (value == nullptr) return py::none();
  pb::AttrValue proto;
  to_proto(*value, &proto);
  return py::bytes(proto.SerializeAsString());
}

py::object PyGraph::shape(std::pair<int, int> out) const {
  const TF_Output o = output(out);
  std::lock_guard lock(graph_->mu);
  check(c_api::check_output(*graph_, o));
  return from_shape(graph_->shapes->shape(c_api::endpoint_of(o)));
}

py::object PyGraph::constant_value(std::pair<int, int> out) const {
  ApiStatus status;
  TF_Tensor* value = nullptr;
  if (TF_TryEvaluateConstant(graph_, output(out), &value, status) == 0) return py::none();
  const std::unique_ptr<TF_Tensor, decltype(&TF_DeleteTensor)> owned(value, TF_DeleteTensor);
  return to_array(value_or_raise(c_api::to_tensor(value)));
}

void define_graph_readers(py::class_<PyGraph, std::shared_ptr<PyGraph>>& graph) {
  graph.def("num_operations", [](const PyGraph& g) { return g.get()->num_nodes.load(); })
      .def("find", &find, "The number of the operation of this name, or -1.")
      .def("name", [](const PyGraph& g, int id) { return g.operation(id)->node->name; })
      .def("type", [](const PyGraph& g, int id) { return g.operation(id)->node->op->name; })
      .def("device", [](const PyGraph& g, int id) { return g.operation(id)->node->requested_device; })
      .def("output_types", &output_types_of)
      .def("inputs", &inputs_of)
      .def("control_inputs", &control_inputs_of)
      .def("consumers", &consumers_of)
      .def("attr", &PyGraph::attr)
      .def("shape", &PyGraph::shape)
      .def("constant_value", &PyGraph::constant_value)
      .def("node_def", &PyGraph::node_def)
      .def("graph_def", &PyGraph::graph_def)
      .def("op_def", &op_def)
      .def("function_names", &function_names)
      .def("function_def", &function_def);
}

}  // namespace troupe::python
