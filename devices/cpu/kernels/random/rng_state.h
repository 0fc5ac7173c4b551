#pragma once

#include <cstdint>

#include "devices/cpu/loops/philox.h"
#include "devices/kernel.h"

namespace troupe {

/// The ids of generators in inputs `alg` and `algorithm`.
inline constexpr int64_t kRngPhilox = 1;
inline constexpr int64_t kRngThreeFry = 2;
inline constexpr int64_t kRngAutoSelect = 3;

/// Takes the generator out of the state variable in input `i`, an int64 vector of at least three numbers (counter low and
/// high, key) from element `from` on, and moves the state on by `blocks`. InvalidArgument for a variable that is no
/// such state.
absl::StatusOr<Philox> take_from_state(const KernelContext& context, int i, int64_t from, uint64_t blocks);

}  // namespace troupe
