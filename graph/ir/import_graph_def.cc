#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/ir/algorithm.h"
#include "graph/ir/deprecations.h"
#include "graph/ir/importer.h"

namespace troupe {
namespace {

/// From this producer on, Extend checks every node of the graph.
constexpr int kValidatedVersion = 5;
/// The release whose GraphDefs these are; messages name it as programs expect.
constexpr absl::string_view kTensorFlowVersion = "2.21.0";

absl::Status invalid(std::string text) { return absl::InvalidArgumentError(std::move(text)); }

absl::Status check_versions(const pb::VersionDef& v) {
  if (v.producer() < 0) {
    return invalid(absl::StrCat("GraphDef producer version ", v.producer(),
                                " below min producer 0 supported by TensorFlow ", kTensorFlowVersion,
                                ".  Please regenerate your graph."));
  }
  if (v.min_consumer() > kGraphDefVersion) {
    return invalid(absl::StrCat("GraphDef min consumer version ", v.min_consumer(), " above current version ",
                                kGraphDefVersion, " for TensorFlow ", kTensorFlowVersion,
                                ".  Please upgrade TensorFlow."));
  }
  for (int bad : v.bad_consumers()) {
    if (bad == kGraphDefVersion) {
      return invalid(absl::StrCat("GraphDef disallows consumer version ", bad,
                                  ".  Please upgrade TensorFlow: this version is likely buggy."));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Importer::import(ImportResults* results) {
  TROUPE_RETURN_IF_ERROR(check_versions(def_.versions()));
  producer_ =
      def_.has_versions() || graph_.num_ids() == 0 ? def_.versions().producer() : graph_.versions().producer;
  strict_ = importing() || (graph_.num_nodes() > 0 && producer_ >= kValidatedVersion);
  TROUPE_RETURN_IF_ERROR(merge_library());
  TROUPE_RETURN_IF_ERROR(find_ops());
  TROUPE_RETURN_IF_ERROR(choose_prefix());
  TROUPE_RETURN_IF_ERROR(index_names());
  TROUPE_RETURN_IF_ERROR(choose_names());
  find_skipped();
  TROUPE_RETURN_IF_ERROR(resolve_inputs());
  TROUPE_RETURN_IF_ERROR(add_nodes());
  for (int i = 0; i < def_.node_size(); ++i) {
    if (ids_[i] >= 0) TROUPE_RETURN_IF_ERROR(connect(i));
  }
  if (int n = count_cyclic_nodes(graph_, first_id_); n > 0)
    return invalid(absl::StrCat(n, " nodes in a cycle"));
  TROUPE_RETURN_IF_ERROR(add_control_dependencies());
  if (strict_ && !importing()) TROUPE_RETURN_IF_ERROR(revalidate_old_nodes());
  TROUPE_RETURN_IF_ERROR(collect(results));
  if (def_.has_versions() || first_id_ == 0) {
    GraphVersions& v = graph_.versions();
    // Importing into a graph that has nodes keeps to the older of both; Extend takes what the client says now.
    v.producer = importing() && first_id_ > 0 ? std::min(v.producer, producer_) : producer_;
    v.min_consumer = std::max(v.min_consumer, def_.versions().min_consumer());
    for (int bad : def_.versions().bad_consumers()) v.bad_consumers.push_back(bad);
    std::sort(v.bad_consumers.begin(), v.bad_consumers.end());
    v.bad_consumers.erase(std::unique(v.bad_consumers.begin(), v.bad_consumers.end()), v.bad_consumers.end());
  }
  return absl::OkStatus();
}

absl::Status Importer::merge_library() {
  const pb::FunctionDefLibrary& added = def_.library();
  if (old_library_ != nullptr && added.function().empty() && added.gradient().empty() &&
      added.registered_gradients().empty()) {
    return absl::OkStatus();
  }
  auto library = old_library_ == nullptr ? std::make_shared<FunctionLibrary>()
                                         : std::make_shared<FunctionLibrary>(*old_library_);
  for (const pb::FunctionDef& f : added.function()) {
    if (graph_.ops().find(f.signature().name()) != nullptr) {
      return invalid(absl::StrCat("Cannot add function '", f.signature().name(),
                                  "' because an op with the same name already exists."));
    }
  }
  TROUPE_RETURN_IF_ERROR(library->add(added));
  graph_.set_library(std::move(library));
  return absl::OkStatus();
}

/// Extend checks what was there before too, in the light of the new version. Constants that do not parse may stay.
absl::Status Importer::revalidate_old_nodes() const {
  for (int id = 0; id < first_id_; ++id) {
    const Node& n = graph_.node(id);
    if (n.removed()) continue;
    if (!n.defect.ok() && !absl::StartsWith(n.defect.message(), "Cannot parse tensor")) return n.defect;
    TROUPE_RETURN_IF_ERROR(check_not_deprecated(*n.op, producer_));
  }
  return absl::OkStatus();
}

absl::Status Importer::collect(ImportResults* results) {
  ImportResults out;
  for (const NamedOutput& wanted : options_.return_tensors) {
    const auto& [name, slot] = wanted;
    Endpoint e;
    if (auto mapped = options_.input_map.find(wanted); mapped != options_.input_map.end()) {
      used_map_keys_.insert(wanted);
      const Node* node = graph_.find(mapped->second.first);
      if (node != nullptr) e = {node->id, mapped->second.second};
    } else if (auto it = index_.find(name); it != index_.end()) {
      e = {ids_[it->second], slot};
    }
    if (e.node < 0) {
      return invalid(
          absl::StrCat("Requested return tensor '", tensor_text(name, slot), "' not found in graph def"));
    }
    const int outputs = graph_.node(e.node).num_outputs();
    if (e.slot < 0 || e.slot >= outputs) {
      return invalid(absl::StrCat("Invalid return output ", e.slot, " of node '", name, "', which has ",
                                  outputs, " output(s)"));
    }
    out.return_tensors.push_back(e);
  }
  for (const std::string& name : options_.return_nodes) {
    auto it = index_.find(name);
    if (it == index_.end() || ids_[it->second] < 0) {
      return invalid(absl::StrCat("Requested return node '", name, "' not found in graph def"));
    }
    out.return_nodes.push_back(ids_[it->second]);
  }
  for (const auto& [from, to] : options_.input_map) {
    if (used_map_keys_.contains(from)) continue;
    auto it = index_.find(from.first);
    bool exists = it != index_.end() &&
                  (ids_[it->second] < 0 || from.second < graph_.node(ids_[it->second]).num_outputs());
    if (!exists) out.unused_input_map_keys.push_back(from);
  }
  if (results != nullptr) *results = std::move(out);
  return absl::OkStatus();
}

absl::Status import_graph_def(const pb::GraphDef& def, const ImportOptions& options, Graph* graph,
                              ImportResults* results) {
  return Importer(def, options, graph).run(results);
}

}  // namespace troupe
