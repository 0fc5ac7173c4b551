#pragma once

#include <span>
#include <vector>

#include "graph/passes/device_catalog.h"
#include "graph/passes/pass.h"

namespace troupe {

/// Whether a pass may put something else in the place of this node: it is sound, has no state, is of an op of the registry, asks for
/// no kernel by its label, reads no reference, whose value may change between two readers, and `consider` has nothing against it.
bool may_replace(const Graph& graph, const Node& node, const NodeFilter& consider);

/// Whether a kernel for `op` with these attrs is where `node` is. False for nodes that are not placed.
bool has_kernel(const DeviceCatalog& devices, const Node& node, const OpDef& op, const AttrMap& attrs);

/// Makes a node one of another op. Its name, device and control inputs stay, and attrs whose names begin with '_'; other attrs that
/// are not given are defaults. InvalidArgument when the op cannot have these attrs or inputs; the node is as before then.
absl::Status become(Node* node, const OpDef* op, AttrMap attrs, const std::vector<Endpoint>& inputs);

bool is_sum(const Node& node);

/// Makes a node wait for all that `others` wait for: it no longer asks them.
void take_over_waits(Graph* graph, int node, std::span<const int> others);
/// The same, and removes them: what they did, it does.
void absorb(Graph* graph, int node, std::span<const int> others);

/// Who is the only one to need a node. A snapshot: changes of the graph since do not show.
class SingleUse {
 public:
  explicit SingleUse(const Draft& draft);
  /// The node that takes output 0 of `id`, at whichever inputs, when nothing else needs that node: no other consumer, no control
  /// edge, no root. Else -1.
  int consumer_of(int id) const { return consumer_[id]; }
  /// Whether somebody takes another output of `id` than output 0.
  bool has_further_outputs(int id) const { return further_outputs_[id]; }

 private:
  std::vector<int> consumer_;
  std::vector<bool> further_outputs_;
};

}  // namespace troupe
