#pragma once

#include <caf/actor_system.hpp>
#include <caf/message.hpp>
#include <caf/monitorable_actor.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

namespace troupe {

/// The sender of one question, whose answer a thread waits for. It is what CAF's scoped_actor is for, without a mailbox, and without a
/// message to the actor system's clock for each question. Made by `make`; `end` when it waits no longer.
class Asker final : public caf::monitorable_actor {
 public:
  explicit Asker(caf::actor_config& config) : caf::monitorable_actor(config) {}
  static caf::strong_actor_ptr make(caf::actor_system& system);
  static Asker& of(const caf::strong_actor_ptr& asker) { return static_cast<Asker&>(*asker->get()); }

  const char* name() const override { return "asker"; }
  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit*) override;

  /// Nothing when there was none in time; zero: without an end.
  std::optional<caf::message> await(std::chrono::milliseconds patience);
  /// Whoever monitors it hears that it is gone.
  void end() { cleanup(caf::exit_reason::normal, nullptr); }

 private:
  std::mutex mu_;
  std::condition_variable arrived_;
  std::optional<caf::message> answer_;  // guarded by mu_
};

}  // namespace troupe
