#pragma once

namespace troupe {

/// How soon the calling thread gets a core when several threads want one. Both matter on Linux only and ask for no
/// privilege; where they are forbidden or not known (time slices: before Linux 6.12), the threads stay equal.

/// For threads that compile: a third of what others get, and put aside when one of them wakes.
void yield_to_others();

/// For threads that only answer messages: when woken, they go before whoever has longer turns.
void take_short_turns();

}  // namespace troupe
