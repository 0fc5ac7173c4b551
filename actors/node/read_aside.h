#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/cord.h"

namespace troupe {

class BlockingPool;
class StepDirectory;

/// A body of more bytes is read aside.
inline constexpr size_t kReadHereBytes = size_t{1} << 20;

/// Reads the body of a message of so many bytes: here when that is quick, else on a thread that may take its time, so that who hears others meanwhile
/// goes on doing so. `read` answers for itself and must not throw; it runs once.
void read_aside(size_t bytes, BlockingPool& pool, const std::function<void()>& read);

/// Hands values that a peer has sent to their steps; the last of them may be large. What is wrong with one is told to `refuse`, maybe on another thread.
void hand_on_values(std::vector<absl::Cord> values, std::shared_ptr<StepDirectory> steps, BlockingPool& pool,
                    std::function<void(const absl::Status& why)> refuse);

}  // namespace troupe
