#include "absl/strings/str_join.h"
#include "actors/step/executor_frame.h"

// What a running step can say of itself.

namespace troupe {

std::vector<FrontierEntry> ExecutorState::frontier(size_t limit) const {
  std::vector<FrontierEntry> out;
  absl::flat_hash_map<int, bool> listed;
  auto add = [&](int node, std::string waits) {
    if (out.size() >= limit || !listed.emplace(node, true).second) return;
    const KernelNode& info = partition_->info(node);
    out.push_back({info.name, info.op->name, std::move(waits)});
  };
  for (const auto& t : tasks_) {
    if (t->context.has_value()) add(t->node, "running");
  }
  for (size_t i = head_; i != tail_; ++i) add(ring_[i & ring_mask_].node, "ready");
  if (root_ == nullptr || root_->iterations.empty() || out.size() >= limit) return out;
  // Nodes that have some of their inputs, or whose producers run: first those of the frames alive.
  std::vector<const Frame*> frames{root_.get()};
  std::vector<std::vector<CompiledPartition::Source>> sources;
  for (size_t k = 0; k < frames.size() && out.size() < limit; ++k) {
    const Frame* f = frames[k];
    for (const IterationState* it : f->iterations) {
      frames.insert(frames.end(), it->children.begin(), it->children.end());
      for (int i = 0; i < partition_->num_nodes() && out.size() < limit; ++i) {
        const CompiledNode& n = partition_->node(i);
        if (n.frame != f->index) continue;
        const PendingCounts& c = it->counts[n.local];
        const PendingCounts& initial = partition_->frames()[f->index].initial[n.local];
        // Bound constants count as inputs that are there.
        if (c.pending <= 0 || (c.pending == initial.pending && n.bound_inputs == 0)) continue;
        if (sources.empty()) sources = partition_->sources();
        std::vector<std::string> missing;
        for (int s = 0; s < n.num_inputs; ++s) {
          if (!it->inputs[n.input_begin + s].present()) missing.push_back(partition_->name_of(sources[i][s]));
        }
        add(i, absl::StrCat("waits for ", absl::StrJoin(missing, ", ")));
      }
    }
  }
  return out;
}

}  // namespace troupe
