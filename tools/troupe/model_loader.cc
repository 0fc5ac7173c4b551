#include "tools/troupe/model_loader.h"

#include <algorithm>

#include "actors/session.h"
#include "graph/ir/graph_file.h"
#include "graph/status.h"
#include "proto/meta_graph.pb.h"
#include "proto/saver.pb.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace troupe {
namespace {

/// Signatures that begin so are the loader's.
constexpr char kLoaderSignatures[] = "__saved_model_";

}  // namespace

absl::Status restore_checkpoint(const GraphFile& model, const std::string& prefix, Session* session) {
  const pb::SaverDef& saver = model.meta_graph->saver_def();
  if (saver.restore_op_name().empty()) {
    return absl::FailedPreconditionError("The model has no saver that could restore a checkpoint");
  }
  return session
      ->run({{saver.filename_tensor_name(), Tensor::string_scalar(prefix)}}, {}, {saver.restore_op_name()})
      .status();
}

std::vector<std::string> signature_names(const GraphFile& model) {
  std::vector<std::string> names;
  for (const auto& [name, signature] : model.meta_graph->signature_def()) {
    if (!absl::StartsWith(name, kLoaderSignatures)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<const pb::SignatureDef*> find_signature(const GraphFile& model, const std::string& name) {
  const auto found = model.meta_graph->signature_def().find(name);
  if (found == model.meta_graph->signature_def().end()) {
    return absl::NotFoundError(absl::StrCat("The model has no signature '", name,
                                            "'; it has: ", absl::StrJoin(signature_names(model), ", ")));
  }
  return &found->second;
}

}  // namespace troupe
