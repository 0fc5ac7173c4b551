#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "graph/ir/graph.h"

namespace troupe {

class GradientRegistry;
class ShapeInference;

struct GradientOptions {
  /// New nodes are named "<prefix>/...". Empty: the first of "gradients", "gradients_1", ... that no name of the graph
  /// begins with.
  std::string prefix;
  /// Null: builtin_gradients().
  const GradientRegistry* registry = nullptr;
  /// What is known of the graph's shapes, if the caller follows them; it is brought up to date with the nodes that are
  /// added. Rules use it to save nodes. May be null.
  ShapeInference* shapes = nullptr;
};

/// Adds to `graph` nodes that compute the partial derivatives of the sum of all `y` with respect to each `x`, where y[i] is
/// weighted by dy[i]: `dy` is empty (ones) or has an entry for each y, of its type and shape, whose node may be -1 for ones.
/// dx gets an endpoint for each x, in order; {-1, 0} where y depends on x only through ops that hand no gradient on. Nothing
/// flows through an x to what it was computed from, unless that is an x as well.
///
/// Where y stands in the body of a loop the derivatives are those of one iteration, and are there, too; x may be there, or in a frame around.
///
/// Existing nodes stay as they are; loops get more loop variables, by nodes added to them. After an error the graph is as
/// before. InvalidArgument:
/// - "Cannot compute gradient inside while loop with respect to op 'x'. ..." where y depends on x through the initial value of a loop variable;
/// - "Cannot compute gradients of outputs in different loops: ...";
/// - "prefix [p] conflicts with existing node in the graph named [n]";
/// - "Must specify a gradient input for each output.";
/// - "Cannot compute the partial derivative for node 'x' as it's unreachable from the output node(s).";
/// - an endpoint that does not exist;
/// NotFound "No gradient defined for op: X. ..." when an op between y and x has neither a rule nor is known to have none.
/// Not thread-safe. Linear in the number of nodes between x and y.
absl::Status add_gradients(Graph* graph, const GradientOptions& options, std::span<const Endpoint> y,
                           std::span<const Endpoint> x, std::span<const Endpoint> dy,
                           std::vector<Endpoint>* dx);

}  // namespace troupe
