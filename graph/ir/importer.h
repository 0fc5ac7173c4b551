#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graph/ir/function_library.h"
#include "graph/ir/graph_def.h"
#include "graph/ir/names.h"

#include "proto/graph.pb.h"

namespace troupe {

/// One call of import_graph_def; internal to it. Nodes of the GraphDef go by their position ("index") until they have an
/// id, which is `first_id_` + position among those that are made.
class Importer {
 public:
  Importer(const pb::GraphDef& def, const ImportOptions& options, Graph* graph)
      : def_(def), options_(options), graph_(*graph), first_id_(graph->num_ids()),
        old_library_(graph->library()) {}

  absl::Status run(ImportResults* results) {
    absl::Status status = import(results);
    if (!status.ok()) {
      graph_.truncate(first_id_);
      graph_.set_library(old_library_);
    }
    return status;
  }

 private:
  /// Where an input of the GraphDef comes from.
  struct Source {
    int node = -1;  // id in the graph; -1: unknown
    int slot = 0;   // -1: control
  };

  absl::Status import(ImportResults* results);
  absl::Status merge_library();
  absl::Status find_ops();
  absl::Status choose_prefix();
  bool is_taken(absl::string_view name);
  absl::Status index_names();
  absl::Status choose_names();
  void find_skipped();
  absl::Status resolve_inputs();
  absl::Status resolve_mapped(const TensorName& in, const pb::NodeDef& def, Source* out);
  absl::Status add_nodes();
  absl::Status check_attrs_now(int index, const OpDef& op, AttrMap* attrs) const;
  absl::Status add_node(int index);
  absl::Status read_attrs(const pb::NodeDef& def, const OpDef& op, AttrMap* attrs, absl::Status* defect);
  absl::Status charge(const pb::NodeDef& def, const pb::AttrValue& value);
  absl::Status check_arg_counts(const OpDef& op, const AttrMap& attrs, const pb::NodeDef& def) const;
  absl::Status rename_colocation(const pb::NodeDef& def, AttrMap* attrs) const;
  absl::Status connect(int index);
  absl::Status wrong_count(const Node& node, int given) const;
  absl::Status check_missing(Node* node, int given);
  absl::Status add_control_dependencies();
  absl::Status revalidate_old_nodes() const;
  absl::Status collect(ImportResults* results);

  bool importing() const { return options_.mode == ImportOptions::Mode::kImport; }
  absl::string_view name_of(int index) const {
    return names_.empty() ? absl::string_view(def_.node(index).name()) : absl::string_view(names_[index]);
  }
  std::span<const Source> sources_of(int index) const {
    return {sources_.data() + source_begin_[index],
            static_cast<size_t>(source_begin_[index + 1] - source_begin_[index])};
  }

  const pb::GraphDef& def_;
  const ImportOptions& options_;
  Graph& graph_;
  const int first_id_;
  const std::shared_ptr<const FunctionLibrary> old_library_;

  int producer_ = 0;
  /// Every node must be sound now; otherwise faults become defects.
  bool strict_ = false;
  std::string prefix_;
  std::vector<const OpDef*> ops_;
  /// Names in the graph, when they differ from those of the GraphDef.
  std::vector<std::string> names_;
  absl::flat_hash_map<absl::string_view, int> index_;
  /// Of the nodes that were there before; see is_taken.
  absl::flat_hash_set<absl::string_view> scopes_;
  bool scopes_known_ = false;
  std::vector<bool> skipped_;
  std::vector<int> ids_;
  std::vector<Source> sources_;
  std::vector<int> source_begin_;
  absl::flat_hash_set<NamedOutput> used_map_keys_;
  /// Per id: the last node that took it as a control input.
  std::vector<int> control_stamp_;
  int64_t expanded_bytes_ = 0;
};

}  // namespace troupe
