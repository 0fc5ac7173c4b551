#include <climits>
#include <deque>
#include <google/protobuf/arena.h>

#include "absl/strings/str_cat.h"
#include "actors/c_api/border.h"
#include "actors/c_api/graph_messages.h"

#include "graph/ir/function_library.h"
#include "graph/ir/graph_def.h"

#include "proto/function.pb.h"
#include "proto/graph.pb.h"

using troupe::c_api::text;
namespace c_api = troupe::c_api;
namespace pb = ::tensorflow;

struct TF_ImportGraphDefOptions {
  troupe::ImportOptions options{.mode = troupe::ImportOptions::Mode::kImport};
};

struct TF_ImportGraphDefResults {
  std::vector<TF_Output> outputs;
  std::vector<TF_Operation*> operations;
  /// Of the mappings that nothing used.
  std::deque<std::string> name_storage;
  std::vector<const char*> names;
  std::vector<int> indexes;
};

namespace {

/// Graphs with functions are for readers that know them.
constexpr int kFunctionsVersion = 12;

/// What the nodes of the message say beside what a Node holds.
void carry_extras(const pb::GraphDef& def, int first_id, TF_Graph* graph) {
  for (int i = 0; i < def.node_size(); ++i) {
    const pb::NodeDef& node = def.node(i);
    if (!node.has_experimental_debug_info() && !node.has_experimental_type()) continue;
    pb::NodeDef extras;
    if (node.has_experimental_debug_info())
      *extras.mutable_experimental_debug_info() = node.experimental_debug_info();
    if (node.has_experimental_type()) *extras.mutable_experimental_type() = node.experimental_type();
    graph->carried[first_id + i] = extras.SerializeAsString();
  }
}

/// Imports all or nothing; `graph->mu` held.
absl::Status import_locked(const pb::GraphDef& def, const troupe::ImportOptions& options, TF_Graph* graph,
                           TF_ImportGraphDefResults* out) {
  const int first_id = graph->graph.num_ids();
  const auto library = graph->graph.library();
  const auto versions = graph->graph.versions();
  troupe::ImportResults results;
  TROUPE_RETURN_IF_ERROR(import_graph_def(def, options, &graph->graph, &results));
  if (absl::Status s = graph->adopt_nodes(first_id, true); !s.ok()) {
    graph->drop_nodes(first_id);
    graph->graph.set_library(library);
    graph->graph.versions() = versions;
    return s;
  }
  carry_extras(def, first_id, graph);
  auto& min_consumer = graph->graph.versions().min_consumer;
  if (def.library().function_size() > 0 && min_consumer < kFunctionsVersion) min_consumer = kFunctionsVersion;
  for (troupe::Endpoint e : results.return_tensors)
    out->outputs.push_back({graph->operation(e.node), e.slot});
  for (int id : results.return_nodes) out->operations.push_back(graph->operation(id));
  for (const auto& [name, index] : results.unused_input_map_keys) {
    out->names.push_back(out->name_storage.emplace_back(name).c_str());
    out->indexes.push_back(index);
  }
  return absl::OkStatus();
}

absl::Status import(TF_Graph* graph, const TF_Buffer* graph_def, const TF_ImportGraphDefOptions* options,
                    TF_ImportGraphDefResults* out) {
  // Freed at once: taking a large message apart costs as much as reading it.
  google::protobuf::Arena arena;
  auto& def = *google::protobuf::Arena::CreateMessage<pb::GraphDef>(&arena);
  if (graph_def == nullptr || graph_def->length > INT_MAX ||
      !def.ParseFromArray(graph_def->data, static_cast<int>(graph_def->length))) {
    return absl::InvalidArgumentError("Invalid GraphDef");
  }
  std::lock_guard lock(graph->mu);
  return import_locked(def, options->options, graph, out);
}

}  // namespace

