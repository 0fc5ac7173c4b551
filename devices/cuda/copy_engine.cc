#include "devices/cuda/copy_engine.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

/// Objects of the host, wherever they are used.
bool is_object(DataType dtype) {
  return dtype == DataType::kString || dtype == DataType::kResource || dtype == DataType::kVariant;
}

/// From this many staged pieces on, those that have been read are looked for.
constexpr size_t kStagedPieces = 16;

char* bytes_of(Tensor* tensor) { return static_cast<char*>(tensor->raw()); }
const char* bytes_of(const Tensor& tensor) { return static_cast<const char*>(tensor.raw()); }

}  // namespace

absl::StatusOr<std::unique_ptr<CopyEngine>> CopyEngine::make(Parts parts) {
  std::unique_ptr<CopyEngine> engine(new CopyEngine(std::move(parts)));
  const Parts& p = engine->parts_;
  TROUPE_ASSIGN_OR_RETURN(engine->in_, Stream::make(p.gpu, p.events, "copies in", p.priority));
  TROUPE_ASSIGN_OR_RETURN(engine->out_, Stream::make(p.gpu, p.events, "copies out", p.priority));
  TROUPE_ASSIGN_OR_RETURN(engine->peer_, Stream::make(p.gpu, p.events, "peer copies", p.priority));
  return engine;
}

CopyEngine::~CopyEngine() {
  for (const std::unique_ptr<Stream>* stream : {&in_, &out_, &peer_}) {
    if (*stream != nullptr) parts_.poller->drain(**stream);
  }
  // Staged memory is read by the compute stream; an error is the device's.
  parts_.compute->synchronize().IgnoreError();
}

absl::StatusOr<Tensor> CopyEngine::to_device(const Tensor& from, Allocator* allocator) {
  TROUPE_RETURN_IF_ERROR(parts_.gpu->health());
  if (is_object(from.dtype())) return from;
  TROUPE_ASSIGN_OR_RETURN(Tensor to, Tensor::make(from.dtype(), from.shape(), allocator));
  TROUPE_RETURN_IF_ERROR(fill_on_device(from, &to));
  return to;
}

absl::Status CopyEngine::fill_on_device(const Tensor& from, Tensor* to) {
  TROUPE_RETURN_IF_ERROR(parts_.gpu->health());
  if (from.bytes() == 0) return absl::OkStatus();
  if (from.bytes() <= kSmallBytes) {
    TROUPE_ASSIGN_OR_RETURN(const bool copied, copy_small(from, to));
    if (copied) return absl::OkStatus();
  }
  return copy_large(from, to);
}

absl::StatusOr<bool> CopyEngine::copy_small(const Tensor& from, Tensor* to) {
  drop_staged();
  Tensor staging = parts_.pinned->make_tensor(from.dtype(), from.shape());
  if (!staging.initialized()) return false;
  std::memcpy(staging.raw(), from.raw(), from.bytes());
  const absl::Status status = parts_.compute->copy_from_host(staging.raw(), to->raw(), from.bytes());
  std::lock_guard lock(mu_);
  staged_.push_back({parts_.compute->enqueued(), std::move(staging)});
  TROUPE_RETURN_IF_ERROR(status);
  return true;
}

void CopyEngine::drop_staged() {
  std::vector<Tensor> read;  // given back outside the lock
  std::lock_guard lock(mu_);
  if (staged_.size() >= kStagedPieces) {
    // An error shows with the next call.
    if (mark_) {
      const absl::StatusOr<bool> reached = mark_.reached();
      if (!reached.ok() || *reached) mark_ = Point();
    } else if (absl::StatusOr<Point> point = parts_.compute->record(); point.ok()) {
      mark_ = *std::move(point);
    }
  }
  while (!staged_.empty() && staged_.front().number <= parts_.compute->completed()) {
    read.push_back(std::move(staged_.front().memory));
    staged_.pop_front();
  }
}

absl::Status CopyEngine::copy_large(const Tensor& from, Tensor* to) {
  TROUPE_RETURN_IF_ERROR(wait_until_unused(*in_, *parts_.compute, *parts_.memory, to->raw()));
  std::vector<Tensor> held;
  absl::Status status = enqueue_pieces(from, to, &held);
  absl::StatusOr<Point> end = status.ok() ? in_->record() : absl::StatusOr<Point>(status);
  if (end.ok()) status = parts_.compute->wait_for(*end);
  if (!end.ok() || !status.ok()) {
    // What was enqueued reads from memory that goes now.
    in_->synchronize().IgnoreError();
    return end.ok() ? status : end.status();
  }
  hold(*end, std::move(held));
  return absl::OkStatus();
}

