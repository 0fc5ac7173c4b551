#include "graph/gradients/gradients.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/gradients/frame_backprop.h"

namespace troupe {
namespace {

/// The first node named `prefix` or "<prefix>/...": null when there is none.
const Node* conflict(const Graph& graph, const std::string& prefix) {
  for (int i = 0; i < graph.num_ids(); ++i) {
    const Node& n = graph.node(i);
    if (n.removed() || !absl::StartsWith(n.name, prefix)) continue;
    if (n.name.size() == prefix.size() || n.name[prefix.size()] == '/') return &n;
  }
  return nullptr;
}

absl::StatusOr<std::string> choose_prefix(const Graph& graph, const std::string& wanted) {
  if (!wanted.empty()) {
    const Node* taken = conflict(graph, wanted);
    if (taken == nullptr) return wanted;
    return absl::InvalidArgumentError(absl::StrCat(
        "prefix [", wanted, "] conflicts with existing node in the graph named [", taken->name, "]"));
  }
  constexpr absl::string_view kDefault = "gradients";
  absl::flat_hash_map<std::string, bool> taken;
  for (int i = 0; i < graph.num_ids(); ++i) {
    const Node& n = graph.node(i);
    if (!n.removed() && absl::StartsWith(n.name, kDefault)) taken[n.name.substr(0, n.name.find('/'))] = true;
  }
  std::string prefix(kDefault);
  for (int i = 1; taken.contains(prefix); ++i) prefix = absl::StrCat(kDefault, "_", i);
  return prefix;
}

absl::Status check_endpoint(const Graph& graph, Endpoint e, absl::string_view what) {
  if (e.node < 0 || e.node >= graph.num_ids() || graph.node(e.node).removed()) {
    return absl::InvalidArgumentError(absl::StrCat("Node of ", what, " of gradients does not exist"));
  }
  const Node& n = graph.node(e.node);
  if (!n.defect.ok()) return n.defect;
  if (e.slot >= 0 && e.slot < n.num_outputs()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("Node '", n.name, "' (", what, " of gradients) has ",
                                                 n.num_outputs(), " outputs, but output ", e.slot,
                                                 " is asked for"));
}

absl::Status check(const Graph& graph, std::span<const Endpoint> y, std::span<const Endpoint> x,
                   std::span<const Endpoint> dy) {
  if (!dy.empty() && dy.size() != y.size()) {
    return absl::InvalidArgumentError("Must specify a gradient input for each output.");
  }
  for (Endpoint e : y) TROUPE_RETURN_IF_ERROR(check_endpoint(graph, e, "y"));
  for (Endpoint e : x) TROUPE_RETURN_IF_ERROR(check_endpoint(graph, e, "x"));
  for (size_t i = 0; i < dy.size(); ++i) {
    if (dy[i].node < 0) continue;
    TROUPE_RETURN_IF_ERROR(check_endpoint(graph, dy[i], "dy"));
    const DataType has = base_type(graph.type_of(dy[i])), wants = base_type(graph.type_of(y[i]));
    if (has == wants || wants == DataType::kResource) continue;
    return absl::InvalidArgumentError(absl::StrCat("Gradient ", i, " (", graph.node(dy[i].node).name, ") is ",
                                                   dtype_name(has), ", but output '",
                                                   graph.node(y[i].node).name, "' is ", dtype_name(wants)));
  }
  return absl::OkStatus();
}

absl::Status add(Graph* graph, GradientScope* scope, const GradientRegistry& registry,
                 std::span<const Endpoint> y, std::span<const Endpoint> x, std::span<const Endpoint> dy,
                 std::vector<Endpoint>* dx) {
  LoopFrames frames;
  TROUPE_RETURN_IF_ERROR(frames.analyse(graph));
  FrameBackprop backprop(scope, &registry, &frames);
  TROUPE_RETURN_IF_ERROR(backprop.prepare(y, x));
  for (Endpoint e : x) {
    if (backprop.reaches(e)) continue;
    return absl::InvalidArgumentError(absl::StrCat("Cannot compute the partial derivative for node '",
                                                   graph->node(e.node).name,
                                                   "' as it's unreachable from the output node(s)."));
  }
  std::vector<Val> start, found;
  for (size_t i = 0; i < y.size(); ++i) {
    const bool given = i < dy.size() && dy[i].node >= 0;
    start.push_back(given ? scope->val(dy[i]) : unary("OnesLike", scope->val(y[i])));
  }
  TROUPE_RETURN_IF_ERROR(scope->status());
  TROUPE_RETURN_IF_ERROR(backprop.run(start, &found));
  dx->clear();
  for (Val v : found) dx->push_back(v.valid() ? v.endpoint() : Endpoint{-1, 0});
  return absl::OkStatus();
}

}  // namespace

absl::Status add_gradients(Graph* graph, const GradientOptions& options, std::span<const Endpoint> y,
                           std::span<const Endpoint> x, std::span<const Endpoint> dy,
                           std::vector<Endpoint>* dx) {
  TROUPE_RETURN_IF_ERROR(check(*graph, y, x, dy));
  TROUPE_ASSIGN_OR_RETURN(const std::string prefix, choose_prefix(*graph, options.prefix));
  const GradientRegistry& registry = options.registry == nullptr ? builtin_gradients() : *options.registry;
  const int before = graph->num_ids();
  ShapeInference own(graph);
  ShapeInference* shapes = options.shapes;
  if (shapes == nullptr) {
    own.add_all();
    shapes = &own;
  }
  GradientScope scope(graph, prefix, shapes);
  const absl::Status status = add(graph, &scope, registry, y, x, dy, dx);
  if (!status.ok()) graph->truncate(before);
  return status;
}

}  // namespace troupe
