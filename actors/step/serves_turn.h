#pragma once

#include "actors/step/thread_flag.h"

namespace troupe {

/// While one lives, its thread serves a step of which it waits for a part only: what is expensive goes to other threads, even when there is
/// nothing else to do.
class ServesTurn : public ThreadFlag<ServesTurn> {};

}  // namespace troupe
