#pragma once

#include "graph/passes/pass.h"
#include "graph/passes/planner.h"

namespace troupe {

/// Gives every node a device of the catalog. Nodes that share a colocation class ("loc:@x"), a reference edge or a
/// resource are placed together; a group goes to the device that its members ask for, else to the one with the
/// highest kernel and device priority; nodes that only make a value follow their consumers, shape questions their input.
/// With soft placement a wish for a type or number that cannot be met is dropped. InvalidArgument with TensorFlow's
/// phrases: malformed or unknown devices, no kernel, members that cannot be together. Linear but for lookups of kernels.
absl::StatusOr<PassStats> place(const DeviceCatalog& devices, const PlanOptions& options, Graph* graph);

/// What is checked when a graph comes into a session, before anybody asks for a part of it: that each node asks for a
/// device that there is (not with soft placement), and that none has attrs that no kernel of its op takes. Ops without any
/// kernel are left to the runs that need them. Of the nodes from `first_id` on, and linear in their number.
absl::Status check_placeable(const DeviceCatalog& devices, const PlanOptions& options, const Graph& graph,
                             int first_id = 0);

}  // namespace troupe
