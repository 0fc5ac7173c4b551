#pragma once

#include <string>
#include <vector>

namespace troupe {

/// An output that a debugger wants to see, and what it wants to see of it: TensorFlow's DebugTensorWatch.
struct TensorWatch {
  /// "*", with slot -1: every output of every node.
  std::string node;
  int slot = 0;
  /// "DebugIdentity", "DebugNanCount", "DebugNumericSummary(lower_bound=-1.5;mute_if_healthy=true)".
  std::vector<std::string> debug_ops;
  /// Where values go: "file:///a/folder", "actor://name".
  std::vector<std::string> urls;
  /// A debug op that cannot be made is left out, and is no error.
  bool tolerates_failures = false;

  friend bool operator==(const TensorWatch&, const TensorWatch&) = default;
};

}  // namespace troupe
