#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "devices/cuda/gpu.h"

namespace troupe {

/// Events of one GPU that are used again and again: making one costs more than recording it. Thread-safe.
class EventPool {
 public:
  explicit EventPool(std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)) {}
  /// All events are back.
  ~EventPool();
  EventPool(const EventPool&) = delete;

  absl::StatusOr<cuda::CUevent> take();
  void give_back(cuda::CUevent event);
  Gpu& gpu() const { return *gpu_; }

 private:
  const std::shared_ptr<Gpu> gpu_;
  std::mutex mu_;
  std::vector<cuda::CUevent> free_;  // guarded by mu_
};

class Stream;

/// A point in a stream: reached when all that was enqueued before it is done. Others wait for it or ask. Copies are the same point; its event
/// goes back to the pool with the last. Must not outlive its stream.
class Point {
 public:
  Point() = default;
  /// Asks the driver. The error of the work, when that failed: it is the device's.
  absl::StatusOr<bool> reached() const;
  /// Blocks the thread.
  absl::Status wait() const;
  const Stream* stream() const { return stream_; }
  /// Of the stream's work, how much is before it.
  uint64_t number() const { return number_; }
  explicit operator bool() const { return stream_ != nullptr; }

 private:
  friend class Stream;
  struct Event;

  Stream* stream_ = nullptr;
  uint64_t number_ = 0;
  std::shared_ptr<const Event> event_;
};

/// A queue of a GPU's work, done in order. Every piece of work is counted, so that memory that was freed behind some of it can tell
/// (GpuAllocator) whether that is done. Thread-safe: work of two threads goes in in some order.
class Stream {
 public:
  /// `priority`: smaller runs first; 0 is the least. `events` must outlive it.
  static absl::StatusOr<std::unique_ptr<Stream>> make(std::shared_ptr<Gpu> gpu, EventPool* events,
                                                      std::string name, int priority = 0);
  /// Waits for its work.
  ~Stream();
  Stream(const Stream&) = delete;

  /// @name Enqueuing. All fail at once when the GPU is lost; none waits.
  /// One-dimensional; `arguments` point to values of the kernel's parameters' types, which are copied.
  absl::Status launch(cuda::CUfunction function, unsigned grid, unsigned block, unsigned shared_bytes,
                      void** arguments, absl::string_view name);
  /// Sets bytes.
  absl::Status fill(void* to, unsigned char value, size_t bytes);
  /// Within the GPU.
  absl::Status copy(const void* from, void* to, size_t bytes);
  /// Pageable memory makes the calling thread wait, for the staging of the driver.
  absl::Status copy_from_host(const void* from, void* to, size_t bytes);
  absl::Status copy_to_host(const void* from, void* to, size_t bytes);
  /// From this stream's GPU to another's.
  absl::Status copy_to_peer(const void* from, Gpu& to_gpu, void* to, size_t bytes);
  /// What is enqueued here from now on begins after `point`, a point of any stream of any GPU.
  absl::Status wait_for(const Point& point);
  /// The point behind all that was enqueued so far.
  absl::StatusOr<Point> record();

  /// For libraries (cuBLAS, cuDNN), which enqueue by themselves: call `note_work` after each of their calls.
  cuda::CUstream handle() const { return stream_; }
  void note_work() { enqueued_.fetch_add(1, std::memory_order_acq_rel); }

  /// Blocks until all is done.
  absl::Status synchronize();

  /// @name The timeline: work is numbered from 1 in the order of its counting
  /// What has been enqueued: all with numbers up to this.
  uint64_t enqueued() const { return enqueued_.load(std::memory_order_acquire); }
  /// What is known to be done, by points that were asked: all with numbers up to this.
  uint64_t completed() const { return completed_.load(std::memory_order_acquire); }

  const std::string& name() const { return name_; }
  Gpu& gpu() const { return *gpu_; }

 private:
  friend class Point;
  Stream(std::shared_ptr<Gpu> gpu, EventPool* events, std::string name)
      : gpu_(std::move(gpu)), events_(events), name_(std::move(name)) {}
  void note_completed(uint64_t number);
  /// Turns the result of a call that enqueues into a status, and counts it.
  absl::Status counted(cuda::CUresult result, absl::string_view call);

  const std::shared_ptr<Gpu> gpu_;
  EventPool* const events_;
  const std::string name_;
  cuda::CUstream stream_ = nullptr;
  std::atomic<uint64_t> enqueued_{0};
  std::atomic<uint64_t> completed_{0};
};

}  // namespace troupe
