#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/gradients/rule.h"

namespace troupe {

/// Gradient rules by op. Filled by explicit calls, then read from any thread.
class GradientRegistry {
 public:
  enum class Kind { kUnknown, kNone, kRule };
  struct Entry {
    Kind kind = Kind::kUnknown;
    RuleFn fn = nullptr;
  };

  /// AlreadyExists when an op has an entry. Names are copied.
  absl::Status add(std::span<const RuleRow> rows);
  /// Ops through which no gradient flows.
  absl::Status add_none(std::span<const char* const> ops);
  Entry find(absl::string_view op) const;
  /// That of the node's op; for a function of the graph's library, that of calls.
  Entry find_for(const Graph& graph, const Node& node) const;
  /// All ops with an entry, sorted.
  std::vector<std::string> names() const;

 private:
  absl::flat_hash_map<std::string, Entry> entries_;
};

/// Every rule of `graph/gradients`, made once per process and never destroyed.
const GradientRegistry& builtin_gradients();

/// The tables, one for each family.
std::span<const RuleRow> math_rules();
std::span<const RuleRow> cwise_rules();
std::span<const RuleRow> cwise_binary_rules();
std::span<const RuleRow> reduction_rules();
std::span<const RuleRow> array_rules();
std::span<const RuleRow> slice_rules();
std::span<const RuleRow> gather_rules();
std::span<const RuleRow> nn_rules();
std::span<const RuleRow> conv_rules();
std::span<const RuleRow> image_rules();
std::span<const RuleRow> linalg_rules();
std::span<const RuleRow> control_flow_rules();
std::span<const RuleRow> data_flow_rules();
std::span<const RuleRow> sparse_rules();
std::span<const RuleRow> csr_rules();
std::span<const RuleRow> state_rules();
std::span<const RuleRow> function_rules();
std::span<const char* const> ops_without_gradient();

}  // namespace troupe
