#include "actors/step/kernel_errors.h"

#include "absl/strings/str_cat.h"
#include "devices/device.h"
#include "devices/enqueuing_device.h"

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

absl::Status unless_lost(const absl::Status& status, const Device& device) {
  if (!absl::IsResourceExhausted(status)) return status;
  const auto* enqueuing = dynamic_cast<const EnqueuingDevice*>(&device);
  if (enqueuing == nullptr) return status;
  const absl::Status health = enqueuing->health();
  return health.ok() ? status : health;
}

}  // namespace troupe
