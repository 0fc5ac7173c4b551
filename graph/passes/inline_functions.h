#pragma once

#include "graph/passes/inline_scope.h"
#include "graph/passes/pass.h"

namespace troupe {

class FunctionDifferentiator;

/// Replaces calls of functions (PartitionedCall, StatefulPartitionedCall, RemoteCall to a constant target, a function's
/// name as an op) by their bodies, and If, Case, While and For, stateless or not, by Switch, Merge and loops around theirs;
/// an If or Case only when its attr `_lower_using_switch_merge` says so, or in scope kAll.
/// `within` is the function whose body the draft is, if it is one.
///
/// - Functions that CalledFunctions names (recursive, marked `_noinline`) are not inlined: what calls them becomes a
///   PartitionedCall or StatefulPartitionedCall, which the executor runs. RemoteCalls to targets that only the step knows stay.
/// - Names are "<caller>/<node>", "<caller>/then/<node>", ...: the same in every plan, so that stateful kernels in bodies
///   keep their state from signature to signature.
/// - Effects of a body run exactly when the call would have: after all its inputs, not at all where it is dead; who waits
///   for the caller waits for them. Iteration n + 1 of a While has no effect before those of n are over.
/// - A While's variables that its body hands on unchanged are loop constants.
///
/// NotFound "Function f is not defined."; InvalidArgument for malformed bodies and calls that do not fit them;
/// Unimplemented for gradients of recursive functions, and for all that the library has not, without a differentiator;
/// ResourceExhausted when the result would have more than kMaxInlinedNodes.
/// Linear in the size of the result.
absl::StatusOr<PassStats> inline_functions(Draft* draft, const std::string& within = "",
                                           const FunctionDifferentiator* differentiator = nullptr,
                                           InlineScope scope = InlineScope::kUnmarked);

constexpr int kMaxInlinedNodes = 4'000'000;

}  // namespace troupe
