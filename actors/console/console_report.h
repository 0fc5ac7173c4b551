#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "actors/messages/runtime.h"
#include "actors/step_meter.h"

namespace troupe {

/// What a runtime does at one moment, as its actors tell it.
struct ConsoleReport {
  /// Nanoseconds since the epoch.
  int64_t at_ns = 0;
  /// Since the console began.
  std::chrono::nanoseconds up{0};
  RuntimeStatus runtime;
  StepMeter::Counts steps;
  /// The last steps that were timed, and the last slow ones, oldest first.
  std::vector<TimedStep> recent;
  std::vector<TimedStep> slow;
  /// What the steps of each open session do, in the order of runtime.open_sessions.
  std::vector<std::vector<StepReport>> running;
};

/// In Prometheus's text format, version 0.0.4.
std::string metrics_text(const ConsoleReport& report);

/// What the page and `troupe top` read: an object with "sessions", "pools", "devices", "steps".
std::string report_json(const ConsoleReport& report);

}  // namespace troupe
