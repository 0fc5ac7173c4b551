#pragma once

#include "actors/idle_slots.h"

namespace troupe {

/// Ends idle slots of a session, of its signatures and functions: none, those that it has not needed since the last call, or all. True when
/// some are left. From any thread, while steps run.
bool end_idle_slots(SessionCore& core, IdleSlots::What what);

}  // namespace troupe
