#include "actors/step/partial_run_state.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "graph/ir/names.h"
#include "graph/status.h"

namespace troupe {

PartialRunState::PartialRunState(std::shared_ptr<const Graph> graph, const std::vector<std::string>& feeds,
                                 const std::vector<std::string>& fetches)
    : graph_(std::move(graph)) {
  for (const std::string& f : feeds) feeds_[f] = false;
  for (const std::string& f : fetches) fetches_[f] = false;
  left_ = feeds_.size() + fetches_.size();
}

absl::Status PartialRunState::take_turn(std::span<const std::string> feeds,
                                        std::span<const std::string> fetches) {
  TROUPE_RETURN_IF_ERROR(check_names(feeds, feeds_, "feed", "fed"));
  TROUPE_RETURN_IF_ERROR(check_names(fetches, fetches_, "fetch", "fetched"));
  TROUPE_RETURN_IF_ERROR(check_dependencies(feeds, fetches));
  for (const std::string& f : feeds) feeds_[f] = true;
  for (const std::string& f : fetches) fetches_[f] = true;
  left_ -= feeds.size() + fetches.size();
  return absl::OkStatus();
}

std::vector<std::string> PartialRunState::not_done(const absl::flat_hash_map<std::string, bool>& names) {
  std::vector<std::string> left;
  for (const auto& [name, done] : names) {
    if (!done) left.push_back(name);
  }
  std::sort(left.begin(), left.end());
  return left;
}

absl::Status PartialRunState::check_names(std::span<const std::string> names,
                                          const absl::flat_hash_map<std::string, bool>& declared,
                                          absl::string_view kind, absl::string_view done) const {
  absl::flat_hash_set<absl::string_view> seen;
  for (const std::string& name : names) {
    auto it = declared.find(name);
    if (it == declared.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("The ", kind, " ", name, " was not specified in partial_run_setup."));
    }
    if (it->second || !seen.insert(name).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("The ", kind, " ", name, " has already been ", done, "."));
    }
  }
  return absl::OkStatus();
}

/// Walks back from the fetches over all edges of the whole graph, as TensorFlow does: through what has been fed, too.
absl::Status PartialRunState::check_dependencies(std::span<const std::string> feeds,
                                                 std::span<const std::string> fetches) const {
  auto endpoint = [&](const std::string& text) {
    TensorName name = parse_tensor_name(text);
    const Node* n = graph_->find(name.node);
    return n == nullptr ? Endpoint{} : Endpoint{n->id, name.slot};
  };
  absl::flat_hash_set<Endpoint> pending;
  for (const auto& [name, done] : feeds_) {
    if (!done) pending.insert(endpoint(name));
  }
  for (const std::string& f : feeds) pending.erase(endpoint(f));
  if (pending.empty()) return absl::OkStatus();
  std::vector<bool> seen(graph_->num_ids(), false);
  std::vector<int> stack;
  for (const std::string& f : fetches) stack.push_back(endpoint(f).node);
  auto visit = [&](int id) {
    if (seen[id]) return;
    seen[id] = true;
    stack.push_back(id);
  };
  while (!stack.empty()) {
    const Node& n = graph_->node(stack.back());
    stack.pop_back();
    for (Endpoint e : n.inputs) {
      if (e.node < 0) continue;
      if (pending.contains(e)) {
        return absl::InvalidArgumentError(
            absl::StrCat("Fetch ", tensor_text(graph_->node(e.node).name, e.slot),
                         " can't be computed from the feeds that have been fed so far."));
      }
      visit(e.node);
    }
    for (int c : n.control_inputs) visit(c);
  }
  return absl::OkStatus();
}

}  // namespace troupe
