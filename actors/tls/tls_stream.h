#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "actors/tls/tls_context.h"

struct bio_st;
struct ssl_st;

namespace troupe {

/// One end of a TLS connection, without a socket: bytes of the wire to what was said and back. Not thread-safe.
class TlsStream {
 public:
  /// The end that was called.
  static std::unique_ptr<TlsStream> accepting(std::shared_ptr<const TlsContext> context);
  /// The end that calls `host`, a name or an address, which the other's certificate must have among its names.
  static std::unique_ptr<TlsStream> calling(std::shared_ptr<const TlsContext> context,
                                            const std::string& host);
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;

  /// Both have shown their certificates, and those are good.
  bool established() const;
  /// Whether the other's certificate has this name or address. PermissionDenied, with what it has instead. Only once established.
  absl::Status check_peer_is(const std::string& host) const;

  /// Takes bytes off the wire, appends what was said. An error is the end: Unauthenticated, with the reason, for a peer whose certificate is
  /// not good, who does not take ours, or who speaks no TLS; Unavailable when he has ended the connection.
  absl::Status receive(absl::string_view wire, std::string* said);
  /// To be said, once there are certificates.
  void say(absl::string_view bytes) { waiting_.append(bytes.data(), bytes.size()); }
  /// The bytes that may go now are appended: to be called after each of the above, after an error as well, whose reason goes to the peer.
  void fill(std::vector<char>* wire);

 private:
  explicit TlsStream(std::shared_ptr<const TlsContext> context);
  absl::Status shake_hands();
  absl::Status failure(int result);

  const std::shared_ptr<const TlsContext> context_;
  ssl_st* const ssl_;
  /// From the wire, and to it; `ssl_` owns them.
  bio_st* const in_;
  bio_st* const out_;
  std::string waiting_;
  absl::Status failed_;
};

}  // namespace troupe
