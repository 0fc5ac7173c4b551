#include "actors/c_api/attr_values.h"

#include "actors/c_api/border.h"

namespace troupe::c_api {

const AttrValue* find_attr(const TF_Operation* oper, const char* name, TF_Status* status) {
  const AttrValue* value = oper->node->attrs.find(text(name));
  set_status(status, value != nullptr
                         ? absl::OkStatus()
                         : absl::InvalidArgumentError(absl::StrCat(
                               "Operation '", oper->node->name, "' has no attr named '", text(name), "'.")));
  return value;
}

bool is_list(const AttrValue& value) {
  return value.get<EmptyList>() != nullptr || absl::string_view(value.kind()).substr(0, 5) == "list(";
}

bool is_empty_list(const AttrValue& value) {
  return std::visit(
      [](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, EmptyList>)
          return true;
        else if constexpr (requires {
                             v.empty();
                             v.begin()[0];
                           } &&
                           !std::is_same_v<T, std::string>)
          return v.empty();
        else
          return false;
      },
      value.variant());
}

absl::Status wrong_kind(const AttrValue& value, absl::string_view wanted) {
  if (value.get<AttrPlaceholder>() != nullptr)
    return absl::InvalidArgumentError("AttrValue had value with unexpected type 'placeholder'");
  if (value.get<std::monostate>() != nullptr || is_empty_list(value))
    return absl::InvalidArgumentError(
        absl::StrCat("AttrValue missing value with expected type '", wanted, "'"));
  return absl::InvalidArgumentError(
      absl::StrCat("AttrValue had value with type '", value.kind(), "' when '", wanted, "' expected"));
}

}  // namespace troupe::c_api
