#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "absl/status/statusor.h"
#include "actors/cluster/chunk.h"
#include "graph/tensor/tensor.h"

namespace troupe {

struct ChunkLimits {
  /// Of one value.
  uint64_t value_bytes = uint64_t{16} << 30;
  /// Of all values from one peer that are not complete.
  uint64_t open_bytes = uint64_t{32} << 30;
  /// Streams of one peer that are open at once.
  size_t streams = 1024;
};

/// The receiving side of large values from one peer: puts the pieces of each stream into one block. Believes nothing: every number is
/// checked before anything is allocated. Not thread-safe.
class ChunkReceiver {
 public:
  /// Blocks come from `allocator`, which outlives them.
  explicit ChunkReceiver(ChunkLimits limits = {}, Allocator* allocator = plain_allocator())
      : limits_(limits), allocator_(allocator) {}

  struct Progress {
    /// The stream is over: it was aborted or refused. There is nothing to acknowledge.
    bool late = false;
    /// Bytes of the stream that are here, to be acknowledged.
    uint64_t received = 0;
    /// The whole value as bytes (DT_UINT8, [total]), aligned as tensors are; the stream is over.
    std::optional<Tensor> value = std::nullopt;
  };

  /// Takes a piece. On an error the stream is over, its memory free, and its sender is to be told to abort it: InvalidArgument for a
  /// piece out of order, of the wrong size, or of a stream that was never begun; ResourceExhausted beyond the limits and when
  /// memory is short. Names the stream, what came and what was expected.
  absl::StatusOr<Progress> accept(const Chunk& chunk);

  struct Place {
    /// As in Progress: nobody wants the bytes.
    bool late = false;
    char* to = nullptr;
  };
  /// The same in two steps, for who has the bytes of a piece one after the other: where they go, then that they are there. In between
  /// nothing else is said of the stream. `chunk.bytes` is not read: there are `size`.
  absl::StatusOr<Place> place(const Chunk& chunk, size_t size);
  Progress placed(const Chunk& chunk, size_t size);
  /// The sender gave it up, or nobody wants it any more: forgets a stream and its memory. What is still under way is late.
  void abort(uint64_t stream) { drop(stream); }
  /// The peer is gone: forgets everything.
  void abort_all();

  /// Streams that are begun and not complete, and the bytes of their blocks.
  size_t num_streams() const { return streams_.size(); }
  uint64_t open_bytes() const { return open_bytes_; }

 private:
  struct Stream {
    Tensor block;
    uint64_t received = 0;
  };
  absl::Status check_size(const Chunk& chunk, size_t size) const;
  absl::Status begin(const Chunk& chunk, size_t size);
  absl::Status check_next(const Chunk& chunk, size_t size, const Stream& stream) const;
  void drop(uint64_t stream);

  const ChunkLimits limits_;
  Allocator* const allocator_;
  std::map<uint64_t, Stream> streams_;
  /// Streams begin in the order of their numbers.
  uint64_t last_stream_ = 0;
  uint64_t open_bytes_ = 0;
};

}  // namespace troupe
