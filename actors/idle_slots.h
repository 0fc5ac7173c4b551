#pragma once

#include <chrono>

namespace troupe {

struct SessionCore;

/// How long a session keeps idle slots beyond those at hand (SlotStock) that its runs no longer need: so long, or twice.
constexpr std::chrono::seconds kIdleSlotPatience{1};

/// From any thread, when slots of a signature lie by: has SESSION look after them in a while. Costs a load when it will already.
void watch_idle_slots(SessionCore& core);
/// SESSION's: ends, on the compile pool, what was not needed since the last time, and looks again while there is more.
void end_unneeded_slots(SessionCore& core);

}  // namespace troupe
