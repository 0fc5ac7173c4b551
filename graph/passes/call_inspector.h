#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "graph/ir/graph.h"
#include "graph/passes/call_resources.h"
#include "graph/passes/called_functions.h"
#include "graph/passes/device_catalog.h"

namespace troupe {

/// Looks into the functions that calls name, each once. For who places one graph, and the bodies of its functions.
class CallInspector {
 public:
  /// Functions are those of the library of `graph`; all three must outlive this.
  CallInspector(const DeviceCatalog& devices, bool soft, const Graph& graph);

  /// The function that a call names, or nothing: a PartitionedCall, a StatefulPartitionedCall, a function's name as an op.
  std::optional<FunctionRef> callee_of(const Node& node) const;
  /// Whether the function is not inlined where `call` stands.
  bool stays_a_call(const Node& call, const std::string& function);
  /// Nodes of the function that ask for no device ask for `device`. Null when it cannot be told: for recursive functions and
  /// broken ones, and where a conditional or a loop makes the resource. InvalidArgument when the function itself cannot be placed.
  /// Valid as long as this.
  absl::StatusOr<const CallResources*> inspect(const FunctionRef& function, const std::string& device);

 private:
  absl::StatusOr<std::optional<CallResources>> look_into(const FunctionRef& function,
                                                         const std::string& device);

  const DeviceCatalog& devices_;
  const bool soft_;
  const Graph& graph_;
  CalledFunctions called_;
  int depth_ = 0;
  /// Null: not told, or not yet.
  absl::flat_hash_map<std::string, std::unique_ptr<const CallResources>> known_;
};

}  // namespace troupe
