#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "actors/c_api/handles.h"
#include "tools/python/native/native.h"

namespace troupe::python {

/// A graph of the C API as Python holds it: operations are numbers, in the order in which they were made. Needs the GIL; what is
/// long gives it up.
class PyGraph {
 public:
  PyGraph();
  ~PyGraph();
  PyGraph(const PyGraph&) = delete;

  TF_Graph* get() const { return graph_; }
  /// IndexError for a number that no operation has.
  TF_Operation* operation(int id) const;
  TF_Output output(std::pair<int, int> output) const;

  /// @name Building
  /// @{
  /// Its number and the numbers of its outputs' dtypes. An input is (operation, index), or a list of them for an argument that is a list.
  py::tuple add_operation(const std::string& type, const std::string& name, const py::list& inputs,
                          const std::vector<int>& control_inputs, const py::dict& attrs,
                          const std::string& device, const std::vector<std::string>& colocate);
  void update_input(int id, int index, std::pair<int, int> source);
  void set_attr(int id, const std::string& name, const std::string& attr_value);
  void set_shape(std::pair<int, int> output, py::handle dims);
  /// (output operations and indices, operations, keys of `input_map` that nothing used).
  py::tuple import_graph_def(const std::string& bytes, const py::dict& options);
  /// (operation, index) for each x, or None.
  py::list add_gradients(const std::string& prefix, const std::vector<std::pair<int, int>>& ys,
                         const std::vector<std::pair<int, int>>& xs, const py::list& weights);
  void add_function(const std::string& function_def, const std::string& gradient_def);
  py::bytes to_function(const std::string& name, const std::vector<std::pair<int, int>>& inputs,
                        const std::vector<std::pair<int, int>>& outputs,
                        const std::vector<std::string>& output_names);
  /// @}

  /// @name Reading
  /// @{
  py::bytes graph_def() const;
  py::bytes node_def(int id) const;
  /// Serialised AttrValue, or None.
  py::object attr(int id, const std::string& name) const;
  py::object shape(std::pair<int, int> output) const;
  py::object constant_value(std::pair<int, int> output) const;
  /// @}

 private:
  TF_Graph* const graph_;
};

void define_graph_readers(py::class_<PyGraph, std::shared_ptr<PyGraph>>& graph);

}  // namespace troupe::python
