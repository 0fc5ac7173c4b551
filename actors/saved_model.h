#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "actors/options.h"

namespace tensorflow {
class MetaGraphDef;
}  // namespace tensorflow

namespace troupe {

struct GraphFile;
class Runtime;
class Session;

/// A SavedModel that is ready to be asked: its variables are restored and its tables are filled.
struct LoadedModel {
  std::unique_ptr<Session> session;
  /// What was loaded: the graph as it was saved, signatures, saver, collections. Never null.
  std::shared_ptr<const tensorflow::MetaGraphDef> meta_graph;
};

/// Loads the meta graph of the SavedModel folder `dir` that has exactly these `tags` into a session of its own: creates
/// the graph, restores `variables/variables` with its saver and runs its init op, with the names of its asset files
/// fed. `run_options` hold for the restore and the init op. NotFound when the folder holds no SavedModel or none with
/// these tags; DataLoss for a file that does not parse; FailedPrecondition when it names its init op badly; and whatever
/// creating the session and the two runs answer.
absl::StatusOr<LoadedModel> load_saved_model(Runtime& runtime, const std::string& dir,
                                             const std::vector<std::string>& tags,
                                             const SessionOptions& options = {},
                                             const RunOptions& run_options = {});
/// The same in the process's default runtime.
absl::StatusOr<LoadedModel> load_saved_model(const std::string& dir, const std::vector<std::string>& tags,
                                             const SessionOptions& options = {},
                                             const RunOptions& run_options = {});

/// The same steps for a model that has been read, into a session without a graph. A bare GraphDef or MetaGraphDef
/// has nothing to restore and only gives its graph.
absl::Status load_model(const GraphFile& model, Session* session, const RunOptions& run_options = {});
/// Opens a session in `runtime` and loads the model into it.
absl::StatusOr<std::unique_ptr<Session>> open_model(Runtime& runtime, const GraphFile& model,
                                                    const SessionOptions& options = {},
                                                    const RunOptions& run_options = {});

}  // namespace troupe
