#pragma once

#include "graph/passes/pass.h"
#include "graph/passes/plan.h"

namespace troupe {

/// The part of `graph` that a signature needs, with `_Arg` nodes in the place of what is fed and `_Retval` nodes behind
/// what is fetched. Checks the signature first, in TensorFlow's order and with its texts: nothing asked for, a feed twice,
/// a name fed and fetched, unknown feeds, fetches and targets, outputs that do not exist; and that fed values may go where
/// references are expected ("Input 0 of node as was passed float from _arg_v_0_0:0 incompatible with expected float_ref.").
/// Feeds that nothing needs are dropped. A partial signature gets `_Recv` and `_Send` nodes instead, whose devices the planner
/// fills in; a connection gets an Identity. Linear in what is needed; the types of feeds and fetches go into `plan`.
/// Nodes of the graph are where `placement` says, if it is not null.
absl::StatusOr<Draft> rewrite_signature(const Graph& graph, const PlanSignature& signature,
                                        const Placement* placement, Plan* plan);

/// A `_Recv` or `_Send` of a partial signature.
bool is_client_transfer(const Node& node);

}  // namespace troupe
