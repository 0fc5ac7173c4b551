#include "actors/cluster/chunk_sender.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

/// Of small control messages that are joined.
constexpr size_t kJoinedBytes = size_t{64} << 10;

int pieces_of(uint64_t bytes) { return static_cast<int>((bytes + kChunkBytes - 1) / kChunkBytes); }

}  // namespace

uint64_t ChunkSender::open(absl::Cord value) {
  const uint64_t id = ++last_stream_;
  Stream& stream = streams_[id];
  stream.total = value.size();
  stream.rest = std::move(value);
  bytes_waiting_ += stream.total;
  ready_.push_back(id);
  return id;
}

void ChunkSender::copy_control(absl::string_view header, const absl::Cord& body) {
  if (control_.empty() || control_.back().size() > kJoinedBytes) control_.emplace_back();
  absl::Cord& last = control_.back();
  last.Append(header);
  for (const absl::string_view piece : body.Chunks()) last.Append(piece);
}

std::optional<std::variant<absl::Cord, Chunk>> ChunkSender::next() {
  if (!control_.empty()) {
    absl::Cord message = std::move(control_.front());
    control_.pop_front();
    return message;
  }
  if (in_flight_ >= options_.credit_per_peer || ready_.empty()) return std::nullopt;
  const uint64_t id = ready_.front();
  ready_.pop_front();
  Stream& stream = streams_.at(id);
  Chunk chunk = cut(id, &stream);
  make_ready(id, stream);
  return chunk;
}

Chunk ChunkSender::cut(uint64_t id, Stream* stream) {
  const size_t size = std::min<uint64_t>(kChunkBytes, stream->rest.size());
  Chunk chunk{id, stream->total, stream->sent, stream->rest.Subcord(0, size)};
  stream->rest.RemovePrefix(size);
  stream->sent += size;
  stream->all_sent = stream->rest.empty();
  ++stream->in_flight;
  ++in_flight_;
  bytes_waiting_ -= size;
  return chunk;
}

void ChunkSender::make_ready(uint64_t id, const Stream& stream) {
  if (!stream.all_sent && stream.in_flight < options_.credit_per_stream) ready_.push_back(id);
}

absl::StatusOr<bool> ChunkSender::acknowledge(uint64_t stream, uint64_t received) {
  auto found = streams_.find(stream);
  if (found == streams_.end()) {
    if (stream != 0 && stream <= last_stream_) return false;
    return absl::InvalidArgumentError(
        absl::StrCat("acknowledged stream ", stream, ", which was never opened"));
  }
  Stream& s = found->second;
  const bool news = received > s.acknowledged || (s.total == 0 && s.in_flight > 0);
  if (received > s.sent || !news || (received % kChunkBytes != 0 && received != s.total)) {
    return absl::InvalidArgumentError(absl::StrCat("acknowledged ", received, " bytes of stream ", stream,
                                                   ", of which ", s.sent, " of ", s.total, " were sent and ",
                                                   s.acknowledged, " acknowledged before"));
  }
  const bool had_credit = s.in_flight < options_.credit_per_stream;
  const int pieces = s.total == 0 ? 1 : pieces_of(received) - pieces_of(s.acknowledged);
  s.acknowledged = received;
  s.in_flight -= pieces;
  in_flight_ -= pieces;
  if (s.all_sent && s.acknowledged == s.total) {
    streams_.erase(found);
    return true;
  }
  if (!had_credit) make_ready(stream, s);
  return false;
}

bool ChunkSender::abort(uint64_t stream) {
  auto found = streams_.find(stream);
  if (found == streams_.end()) return false;
  const Stream& s = found->second;
  const bool peer_knows = s.sent > 0 || s.in_flight > 0;
  in_flight_ -= s.in_flight;
  bytes_waiting_ -= s.rest.size();
  std::erase(ready_, stream);
  streams_.erase(found);
  return peer_knows;
}

void ChunkSender::abort_all() {
  control_.clear();
  streams_.clear();
  ready_.clear();
  bytes_waiting_ = 0;
  in_flight_ = 0;
}

}  // namespace troupe
