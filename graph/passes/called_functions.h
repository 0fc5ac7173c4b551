#pragma once

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graph/ir/function_library.h"
#include "graph/ir/graph.h"

namespace troupe {

/// Which functions are called at run time rather than inlined: those marked `_noinline` or `_XlaMustCompile`,
/// and of every cycle of functions that refer to one another at least one, so that inlining all others ends.
/// Found by one walk along the references, linear in the functions that it meets; where it starts decides
/// which of a cycle it is.
class CalledFunctions {
 public:
  /// Without `heed_marks` only cycles count.
  explicit CalledFunctions(const FunctionLibrary* library, bool heed_marks = true)
      : library_(library), heed_marks_(heed_marks) {}

  /// Walks from the function, which is what is planned.
  void walk_from(const std::string& function);
  /// Walks from the functions that the nodes of a graph refer to.
  void walk_from(const Graph& graph);
  bool contains(const std::string& function) const { return called_.contains(function); }

  /// Whether a node's or a function's attrs forbid to inline.
  static bool forbids_inlining(const AttrMap& attrs);

 private:
  enum class State : char { kOpen, kDone };

  void walk_from(const FunctionRef& ref);
  /// Puts a function that the library says must not be inlined into called_.
  bool is_marked(const std::string& function);

  const FunctionLibrary* const library_;
  const bool heed_marks_;
  absl::flat_hash_map<std::string, State> state_;
  absl::flat_hash_set<std::string> called_;
};

}  // namespace troupe
