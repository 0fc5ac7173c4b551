#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "actors/node/connection.h"
#include "actors/tls/tls_stream.h"

namespace troupe {

/// A Connection, by TLS where there is any. Not thread-safe.
class PeerConnection {
 public:
  /// `tls` null: without. `host`: who was called, whose certificate must have that name; "": he has come to us. `memory` as Connection's.
  PeerConnection(ChunkLimits limits, const std::shared_ptr<const TlsContext>& tls, const std::string& host,
                 Allocator* memory = plain_allocator());

  /// As Connection::send.
  void send(const NodeMessage& message, Connection::Refused refused = nullptr) {
    messages_.send(message, std::move(refused));
  }
  /// As Connection::fill, but by TLS with all that may go now. To be called after an error of `feed`, too: what it says tells the peer why.
  void fill(absl::Cord* wire, size_t enough = SIZE_MAX);
  /// Takes bytes off the wire, appends the messages that they complete. An error ends the connection.
  absl::Status feed(absl::string_view wire, std::vector<NodeMessage>* arrived);
  /// As Connection::room; nowhere with TLS.
  absl::Span<char> room() { return tls_ == nullptr ? messages_.room() : absl::Span<char>(); }

  /// Whether the peer may say that he listens on this host: his certificate has it among its names. OK without TLS.
  absl::Status check_host(const std::string& host) const;
  void trust() { messages_.trust(); }

 private:
  Connection messages_;
  const std::unique_ptr<TlsStream> tls_;
  /// Kept for their memory.
  std::vector<char> secret_;
  std::string said_;
};

}  // namespace troupe
