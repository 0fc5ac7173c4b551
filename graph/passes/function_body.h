#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/ir/function_library.h"
#include "graph/ir/graph.h"

namespace troupe {

/// A function instantiated with attrs: its nodes, ready to be copied into a graph. An Endpoint of node k >= 0 is body
/// node k; of node -1 - a, it is argument a (see is_arg).
struct FunctionBody {
  struct BodyNode {
    std::string name;
    const OpDef* op = nullptr;
    AttrMap attrs;
    std::string device;
    std::vector<Endpoint> inputs;
    /// Body nodes, or -1 - a for "when argument a has come".
    std::vector<int> controls;
    std::vector<DataType> output_types;
    /// Must run whenever the function does: changes or tells something, or is asked for by control_ret.
    bool effect = false;
    /// Some other node waits for it by a control edge.
    bool awaited = false;
  };

  static bool is_arg(Endpoint e) { return e.node < 0; }
  static int arg_of(Endpoint e) { return -1 - e.node; }
  /// The argument that result i is, unchanged; -1 when it is none.
  int passed_through(int i) const;

  std::string name;
  AttrMap attrs;
  std::vector<DataType> arg_types;
  std::vector<DataType> ret_types;
  /// Only nodes that a result or an effect needs.
  std::vector<BodyNode> nodes;
  std::vector<Endpoint> rets;
  std::vector<bool> arg_used;
};

/// An attr that a caller may add to any function, a number: hands itself on to the seeded random ops of the body
/// and to the functions that it calls. Whoever sets it may make these ops begin anew.
inline constexpr const char* kRandomScopeAttr = "_random_scope";

/// The function with that attr.
FunctionRef in_random_scope(const FunctionRef& function, const AttrValue& scope);

/// Whether running a node of this op can be seen other than by its outputs. Ops that are stateful only because they make a
/// handle, read, or draw random numbers have none.
bool has_side_effects(const OpDef& op);

/// Bodies by function and attrs, each made once. Not thread-safe.
class FunctionBodies {
 public:
  /// Looks functions up in the library of `graph`, ops in its registry; both must outlive this.
  explicit FunctionBodies(const Graph& graph) : graph_(graph) {}

  /// NotFound "Function f is not defined."; InvalidArgument for a body that is malformed, naming function and node.
  absl::StatusOr<std::shared_ptr<const FunctionBody>> get(const std::string& name, const AttrMap& attrs);

 private:
  const Graph& graph_;
  struct Known {
    std::shared_ptr<const FunctionBody> body;
    /// As asked for, before defaults.
    AttrMap attrs;
  };
  absl::flat_hash_map<std::string, std::vector<Known>> bodies_;
};

}  // namespace troupe
