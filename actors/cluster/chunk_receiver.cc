#include "actors/cluster/chunk_receiver.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/status.h"

namespace troupe {
namespace {

template <class... Args>
absl::Status invalid(const Chunk& chunk, const Args&... what) {
  return absl::InvalidArgumentError(absl::StrCat("stream ", chunk.stream, ": ", what...));
}

template <class... Args>
absl::Status too_much(const Chunk& chunk, const Args&... what) {
  return absl::ResourceExhaustedError(absl::StrCat("stream ", chunk.stream, ": ", what...));
}

}  // namespace

absl::StatusOr<ChunkReceiver::Progress> ChunkReceiver::accept(const Chunk& chunk) {
  TROUPE_ASSIGN_OR_RETURN(Place place, this->place(chunk, chunk.bytes.size()));
  if (place.late) return Progress{.late = true};
  for (absl::string_view piece : chunk.bytes.Chunks()) {
    std::memcpy(place.to, piece.data(), piece.size());
    place.to += piece.size();
  }
  return placed(chunk, chunk.bytes.size());
}

absl::StatusOr<ChunkReceiver::Place> ChunkReceiver::place(const Chunk& chunk, size_t size) {
  auto found = streams_.find(chunk.stream);
  if (found == streams_.end()) {
    // Pieces of a stream that was refused or aborted may still be under way.
    if (chunk.stream != 0 && chunk.stream <= last_stream_) return Place{.late = true};
    TROUPE_RETURN_IF_ERROR(begin(chunk, size));
    found = streams_.find(chunk.stream);
  } else if (absl::Status status = check_next(chunk, size, found->second); !status.ok()) {
    drop(chunk.stream);
    return status;
  }
  return Place{.to = static_cast<char*>(found->second.block.raw()) + found->second.received};
}

ChunkReceiver::Progress ChunkReceiver::placed(const Chunk& chunk, size_t size) {
  auto found = streams_.find(chunk.stream);
  if (found == streams_.end()) return Progress{.late = true};
  Stream& stream = found->second;
  stream.received += size;
  Progress progress{.received = stream.received};
  if (stream.received == chunk.total) {
    progress.value = std::move(stream.block);
    open_bytes_ -= chunk.total;
    streams_.erase(found);
  }
  return progress;
}

/// Whether the piece is as long as it must be where it says that it is.
absl::Status ChunkReceiver::check_size(const Chunk& chunk, size_t size) const {
  const uint64_t expected = std::min<uint64_t>(kChunkBytes, chunk.total - chunk.offset);
  if (size == expected) return absl::OkStatus();
  return invalid(chunk, "a piece at ", chunk.offset, " of ", chunk.total, " has ", size, " bytes, expected ",
                 expected);
}

absl::Status ChunkReceiver::begin(const Chunk& chunk, size_t size) {
  if (chunk.stream == 0) return invalid(chunk, "streams are counted from 1 on");
  if (chunk.offset != 0) {
    return invalid(chunk, "its first piece is at ", chunk.offset, " of ", chunk.total, ", expected 0");
  }
  // From here on later pieces of it are late.
  last_stream_ = chunk.stream;
  if (chunk.total > limits_.value_bytes) {
    return too_much(chunk, "a value of ", chunk.total, " bytes, the limit is ", limits_.value_bytes);
  }
  TROUPE_RETURN_IF_ERROR(check_size(chunk, size));
  if (streams_.size() >= limits_.streams) {
    return too_much(chunk, streams_.size(), " streams are open, the limit is ", limits_.streams);
  }
  if (chunk.total > limits_.open_bytes - open_bytes_) {
    return too_much(chunk, chunk.total, " bytes beside the ", open_bytes_,
                    " of the streams that are open, the limit is ", limits_.open_bytes);
  }
  absl::StatusOr<Tensor> block =
      Tensor::make(DataType::kUint8, Shape{static_cast<int64_t>(chunk.total)}, allocator_);
  if (!block.ok()) return annotate(block.status(), absl::StrCat("stream ", chunk.stream, ": "));
  streams_[chunk.stream].block = *std::move(block);
  open_bytes_ += chunk.total;
  return absl::OkStatus();
}

absl::Status ChunkReceiver::check_next(const Chunk& chunk, size_t size, const Stream& stream) const {
  const uint64_t total = stream.block.bytes();
  if (chunk.total != total) {
    return invalid(chunk, "a piece says that the value has ", chunk.total, " bytes, the first said ", total);
  }
  if (chunk.offset != stream.received) {
    return invalid(chunk, "a piece is at ", chunk.offset, " of ", total, ", expected ", stream.received);
  }
  return check_size(chunk, size);
}

void ChunkReceiver::drop(uint64_t stream) {
  auto found = streams_.find(stream);
  if (found == streams_.end()) return;
  open_bytes_ -= found->second.block.bytes();
  streams_.erase(found);
}

void ChunkReceiver::abort_all() {
  streams_.clear();
  open_bytes_ = 0;
}

}  // namespace troupe
