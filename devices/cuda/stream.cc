#include "devices/cuda/stream.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

cuda::CUdeviceptr address(const void* memory) { return reinterpret_cast<cuda::CUdeviceptr>(memory); }

}  // namespace

EventPool::~EventPool() {
  Gpu::Current current(*gpu_);
  for (cuda::CUevent event : free_) gpu_->driver().cuEventDestroy(event);
}

absl::StatusOr<cuda::CUevent> EventPool::take() {
  {
    std::lock_guard lock(mu_);
    if (!free_.empty()) {
      const cuda::CUevent event = free_.back();
      free_.pop_back();
      return event;
    }
  }
  Gpu::Current current(*gpu_);
  cuda::CUevent event = nullptr;
  TROUPE_RETURN_IF_ERROR(
      gpu_->check(gpu_->driver().cuEventCreate(&event, cuda::kEventDisableTiming), "cuEventCreate"));
  return event;
}

void EventPool::give_back(cuda::CUevent event) {
  std::lock_guard lock(mu_);
  free_.push_back(event);
}

struct Point::Event {
  Event(EventPool* pool_, cuda::CUevent event_) : pool(pool_), event(event_) {}
  ~Event() { pool->give_back(event); }
  Event(const Event&) = delete;

  EventPool* const pool;
  const cuda::CUevent event;
};

absl::StatusOr<bool> Point::reached() const {
  if (number_ <= stream_->completed()) return true;
  Gpu& gpu = stream_->gpu();
  TROUPE_RETURN_IF_ERROR(gpu.health());
  Gpu::Current current(gpu);
  const cuda::CUresult result = gpu.driver().cuEventQuery(event_->event);
  if (result == cuda::CUDA_ERROR_NOT_READY) return false;
  TROUPE_RETURN_IF_ERROR(gpu.check(result, "cuEventQuery"));
  stream_->note_completed(number_);
  return true;
}

absl::Status Point::wait() const {
  if (number_ <= stream_->completed()) return absl::OkStatus();
  Gpu& gpu = stream_->gpu();
  TROUPE_RETURN_IF_ERROR(gpu.health());
  Gpu::Current current(gpu);
  TROUPE_RETURN_IF_ERROR(gpu.check(gpu.driver().cuEventSynchronize(event_->event), "cuEventSynchronize"));
  stream_->note_completed(number_);
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Stream>> Stream::make(std::shared_ptr<Gpu> gpu, EventPool* events,
                                                     std::string name, int priority) {
  TROUPE_RETURN_IF_ERROR(gpu->health());
  std::unique_ptr<Stream> stream(new Stream(std::move(gpu), events, std::move(name)));
  Gpu::Current current(*stream->gpu_);
  TROUPE_RETURN_IF_ERROR(stream->gpu_->check(
      stream->gpu_->driver().cuStreamCreateWithPriority(&stream->stream_, cuda::kStreamNonBlocking, priority),
      "cuStreamCreateWithPriority"));
  return stream;
}

Stream::~Stream() {
  if (stream_ == nullptr) return;
  // An error is the device's, and nobody is left to hear of it.
  synchronize().IgnoreError();
  Gpu::Current current(*gpu_);
  gpu_->driver().cuStreamDestroy(stream_);
}

absl::Status Stream::counted(cuda::CUresult result, absl::string_view call) {
  if (result != cuda::CUDA_SUCCESS) [[unlikely]]
    return gpu_->check(result, call);
  note_work();
  return absl::OkStatus();
}

absl::Status Stream::launch(cuda::CUfunction function, unsigned grid, unsigned block, unsigned shared_bytes,
                            void** arguments, absl::string_view name) {
  TROUPE_RETURN_IF_ERROR(gpu_->health());
  Gpu::Current current(*gpu_);
  const cuda::CUresult result = gpu_->driver().cuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared_bytes,
                                                              stream_, arguments, nullptr);
  if (result != cuda::CUDA_SUCCESS) [[unlikely]]
    return gpu_->check(result, absl::StrCat("cuLaunchKernel of ", name));
  note_work();
  return absl::OkStatus();
}

