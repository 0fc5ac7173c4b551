#include "actors/node/connection.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "graph/status.h"

namespace troupe {
namespace {

/// Size of the body (4), kind (1), zero (1), method (2), number (8); little-endian, as the machines that we run on.
constexpr size_t kHeaderBytes = Connection::kHeaderBytes;
constexpr size_t kChunkHeaderBytes = 24;
/// No frame is larger: what is goes in pieces.
constexpr size_t kMaxBodyBytes = kChunkBytes + kChunkHeaderBytes;
/// Of those who have not said who they are.
constexpr size_t kMaxHelloBytes = 4096;

bool is_about_stream(MessageKind kind) {
  return kind == MessageKind::kChunk || kind == MessageKind::kChunkAck || kind == MessageKind::kChunkAbort;
}

template <class T>
void put(std::string* out, T value) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <class T>
T get(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

absl::Cord frame_of(const NodeMessage& m) {
  std::string header;
  header.reserve(kHeaderBytes);
  // Of a message in pieces the size is not read.
  put(&header, static_cast<uint32_t>(std::min<size_t>(m.body.size(), UINT32_MAX)));
  put(&header, m.kind);
  put(&header, uint8_t{0});
  put(&header, m.method);
  put(&header, m.id);
  absl::Cord frame(header);
  frame.Append(m.body);
  return frame;
}

/// All but the size.
absl::Status read_header(absl::string_view frame, NodeMessage* m) {
  const auto kind = get<uint8_t>(frame.data() + 4);
  if (kind < static_cast<uint8_t>(MessageKind::kHello) || kind > static_cast<uint8_t>(MessageKind::kBye) ||
      frame[5] != 0) {
    return absl::InvalidArgumentError(absl::StrCat("a message of the unknown kind ", kind));
  }
  m->kind = static_cast<MessageKind>(kind);
  m->method = static_cast<Method>(get<uint16_t>(frame.data() + 6));
  m->id = get<uint64_t>(frame.data() + 8);
  return absl::OkStatus();
}

/// `number`: the bytes that have come, or those that there is no room for.
NodeMessage about_stream(MessageKind kind, uint64_t stream, uint64_t number) {
  std::string body;
  put(&body, stream);
  put(&body, number);
  return {kind, Method::kNone, 0, absl::Cord(body)};
}

void append(const absl::Cord& bytes, std::vector<char>* out) {
  for (absl::string_view piece : bytes.Chunks()) out->insert(out->end(), piece.begin(), piece.end());
}

}  // namespace

void Connection::send(const NodeMessage& message, Refused refused) {
  absl::Cord frame = frame_of(message);
  if (message.body.size() <= kChunkBytes) return outgoing_.send_control(std::move(frame));
  const uint64_t stream = outgoing_.open(std::move(frame));
  if (refused != nullptr) refused_.emplace(stream, std::move(refused));
}

void Connection::fill(std::vector<char>* out) {
  while (auto next = outgoing_.next()) {
    if (const auto* control = std::get_if<absl::Cord>(&*next)) {
      append(*control, out);
      continue;
    }
    const Chunk& chunk = std::get<Chunk>(*next);
    std::string header;
    put(&header, chunk.stream);
    put(&header, chunk.total);
    put(&header, chunk.offset);
    absl::Cord body(header);
    body.Append(chunk.bytes);
    append(frame_of({MessageKind::kChunk, Method::kNone, 0, std::move(body)}), out);
  }
}

absl::Status Connection::feed(absl::string_view bytes, std::vector<NodeMessage>* arrived) {
  partial_.append(bytes.data(), bytes.size());
  absl::string_view rest = partial_;
  while (rest.size() >= kHeaderBytes) {
    const auto size = get<uint32_t>(rest.data());
    const size_t limit = trusted_ ? kMaxBodyBytes : kMaxHelloBytes;
    if (size > limit) {
      return absl::InvalidArgumentError(
          absl::StrCat("a message of ", size, " bytes, where at most ", limit, " are expected"));
    }
    NodeMessage frame;
    TROUPE_RETURN_IF_ERROR(read_header(rest, &frame));
    if (!trusted_ && is_about_stream(frame.kind))
      return absl::InvalidArgumentError("a message in pieces of who does not say who he is");
    if (rest.size() < kHeaderBytes + size) break;
    frame.body = absl::Cord(rest.substr(kHeaderBytes, size));
    rest.remove_prefix(kHeaderBytes + size);
    TROUPE_RETURN_IF_ERROR(take(frame, arrived));
  }
  partial_.erase(0, partial_.size() - rest.size());
  return absl::OkStatus();
}

absl::Status Connection::take(const NodeMessage& frame, std::vector<NodeMessage>* arrived) {
  switch (frame.kind) {
    case MessageKind::kChunk: return take_chunk(frame.body, arrived);
    case MessageKind::kChunkAck:
    case MessageKind::kChunkAbort: return take_word_about_stream(frame);
    default: arrived->push_back(frame); return absl::OkStatus();
  }
}

absl::Status Connection::take_word_about_stream(const NodeMessage& frame) {
  const std::string body(frame.body);
  const bool ack = frame.kind == MessageKind::kChunkAck;
  if (body.size() != 16) return absl::InvalidArgumentError("a malformed word about a stream");
  const auto stream = get<uint64_t>(body.data());
  const auto number = get<uint64_t>(body.data() + 8);
  if (ack) {
    TROUPE_ASSIGN_OR_RETURN(const bool all, outgoing_.acknowledge(stream, number));
    if (all) refused_.erase(stream);
    return absl::OkStatus();
  }
  outgoing_.abort(stream);
  auto refused = refused_.extract(stream);
  if (!refused.empty())
    refused.mapped()(absl::ResourceExhaustedError(absl::StrCat("there is no room for ", number, " bytes")));
  return absl::OkStatus();
}

absl::Status Connection::take_chunk(const absl::Cord& body, std::vector<NodeMessage>* arrived) {
  if (body.size() < kChunkHeaderBytes) return absl::InvalidArgumentError("a malformed piece of a message");
  const std::string header(body.Subcord(0, kChunkHeaderBytes));
  Chunk chunk;
  chunk.stream = get<uint64_t>(header.data());
  chunk.total = get<uint64_t>(header.data() + 8);
  chunk.offset = get<uint64_t>(header.data() + 16);
  chunk.bytes = body.Subcord(kChunkHeaderBytes, body.size() - kChunkHeaderBytes);
  auto progress = incoming_.accept(chunk);
  if (!progress.ok()) {
    // Too large, or memory is short: this message is lost, and who sent it hears of it. Anything else is not ours.
    if (!absl::IsResourceExhausted(progress.status())) return progress.status();
    send(about_stream(MessageKind::kChunkAbort, chunk.stream, chunk.total));
    return absl::OkStatus();
  }
  if (progress->late) return absl::OkStatus();
  send(about_stream(MessageKind::kChunkAck, chunk.stream, progress->received));
  if (!progress->value) return absl::OkStatus();
  const Tensor block = *std::move(progress->value);
  const absl::string_view whole(static_cast<const char*>(block.raw()), block.bytes());
  if (whole.size() < kHeaderBytes)
    return absl::InvalidArgumentError("a message in pieces without its header");
  NodeMessage message;
  TROUPE_RETURN_IF_ERROR(read_header(whole, &message));
  message.body = absl::MakeCordFromExternal(whole.substr(kHeaderBytes), [block] {});
  if (message.kind == MessageKind::kChunk) return absl::InvalidArgumentError("a piece in pieces");
  return take(message, arrived);
}

}  // namespace troupe
