// Looks from outside: what runs, counters, devices, a runtime's status, and subscriptions that come and go.
#include <gtest/gtest.h>

#include <atomic>

#include "actors/ask.h"
#include "tests/actors/stress/player.h"

namespace troupe::test {
namespace {

using std::chrono::milliseconds;

void look(Player& p) {
  EXPECT_GE(p.session().counters().running_steps, 0);
  auto devices = p.session().list_devices();
  if (p.good(Asked::kDevices, devices.status())) {
    EXPECT_EQ(devices->size(), 2U);
  }
  auto steps = p.session().inspect();
  if (!p.good(Asked::kInspect, steps.status())) return;
  for (const StepReport& step : *steps) EXPECT_GT(step.step_id, 0);
}

void ask_a_runtime(Player& p) {
  Runtime& runtime = p.once_in(2) ? p.stage().runtime() : p.stage().elsewhere();
  auto status = ask<RuntimeStatus>(runtime.system(), runtime_actor(runtime), RuntimeStatusRequest{});
  if (!p.answers().good(Asked::kStatus, nullptr, status.status())) return;
  EXPECT_TRUE(status->opens_sessions);
  EXPECT_EQ(static_cast<size_t>(status->sessions), status->open_sessions.size());
}

/// A subscription and what it calls, which nobody may call when it is gone.
class Ear {
 public:
  absl::Status listen(Session& session, milliseconds slow_after) {
    auto begun = session.subscribe([told = told_](const StepEvent& e) { told->hear(e); }, slow_after);
    if (!begun.ok()) return begun.status();
    subscription_ = *std::move(begun);
    return absl::OkStatus();
  }
  ~Ear() {
    { const StepSubscription ends = std::move(subscription_); }
    told_->over = true;
  }

 private:
  struct Told : Prop {
    void hear(const StepEvent& e) const {
      EXPECT_FALSE(over) << "after the subscription's end";
      EXPECT_EQ(e.kind == StepEvent::Kind::kFailed, !e.status.ok()) << e.status;
      EXPECT_GT(e.step_id, 0);
      EXPECT_GT(e.session_id, 0);
      EXPECT_GE(e.age.count(), 0);
    }
    std::atomic<bool> over{false};
  };
  const std::shared_ptr<Told> told_ = std::make_shared<Told>();
  StepSubscription subscription_;
};

void subscribe(Player& p) {
  auto ear = std::make_shared<Ear>();
  if (!p.good(Asked::kSubscribe, ear->listen(p.session(), milliseconds(p.below(3))))) return;
  // It may outlive the session, and the player's interest in it.
  if (!p.once_in(3)) p.keep(std::move(ear));
}

const Act kActs[] = {
    {"looking", 30, look},
    {"asking a runtime", 10, ask_a_runtime},
    {"subscribing", 12, subscribe},
};

}  // namespace

std::span<const Act> watching_acts() { return kActs; }

}  // namespace troupe::test
