#include "actors/node/messages.h"

#include <caf/send.hpp>

#include "absl/strings/str_cat.h"

namespace troupe {

absl::Status draining(const TaskId& task) {
  return absl::UnavailableError(absl::StrCat(task.to_string(), " is draining and takes no new sessions"));
}

void NodeReply::operator()(const absl::StatusOr<absl::Cord>& body) const {
  if (!node_) return;
  caf::anon_send(node_,
                 NodeAnswer{connection_, id_, std::make_shared<const absl::StatusOr<absl::Cord>>(body)});
}

}  // namespace troupe
