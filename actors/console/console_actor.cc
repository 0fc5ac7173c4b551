#include "actors/console/console_actor.h"

#include <caf/all.hpp>

#include <utility>

#include "actors/errors.h"
#include "actors/step/node_timing.h"

namespace troupe {
namespace {

/// RUNTIME asks DEVICEs, which ask EXECUTORs; SESSION asks STEPs, for 50 ms.
constexpr std::chrono::seconds kRuntimePatience{3};
constexpr std::chrono::milliseconds kSessionPatience{500};

class ConsoleImpl final : public ConsoleActor::base {
 public:
  ConsoleImpl(caf::actor_config& config, RuntimeActor runtime, std::shared_ptr<const StepMeter> meter)
      : ConsoleActor::base(config), runtime_(std::move(runtime)), meter_(std::move(meter)) {}

  const char* name() const override { return "console"; }

  void on_exit() override {
    finish(absl::UnavailableError("the console has ended"));
    runtime_ = nullptr;
  }

  behavior_type make_behavior() override {
    return {[this](const TellReport& m) { answer(m); }};
  }

 private:
  using Time = caf::actor_clock::time_point;
  using Answer = absl::StatusOr<std::shared_ptr<const ConsoleReport>>;

  void answer(const TellReport& m) {
    if (last_ != nullptr && clock().now() - asked_ < kReportLifetime) return m.tell(last_);
    waiting_.push_back(m);
    if (waiting_.size() > 1) return;
    asked_ = clock().now();
    report_ = std::make_shared<ConsoleReport>();
    request(runtime_, kRuntimePatience, RuntimeStatusRequest{})
        .then([this](const RuntimeStatus& status) { ask_sessions(status); },
              [this](caf::error& error) { finish(to_status(error)); });
  }

  void ask_sessions(const RuntimeStatus& status) {
    report_->runtime = status;
    report_->running.resize(status.open_sessions.size());
    sessions_left_ = status.open_sessions.size() + 1;
    for (size_t i = 0; i < status.open_sessions.size(); ++i) {
      const auto session = caf::actor_cast<SessionActor>(status.open_sessions[i].actor);
      // Most have no step that runs.
      if (!session || status.open_sessions[i].counters.running_steps == 0) {
        one_answered();
        continue;
      }
      request(session, kSessionPatience, InspectRequest{})
          .then(
              [this, i](const InspectReply& reply) {
                report_->running[i] = reply.steps;
                one_answered();
              },
              [this](caf::error&) { one_answered(); });
    }
    one_answered();
  }

  void one_answered() {
    if (--sessions_left_ > 0) return;
    report_->at_ns = wall_clock_ns();
    report_->up = clock().now() - began_;
    report_->steps = meter_->counts();
    report_->recent = meter_->recent();
    report_->slow = meter_->slow();
    // A session that goes is for a moment neither there nor among those that are gone.
    runs_ = report_->runtime.runs = std::max(runs_, report_->runtime.runs);
    last_ = std::move(report_);
    finish(last_);
  }

  void finish(const Answer& answer) {
    for (const TellReport& m : std::exchange(waiting_, {})) m.tell(answer);
  }

  RuntimeActor runtime_;
  const std::shared_ptr<const StepMeter> meter_;
  const Time began_ = clock().now();
  /// Who waits for the report that is being made.
  std::vector<TellReport> waiting_;
  std::shared_ptr<ConsoleReport> report_;
  size_t sessions_left_ = 0;
  std::shared_ptr<const ConsoleReport> last_;
  /// When `last_`, or what is being made, was begun.
  Time asked_;
  int64_t runs_ = 0;
};

}  // namespace

ConsoleActor spawn_console(caf::actor_system& system, RuntimeActor runtime,
                           std::shared_ptr<const StepMeter> meter) {
  return system.spawn<ConsoleImpl, caf::hidden>(std::move(runtime), std::move(meter));
}

}  // namespace troupe
