#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/ops/op_def.h"

namespace troupe {

/// Ops by name. Filled by explicit calls, then read from any thread. Rows are parsed at their first use, so that
/// fourteen hundred ops cost nothing at start. OpDef pointers stay valid as long as the registry.
class OpRegistry {
 public:
  OpRegistry();
  /// Looks up in `parent` what it does not hold itself; `parent` must outlive it.
  explicit OpRegistry(const OpRegistry* parent);
  ~OpRegistry();

  /// Rows must outlive the registry (they are static tables). AlreadyExists when a name is taken.
  absl::Status add(std::span<const OpRow> rows);
  /// Calls `family`: the ops of rows that it adds here are of the family of that name, a literal. One at a time.
  absl::Status add_family(const char* name, absl::Status (*family)(OpRegistry* registry));
  absl::Status add(OpDef op);
  /// Gives ops that are rows of this registry, and that nobody has looked up yet, their shape functions. NotFound for an
  /// op that is none, AlreadyExists when it has a function.
  absl::Status add_shapes(std::span<const ShapeRow> rows);

  /// Null when there is no such op.
  const OpDef* find(absl::string_view name) const;
  /// NotFound "Op type not registered 'X' in binary running on <host>. ...".
  absl::StatusOr<const OpDef*> lookup(absl::string_view name) const;
  /// All names, sorted, those of the parent included.
  std::vector<std::string> names() const;

 private:
  struct Slot {
    const OpRow* row = nullptr;
    const char* family = "";
    absl::Status (*shape_fn)(ShapeContext&) = nullptr;
    std::unique_ptr<const OpDef> op = nullptr;
  };
  const OpRegistry* const parent_ = nullptr;
  mutable std::mutex mu_;
  const char* family_ = "";                               // guarded by mu_
  mutable absl::flat_hash_map<std::string, Slot> slots_;  // guarded by mu_
};

/// Every op of `graph/ops`, made once per process and never destroyed.
const OpRegistry& builtin_ops();

}  // namespace troupe
