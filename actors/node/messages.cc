#include "actors/node/messages.h"

#include <caf/send.hpp>

namespace troupe {

void NodeReply::operator()(const absl::StatusOr<absl::Cord>& body) const {
  if (!node_) return;
  caf::anon_send(node_,
                 NodeAnswer{connection_, id_, std::make_shared<const absl::StatusOr<absl::Cord>>(body)});
}

}  // namespace troupe
