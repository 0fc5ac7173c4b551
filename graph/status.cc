#include "graph/status.h"

#include "absl/strings/str_cat.h"

namespace troupe {

absl::Status annotate(const absl::Status& status, absl::string_view prefix, absl::string_view suffix) {
  if (status.ok()) return status;
  absl::Status out(status.code(), absl::StrCat(prefix, status.message(), suffix));
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord& payload) { out.SetPayload(url, payload); });
  return out;
}

}  // namespace troupe
