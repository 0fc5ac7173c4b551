#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "actors/cluster/chunk.h"
#include "actors/cluster/chunk_receiver.h"
#include "actors/cluster/chunk_sender.h"
#include "actors/node/message.h"

namespace troupe {

/// One end of a connection between nodes: messages to bytes and back, without a socket. Small ones go as they are, large ones in pieces
/// between which the small ones pass. Believes nothing that comes: every number is checked before anything is allocated, and who
/// has not said who he is may say little. Not thread-safe.
class Connection {
 public:
  /// Bodies that are not small lie in blocks of `memory`, which outlives them.
  explicit Connection(ChunkLimits limits = {}, Allocator* memory = plain_allocator())
      : memory_(memory), incoming_(limits, memory) {}

  using Refused = std::function<void(const absl::Status&)>;
  /// Queues a message: those of a kind and size keep their order, small ones overtake large ones. `refused`, unless it is null, is called in `feed`,
  /// ResourceExhausted, when the peer has no room for it; dropped when it has got there, and with this.
  void send(const NodeMessage& message, Refused refused = nullptr);
  /// The bytes that may go now are appended to `out`, those of large messages as they lie, until it has `enough`.
  void fill(absl::Cord* out, size_t enough = SIZE_MAX);

  /// Takes bytes in, appends the messages that they complete. An error ends the connection: what comes is not ours.
  absl::Status feed(absl::string_view bytes, std::vector<NodeMessage>* arrived);
  /// Where the next bytes stay when they are a large message's: who reads them there and feeds them spares a copy. Empty: nowhere. Until the next `feed`.
  absl::Span<char> room();

  /// He is known: messages may be large from now on.
  void trust() { trusted_ = true; }

  /// Bytes of large messages that wait for the peer.
  uint64_t bytes_waiting() const { return outgoing_.bytes_waiting(); }

 private:
  /// A piece of a large message, whose bytes go where they belong as they come.
  struct Piece {
    Chunk chunk;
    size_t size = 0;
    /// False: they are dropped.
    bool wanted = false;
    char* to = nullptr;
    size_t left = 0;
  };

  /// Takes what it can use off the front of `bytes`: at most to the end of a frame.
  absl::Status take_some(absl::string_view* bytes, std::vector<NodeMessage>* arrived);
  absl::Status check_header(absl::string_view header) const;
  absl::Status take_frame(absl::string_view frame, std::vector<NodeMessage>* arrived);
  absl::Status take(NodeMessage frame, std::vector<NodeMessage>* arrived);
  absl::Status take_word_about_stream(const NodeMessage& frame);
  absl::Status begin_piece(absl::string_view header);
  absl::Status go_on_with_piece(absl::string_view* bytes, std::vector<NodeMessage>* arrived);
  absl::Status end_piece(std::vector<NodeMessage>* arrived);

  Allocator* const memory_;
  ChunkSender outgoing_;
  /// Who is to be told, by stream.
  std::map<uint64_t, Refused> refused_;
  ChunkReceiver incoming_;
  bool trusted_ = false;
  /// What came and is not a whole frame, or head of a piece, yet.
  std::string partial_;
  std::optional<Piece> piece_;
};

}  // namespace troupe
