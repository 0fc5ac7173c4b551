#pragma once

namespace troupe {

/// Which functions may be inlined that need not be called.
enum class InlineScope {
  /// Those that are not marked `_noinline` or `_XlaMustCompile`.
  kUnmarked,
  /// All: for who needs to see the bodies.
  kAll,
};

}  // namespace troupe
