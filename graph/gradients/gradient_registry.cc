#include "graph/gradients/gradient_registry.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace troupe {

absl::Status GradientRegistry::add(std::span<const RuleRow> rows) {
  for (const RuleRow& row : rows) {
    Entry entry{row.fn == nullptr ? Kind::kNone : Kind::kRule, row.fn};
    if (!entries_.try_emplace(row.op, entry).second) {
      return absl::AlreadyExistsError(absl::StrCat("Op ", row.op, " has a gradient rule already"));
    }
  }
  return absl::OkStatus();
}

absl::Status GradientRegistry::add_none(std::span<const char* const> ops) {
  for (const char* op : ops) {
    const RuleRow row{op, nullptr};
    TROUPE_RETURN_IF_ERROR(add(std::span<const RuleRow>(&row, 1)));
  }
  return absl::OkStatus();
}

GradientRegistry::Entry GradientRegistry::find(absl::string_view op) const {
  auto it = entries_.find(op);
  return it == entries_.end() ? Entry() : it->second;
}

GradientRegistry::Entry GradientRegistry::find_for(const Graph& graph, const Node& node) const {
  return find(graph.ops().find(node.op->name) == node.op ? node.op->name : "PartitionedCall");
}

std::vector<std::string> GradientRegistry::names() const {
  std::vector<std::string> out;
  for (const auto& [name, entry] : entries_) out.push_back(name);
  std::sort(out.begin(), out.end());
  return out;
}

namespace {

absl::Status add_all(GradientRegistry* registry) {
  for (auto rules : {math_rules, cwise_rules, cwise_binary_rules, reduction_rules, array_rules, slice_rules,
                     gather_rules, nn_rules, conv_rules, image_rules, linalg_rules, control_flow_rules,
                     data_flow_rules, sparse_rules, csr_rules, state_rules, function_rules}) {
    TROUPE_RETURN_IF_ERROR(registry->add(rules()));
  }
  return registry->add_none(ops_without_gradient());
}

}  // namespace

const GradientRegistry& builtin_gradients() {
  static const GradientRegistry* registry = [] {
    auto* r = new GradientRegistry;
    if (absl::Status s = add_all(r); !s.ok()) {
      std::fprintf(stderr, "%s\n", std::string(s.message()).c_str());
      std::abort();
    }
    return r;
  }();
  return *registry;
}

}  // namespace troupe
