#pragma once

#include "graph/passes/evaluator.h"
#include "graph/passes/pass.h"

namespace troupe {

/// Replaces stateless nodes whose inputs are all constants by Const nodes of the same name on the same device, chains of
/// them in one walk; and nodes that ask for the shape of a tensor that is known before it is made (see ShapeQuestions). A
/// Const waits for what its node, and the constants it was made of, waited for, and one that answers for shapes for the makers
/// of the tensors: inside branches and loops it is dead and alive as before. Left as they are: nodes that `consider` says
/// false of, that fail, whose results are larger than `max_bytes`, of which those are never run whose shape functions tell
/// it, or that the evaluator has no kernel for. Linear in the graph, beside the kernels' own work.
absl::StatusOr<PassStats> fold_constants(const Evaluator& evaluator, int64_t max_bytes, Draft* draft,
                                         const NodeFilter& consider = nullptr);

}  // namespace troupe
