#pragma once

#include <cstddef>
#include <functional>

namespace troupe {

class BlockingPool;

/// A body of more bytes is read aside.
inline constexpr size_t kReadHereBytes = size_t{1} << 20;

/// Reads the body of a message of so many bytes: here when that is quick, else on a thread that may take its time, so that who hears others meanwhile
/// goes on doing so. `read` answers for itself and must not throw; it runs once.
void read_aside(size_t bytes, BlockingPool& pool, const std::function<void()>& read);

}  // namespace troupe
