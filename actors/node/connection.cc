#include "actors/node/connection.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "actors/cluster/tensor_message.h"
#include "graph/status.h"

namespace troupe {
namespace {

/// Size of the body (4), kind (1), zero (1), method (2), number (8); little-endian, as the machines that we run on.
constexpr size_t kHeaderBytes = kMessageHeaderBytes;
constexpr size_t kChunkHeaderBytes = 24;
/// No frame is larger: what is goes in pieces.
constexpr size_t kMaxBodyBytes = kChunkBytes + kChunkHeaderBytes;
/// Smaller ones are copied.
constexpr size_t kSmallBytes = 4096;
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

std::array<char, kHeaderBytes> header_of(const NodeMessage& m) {
  std::array<char, kHeaderBytes> header{};
  // Of a message in pieces the size is not read.
  const auto size = static_cast<uint32_t>(std::min<size_t>(m.body.size(), UINT32_MAX));
  std::memcpy(&header[0], &size, sizeof(size));
  std::memcpy(&header[4], &m.kind, sizeof(m.kind));
  std::memcpy(&header[6], &m.method, sizeof(m.method));
  std::memcpy(&header[8], &m.id, sizeof(m.id));
  return header;
}

absl::string_view text_of(const std::array<char, kHeaderBytes>& header) {
  return {header.data(), header.size()};
}

absl::Cord frame_of(const NodeMessage& m) {
  absl::Cord frame(text_of(header_of(m)));
  frame.Append(m.body);
  return frame;
}

/// All but the size.
absl::Status read_header(absl::string_view frame, NodeMessage* m) {
  const auto kind = get<uint8_t>(frame.data() + 4);
  if (kind < static_cast<uint8_t>(MessageKind::kHello) || kind > static_cast<uint8_t>(MessageKind::kRoster) ||
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

/// The body of a frame, copied: a large one into a block, in which its tensors may stay.
absl::StatusOr<absl::Cord> kept(absl::string_view frame, Allocator* memory) {
  if (frame.size() < kSmallBytes) return absl::Cord(frame.substr(kHeaderBytes));
  TROUPE_ASSIGN_OR_RETURN(Tensor block,
                          Tensor::make(DataType::kUint8, Shape{static_cast<int64_t>(frame.size())}, memory));
  std::memcpy(block.raw(), frame.data(), frame.size());
  absl::Cord bytes = bytes_of(std::move(block));
  bytes.RemovePrefix(kHeaderBytes);
  return bytes;
}

}  // namespace

void Connection::send(const NodeMessage& message, Refused refused) {
  if (message.body.size() < kSmallBytes)
    return outgoing_.copy_control(text_of(header_of(message)), message.body);
  absl::Cord frame = frame_of(message);
  if (message.body.size() <= kChunkBytes) return outgoing_.send_control(std::move(frame));
  const uint64_t stream = outgoing_.open(std::move(frame));
  if (refused != nullptr) refused_.emplace(stream, std::move(refused));
}

void Connection::fill(absl::Cord* out, size_t enough) {
  while (out->size() < enough) {
    auto next = outgoing_.next();
    if (!next) return;
    if (auto* const control = std::get_if<absl::Cord>(&*next)) {
      out->Append(std::move(*control));
      continue;
    }
    const Chunk& chunk = std::get<Chunk>(*next);
    std::string header;
    put(&header, chunk.stream);
    put(&header, chunk.total);
    put(&header, chunk.offset);
    absl::Cord body(header);
    body.Append(chunk.bytes);
    out->Append(frame_of({MessageKind::kChunk, Method::kNone, 0, std::move(body)}));
  }
}

absl::Status Connection::feed(absl::string_view bytes, std::vector<NodeMessage>* arrived) {
  while (!bytes.empty()) TROUPE_RETURN_IF_ERROR(take_some(&bytes, arrived));
  return absl::OkStatus();
}

absl::Span<char> Connection::room() {
  if (!piece_ || !piece_->wanted) return {};
  return {piece_->to, piece_->left};
}

absl::Status Connection::take_some(absl::string_view* bytes, std::vector<NodeMessage>* arrived) {
  if (piece_) return go_on_with_piece(bytes, arrived);
  // Whole frames are read where they came, others are put together in `partial_`.
  const auto see = [&](size_t size) {
    if (partial_.empty() && bytes->size() >= size) return bytes->substr(0, size);
    const size_t missing = std::min(size - std::min(size, partial_.size()), bytes->size());
    partial_.append(bytes->data(), missing);
    bytes->remove_prefix(missing);
    return absl::string_view(partial_).substr(0, size);
  };
  const auto done_with = [&](size_t size) {
    if (partial_.empty()) bytes->remove_prefix(size);
    partial_.clear();
  };
  const absl::string_view header = see(kHeaderBytes);
  if (header.size() < kHeaderBytes) return absl::OkStatus();
  TROUPE_RETURN_IF_ERROR(check_header(header));
  const size_t body = get<uint32_t>(header.data());
  const bool is_piece =
      get<MessageKind>(header.data() + 4) == MessageKind::kChunk && body >= kChunkHeaderBytes;
  const size_t wanted = kHeaderBytes + (is_piece ? kChunkHeaderBytes : body);
  const absl::string_view frame = see(wanted);
  if (frame.size() < wanted) return absl::OkStatus();
  const absl::Status taken = is_piece ? begin_piece(frame) : take_frame(frame, arrived);
  done_with(wanted);
  // An empty piece has no bytes to wait for.
  if (taken.ok() && piece_) return go_on_with_piece(bytes, arrived);
  return taken;
}

absl::Status Connection::check_header(absl::string_view header) const {
  const auto size = get<uint32_t>(header.data());
  const size_t limit = trusted_ ? kMaxBodyBytes : kMaxHelloBytes;
  if (size > limit) {
    return absl::InvalidArgumentError(
        absl::StrCat("a message of ", size, " bytes, where at most ", limit, " are expected"));
  }
  NodeMessage frame;
  TROUPE_RETURN_IF_ERROR(read_header(header, &frame));
  if (!trusted_ && is_about_stream(frame.kind))
    return absl::InvalidArgumentError("a message in pieces of who does not say who he is");
  return absl::OkStatus();
}

absl::Status Connection::take_frame(absl::string_view frame, std::vector<NodeMessage>* arrived) {
  NodeMessage message;
  TROUPE_RETURN_IF_ERROR(read_header(frame, &message));
  TROUPE_ASSIGN_OR_RETURN(message.body, kept(frame, memory_));
  return take(std::move(message), arrived);
}

absl::Status Connection::take(NodeMessage frame, std::vector<NodeMessage>* arrived) {
  switch (frame.kind) {
    case MessageKind::kChunk: return absl::InvalidArgumentError("a malformed piece of a message");
    case MessageKind::kChunkAck:
    case MessageKind::kChunkAbort: return take_word_about_stream(frame);
    default: arrived->push_back(std::move(frame)); return absl::OkStatus();
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

absl::Status Connection::begin_piece(absl::string_view header) {
  Piece piece;
  piece.size = piece.left = get<uint32_t>(header.data()) - kChunkHeaderBytes;
  header.remove_prefix(kHeaderBytes);
  piece.chunk.stream = get<uint64_t>(header.data());
  piece.chunk.total = get<uint64_t>(header.data() + 8);
  piece.chunk.offset = get<uint64_t>(header.data() + 16);
  const auto place = incoming_.place(piece.chunk, piece.size);
  if (place.ok()) {
    piece.wanted = !place->late;
    piece.to = place->to;
  } else if (absl::IsResourceExhausted(place.status())) {
    // Too large, or memory is short: this message is lost, and who sent it hears of it. Anything else is not ours.
    send(about_stream(MessageKind::kChunkAbort, piece.chunk.stream, piece.chunk.total));
  } else {
    return place.status();
  }
  piece_ = std::move(piece);
  return absl::OkStatus();
}

absl::Status Connection::go_on_with_piece(absl::string_view* bytes, std::vector<NodeMessage>* arrived) {
  const size_t size = std::min(piece_->left, bytes->size());
  if (piece_->wanted && size > 0) {
    // Where `room` has said they are there already.
    if (bytes->data() != piece_->to) std::memcpy(piece_->to, bytes->data(), size);
    piece_->to += size;
  }
  piece_->left -= size;
  bytes->remove_prefix(size);
  return piece_->left == 0 ? end_piece(arrived) : absl::OkStatus();
}

absl::Status Connection::end_piece(std::vector<NodeMessage>* arrived) {
  const Piece piece = *std::exchange(piece_, std::nullopt);
  if (!piece.wanted) return absl::OkStatus();
  ChunkReceiver::Progress progress = incoming_.placed(piece.chunk, piece.size);
  send(about_stream(MessageKind::kChunkAck, piece.chunk.stream, progress.received));
  if (!progress.value) return absl::OkStatus();
  absl::Cord whole = bytes_of(*std::move(progress.value));
  if (whole.size() < kHeaderBytes)
    return absl::InvalidArgumentError("a message in pieces without its header");
  NodeMessage message;
  TROUPE_RETURN_IF_ERROR(read_header(*whole.TryFlat(), &message));
  if (message.kind == MessageKind::kChunk) return absl::InvalidArgumentError("a piece in pieces");
  whole.RemovePrefix(kHeaderBytes);
  message.body = std::move(whole);
  return take(std::move(message), arrived);
}

}  // namespace troupe
