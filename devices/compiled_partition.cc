#include "devices/compiled_partition.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace troupe {

void CompiledPartition::record_cost(int node, uint64_t cycles) const {
  uint32_t old = costs_[node].load(std::memory_order_relaxed);
  uint64_t sample = std::min<uint64_t>(cycles + 1, UINT32_MAX);
  uint64_t next = old == 0 ? sample : (uint64_t{old} * 7 + sample) / 8;
  costs_[node].store(static_cast<uint32_t>(std::max<uint64_t>(1, next)), std::memory_order_relaxed);
}

/// The first constant that is bound to this slot of a frame, or to a later one.
static std::vector<BoundConstant>::const_iterator first_bound(const CompiledFrame& frame, int32_t slot) {
  return std::lower_bound(frame.bound_constants.begin(), frame.bound_constants.end(), slot,
                          [](const BoundConstant& b, int32_t s) { return b.slot < s; });
}

const Tensor& CompiledPartition::constant_at(int32_t frame, int32_t slot) const {
  return consts_[first_bound(frames_[frame], slot)->constant];
}

std::vector<std::vector<CompiledPartition::Source>> CompiledPartition::sources() const {
  std::vector<int32_t> all(nodes_.size());
  std::iota(all.begin(), all.end(), 0);
  return sources(all);
}

std::vector<std::vector<CompiledPartition::Source>> CompiledPartition::sources(
    std::span<const int32_t> nodes) const {
  std::vector<std::vector<Source>> found(nodes.size());
  std::vector<int32_t> position(nodes_.size(), -1);
  for (size_t k = 0; k < nodes.size(); ++k) {
    const CompiledNode& n = nodes_[nodes[k]];
    position[nodes[k]] = static_cast<int32_t>(k);
    found[k].resize(n.num_inputs, {-1, 0});
    const std::vector<BoundConstant>& bound = frames_[n.frame].bound_constants;
    for (auto it = first_bound(frames_[n.frame], n.input_begin);
         it != bound.end() && it->slot < n.input_begin + n.num_inputs; ++it)
      found[k][it->slot - n.input_begin] = {it->node, 0};
  }
  for (size_t i = 0; i < nodes_.size(); ++i) {
    for (const OutEdge& e : edges(nodes_[i])) {
      const int32_t k = position[e.dst];
      if (k < 0) continue;
      const Source source{static_cast<int32_t>(i), e.src_slot};
      if (e.dst_slot < 0) {
        found[k].push_back(source);
      } else {
        found[k][e.dst_slot - nodes_[e.dst].input_begin] = source;
      }
    }
  }
  return found;
}

std::string CompiledPartition::name_of(const Source& source) const {
  const std::string& name = lowered_[source.node]->info.name;
  if (source.slot < 0) return absl::StrCat("^", name);
  return source.slot == 0 ? name : absl::StrCat(name, ":", source.slot);
}

}  // namespace troupe
