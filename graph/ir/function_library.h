#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graph/ops/op_def.h"

namespace tensorflow {
class FunctionDef;
class FunctionDefLibrary;
}  // namespace tensorflow

namespace troupe {

namespace pb = ::tensorflow;

/// The functions of a graph, by name, and their gradients. Immutable once shared; extending makes a new one.
class FunctionLibrary {
 public:
  FunctionLibrary() = default;

  /// InvalidArgument "Cannot add function 'f' because a different function with the same name already exists.", or
  /// when a gradient is assigned twice. Equal bodies are ignored; a function with a malformed signature is kept, but
  /// cannot be called. After an error some may have been added: work on a copy.
  absl::Status add(const pb::FunctionDefLibrary& library);

  const OpDef* find_signature(absl::string_view name) const;
  const pb::FunctionDef* find(absl::string_view name) const;
  /// The gradient function registered for `name`, or "".
  std::string gradient_of(absl::string_view name) const;
  std::vector<std::string> names() const;
  bool empty() const { return functions_.empty(); }
  size_t size() const { return functions_.size(); }
  /// These functions alone, whose definitions are shared, and the gradients that are among them.
  FunctionLibrary only(const absl::flat_hash_set<std::string>& names) const;
  void to_proto(pb::FunctionDefLibrary* out) const;

 private:
  struct Entry {
    std::shared_ptr<const pb::FunctionDef> def;
    std::shared_ptr<const OpDef> signature;
  };
  absl::flat_hash_map<std::string, Entry> functions_;
  absl::flat_hash_map<std::string, std::string> gradients_;
  /// Gradient functions of op types: carried only.
  absl::flat_hash_map<std::string, std::string> registered_gradients_;
};

}  // namespace troupe
