#pragma once

#include "actors/step/thread_flag.h"

namespace troupe {

/// While one lives, jobs that its thread hands to units and pools go before those that wait there. Calls of
/// functions and their returns do, so that calls run depth first: a recursion that branches then holds as
/// many steps as it is deep, not as many as it has leaves.
class GoFirst : public ThreadFlag<GoFirst> {};

}  // namespace troupe
