#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "actors/c_api/handles.h"

namespace tensorflow {
class FunctionDef;
}  // namespace tensorflow

namespace troupe::c_api {

/// What TF_GraphToFunctionWithControlOutputs was asked for.
struct FunctionRequest {
  std::string name;
  bool append_hash = false;
  std::string description;
  /// True: the whole graph but the nodes of `inputs`.
  bool whole_graph = false;
  std::vector<const TF_Operation*> body;
  std::vector<TF_Output> inputs;
  std::vector<TF_Output> outputs;
  /// Empty, or one for each output.
  std::vector<std::string> output_names;
  std::vector<const TF_Operation*> control_outputs;
  /// Empty, or one for each control output.
  std::vector<std::string> control_output_names;
};

/// Makes a function of nodes of `graph`, whose mutex is held. Arguments are called after the nodes that they stand for, in
/// lower case, body nodes as they are; a name that is taken gets a number. Errors are TensorFlow's.
absl::Status graph_to_function(const TF_Graph& graph, const FunctionRequest& request,
                               tensorflow::FunctionDef* out);

}  // namespace troupe::c_api
