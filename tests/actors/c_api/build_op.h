#pragma once

#include <functional>
#include <string>
#include <vector>

#include "c_graph.h"

namespace c_test {

using FunctionPtr = std::unique_ptr<TF_Function, Deleter<TF_DeleteFunction>>;
using ImportOptionsPtr = std::unique_ptr<TF_ImportGraphDefOptions, Deleter<TF_DeleteImportGraphDefOptions>>;
using ImportResultsPtr = std::unique_ptr<TF_ImportGraphDefResults, Deleter<TF_DeleteImportGraphDefResults>>;

/// An operation, or why there is none: "3: Duplicate node name in graph: 'x'".
struct Attempt {
  TF_Operation* oper = nullptr;
  std::string error;

  TF_Output operator[](int index) const { return {oper, index}; }
};

using Setter = std::function<void(TF_OperationDescription*)>;

/// Builds an operation from inputs that are no lists; `set` adds whatever else it needs.
Attempt build(TF_Graph* graph, const char* op, const char* name, const std::vector<TF_Output>& inputs = {},
              const Setter& set = nullptr);
Attempt placeholder(TF_Graph* graph, const char* name, TF_DataType type = TF_FLOAT);
Attempt placeholder(TF_Graph* graph, const char* name, TF_DataType type, const std::vector<int64_t>& dims);
Attempt int_constant(TF_Graph* graph, const char* name, const std::vector<int32_t>& values,
                     const std::vector<int64_t>& dims);

/// "[2,?]", "?", or the error.
std::string shape_of(TF_Graph* graph, TF_Output output);
/// What TF_GraphToGraphDef writes.
std::string graph_def(TF_Graph* graph);
/// "a(x:0, ^y)" for each operation, in order.
std::vector<std::string> listing(TF_Graph* graph);

}  // namespace c_test