absl::Status CopyEngine::enqueue_pieces(const Tensor& from, Tensor* to, std::vector<Tensor>* held) {
  const size_t total = from.bytes();
  size_t at = 0;
  if (!parts_.pinned->owns(from.raw())) {
    while (at < std::min(total, kMostStagedBytes)) {
      const size_t bytes = std::min(total - at, kPieceBytes);
      Tensor piece = parts_.pinned->make_tensor(DataType::kUint8, Shape({static_cast<int64_t>(bytes)}));
      if (!piece.initialized()) break;
      std::memcpy(piece.raw(), bytes_of(from) + at, bytes);
      held->push_back(piece);
      TROUPE_RETURN_IF_ERROR(in_->copy_from_host(piece.raw(), bytes_of(to) + at, bytes));
      at += bytes;
    }
  }
  if (at == total) return absl::OkStatus();
  held->push_back(from);
  return in_->copy_from_host(bytes_of(from) + at, bytes_of(to) + at, total - at);
}

void CopyEngine::to_host(const Tensor& from, Done done) {
  if (is_object(from.dtype())) return done(from);
  if (from.bytes() == 0) return done(Tensor::make(from.dtype(), from.shape()));
  if (absl::Status health = parts_.gpu->health(); !health.ok()) return done(std::move(health));
  Tensor to = parts_.pinned->make_tensor(from.dtype(), from.shape());
  if (!to.initialized()) {
    // The copy then holds the thread up.
    absl::StatusOr<Tensor> pageable = Tensor::make(from.dtype(), from.shape());
    if (!pageable.ok()) return done(pageable.status());
    to = *std::move(pageable);
  }
  Point end;
  if (absl::Status status = enqueue_to_host(from, &to, &end); !status.ok()) {
    out_->synchronize().IgnoreError();
    return done(std::move(status));
  }
  parts_.poller->watch(
      end, [from = Tensor(from), to = std::move(to), done = std::move(done)](absl::Status status) mutable {
        from = Tensor();
        if (status.ok()) {
          done(std::move(to));
        } else {
          done(std::move(status));
        }
      });
}

absl::Status CopyEngine::enqueue_to_host(const Tensor& from, Tensor* to, Point* end) {
  TROUPE_ASSIGN_OR_RETURN(const Point made, parts_.compute->record());
  TROUPE_RETURN_IF_ERROR(out_->wait_for(made));
  TROUPE_RETURN_IF_ERROR(out_->copy_to_host(from.raw(), to->raw(), from.bytes()));
  TROUPE_ASSIGN_OR_RETURN(*end, out_->record());
  return absl::OkStatus();
}

absl::StatusOr<Tensor> CopyEngine::to_peer(const Tensor& from, CopyEngine& to, Allocator* allocator) {
  TROUPE_RETURN_IF_ERROR(parts_.gpu->health());
  TROUPE_RETURN_IF_ERROR(to.parts_.gpu->health());
  if (is_object(from.dtype())) return from;
  TROUPE_ASSIGN_OR_RETURN(Tensor copy, Tensor::make(from.dtype(), from.shape(), allocator));
  if (from.bytes() == 0) return copy;
  const absl::Status status = enqueue_to_peer(from, to, &copy);
  if (!status.ok()) {
    peer_->synchronize().IgnoreError();
    return status;
  }
  return copy;
}

absl::Status CopyEngine::enqueue_to_peer(const Tensor& from, CopyEngine& other, Tensor* to) {
  Gpu& other_gpu = *other.parts_.gpu;
  Stream& other_compute = *other.parts_.compute;
  TROUPE_ASSIGN_OR_RETURN(const Point made, parts_.compute->record());
  TROUPE_RETURN_IF_ERROR(peer_->wait_for(made));
  TROUPE_RETURN_IF_ERROR(wait_until_unused(*peer_, other_compute, *other.parts_.memory, to->raw()));
  if (other_gpu.ordinal() == parts_.gpu->ordinal()) {
    TROUPE_RETURN_IF_ERROR(peer_->copy(from.raw(), to->raw(), from.bytes()));
  } else {
    // Faster where the hardware can; right where it cannot.
    TROUPE_RETURN_IF_ERROR(parts_.gpu->enable_peer(other_gpu).status());
    TROUPE_RETURN_IF_ERROR(other_gpu.enable_peer(*parts_.gpu).status());
    TROUPE_RETURN_IF_ERROR(peer_->copy_to_peer(from.raw(), other_gpu, to->raw(), from.bytes()));
  }
  TROUPE_ASSIGN_OR_RETURN(const Point end, peer_->record());
  TROUPE_RETURN_IF_ERROR(other_compute.wait_for(end));
  hold(end, {from});
  return absl::OkStatus();
}

absl::Status CopyEngine::wait_until_unused(Stream& copies, Stream& compute, const GpuAllocator& memory,
                                           const void* block) {
  if (memory.last_use(block) <= compute.completed()) return absl::OkStatus();
  TROUPE_ASSIGN_OR_RETURN(const Point unused, compute.record());
  return copies.wait_for(unused);
}

void CopyEngine::hold(const Point& point, std::vector<Tensor> held) {
  parts_.poller->watch(point, [held = std::move(held)](absl::Status) mutable { held.clear(); });
}

}  // namespace troupe
