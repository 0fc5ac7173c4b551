#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/ir/importer.h"

namespace troupe {
namespace {

absl::Status invalid(std::string text) { return absl::InvalidArgumentError(std::move(text)); }

}  // namespace

absl::Status Importer::choose_prefix() {
  if (options_.prefix.empty()) return absl::OkStatus();
  absl::string_view wanted = options_.prefix;
  if (wanted.back() == '/') wanted.remove_suffix(1);
  if (!is_valid_node_name(wanted, options_.allow_internal_names)) {
    return invalid(
        absl::StrCat("Imported node name prefix '", wanted, "/' would lead to invalid node names"));
  }
  prefix_ = std::string(wanted);
  for (int k = 1; options_.uniquify_prefix && is_taken(prefix_); ++k) prefix_ = absl::StrCat(wanted, "_", k);
  return absl::OkStatus();
}

/// Scopes that the graph's nodes are in are taken as their names are.
bool Importer::is_taken(absl::string_view name) {
  if (first_id_ == 0) return false;
  if (graph_.find(name) != nullptr) return true;
  if (!scopes_known_) {
    scopes_known_ = true;
    for (int id = 0; id < first_id_; ++id) {
      const Node& n = graph_.node(id);
      if (n.removed()) continue;
      for (absl::string_view scope = scope_of(n.name); !scope.empty(); scope = scope_of(scope)) {
        if (!scopes_.insert(scope).second) break;
      }
    }
  }
  return scopes_.contains(name);
}

absl::Status Importer::index_names() {
  index_.reserve(def_.node_size());
  for (int i = 0; i < def_.node_size(); ++i) {
    const pb::NodeDef& n = def_.node(i);
    if (!is_valid_node_name(n.name(), options_.allow_internal_names)) {
      return invalid(absl::StrCat("Node '", n.name(), "': Node name contains invalid characters"));
    }
    if (!index_.try_emplace(n.name(), i).second)
      return invalid(absl::StrCat("Node '", n.name(), "' is not unique"));
    bool control_seen = false;
    for (const std::string& in : n.input()) {
      bool control = absl::StartsWith(in, "^");
      if (control_seen && !control) {
        return invalid(
            absl::StrCat("Node '", n.name(), "': Control dependencies must come after regular dependencies"));
      }
      control_seen = control;
    }
  }
  return absl::OkStatus();
}

absl::Status Importer::choose_names() {
  const bool renamed = !prefix_.empty() || options_.uniquify_names;
  if (renamed) names_.reserve(def_.node_size());
  absl::flat_hash_set<std::string> taken;
  for (int i = 0; i < def_.node_size(); ++i) {
    const std::string& own = def_.node(i).name();
    if (!renamed) {
      if (first_id_ == 0 || (importing() ? !is_taken(own) : graph_.find(own) == nullptr)) continue;
      if (importing()) return invalid(absl::StrCat("Node name '", own, "' already exists in the Graph"));
      return invalid(
          absl::StrCat("GraphDef argument to Extend includes node '", own,
                       "', which was created by a previous call to Create or Extend in this session."));
    }
    const std::string wanted = prefix_.empty() ? own : absl::StrCat(prefix_, "/", own);
    std::string name = wanted;
    const bool outside = prefix_.empty();
    for (int k = 1; (outside ? is_taken(name) : graph_.find(name) != nullptr) || taken.contains(name); ++k) {
      if (!options_.uniquify_names)
        return invalid(absl::StrCat("Node name '", name, "' already exists in the Graph"));
      // A name of the GraphDef itself is not given to another of its nodes.
      do name = absl::StrCat(wanted, "_", k);
      while (prefix_.empty() && index_.contains(name) && ++k > 0);
    }
    taken.insert(name);
    names_.push_back(std::move(name));
  }
  return absl::OkStatus();
}

}  // namespace troupe
