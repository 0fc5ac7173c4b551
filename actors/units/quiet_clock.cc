#include "actors/units/quiet_clock.h"

#include <caf/all.hpp>
#include <caf/policy/work_sharing.hpp>
#include <caf/scheduler/coordinator.hpp>

#include <array>
#include <mutex>
#include <utility>

#include "absl/container/flat_hash_set.h"

namespace troupe {
namespace {

using Clock = caf::detail::thread_safe_actor_clock;

/// Passes on to the clock that has the thread all but the ends of actors that it need not hear of.
class QuietClock final : public Clock {
 public:
  explicit QuietClock(Clock& real) : real_(real) {}

  void set_ordinary_timeout(time_point t, caf::abstract_actor* self, caf::atom_value type,
                            uint64_t id) override {
    note(self);
    real_.set_ordinary_timeout(t, self, type, id);
  }
  void set_multi_timeout(time_point t, caf::abstract_actor* self, caf::atom_value type,
                         uint64_t id) override {
    note(self);
    real_.set_multi_timeout(t, self, type, id);
  }
  void set_request_timeout(time_point t, caf::abstract_actor* self, caf::message_id id) override {
    note(self);
    real_.set_request_timeout(t, self, id);
  }
  void cancel_ordinary_timeout(caf::abstract_actor* self, caf::atom_value type) override {
    real_.cancel_ordinary_timeout(self, type);
  }
  void cancel_request_timeout(caf::abstract_actor* self, caf::message_id id) override {
    real_.cancel_request_timeout(self, id);
  }
  void cancel_timeouts(caf::abstract_actor* self) override {
    if (forget(self)) real_.cancel_timeouts(self);
  }
  void schedule_message(time_point t, caf::strong_actor_ptr receiver,
                        caf::mailbox_element_ptr content) override {
    real_.schedule_message(t, std::move(receiver), std::move(content));
  }
  void schedule_message(time_point t, caf::group target, caf::strong_actor_ptr sender,
                        caf::message content) override {
    real_.schedule_message(t, std::move(target), std::move(sender), std::move(content));
  }
  void cancel_all() override { real_.cancel_all(); }

 private:
  struct Shard {
    std::mutex mu;
    absl::flat_hash_set<caf::actor_id> actors;  // guarded by mu
  };

  Shard& shard_of(const caf::abstract_actor* actor) { return shards_[actor->id() % shards_.size()]; }

  void note(const caf::abstract_actor* actor) {
    Shard& shard = shard_of(actor);
    std::lock_guard lock(shard.mu);
    shard.actors.insert(actor->id());
  }

  /// Whether it ever set one.
  bool forget(const caf::abstract_actor* actor) {
    Shard& shard = shard_of(actor);
    std::lock_guard lock(shard.mu);
    return shard.actors.erase(actor->id()) > 0;
  }

  Clock& real_;
  /// Who has set a timeout and not ended.
  std::array<Shard, 16> shards_;
};

using Sharing = caf::scheduler::coordinator<caf::policy::work_sharing>;

class QuietScheduler final : public Sharing {
 public:
  using Sharing::Sharing;

  Clock& clock() noexcept override { return quiet_; }

 private:
  QuietClock quiet_{Sharing::clock()};
};

}  // namespace

void use_quiet_clock(caf::actor_system_config& config) {
  config.module_factories.push_back(
      [](caf::actor_system& system) -> caf::actor_system::module* { return new QuietScheduler(system); });
}

}  // namespace troupe
