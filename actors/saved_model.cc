#include "actors/saved_model.h"

#include <set>
#include <unordered_set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "actors/runtime.h"
#include "actors/session.h"
#include "graph/ir/graph_file.h"
#include "graph/status.h"
#include "proto/graph.pb.h"
#include "proto/meta_graph.pb.h"
#include "proto/saver.pb.h"

namespace troupe {
namespace {

/// Models name an asset once per table that reads it, always with the same file; the first counts.
std::vector<NamedTensor> asset_feeds(const GraphFile& model) {
  std::vector<NamedTensor> feeds;
  std::unordered_set<std::string> fed;
  for (const auto& [tensor, path] : model.assets) {
    if (fed.insert(tensor).second) feeds.emplace_back(tensor, Tensor::string_scalar(path));
  }
  return feeds;
}

/// read_graph_file takes no tags as "the one that serves"; a loader that was given none wants a meta graph without any.
absl::Status check_tags(const pb::MetaGraphDef& meta, const std::vector<std::string>& tags) {
  const auto& own = meta.meta_info_def().tags();
  if (std::set<std::string>(own.begin(), own.end()) == std::set<std::string>(tags.begin(), tags.end())) {
    return absl::OkStatus();
  }
  return absl::NotFoundError(absl::StrCat("Could not find meta graph def matching supplied tags: { ",
                                          absl::StrJoin(tags, " "), " }"));
}

}  // namespace

absl::Status load_model(const GraphFile& model, Session* session, const RunOptions& run_options) {
  TROUPE_RETURN_IF_ERROR(session->create(model.graph_def()));
  if (model.kind != GraphFile::Kind::kSavedModel) return absl::OkStatus();
  const std::vector<NamedTensor> assets = asset_feeds(model);
  if (!model.variables_prefix.empty() && model.meta_graph->has_saver_def()) {
    std::vector<NamedTensor> feeds = assets;
    feeds.emplace_back(model.restore_filename_tensor, Tensor::string_scalar(model.variables_prefix));
    TROUPE_RETURN_IF_ERROR(session->run(feeds, {}, {model.restore_op}, run_options).status());
  }
  if (model.init_op.empty()) return absl::OkStatus();
  return session->run(assets, {}, {model.init_op}, run_options).status();
}

absl::StatusOr<std::unique_ptr<Session>> open_model(Runtime& runtime, const GraphFile& model,
                                                    const SessionOptions& options,
                                                    const RunOptions& run_options) {
  TROUPE_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Session::open(runtime, options));
  TROUPE_RETURN_IF_ERROR(load_model(model, session.get(), run_options));
  return session;
}

absl::StatusOr<LoadedModel> load_saved_model(Runtime& runtime, const std::string& dir,
                                             const std::vector<std::string>& tags,
                                             const SessionOptions& options, const RunOptions& run_options) {
  TROUPE_ASSIGN_OR_RETURN(const GraphFile model, read_saved_model(dir, tags));
  TROUPE_RETURN_IF_ERROR(check_tags(*model.meta_graph, tags));
  LoadedModel loaded;
  loaded.meta_graph = model.meta_graph;
  TROUPE_ASSIGN_OR_RETURN(loaded.session, open_model(runtime, model, options, run_options));
  return loaded;
}

absl::StatusOr<LoadedModel> load_saved_model(const std::string& dir, const std::vector<std::string>& tags,
                                             const SessionOptions& options, const RunOptions& run_options) {
  return load_saved_model(Runtime::process_default(), dir, tags, options, run_options);
}

}  // namespace troupe
