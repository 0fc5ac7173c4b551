#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"

/// Early returns for absl::Status: the one pair of macros of the project.
#define TROUPE_CONCAT_INNER(a, b) a##b
#define TROUPE_CONCAT(a, b) TROUPE_CONCAT_INNER(a, b)

#define TROUPE_RETURN_IF_ERROR(expr)                                             \
  do {                                                                           \
    if (::absl::Status status_macro_ = (expr); !status_macro_.ok()) [[unlikely]] \
      return status_macro_;                                                      \
  } while (false)

#define TROUPE_ASSIGN_OR_RETURN(lhs, expr) \
  TROUPE_ASSIGN_OR_RETURN_INNER(TROUPE_CONCAT(status_or_macro_, __LINE__), lhs, expr)
#define TROUPE_ASSIGN_OR_RETURN_INNER(tmp, lhs, expr) \
  auto tmp = (expr);                                  \
  if (!tmp.ok()) [[unlikely]]                         \
    return std::move(tmp).status();                   \
  lhs = *std::move(tmp)

namespace troupe {

/// `status` with `prefix` before or `suffix` behind its message; payloads are kept.
absl::Status annotate(const absl::Status& status, absl::string_view prefix, absl::string_view suffix = "");

}  // namespace troupe
