#include "absl/strings/str_join.h"
#include "actors/step/executor_frame.h"

// What a running step can say of itself.

namespace troupe {

std::vector<FrontierEntry> ExecutorState::frontier(size_t limit) const {
  std::vector<FrontierEntry> out;
  absl::flat_hash_set<int32_t> listed;
  auto add = [&](int32_t node, const char* state) {
    if (out.size() >= limit || !listed.insert(node).second) return;
    const KernelNode& info = partition_->info(node);
    out.push_back({info.name, info.op->name, state});
  };
  for (const auto& t : tasks_) {
    if (t->context.has_value()) add(t->node, "running");
  }
  for (size_t i = head_; i != tail_ && out.size() < limit; ++i) add(ring_[i & ring_mask_].node, "ready");
  if (root_ == nullptr || root_->iterations.empty() || out.size() >= limit) return out;
  add_waiting(limit, &listed, &out);
  return out;
}

/// Nodes that have some of their inputs, first those of the root frame, with what they miss.
void ExecutorState::add_waiting(size_t limit, absl::flat_hash_set<int32_t>* listed,
                                std::vector<FrontierEntry>* out) const {
  std::vector<int32_t> nodes;
  std::vector<const IterationState*> iterations;
  std::vector<const Frame*> frames{root_.get()};
  const size_t room = limit - out->size();
  for (size_t k = 0; k < frames.size() && nodes.size() < room; ++k) {
    const Frame* f = frames[k];
    for (const IterationState* it : f->iterations) {
      frames.insert(frames.end(), it->children.begin(), it->children.end());
      for (int32_t i = 0; i < partition_->num_nodes() && nodes.size() < room; ++i) {
        const CompiledNode& n = partition_->node(i);
        if (n.frame != f->index) continue;
        const PendingCounts& c = it->counts[n.local];
        const PendingCounts& initial = partition_->frames()[f->index].initial[n.local];
        // Bound constants count as inputs that are there.
        if (c.pending <= 0 || (c.pending == initial.pending && n.bound_inputs == 0)) continue;
        if (!listed->insert(i).second) continue;
        nodes.push_back(i);
        iterations.push_back(it);
      }
    }
  }
  const auto sources = partition_->sources(nodes);
  for (size_t k = 0; k < nodes.size(); ++k) {
    const CompiledNode& n = partition_->node(nodes[k]);
    std::vector<std::string> missing;
    for (int s = 0; s < n.num_inputs; ++s) {
      if (!iterations[k]->inputs[n.input_begin + s].present())
        missing.push_back(partition_->name_of(sources[k][s]));
    }
    const KernelNode& info = partition_->info(nodes[k]);
    out->push_back({info.name, info.op->name, absl::StrCat("waits for ", absl::StrJoin(missing, ", "))});
  }
}

int64_t ExecutorState::waiting_bytes() const {
  int64_t bytes = 0;
  absl::flat_hash_set<const Buffer*> seen;
  auto count = [&](const Value& v) {
    const Buffer* buffer = v.tensor.buffer();
    if (buffer != nullptr && seen.insert(buffer).second) bytes += static_cast<int64_t>(v.tensor.bytes());
  };
  std::vector<const Frame*> frames;
  if (root_ != nullptr) frames.push_back(root_.get());
  for (size_t k = 0; k < frames.size(); ++k) {
    const Frame& f = *frames[k];
    for (const auto& [node, value] : f.invariants) count(value);
    for (const auto& [node, value] : f.parked) count(value);
    for (const IterationState* it : f.iterations) {
      frames.insert(frames.end(), it->children.begin(), it->children.end());
      for (int32_t i = 0; i < partition_->num_nodes(); ++i) {
        const CompiledNode& n = partition_->node(i);
        if (n.frame != f.index) continue;
        for (int s = 0; s < n.num_inputs; ++s) {
          if (!n.is_bound(s)) count(it->inputs[n.input_begin + s]);
        }
      }
    }
  }
  return bytes;
}

}  // namespace troupe
