#include "actors/node/peer_connection.h"

#include "graph/status.h"

namespace troupe {
namespace {

std::unique_ptr<TlsStream> stream_of(const std::shared_ptr<const TlsContext>& tls, const std::string& host) {
  if (tls == nullptr) return nullptr;
  return host.empty() ? TlsStream::accepting(tls) : TlsStream::calling(tls, host);
}

}  // namespace

PeerConnection::PeerConnection(ChunkLimits limits, const std::shared_ptr<const TlsContext>& tls,
                               const std::string& host, Allocator* memory)
    : messages_(limits, memory), tls_(stream_of(tls, host)) {}

void PeerConnection::fill(absl::Cord* wire, size_t enough) {
  if (tls_ == nullptr) return messages_.fill(wire, enough);
  absl::Cord to_say;
  messages_.fill(&to_say);
  for (absl::string_view bytes : to_say.Chunks()) tls_->say(bytes);
  secret_.clear();
  tls_->fill(&secret_);
  wire->Append(absl::string_view(secret_.data(), secret_.size()));
}

absl::Status PeerConnection::feed(absl::string_view wire, std::vector<NodeMessage>* arrived) {
  if (tls_ == nullptr) return messages_.feed(wire, arrived);
  said_.clear();
  const absl::Status secret = tls_->receive(wire, &said_);
  // What was said before the end counts.
  TROUPE_RETURN_IF_ERROR(messages_.feed(said_, arrived));
  return secret;
}

absl::Status PeerConnection::check_host(const std::string& host) const {
  return tls_ == nullptr ? absl::OkStatus() : tls_->check_peer_is(host);
}

}  // namespace troupe
