#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "actors/c_api/border.h"
#include "actors/c_api/handles.h"
#include "graph/ops/attr.h"

namespace troupe::c_api {

// The values of an operation's attrs, for the functions that read them.

/// Whether there are places for `count` results; else the status says that there are none.
template <class... Places>
bool has_places(int64_t count, TF_Status* status, const Places*... places) {
  if (count <= 0 || (... && (places != nullptr))) return true;
  set_invalid(status, "There is no place for the value");
  return false;
}

/// Null with "Operation 'x' has no attr named 'y'." when there is none.
const AttrValue* find_attr(const TF_Operation* oper, const char* name, TF_Status* status);

/// Whether the value is a list of any kind, as on the wire.
bool is_list(const AttrValue& value);
bool is_empty_list(const AttrValue& value);
/// Why an attr that should be of kind `wanted` is not.
absl::Status wrong_kind(const AttrValue& value, absl::string_view wanted);

/// The value of an attr of one kind, or null and why.
template <class T>
const T* typed(const TF_Operation* oper, const char* name, absl::string_view wanted, TF_Status* status) {
  const AttrValue* value = oper->node->attrs.find(text(name));
  if (value == nullptr) {
    set_status(status,
               absl::NotFoundError(absl::StrCat("No attr named '", text(name), "' in NodeDef:\n\t [[{{node ",
                                                oper->node->name, "}}]]")));
    return nullptr;
  }
  const T* v = value->get<T>();
  set_status(status, v == nullptr ? wrong_kind(*value, wanted) : absl::OkStatus());
  return v;
}

/// The same for lists; no value, and an empty list of another kind, read as an empty one.
template <class T>
std::optional<std::vector<T>> typed_list(const TF_Operation* oper, const char* name, absl::string_view wanted,
                                         TF_Status* status) {
  static const std::vector<T> kEmpty;
  const AttrValue* value = oper->node->attrs.find(text(name));
  const std::vector<T>* v = nullptr;
  if (value != nullptr && (value->get<std::monostate>() != nullptr || is_empty_list(*value))) {
    set_status(status, absl::OkStatus());
    v = &kEmpty;
  } else {
    v = typed<std::vector<T>>(oper, name, wanted, status);
  }
  if (v == nullptr) return std::nullopt;
  return *v;
}

}  // namespace troupe::c_api
