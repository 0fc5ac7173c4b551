#pragma once

#include "graph/passes/function_differentiator.h"

namespace troupe {

/// Differentiates functions by the built-in rules, after what they call was put in its place. What a function does beside
/// computing its results is not done again. Unimplemented for functions that call themselves.
const FunctionDifferentiator& builtin_differentiator();

}  // namespace troupe
