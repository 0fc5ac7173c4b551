#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/passes/device_catalog.h"
#include "graph/passes/pass.h"
#include "graph/passes/plan.h"

namespace troupe {

/// Where the nodes of a session's graph are: decided once, when they come into it, so that all signatures find a variable on
/// the same device. A plain value; 4 bytes a node.
class Placement {
 public:
  /// Decides for the nodes of `graph` that came since the last call, with those before where they are; the graph may have
  /// grown only. Errors as of `place`, but for ops without any kernel, which are left to the runs that need them; after one
  /// nothing has changed. Linear in the number of new nodes.
  absl::Status extend(const DeviceCatalog& devices, bool allow_soft_placement, const Graph& graph);
  /// Forgets the nodes from `num_ids` on.
  void truncate(int num_ids);

  int num_ids() const { return static_cast<int>(devices_.size()); }
  /// Index into the catalog. -1: every signature decides, since the node has a defect or no kernel, or hangs on a resource
  /// of a function that cannot be looked into.
  int device_of(int id) const { return devices_[id]; }

 private:
  std::vector<int> devices_;
  /// The first node of each colocation class that names no node of the graph.
  absl::flat_hash_map<std::string, int> classes_;
  /// Where the resources are that calls return.
  absl::flat_hash_map<Endpoint, int> made_;
};

/// Gives every node of a draft that has none a device of the catalog; the others stay where they are. Nodes that share a
/// colocation class ("loc:@x"), a reference edge or a resource are placed together; a group goes to the device that its
/// variables, else its members ask for, else to the one with the highest kernel and device priority. Nodes that only make a
/// value follow their consumers, questions about a shape their input; resources that calls return are where the function has
/// them. With soft placement a wish for a type or number that cannot be met is dropped, and so is a colocation class, but no
/// reference or resource edge. InvalidArgument with TensorFlow's phrases: malformed or unknown devices, no kernel, members
/// that cannot be together. Internal for a device that is not in the catalog, or where the node has no kernel. Linear but for
/// lookups of kernels.
/// `unknown_ops_wait`: nodes whose ops have no kernel at all get no device, instead of an error.
absl::StatusOr<PassStats> place(const DeviceCatalog& devices, const PlanOptions& options, Graph* graph,
                                bool unknown_ops_wait = false);

}  // namespace troupe