extern "C" {

// Language bindings call it; in TensorFlow a header of experiments declares it.
TF_CAPI_EXPORT void TF_ImportGraphDefOptionsSetValidateColocationConstraints(TF_ImportGraphDefOptions* opts,
                                                                             unsigned char enable);

TF_ImportGraphDefOptions* TF_NewImportGraphDefOptions() try { return new TF_ImportGraphDefOptions; }
TROUPE_BORDER_OR({}, nullptr)

void TF_DeleteImportGraphDefOptions(TF_ImportGraphDefOptions* opts) { delete opts; }

void TF_ImportGraphDefOptionsSetPrefix(TF_ImportGraphDefOptions* opts, const char* prefix) try {
  if (opts == nullptr) return;
  opts->options.prefix = text(prefix);
}
TROUPE_BORDER(nullptr)

void TF_ImportGraphDefOptionsSetDefaultDevice(TF_ImportGraphDefOptions* opts, const char* device) try {
  if (opts == nullptr) return;
  opts->options.default_device = text(device);
}
TROUPE_BORDER(nullptr)

void TF_ImportGraphDefOptionsSetUniquifyNames(TF_ImportGraphDefOptions* opts,
                                              unsigned char uniquify_names) try {
  if (opts == nullptr) return;
  opts->options.uniquify_names = uniquify_names != 0;
}
TROUPE_BORDER(nullptr)

void TF_ImportGraphDefOptionsSetUniquifyPrefix(TF_ImportGraphDefOptions* opts,
                                               unsigned char uniquify_prefix) try {
  if (opts == nullptr) return;
  opts->options.uniquify_prefix = uniquify_prefix != 0;
}
TROUPE_BORDER(nullptr)

void TF_ImportGraphDefOptionsSetValidateColocationConstraints(TF_ImportGraphDefOptions* opts,
                                                              unsigned char enable) try {
  if (opts == nullptr) return;
  opts->options.validate_colocation = enable != 0;
}
TROUPE_BORDER(nullptr)

void TF_ImportGraphDefOptionsAddInputMapping(TF_ImportGraphDefOptions* opts, const char* src_name,
                                             int src_index, TF_Output dst) try {
  if (opts == nullptr) return;
  if (dst.oper == nullptr) return;
  opts->options.input_map[{text(src_name), src_index}] = {dst.oper->node->name, dst.index};
}
TROUPE_BORDER(nullptr)

void TF_ImportGraphDefOptionsRemapControlDependency(TF_ImportGraphDefOptions* opts, const char* src_name,
                                                    TF_Operation* dst) try {
  if (opts == nullptr) return;
  if (dst != nullptr) opts->options.input_map[{text(src_name), -1}] = {dst->node->name, -1};
}
TROUPE_BORDER(nullptr)

void TF_ImportGraphDefOptionsAddControlDependency(TF_ImportGraphDefOptions* opts, TF_Operation* oper) try {
  if (opts == nullptr) return;
  if (oper != nullptr) opts->options.control_dependencies.push_back(oper->node->name);
}
TROUPE_BORDER(nullptr)

void TF_ImportGraphDefOptionsAddReturnOutput(TF_ImportGraphDefOptions* opts, const char* oper_name,
                                             int index) try {
  if (opts == nullptr) return;
  opts->options.return_tensors.emplace_back(text(oper_name), index);
}
TROUPE_BORDER(nullptr)

int TF_ImportGraphDefOptionsNumReturnOutputs(const TF_ImportGraphDefOptions* opts) try {
  if (opts == nullptr) return 0;
  return static_cast<int>(opts->options.return_tensors.size());
}
TROUPE_BORDER_OR({}, nullptr)

void TF_ImportGraphDefOptionsAddReturnOperation(TF_ImportGraphDefOptions* opts, const char* oper_name) try {
  if (opts == nullptr) return;
  opts->options.return_nodes.push_back(text(oper_name));
}
TROUPE_BORDER(nullptr)

int TF_ImportGraphDefOptionsNumReturnOperations(const TF_ImportGraphDefOptions* opts) try {
  if (opts == nullptr) return 0;
  return static_cast<int>(opts->options.return_nodes.size());
}
TROUPE_BORDER_OR({}, nullptr)

void TF_ImportGraphDefResultsReturnOutputs(TF_ImportGraphDefResults* results, int* num_outputs,
                                           TF_Output** outputs) try {
  if (results == nullptr || num_outputs == nullptr || outputs == nullptr) return;
  *num_outputs = static_cast<int>(results->outputs.size());
  *outputs = results->outputs.data();
}
TROUPE_BORDER(nullptr)

void TF_ImportGraphDefResultsReturnOperations(TF_ImportGraphDefResults* results, int* num_opers,
                                              TF_Operation*** opers) try {
  if (results == nullptr || num_opers == nullptr || opers == nullptr) return;
  *num_opers = static_cast<int>(results->operations.size());
  *opers = results->operations.data();
}
TROUPE_BORDER(nullptr)

void TF_ImportGraphDefResultsMissingUnusedInputMappings(TF_ImportGraphDefResults* results,
                                                        int* num_missing_unused_input_mappings,
                                                        const char*** src_names, int** src_indexes) try {
  if (results == nullptr || num_missing_unused_input_mappings == nullptr || src_names == nullptr ||
      src_indexes == nullptr) {
    return;
  }
  *num_missing_unused_input_mappings = static_cast<int>(results->names.size());
  *src_names = results->names.data();
  *src_indexes = results->indexes.data();
}
TROUPE_BORDER(nullptr)

void TF_DeleteImportGraphDefResults(TF_ImportGraphDefResults* results) { delete results; }

TF_ImportGraphDefResults* TF_GraphImportGraphDefWithResults(TF_Graph* graph, const TF_Buffer* graph_def,
                                                            const TF_ImportGraphDefOptions* options,
                                                            TF_Status* status) try {
  if (graph == nullptr) {
    c_api::set_invalid(status, "The graph is null");
    return nullptr;
  }
  if (options == nullptr) {
    c_api::set_invalid(status, "The options object is null");
    return nullptr;
  }
  auto results = std::make_unique<TF_ImportGraphDefResults>();
  const absl::Status s = import(graph, graph_def, options, results.get());
  c_api::set_status(status, s);
  return s.ok() ? results.release() : nullptr;
}
TROUPE_BORDER_OR({}, status)

TF_ImportGraphDefResults* TF_GraphImportGraphDefWithResultsNoSerialization(TF_Graph*, const TF_Buffer*,
                                                                           const TF_ImportGraphDefOptions*,
                                                                           TF_Status* status) try {
  c_api::set_status(
      status, absl::UnimplementedError(
                  "Importing a GraphDef object of another library is not supported: its memory layout is "
                  "that library's own. Serialize it and call TF_GraphImportGraphDefWithResults."));
  return nullptr;
}
TROUPE_BORDER_OR({}, status)

void TF_GraphImportGraphDefWithReturnOutputs(TF_Graph* graph, const TF_Buffer* graph_def,
                                             const TF_ImportGraphDefOptions* options,
                                             TF_Output* return_outputs, int num_return_outputs,
                                             TF_Status* status) try {
  if (graph == nullptr) return c_api::set_invalid(status, "The graph is null");
  if (options == nullptr) return c_api::set_invalid(status, "The options object is null");
  const int wanted = TF_ImportGraphDefOptionsNumReturnOutputs(options);
  if (num_return_outputs != wanted) {
    c_api::set_invalid(
        status, absl::StrCat("Expected 'num_return_outputs' to be ", wanted, ", got ", num_return_outputs));
    return;
  }
  if (num_return_outputs > 0 && return_outputs == nullptr) {
    c_api::set_invalid(status,
                       absl::StrCat("'return_outputs' must be preallocated to length ", num_return_outputs));
    return;
  }
  TF_ImportGraphDefResults results;
  const absl::Status s = import(graph, graph_def, options, &results);
  c_api::set_status(status, s);
  if (s.ok()) std::copy(results.outputs.begin(), results.outputs.end(), return_outputs);
}
TROUPE_BORDER(status)

void TF_GraphImportGraphDef(TF_Graph* graph, const TF_Buffer* graph_def,
                            const TF_ImportGraphDefOptions* options, TF_Status* status) try {
  if (graph == nullptr) return c_api::set_invalid(status, "The graph is null");
  if (options == nullptr) return c_api::set_invalid(status, "The options object is null");
  TF_ImportGraphDefResults results;
  c_api::set_status(status, import(graph, graph_def, options, &results));
}
TROUPE_BORDER(status)

}  // extern "C"
