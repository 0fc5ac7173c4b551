#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/types/span.h"

namespace troupe {

/// A protobuf message in wire form whose large bytes are kept beside it: to read and write them without copying them into a message.
struct LiftedBytes {
  /// The message without them.
  absl::Cord rest;
  /// One for each message that may have such bytes, in the order in which they come; empty where they are not lifted. Shares the memory
  /// of what it was taken from.
  std::vector<absl::Cord> bytes;
};

/// Takes bytes out of a message. `path`: the numbers of the fields that lead to them; all but the last are of messages. Fields of fewer
/// than `at_least` bytes stay. Nothing for what is no message, has groups, or has such a field twice: it is to be read as a whole.
std::optional<LiftedBytes> lift_bytes(const absl::Cord& message, absl::Span<const int> path, size_t at_least);

/// The message with the bytes in it, whose memory it shares. `lifted.rest` is a message, as protobuf writes it.
absl::Cord put_back(const LiftedBytes& lifted, absl::Span<const int> path);

}  // namespace troupe
