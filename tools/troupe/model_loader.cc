#include "tools/troupe/model_loader.h"

#include <algorithm>

#include "actors/runtime.h"
#include "actors/session.h"
#include "graph/status.h"
#include "proto/graph.pb.h"
#include "proto/meta_graph.pb.h"
#include "proto/saver.pb.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace troupe {
namespace {

/// Signatures that begin so are the loader's.
constexpr char kLoaderSignatures[] = "__saved_model_";

std::vector<NamedTensor> asset_feeds(const GraphFile& model) {
  std::vector<NamedTensor> feeds;
  for (const auto& [tensor, path] : model.assets) feeds.emplace_back(tensor, Tensor::string_scalar(path));
  return feeds;
}

}  // namespace

absl::Status load_model(const GraphFile& model, Session* session) {
  TROUPE_RETURN_IF_ERROR(session->create(model.graph_def()));
  const std::vector<NamedTensor> assets = asset_feeds(model);
  if (!model.variables_prefix.empty() && !model.restore_op.empty()) {
    std::vector<NamedTensor> feeds = assets;
    feeds.emplace_back(model.restore_filename_tensor, Tensor::string_scalar(model.variables_prefix));
    TROUPE_RETURN_IF_ERROR(session->run(feeds, {}, {model.restore_op}).status());
  }
  if (model.init_op.empty()) return absl::OkStatus();
  return session->run(assets, {}, {model.init_op}).status();
}

absl::StatusOr<std::unique_ptr<Session>> open_model(Runtime& runtime, const GraphFile& model,
                                                    const SessionOptions& options) {
  TROUPE_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Session::open(runtime, options));
  TROUPE_RETURN_IF_ERROR(load_model(model, session.get()));
  return session;
}

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
