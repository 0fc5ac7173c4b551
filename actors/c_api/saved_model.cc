#include "actors/saved_model.h"

#include <algorithm>

#include "actors/c_api/border.h"
#include "actors/c_api/session_handle.h"

#include "graph/ir/graph_def.h"
#include "graph/status.h"
#include "proto/meta_graph.pb.h"

namespace troupe::c_api {
namespace {

/// What TF_LoadSessionFromSavedModel is given.
struct LoadArguments {
  const TF_SessionOptions* session_options;
  const TF_Buffer* run_options;
  const char* export_dir;
  const char* const* tags;
  int num_tags;
};

absl::StatusOr<LoadedModel> load(const LoadArguments& a) {
  if (a.export_dir == nullptr) return absl::InvalidArgumentError("The folder of the SavedModel is null");
  TROUPE_RETURN_IF_ERROR(check_array(a.tags, a.num_tags, "tags"));
  std::vector<std::string> tags;
  for (int i = 0; i < a.num_tags; ++i) {
    if (a.tags[i] == nullptr) return absl::InvalidArgumentError("A tag is null");
    tags.emplace_back(a.tags[i]);
  }
  RunOptions run_options;
  if (a.run_options != nullptr && a.run_options->length > 0) {
    absl::string_view bytes(static_cast<const char*>(a.run_options->data), a.run_options->length);
    TROUPE_ASSIGN_OR_RETURN(run_options, RunOptions::from_bytes(bytes));
  }
  return load_saved_model(process_runtime(), a.export_dir, tags,
                          a.session_options == nullptr ? SessionOptions() : a.session_options->options,
                          run_options);
}

/// The nodes of the meta graph as operations of `graph`, whose lock is held and which has none.
absl::Status fill_graph(const pb::MetaGraphDef& meta, TF_Graph* graph) {
  ImportOptions options;
  options.mode = ImportOptions::Mode::kImport;
  const int first = graph->graph.num_ids();
  TROUPE_RETURN_IF_ERROR(import_graph_def(meta.graph_def(), options, &graph->graph));
  absl::Status status = graph->adopt_nodes(first);
  if (!status.ok()) graph->drop_nodes(first);
  return status;
}

absl::StatusOr<TF_Session*> load_into(const LoadArguments& a, TF_Graph* graph, TF_Buffer* meta_graph_def) {
  if (graph == nullptr) return absl::InvalidArgumentError("A session needs a graph");
  std::lock_guard lock(graph->mu);
  if (graph->graph.num_ids() > 0) return absl::InvalidArgumentError("Graph is non-empty.");
  TROUPE_ASSIGN_OR_RETURN(LoadedModel model, load(a));
  TROUPE_RETURN_IF_ERROR(fill_graph(*model.meta_graph, graph));
  if (meta_graph_def != nullptr) {
    TROUPE_RETURN_IF_ERROR(to_buffer(model.meta_graph->SerializeAsString(), meta_graph_def));
  }
  auto* session = new TF_Session(std::move(model.session), graph);
  session->num_nodes = graph->graph.num_ids();
  graph->num_extended = std::max(graph->num_extended, graph->graph.num_ids());
  ++graph->num_sessions;
  return session;
}

}  // namespace
}  // namespace troupe::c_api

namespace c_api = troupe::c_api;

extern "C" TF_Session* TF_LoadSessionFromSavedModel(const TF_SessionOptions* session_options,
                                                    const TF_Buffer* run_options, const char* export_dir,
                                                    const char* const* tags, int tags_len, TF_Graph* graph,
                                                    TF_Buffer* meta_graph_def, TF_Status* status) try {
  absl::StatusOr<TF_Session*> session =
      c_api::load_into({session_options, run_options, export_dir, tags, tags_len}, graph, meta_graph_def);
  c_api::set_status(status, session.status());
  return session.ok() ? *session : nullptr;
}
TROUPE_BORDER_OR({}, status)
