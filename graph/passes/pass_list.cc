#include "graph/passes/pass_list.h"

#include "graph/passes/bypass_identities.h"
#include "graph/passes/colocate_control_flow.h"
#include "graph/passes/common_subexpressions.h"
#include "graph/passes/constant_folding.h"
#include "graph/passes/drop_unread.h"
#include "graph/passes/fuse_elementwise.h"
#include "graph/passes/fuse_products.h"
#include "graph/passes/inline_functions.h"
#include "graph/passes/place.h"
#include "graph/passes/prune.h"
#include "graph/passes/rewrite_arithmetic.h"
#include "graph/passes/rewrite_signature.h"
#include "graph/passes/stateful_places.h"
#include "graph/passes/take_known_branches.h"

namespace troupe {
namespace {

bool always(const PassContext&) { return true; }
bool has_leavings(const PassContext& c) { return c.has_leavings; }
bool of_signature(const PassContext& c) { return c.function.empty(); }
bool has_unplaced(const PassContext& c) {
  const Graph& graph = c.draft->graph;
  for (int i = 0; i < graph.num_ids(); ++i) {
    if (!graph.node(i).removed() && graph.node(i).device < 0) return true;
  }
  return false;
}
bool has_unplaced_bodies(const PassContext& c) {
  return of_signature(c) && c.has_leavings && c.options->placement != nullptr && has_unplaced(c);
}
bool on_several_devices(const PassContext& c) {
  const Graph& graph = c.draft->graph;
  int first = -1;
  for (int i = 0; i < graph.num_ids(); ++i) {
    const Node& n = graph.node(i);
    if (n.removed()) continue;
    if (first >= 0 && n.device != first) return true;
    first = n.device;
  }
  return false;
}
bool optimizes(const PassContext& c) {
  return c.options->optimize && c.evaluator != nullptr && c.nodes_to_plan >= c.options->min_graph_nodes;
}
bool folds(const PassContext& c) { return optimizes(c) && c.options->fold_constants; }
bool takes_branches(const PassContext& c) { return optimizes(c) && c.options->take_known_branches; }
bool rewrites(const PassContext& c) { return optimizes(c) && c.options->rewrite_arithmetic; }
bool merges(const PassContext& c) { return optimizes(c) && c.options->merge_common_subexpressions; }
bool bypasses(const PassContext& c) { return optimizes(c) && c.options->bypass_identities; }
bool fuses(const PassContext& c) { return optimizes(c) && c.options->fuse; }
/// To find trees takes some microseconds a node, of which a large graph's first run has no share to spare.
constexpr int kMostNodesForTrees = 5000;
bool fuses_trees(const PassContext& c) { return fuses(c) && c.nodes_to_plan <= kMostNodesForTrees; }

absl::StatusOr<PassStats> inline_calls(PassContext& c) {
  const InlineScope scope =
      c.options->inline_functions ? InlineScope::kUnmarked : InlineScope::kBranchesAndLoops;
  return inline_functions(c.draft, c.function, c.options->differentiator, scope);
}

/// Feeds arrive, and fetches leave, where the client is. In a placed graph what is fed has no say in where its consumers are.
/// Where an end of a signature is: with the client, or on the device that it says.
int end_device(const DeviceCatalog& devices, const Node& n) {
  const std::string device = n.attrs.get_or<std::string>(kClientDevice, "");
  for (size_t i = 0; i < devices.entries().size() && !device.empty(); ++i) {
    if (devices.entries()[i].name == device) return static_cast<int>(i);
  }
  return devices.client_device();
}

absl::StatusOr<PassStats> pin_to_client(PassContext& c) {
  Graph& graph = c.draft->graph;
  PassStats stats("pin_to_client", graph);
  const DeviceCatalog::Entry& client = c.devices->entries()[c.devices->client_device()];
  int64_t pinned = 0;
  for (int i = 0; i < graph.num_ids(); ++i) {
    Node& n = graph.node(i);
    const bool transfers = is_client_transfer(n);
    if (!transfers && !n.is("_Arg") && !n.is("_Retval")) continue;
    ++pinned;
    const int where = end_device(*c.devices, n);
    n.requested_device = c.devices->entries()[where].name;
    if (c.options->placement != nullptr) n.device = where;
    if (!transfers) continue;
    n.attrs.set("send_device", client.name);
    n.attrs.set("send_device_incarnation", static_cast<int64_t>(client.incarnation));
    n.attrs.set("recv_device", client.name);
  }
  return stats.done(graph).count("pinned", pinned);
}

/// A graph that is placed by its signatures has its nodes with state where the first of them puts these.
absl::StatusOr<PassStats> place_draft(PassContext& c, bool unknown_ops_wait) {
  const PlanOptions& options = *c.options;
  Graph* const graph = &c.draft->graph;
  const bool by_signatures = of_signature(c) && options.placement == nullptr;
  if (by_signatures && options.stateful_places != nullptr)
    return options.stateful_places->place(*c.devices, options, graph);
  return place(*c.devices, options, graph, unknown_ops_wait);
}

/// Places what has no device yet.
absl::StatusOr<PassStats> place_rest(PassContext& c, bool unknown_ops_wait) {
  Graph& graph = c.draft->graph;
  std::vector<int> rest;
  for (int i = 0; i < graph.num_ids(); ++i) {
    if (!graph.node(i).removed() && graph.node(i).device < 0) rest.push_back(i);
  }
  TROUPE_ASSIGN_OR_RETURN(PassStats placed, place_draft(c, unknown_ops_wait));
  for (int id : rest) {
    if (c.options->placed != nullptr && graph.node(id).device >= 0) c.options->placed(graph.node(id));
  }
  return placed;
}
/// Bodies as a whole, like the graph: what a signature needs of one has no say in where the rest is.
absl::StatusOr<PassStats> place_bodies(PassContext& c) { return place_rest(c, true); }
absl::StatusOr<PassStats> place_all(PassContext& c) { return place_rest(c, false); }

absl::StatusOr<PassStats> fold(PassContext& c) {
  return fold_constants(*c.evaluator, c.options->max_folded_constant_bytes, c.draft, c.options->may_replace);
}
absl::StatusOr<PassStats> merge(PassContext& c) {
  return merge_common_subexpressions(c.draft, c.options->may_replace);
}

absl::StatusOr<PassStats> take_branches(PassContext& c) {
  return take_known_branches(*c.devices, c.draft, c.options->may_replace);
}
absl::StatusOr<PassStats> rewrite(PassContext& c) {
  return rewrite_arithmetic(*c.devices, c.draft, c.options->may_replace);
}
absl::StatusOr<PassStats> drop(PassContext& c) { return drop_unread(c.draft, c.options->may_replace); }
absl::StatusOr<PassStats> bypass(PassContext& c) {
  return bypass_identities(c.draft, c.options->may_replace);
}
absl::StatusOr<PassStats> fuse_with_products(PassContext& c) {
  return fuse_products(*c.devices, c.draft, c.options->may_replace);
}
absl::StatusOr<PassStats> fuse_rest(PassContext& c) {
  return fuse_elementwise(*c.devices, c.draft, c.options->may_replace);
}

absl::StatusOr<PassStats> colocate(PassContext& c) {
  return colocate_control_flow(*c.devices, &c.draft->graph);
}

absl::StatusOr<PassStats> prune_leavings(PassContext& c) {
  c.has_leavings = false;
  return prune(c.draft);
}

constexpr Pass kPasses[] = {
    {"inline_functions", always, inline_calls},
    {"pin_to_client", of_signature, pin_to_client},
    {"place_bodies", has_unplaced_bodies, place_bodies},
    {"prune", has_leavings, prune_leavings},
    // Before folding, so that constants and merged nodes stay where their nodes were to run.
    {"place", has_unplaced, place_all},
    {"fold_constants", folds, fold},
    {"take_known_branches", takes_branches, take_branches},
    {"rewrite_arithmetic", rewrites, rewrite},
    {"merge_common_subexpressions", merges, merge},
    // What it leaves are NoOps.
    {"drop_unread", bypasses, drop},
    {"bypass_identities", bypasses, bypass},
    // Before fusing, which leaves alone what several nodes use, whoever these are.
    {"prune", has_leavings, prune_leavings},
    // Products first: they take the activations that are theirs.
    {"fuse_products", fuses, fuse_with_products},
    {"fuse_elementwise", fuses_trees, fuse_rest},
    {"colocate_control_flow", on_several_devices, colocate},
};

/// What a pass counts when it leaves nodes behind that nobody needs any more.
bool leaves_something(const PassStats& stats) {
  for (const char* count :
       {"calls", "branches", "loops", "folded", "taken", "rewritten", "merged", "unread"}) {
    if (stats[count] > 0) return true;
  }
  return false;
}

}  // namespace

std::span<const Pass> passes() { return kPasses; }

void note_pass(const PlanOptions& options, const PassStats& stats, const Graph& after) {
  if (options.log != nullptr) options.log->push_back(stats.to_string());
  if (options.observer) options.observer(stats, after);
}

absl::Status check_wanted(const PlanOptions& options) {
  return options.stopped ? options.stopped() : absl::OkStatus();
}

absl::Status run_passes(PassContext& context) {
  context.nodes_to_plan = context.draft->graph.num_nodes();
  for (const Pass& pass : kPasses) {
    if (!pass.when(context)) continue;
    TROUPE_RETURN_IF_ERROR(check_wanted(*context.options));
    TROUPE_ASSIGN_OR_RETURN(const PassStats stats, pass.run(context));
    context.has_leavings = context.has_leavings || leaves_something(stats);
    note_pass(*context.options, stats, context.draft->graph);
  }
  return check_wanted(*context.options);
}

}  // namespace troupe
