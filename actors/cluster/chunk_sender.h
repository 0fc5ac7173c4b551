#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"
#include "actors/cluster/chunk.h"

namespace troupe {

struct ChunkSenderOptions {
  /// Pieces of one stream that are under way: more than a socket takes at once, or its writer rests while the reader reads.
  int credit_per_stream = 16;
  /// Pieces of all streams to the peer that are under way: what a control message may have to wait for.
  int credit_per_peer = 32;
};

/// The sending side of large values to one peer. Cuts them into pieces of kChunkBytes without copying, takes turns among the streams
/// that have credit, and hands out control messages before any piece. Whoever owns it asks `next` after each call that may have made
/// something ready (`open`, `send_control`, `acknowledge`, `abort`) until there is nothing, and sends what comes. Holds a value's
/// memory until its last piece was handed out. Not thread-safe.
class ChunkSender {
 public:
  explicit ChunkSender(ChunkSenderOptions options = {}) : options_(options) {}

  /// Queues a value; returns the number of its stream, which is never used again.
  uint64_t open(absl::Cord value);
  /// Queues a message that overtakes all pieces; order among them is kept.
  void send_control(absl::Cord message) { control_.push_back(std::move(message)); }
  /// The same of a small one, which is copied. May be joined to what waits: what `next` gives is bytes for a stream.
  void copy_control(absl::string_view header, const absl::Cord& body);

  /// What to send now: a control message, or a piece.
  std::optional<std::variant<absl::Cord, Chunk>> next();

  /// The peer has the first `received` bytes of a stream. True when that was all of it. False for a stream that is over;
  /// InvalidArgument, and nothing changes, for what was not sent, was acknowledged already, or ends inside a piece.
  absl::StatusOr<bool> acknowledge(uint64_t stream, uint64_t received);
  /// Forgets a stream and its memory. True when the peer has heard of it, and is to be told.
  bool abort(uint64_t stream);
  /// The peer is gone: forgets everything.
  void abort_all();

  /// Streams that are not acknowledged to the end.
  size_t num_streams() const { return streams_.size(); }
  /// Pieces that are under way.
  int in_flight() const { return in_flight_; }
  /// Bytes of values that are not yet handed out.
  uint64_t bytes_waiting() const { return bytes_waiting_; }

 private:
  struct Stream {
    /// What is not handed out yet.
    absl::Cord rest;
    uint64_t total = 0;
    uint64_t sent = 0;
    uint64_t acknowledged = 0;
    int in_flight = 0;
    /// All pieces were handed out; an empty value has one, too.
    bool all_sent = false;
  };
  Chunk cut(uint64_t id, Stream* stream);
  /// Lets a stream take its turn if it may.
  void make_ready(uint64_t id, const Stream& stream);

  const ChunkSenderOptions options_;
  std::deque<absl::Cord> control_;
  std::map<uint64_t, Stream> streams_;
  /// Streams that have pieces left and credit, whose turn is next first.
  std::deque<uint64_t> ready_;
  uint64_t last_stream_ = 0;
  uint64_t bytes_waiting_ = 0;
  int in_flight_ = 0;
};

}  // namespace troupe
