#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "devices/compiled_node.h"
#include "devices/kernel_registry.h"
#include "devices/shared_nodes.h"
#include "devices/stateful_kernels.h"
#include "graph/ir/graph.h"

namespace troupe {

/// A partition lowered for execution: immutable but for the running cost estimates, shared by all steps of a
/// signature. Slots of inputs are numbered per frame, so that an iteration is one array of values and one of counts.
class CompiledPartition {
 public:
  /// Above this a kernel counts as expensive: about twice what it costs to hand it to another thread.
  static constexpr uint32_t kExpensiveCycles = 12'000;

  /// `graph` holds one device's nodes, without holes. Kernels are built here, but for nodes that `shared` has from other
  /// partitions, the same in all that they say; errors name the node.
  static absl::StatusOr<std::shared_ptr<const CompiledPartition>> compile(const Graph& graph, Device* device,
                                                                          const KernelRegistry& kernels,
                                                                          StatefulKernels* stateful,
                                                                          SharedNodes* shared = nullptr);

  Device* device() const { return device_; }
  int num_nodes() const { return static_cast<int>(nodes_.size()); }
  const CompiledNode& node(int i) const { return nodes_[i]; }
  const KernelNode& info(int i) const { return *nodes_[i].info; }
  std::span<const OutEdge> edges(const CompiledNode& n) const {
    return {out_edges_.data() + n.out_edge_begin, static_cast<size_t>(n.out_edge_end - n.out_edge_begin)};
  }
  const Tensor& constant(int i) const { return consts_[i]; }
  /// The constant that is bound to a slot of a frame.
  const Tensor& constant_at(int32_t frame, int32_t slot) const;
  const std::vector<CompiledFrame>& frames() const { return frames_; }
  /// Nodes to start with: those that wait for nothing, but for constants that are bound to all their consumers.
  const std::vector<int32_t>& roots() const { return roots_; }
  int max_outputs() const { return max_outputs_; }
  bool has_transfers() const { return has_transfers_; }
  /// Whether a kernel may compute with floating point numbers: it takes or gives some, or what may hold some.
  bool computes_floats() const { return computes_floats_; }
  /// Running estimate of a kernel's time; 0: never measured.
  uint32_t cost(int node) const { return costs_[node].load(std::memory_order_relaxed); }
  void record_cost(int node, uint64_t cycles) const;
  /// Where an input comes from; slot -1: a control input.
  struct Source {
    int32_t node;
    int32_t slot;
  };
  /// The inputs of each of these nodes, data before control, constants included. For reports: one pass over all edges.
  std::vector<std::vector<Source>> sources(std::span<const int32_t> nodes) const;
  /// Of every node.
  std::vector<std::vector<Source>> sources() const;
  /// "a", "b:1", "^c".
  std::string name_of(const Source& source) const;

 private:
  friend class PartitionCompiler;
  Device* device_ = nullptr;
  std::vector<CompiledNode> nodes_;
  std::vector<std::shared_ptr<const LoweredNode>> lowered_;
  std::vector<OutEdge> out_edges_;
  std::vector<Tensor> consts_;
  std::vector<CompiledFrame> frames_;
  std::vector<int32_t> roots_;
  std::unique_ptr<std::atomic<uint32_t>[]> costs_;
  int max_outputs_ = 0;
  bool has_transfers_ = false;
  bool computes_floats_ = false;
};

}  // namespace troupe
