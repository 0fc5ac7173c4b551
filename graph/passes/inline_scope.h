#pragma once

namespace troupe {

/// Which functions may be inlined that need not be called.
enum class InlineScope {
  /// Those that are not marked `_noinline` or `_XlaMustCompile`.
  kUnmarked,
  /// None that a call names: calls stay calls. Bodies of loops, and of branches that are to be lowered, are put in all the same.
  kBranchesAndLoops,
  /// All: for who needs to see the bodies.
  kAll,
};

}  // namespace troupe
