#include "actors/step/kernel_errors.h"

#include "absl/strings/str_cat.h"

namespace troupe {

bool is_derived(const absl::Status& status, const absl::Status& reason) {
  return absl::IsCancelled(status) || absl::IsAborted(status) ||
         (absl::IsUnavailable(status) && absl::IsUnavailable(reason));
}

absl::Status as_of_this_process(const absl::Status& status, const OpDef& op, absl::string_view node) {
  if (!absl::IsUnavailable(status) || op.is_distributed_communication) return status;
  absl::Status internal =
      absl::InternalError(absl::StrCat(status.message(), "\nExecuting non-communication op <", node,
                                       "> originally returned UnavailableError, and was replaced by "
                                       "InternalError to avoid invoking TF network error handling logic."));
  status.ForEachPayload(
      [&](absl::string_view type, const absl::Cord& value) { internal.SetPayload(type, value); });
  return internal;
}

}  // namespace troupe
