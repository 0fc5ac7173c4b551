#include "graph/passes/bind_attrs.h"

#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/passes/function_body.h"

namespace troupe {

absl::StatusOr<AttrValue> substitute(const AttrValue& value, const AttrMap& attrs) {
  if (const auto* placeholder = value.get<AttrPlaceholder>()) {
    const AttrValue* bound = attrs.find(placeholder->name);
    if (bound == nullptr) {
      return absl::NotFoundError(
          absl::StrCat("Attr ", placeholder->name, " is not found from the instantiation"));
    }
    return *bound;
  }
  auto substitute_ref = [&](const FunctionRef& ref) -> absl::StatusOr<FunctionRef> {
    if (ref.attrs == nullptr) return ref;
    auto inner = std::make_shared<AttrMap>();
    for (const auto& [name, v] : *ref.attrs) {
      TROUPE_ASSIGN_OR_RETURN(AttrValue bound, substitute(v, attrs));
      inner->set(name, std::move(bound));
    }
    return FunctionRef{ref.name, std::move(inner)};
  };
  if (const auto* ref = value.get<FunctionRef>()) {
    TROUPE_ASSIGN_OR_RETURN(FunctionRef bound, substitute_ref(*ref));
    return AttrValue(std::move(bound));
  }
  if (const auto* refs = value.get<std::vector<FunctionRef>>()) {
    std::vector<FunctionRef> bound;
    for (const FunctionRef& ref : *refs) {
      TROUPE_ASSIGN_OR_RETURN(FunctionRef b, substitute_ref(ref));
      bound.push_back(std::move(b));
    }
    return AttrValue(std::move(bound));
  }
  return value;
}

void set_random_scope(const AttrValue& scope, bool is_call, const OpDef& op, AttrMap* attrs) {
  for (auto& [name, value] : *attrs) {
    if (const auto* ref = value.get<FunctionRef>()) {
      value = in_random_scope(FunctionRef(*ref), scope);
    } else if (const auto* refs = value.get<std::vector<FunctionRef>>()) {
      std::vector<FunctionRef> scoped;
      for (const FunctionRef& each : *refs) scoped.push_back(in_random_scope(each, scope));
      value = std::move(scoped);
    }
  }
  const bool seeded = attrs->get_or<int64_t>("seed", 0) != 0 || attrs->get_or<int64_t>("seed2", 0) != 0;
  if (is_call || (op.is_stateful && seeded)) attrs->set(kRandomScopeAttr, scope);
}

}  // namespace troupe
