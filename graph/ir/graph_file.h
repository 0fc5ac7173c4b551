#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tensorflow {
class GraphDef;
class MetaGraphDef;
}  // namespace tensorflow

namespace troupe {

namespace pb = ::tensorflow;

/// A model as it lies on disk, with what a loader does after creating the session.
struct GraphFile {
  enum class Kind { kGraphDef, kMetaGraphDef, kSavedModel };
  Kind kind = Kind::kGraphDef;
  /// The file that was read; for a SavedModel folder the one inside.
  std::string path;
  /// Graph, signatures, saver, collections. For a bare GraphDef it has a graph and nothing else. Never null.
  std::shared_ptr<const pb::MetaGraphDef> meta_graph;
  const pb::GraphDef& graph_def() const;

  // The rest is empty unless kind is kSavedModel (folder only).
  /// "<folder>/variables/variables" when there is a checkpoint.
  std::string variables_prefix;
  /// Node to run, and tensor to feed with variables_prefix, to restore.
  std::string restore_op;
  std::string restore_filename_tensor;
  /// Node to run at the end; "" for none.
  std::string init_op;
  /// Tensor to feed with the path of an asset, while init_op and restore_op run.
  std::vector<std::pair<std::string, std::string>> assets;
};

/// Reads a binary or text GraphDef, MetaGraphDef or SavedModel, recognised by its content, or a SavedModel folder. `tags`
/// selects the meta graph of a SavedModel: that with exactly these; without any, the only one, or the one that serves.
/// NotFound for a missing file or tag set, DataLoss or InvalidArgument for what cannot be read; all name the file.
absl::StatusOr<GraphFile> read_graph_file(const std::string& path, const std::vector<std::string>& tags = {});
/// The SavedModel in the folder `dir`. NotFound also when `dir` is no folder.
absl::StatusOr<GraphFile> read_saved_model(const std::string& dir, const std::vector<std::string>& tags = {});

}  // namespace troupe
