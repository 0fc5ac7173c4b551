#include "actors/asker.h"

#include <caf/all.hpp>

#include <utility>

namespace troupe {

caf::strong_actor_ptr Asker::make(caf::actor_system& system) {
  caf::actor_config config;
  return caf::make_actor<Asker, caf::strong_actor_ptr>(system.next_actor_id(), system.node(), &system, config);
}

void Asker::enqueue(caf::mailbox_element_ptr what, caf::execution_unit*) {
  if (!what->mid.is_response()) return;
  std::lock_guard lock(mu_);
  answer_ = what->move_content_to_message();
  arrived_.notify_one();
}

std::optional<caf::message> Asker::await(std::chrono::milliseconds patience) {
  std::unique_lock lock(mu_);
  const auto is_there = [this] { return answer_.has_value(); };
  if (patience.count() <= 0) {
    arrived_.wait(lock, is_there);
  } else if (!arrived_.wait_for(lock, patience, is_there)) {
    return std::nullopt;
  }
  return std::exchange(answer_, std::nullopt);
}

}  // namespace troupe
