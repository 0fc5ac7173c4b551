#pragma once

#include <vector>

#include "graph/tensor/tensor.h"
#include "proto/graph.pb.h"

namespace troupe::simulation {

/// A step that touches every worker: "x", fed on the master's task, goes to each of these hosts, which answers x * c + c for a c of its own; "sum", on the master's
/// task again, is the sum of all.
tensorflow::GraphDef sum_graph(const std::vector<int>& hosts);
/// A value of "x".
Tensor feed_of(int floats, float value);
/// Whether each element of a "sum" is what it must be.
bool is_sum(const Tensor& sum, const std::vector<int>& hosts, int floats, float value);

}  // namespace troupe::simulation
