#pragma once

#include <caf/all.hpp>

#include <chrono>
#include <utility>

#include "absl/status/statusor.h"
#include "actors/asker.h"
#include "actors/errors.h"
#include "actors/units/named_pool.h"
#include "actors/units/on_askers_thread.h"

namespace troupe {

/// Asks an actor and blocks until it has answered with these values: without a timeout (zero) as a rule, since SESSION answers when a step
/// ends or a graph is compiled, however long that takes. Ours answer before they end, and CAF does for one that has gone: Unavailable.
/// After the timeout DeadlineExceeded; what was asked for may still take place.
template <class... Replies, class Actor, class Message>
absl::StatusOr<std::tuple<Replies...>> ask_for(caf::actor_system& system, const Actor& actor, Message message,
                                               std::chrono::milliseconds timeout = std::chrono::milliseconds(0)) {
  static_assert(caf::response_type<typename Actor::signatures, Message>::valid, "the actor takes no such message");
  if (actor == nullptr) return absl::UnavailableError("the actor that was asked is gone");
  NamedPool::hand_over();
  const caf::strong_actor_ptr asker = Asker::make(system);
  {
    const Asking asking;
    caf::actor_cast<caf::abstract_actor*>(actor)->enqueue(
        caf::make_mailbox_element(asker, caf::make_message_id(1), {}, std::move(message)), nullptr);
  }
  std::optional<caf::message> answer = Asker::of(asker).await(timeout);
  Asker::of(asker).end();
  if (!answer) return absl::DeadlineExceededError("Timed out waiting for notification");
  if (answer->match_elements<caf::error>()) return to_status(answer->get_as<caf::error>(0));
  if (!answer->match_elements<Replies...>()) return absl::InternalError("an answer of another type");
  return [&]<size_t... I>(std::index_sequence<I...>) {
    return std::tuple<Replies...>(std::move(answer->get_mutable_as<Replies>(I))...);
  }(std::index_sequence_for<Replies...>());
}

/// The same of an answer that is one value.
template <class Reply, class Actor, class Message>
absl::StatusOr<Reply> ask(caf::actor_system& system, const Actor& actor, Message message,
                          std::chrono::milliseconds timeout = std::chrono::milliseconds(0)) {
  auto answer = ask_for<Reply>(system, actor, std::move(message), timeout);
  if (!answer.ok()) return std::move(answer).status();
  return std::get<0>(*std::move(answer));
}

}  // namespace troupe