absl::Status Stream::fill(void* to, unsigned char value, size_t bytes) {
  TROUPE_RETURN_IF_ERROR(gpu_->health());
  if (bytes == 0) return absl::OkStatus();
  Gpu::Current current(*gpu_);
  return counted(gpu_->driver().cuMemsetD8Async(address(to), value, bytes, stream_), "cuMemsetD8Async");
}

absl::Status Stream::copy(const void* from, void* to, size_t bytes) {
  TROUPE_RETURN_IF_ERROR(gpu_->health());
  if (bytes == 0) return absl::OkStatus();
  Gpu::Current current(*gpu_);
  return counted(gpu_->driver().cuMemcpyDtoDAsync(address(to), address(from), bytes, stream_),
                 "cuMemcpyDtoDAsync");
}

absl::Status Stream::copy_from_host(const void* from, void* to, size_t bytes) {
  TROUPE_RETURN_IF_ERROR(gpu_->health());
  if (bytes == 0) return absl::OkStatus();
  Gpu::Current current(*gpu_);
  return counted(gpu_->driver().cuMemcpyHtoDAsync(address(to), from, bytes, stream_), "cuMemcpyHtoDAsync");
}

absl::Status Stream::copy_to_host(const void* from, void* to, size_t bytes) {
  TROUPE_RETURN_IF_ERROR(gpu_->health());
  if (bytes == 0) return absl::OkStatus();
  Gpu::Current current(*gpu_);
  return counted(gpu_->driver().cuMemcpyDtoHAsync(to, address(from), bytes, stream_), "cuMemcpyDtoHAsync");
}

absl::Status Stream::copy_to_peer(const void* from, Gpu& to_gpu, void* to, size_t bytes) {
  TROUPE_RETURN_IF_ERROR(gpu_->health());
  TROUPE_RETURN_IF_ERROR(to_gpu.health());
  if (bytes == 0) return absl::OkStatus();
  Gpu::Current current(*gpu_);
  return counted(gpu_->driver().cuMemcpyPeerAsync(address(to), to_gpu.context(), address(from),
                                                  gpu_->context(), bytes, stream_),
                 "cuMemcpyPeerAsync");
}

absl::Status Stream::wait_for(const Point& point) {
  TROUPE_RETURN_IF_ERROR(gpu_->health());
  // In its own stream the order is kept anyway.
  if (point.stream_ == this) return absl::OkStatus();
  Gpu::Current current(*gpu_);
  // A wait is work: what follows it must not pass for done before it is.
  return counted(gpu_->driver().cuStreamWaitEvent(stream_, point.event_->event, 0), "cuStreamWaitEvent");
}

absl::StatusOr<Point> Stream::record() {
  TROUPE_RETURN_IF_ERROR(gpu_->health());
  TROUPE_ASSIGN_OR_RETURN(const cuda::CUevent event, events_->take());
  Point point;
  point.stream_ = this;
  point.event_ = std::make_shared<const Point::Event>(events_, event);
  // Before the event: what others enqueue meanwhile may or may not be before the point, and is not counted as such.
  point.number_ = enqueued();
  Gpu::Current current(*gpu_);
  TROUPE_RETURN_IF_ERROR(gpu_->check(gpu_->driver().cuEventRecord(event, stream_), "cuEventRecord"));
  return point;
}

absl::Status Stream::synchronize() {
  TROUPE_RETURN_IF_ERROR(gpu_->health());
  const uint64_t number = enqueued();
  Gpu::Current current(*gpu_);
  TROUPE_RETURN_IF_ERROR(gpu_->check(gpu_->driver().cuStreamSynchronize(stream_), "cuStreamSynchronize"));
  note_completed(number);
  return absl::OkStatus();
}

void Stream::note_completed(uint64_t number) {
  uint64_t known = completed_.load(std::memory_order_relaxed);
  while (known < number && !completed_.compare_exchange_weak(known, number, std::memory_order_acq_rel)) {
  }
}

}  // namespace troupe
