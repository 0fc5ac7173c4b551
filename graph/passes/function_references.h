#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/ir/function_library.h"
#include "graph/ir/graph.h"

namespace troupe {

/// The functions that the body of a function refers to, by calls and attrs, in its order and as often as it does; with the
/// registered gradients of those that SymbolicGradient nodes name. Empty when the library has no such function.
std::vector<std::string> function_references(const FunctionLibrary& library, const std::string& function);

/// The functions of the graph's library that its nodes may come to call, through others too, and their gradients. The
/// library itself when that is all of it; bodies are shared. Linear in the graph and in the functions that it meets.
std::shared_ptr<const FunctionLibrary> reachable_functions(const Graph& graph);

}  // namespace troupe
