#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tensorflow {
class SignatureDef;
}  // namespace tensorflow

namespace troupe {

struct GraphFile;
class Session;

/// Restores a checkpoint with the saver of a MetaGraphDef or SavedModel. FailedPrecondition when it has none.
absl::Status restore_checkpoint(const GraphFile& model, const std::string& prefix, Session* session);

/// Names of the signatures that a user would call, in order: without those that the loader runs itself.
std::vector<std::string> signature_names(const GraphFile& model);
/// NotFound, with the names that there are. The model owns the answer.
absl::StatusOr<const tensorflow::SignatureDef*> find_signature(const GraphFile& model,
                                                               const std::string& name);

}  // namespace troupe
