#pragma once

#include <memory>
#include <string>

#include "devices/cpu/kernels/dataset/core.h"
#include "graph/ir/function_library.h"
#include "graph/ir/graph.h"

namespace troupe {

/// The functions that the step may call. An empty library when there are none.
absl::StatusOr<std::shared_ptr<const FunctionLibrary>> functions_of_step(const FunctionRunner* functions);

/// The nodes that would make the dataset again, inputs as constants, and the functions that they need of `library`. The
/// last node, "dataset", is a _Retval of it. Unimplemented for a dataset that no node can make, such as one of elements
/// that are no values.
absl::StatusOr<Graph> graph_of_dataset(const Dataset& dataset,
                                       const std::shared_ptr<const FunctionLibrary>& library);

/// FailedPrecondition "RandomUniform is stateful." when a function of the graph does more than its results tell.
absl::Status check_external_state(const Graph& graph);

/// A number for what the graph computes: the same whatever its nodes and functions are called, in every process.
uint64_t fingerprint_of(const Graph& graph);

/// Runs the nodes that the _Retval needs, with their kernels in `kernels`, and gives what it gets. Unimplemented for ops that
/// wait, and for control flow.
absl::StatusOr<Tensor> evaluate_dataset_graph(KernelContext& context, const KernelRegistry& kernels,
                                              const Graph& graph);

}  // namespace troupe
