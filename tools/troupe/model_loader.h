#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "actors/options.h"
#include "graph/ir/graph_file.h"

namespace tensorflow {
class SignatureDef;
}  // namespace tensorflow

namespace troupe {

class Runtime;
class Session;

/// Gives the session the model's graph; for a SavedModel also restores the variables and runs the init op, with the names
/// of its asset files fed, as TensorFlow's loader does.
absl::Status load_model(const GraphFile& model, Session* session);
/// Opens a session in `runtime` and loads the model into it.
absl::StatusOr<std::unique_ptr<Session>> open_model(Runtime& runtime, const GraphFile& model,
                                                    const SessionOptions& options = {});
/// Restores a checkpoint with the saver of a MetaGraphDef or SavedModel. FailedPrecondition when it has none.
absl::Status restore_checkpoint(const GraphFile& model, const std::string& prefix, Session* session);

/// Names of the signatures that a user would call, in order: without those that the loader runs itself.
std::vector<std::string> signature_names(const GraphFile& model);
/// NotFound, with the names that there are. The model owns the answer.
absl::StatusOr<const tensorflow::SignatureDef*> find_signature(const GraphFile& model,
                                                               const std::string& name);

}  // namespace troupe
