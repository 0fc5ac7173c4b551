#pragma once

#include <string>

#include "actors/cluster/clock_offset.h"

namespace troupe {

/// What a task says of its part of a step (serialised RunMetadata), as serialised StepStats whose times are by our clock. "" for what is
/// no RunMetadata.
std::string step_stats_of(const std::string& metadata, const ClockOffset& clock);

}  // namespace troupe
