#pragma once

#include <caf/scoped_actor.hpp>

#include <chrono>
#include <utility>

#include "absl/status/statusor.h"
#include "actors/errors.h"
#include "actors/units/named_pool.h"
#include "actors/units/on_askers_thread.h"

namespace troupe {

/// Asks an actor and blocks until it has answered: without a timeout (zero) as a rule, since SESSION answers when a step ends or a graph is
/// compiled, however long that takes. Ours answer before they end, and CAF does for one that has gone: Unavailable. After the
/// timeout DeadlineExceeded; what was asked for may still take place.
template <class Reply, class Actor, class Message>
absl::StatusOr<Reply> ask(caf::actor_system& system, Actor actor, Message message,
                          std::chrono::milliseconds timeout = std::chrono::milliseconds(0)) {
  const caf::duration patience = timeout.count() > 0 ? caf::duration(timeout) : caf::duration(caf::infinite);
  NamedPool::hand_over();
  const Asking asking;
  caf::scoped_actor self{system};
  absl::StatusOr<Reply> result = absl::InternalError("no answer");
  self->request(actor, patience, std::move(message))
      .receive([&](Reply& reply) { result = std::move(reply); },
               [&](caf::error& error) { result = to_status(error); });
  return result;
}

}  // namespace troupe
