#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "graph/ir/graph_builder.h"

namespace troupe {

class Session;

/// The nodes that add_saver made.
struct SaverNames {
  /// Tensor to feed with the prefix of the checkpoint's files.
  std::string prefix;
  /// Node that writes the variables.
  std::string save;
  /// Node that reads them back.
  std::string restore;
};

/// Adds the ops that write these variables into a checkpoint and read them from one, under "save/".
SaverNames add_saver(GraphBuilder& builder, const std::vector<GraphBuilder::Variable>& variables);

/// What a client calls a model's inputs and outputs, and the nodes behind that: the first output of each.
struct SignatureNames {
  std::vector<std::pair<std::string, std::string>> inputs;
  std::vector<std::pair<std::string, std::string>> outputs;
};

/// Writes a SavedModel into a folder, which is made: saved_model.pb with the graph and the signature "serving_default", and
/// the values that the session's variables have now in variables/. Files of an earlier model there are replaced.
absl::Status save_model(const std::string& folder, const Graph& graph, const SaverNames& saver,
                        const SignatureNames& signature, Session& session);

}  // namespace troupe
