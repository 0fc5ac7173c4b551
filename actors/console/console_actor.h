#pragma once

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "actors/console/console_report.h"
#include "actors/interfaces.h"

namespace troupe {

/// @name To the CONSOLE
/// Wants to know what the runtime does. `tell` is called once, in a turn of the CONSOLE: with a report that is no older than
/// kReportLifetime, or with why there is none. It must not block.
struct TellReport {
  std::function<void(const absl::StatusOr<std::shared_ptr<const ConsoleReport>>&)> tell;
};

/// Asks RUNTIME and the SESSIONs, for all who want to know at the same time once. It waits for nobody: who does not answer in time is left
/// out. Spawned by a Console, which ends it.
using ConsoleActor = caf::typed_actor<caf::reacts_to<TellReport>>;

/// Who asks again sooner gets the last report: no number of askers makes the runtime's actors answer more often.
constexpr std::chrono::milliseconds kReportLifetime{200};

ConsoleActor spawn_console(caf::actor_system& system, RuntimeActor runtime,
                           std::shared_ptr<const StepMeter> meter);

}  // namespace troupe
