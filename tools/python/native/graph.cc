#include "tools/python/native/graph.h"

#include <pybind11/stl.h>

#include "actors/c_api/operation_builder.h"
#include "graph/gradients/gradient_registry.h"
#include "tools/python/native/gil.h"
#include "tools/python/native/values.h"

namespace troupe::python {
namespace {

TF_Buffer borrow(const std::string& bytes) { return {bytes.data(), bytes.size(), nullptr}; }

/// Attrs that the op has take the kind that it says; others, which begin with "_", that of their value.
void set_attrs(TF_OperationDescription* description, const OpDef& op, const py::dict& attrs) {
  for (auto [key, value] : attrs) {
    const auto name = key.cast<std::string>();
    const AttrDef* def = op.find_attr(name);
    description->set_attr(name, def == nullptr ? to_attr_by_value(value) : to_attr(def->kind, value));
  }
}

void add_input(TF_OperationDescription* description, const PyGraph& graph, py::handle input) {
  if (py::isinstance<py::tuple>(input)) {
    description->add_input(graph.output(input.cast<std::pair<int, int>>()));
    return;
  }
  std::vector<TF_Output> list;
  for (py::handle i : input) list.push_back(graph.output(i.cast<std::pair<int, int>>()));
  description->add_input_list(list.data(), static_cast<int>(list.size()));
}

std::vector<TF_Output> outputs_of(const PyGraph& graph, const std::vector<std::pair<int, int>>& ids) {
  std::vector<TF_Output> outputs;
  for (auto id : ids) outputs.push_back(graph.output(id));
  return outputs;
}

}  // namespace

PyGraph::PyGraph() : graph_(TF_NewGraph()) {}
PyGraph::~PyGraph() { TF_DeleteGraph(graph_); }

TF_Operation* PyGraph::operation(int id) const {
  std::lock_guard lock(graph_->mu);
  if (id < 0 || id >= static_cast<int>(graph_->operations.size()))
    throw py::index_error("no operation " + std::to_string(id));
  return graph_->operation(id);
}

TF_Output PyGraph::output(std::pair<int, int> output) const {
  return {operation(output.first), output.second};
}

py::tuple PyGraph::add_operation(const std::string& type, const std::string& name, const py::list& inputs,
                                 const std::vector<int>& control_inputs, const py::dict& attrs,
                                 const std::string& device, const std::vector<std::string>& colocate) {
  auto description = std::make_unique<TF_OperationDescription>(graph_, type.c_str(), name.c_str());
  const OpDef* op;
  {
    std::lock_guard lock(graph_->mu);
    op = graph_->graph.find_op(type);
  }
  for (py::handle input : inputs) add_input(description.get(), *this, input);
  for (int id : control_inputs) description->add_control_input(operation(id));
  if (op != nullptr) set_attrs(description.get(), *op, attrs);
  description->device = device;
  description->colocation.insert(colocate.begin(), colocate.end());
  std::lock_guard lock(graph_->mu);
  const Node* node = value_or_raise(description->finish())->node;
  py::tuple types(node->num_outputs());
  for (int i = 0; i < node->num_outputs(); ++i) types[i] = static_cast<int>(node->output_types[i]);
  return py::make_tuple(node->id, types);
}

void PyGraph::update_input(int id, int index, std::pair<int, int> source) {
  ApiStatus status;
  TF_UpdateEdge(graph_, output(source), {operation(id), index}, status);
  status.check();
}

void PyGraph::set_attr(int id, const std::string& name, const std::string& attr_value) {
  ApiStatus status;
  TF_Buffer bytes = borrow(attr_value);
  TF_SetAttr(graph_, operation(id), name.c_str(), &bytes, status);
  status.check();
}

void PyGraph::set_shape(std::pair<int, int> out, py::handle dims) {
  ApiStatus status;
  const PartialShape shape = to_shape(dims);
  TF_GraphSetTensorShape(graph_, output(out), shape.known_rank() ? shape.dims().data() : nullptr,
                         shape.rank(), status);
  status.check();
}

py::tuple PyGraph::import_graph_def(const std::string& bytes, const py::dict& options) {
  const std::unique_ptr<TF_ImportGraphDefOptions, decltype(&TF_DeleteImportGraphDefOptions)> o(
      TF_NewImportGraphDefOptions(), TF_DeleteImportGraphDefOptions);
  TF_ImportGraphDefOptionsSetPrefix(o.get(), options["prefix"].cast<std::string>().c_str());
  TF_ImportGraphDefOptionsSetUniquifyNames(o.get(), options.contains("uniquify_names"));
  for (auto [name, source] : py::cast<py::dict>(options["input_map"])) {
    const auto [from, index] = name.cast<std::pair<std::string, int>>();
    const auto to = source.cast<std::pair<int, int>>();
    if (index < 0) {
      TF_ImportGraphDefOptionsRemapControlDependency(o.get(), from.c_str(), operation(to.first));
    } else {
      TF_ImportGraphDefOptionsAddInputMapping(o.get(), from.c_str(), index, output(to));
    }
  }
  for (py::handle id : options["control_inputs"])
    TF_ImportGraphDefOptionsAddControlDependency(o.get(), operation(id.cast<int>()));
  for (py::handle r : options["return_outputs"]) {
    const auto [name, index] = r.cast<std::pair<std::string, int>>();
    TF_ImportGraphDefOptionsAddReturnOutput(o.get(), name.c_str(), index);
  }
  for (py::handle name : options["return_operations"])
    TF_ImportGraphDefOptionsAddReturnOperation(o.get(), name.cast<std::string>().c_str());
  ApiStatus status;
  const TF_Buffer buffer = borrow(bytes);
  TF_ImportGraphDefResults* made;
  {
    const GilRelease release;
    made = TF_GraphImportGraphDefWithResults(graph_, &buffer, o.get(), status);
  }
  status.check();
  const std::unique_ptr<TF_ImportGraphDefResults, decltype(&TF_DeleteImportGraphDefResults)> results(
      made, TF_DeleteImportGraphDefResults);
  int count = 0;
  TF_Output* outputs = nullptr;
  TF_ImportGraphDefResultsReturnOutputs(made, &count, &outputs);
  py::list returned;
  for (int i = 0; i < count; ++i) returned.append(py::make_tuple(outputs[i].oper->id, outputs[i].index));
  TF_Operation** operations = nullptr;
  TF_ImportGraphDefResultsReturnOperations(made, &count, &operations);
  py::list returned_operations;
  for (int i = 0; i < count; ++i) returned_operations.append(operations[i]->id);
  const char** names = nullptr;
  int* indices = nullptr;
  TF_ImportGraphDefResultsMissingUnusedInputMappings(made, &count, &names, &indices);
  py::list unused;
  for (int i = 0; i < count; ++i) unused.append(py::make_tuple(names[i], indices[i]));
  return py::make_tuple(returned, returned_operations, unused);
}

py::list PyGraph::add_gradients(const std::string& prefix, const std::vector<std::pair<int, int>>& ys,
                                const std::vector<std::pair<int, int>>& xs, const py::list& weights) {
  std::vector<TF_Output> y = outputs_of(*this, ys);
  std::vector<TF_Output> x = outputs_of(*this, xs);
  std::vector<TF_Output> dx;
  for (py::handle w : weights)
    dx.push_back(w.is_none() ? TF_Output{nullptr, 0} : output(w.cast<std::pair<int, int>>()));
  std::vector<TF_Output> dy(x.size());
  ApiStatus status;
  {
    const GilRelease release;
    TF_AddGradientsWithPrefix(graph_, prefix.empty() ? nullptr : prefix.c_str(), y.data(),
                              static_cast<int>(y.size()), x.data(), static_cast<int>(x.size()),
                              dx.empty() ? nullptr : dx.data(), status, dy.data());
  }
  status.check();
  py::list gradients;
  for (const TF_Output& g : dy) {
    if (g.oper == nullptr) {
      gradients.append(py::none());
    } else {
      gradients.append(py::make_tuple(g.oper->id, g.index));
    }
  }
  return gradients;
}

void PyGraph::add_function(const std::string& function_def, const std::string& gradient_def) {
  using Function = std::unique_ptr<TF_Function, decltype(&TF_DeleteFunction)>;
  ApiStatus status;
  const Function function(TF_FunctionImportFunctionDef(function_def.data(), function_def.size(), status),
                          TF_DeleteFunction);
  status.check();
  Function gradient(nullptr, TF_DeleteFunction);
  if (!gradient_def.empty()) {
    gradient.reset(TF_FunctionImportFunctionDef(gradient_def.data(), gradient_def.size(), status));
    status.check();
  }
  TF_GraphCopyFunction(graph_, function.get(), gradient.get(), status);
  status.check();
}

py::bytes PyGraph::to_function(const std::string& name, const std::vector<std::pair<int, int>>& inputs,
                               const std::vector<std::pair<int, int>>& outputs,
                               const std::vector<std::string>& output_names) {
  const std::vector<TF_Output> in = outputs_of(*this, inputs);
  const std::vector<TF_Output> out = outputs_of(*this, outputs);
  std::vector<const char*> names;
  for (const std::string& n : output_names) names.push_back(n.c_str());
  ApiStatus status;
  const std::unique_ptr<TF_Function, decltype(&TF_DeleteFunction)> function(
      TF_GraphToFunction(graph_, name.c_str(), 0, -1, nullptr, static_cast<int>(in.size()), in.data(),
                         static_cast<int>(out.size()), out.data(), names.empty() ? nullptr : names.data(),
                         nullptr, nullptr, status),
      TF_DeleteFunction);
  status.check();
  const std::unique_ptr<TF_Buffer, decltype(&TF_DeleteBuffer)> bytes(TF_NewBuffer(), TF_DeleteBuffer);
  TF_FunctionToFunctionDef(function.get(), bytes.get(), status);
  status.check();
  return py::bytes(static_cast<const char*>(bytes->data), bytes->length);
}

void define_graph(py::module_& module) {
  py::class_<PyGraph, std::shared_ptr<PyGraph>> graph(module, "Graph",
                                                      "Nodes by number; what a troupe.Graph is made of.");
  graph.def(py::init<>())
      .def("add_operation", &PyGraph::add_operation)
      .def("update_input", &PyGraph::update_input)
      .def("set_attr", &PyGraph::set_attr)
      .def("clear_attr",
           [](PyGraph& g, int id, const std::string& name) {
             ApiStatus status;
             TF_ClearAttr(g.get(), g.operation(id), name.c_str(), status);
             status.check();
           })
      .def("set_shape", &PyGraph::set_shape)
      .def("set_device",
           [](PyGraph& g, int id, const std::string& device) {
             TF_SetRequestedDevice(g.get(), g.operation(id), device.c_str());
           })
      .def("add_control_input",
           [](PyGraph& g, int id, int from) {
             TF_AddOperationControlInput(g.get(), g.operation(id), g.operation(from));
           })
      .def("remove_control_inputs",
           [](PyGraph& g, int id) { TF_RemoveAllControlInputs(g.get(), g.operation(id)); })
      .def("import_graph_def", &PyGraph::import_graph_def)
      .def("add_gradients", &PyGraph::add_gradients)
      .def("add_function", &PyGraph::add_function)
      .def("to_function", &PyGraph::to_function);
  define_graph_readers(graph);
  module.def(
      "gradient_rules", [] { return builtin_gradients().names(); }, "Ops that gradients flow through.");
}

}  // namespace troupe::python
