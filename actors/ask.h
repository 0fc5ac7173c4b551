#pragma once

#include <caf/scoped_actor.hpp>

#include <utility>

#include "absl/status/statusor.h"
#include "actors/errors.h"

namespace troupe {

/// Asks an actor and blocks until it has answered: without a timeout, since SESSION answers when a step ends or a graph is compiled,
/// however long that takes. Ours answer before they end, and CAF does for one that has gone: Unavailable.
template <class Reply, class Actor, class Message>
absl::StatusOr<Reply> ask(caf::actor_system& system, Actor actor, Message message) {
  caf::scoped_actor self{system};
  absl::StatusOr<Reply> result = absl::InternalError("no answer");
  self->request(actor, caf::infinite, std::move(message))
      .receive([&](Reply& reply) { result = std::move(reply); },
               [&](caf::error& error) { result = to_status(error); });
  return result;
}

}  // namespace troupe
