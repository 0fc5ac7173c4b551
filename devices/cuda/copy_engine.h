#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "devices/cuda/event_poller.h"
#include "devices/cuda/gpu_allocator.h"
#include "devices/cuda/pinned_allocator.h"
#include "devices/cuda/stream.h"
#include "graph/tensor/tensor.h"

namespace troupe {

/// Moves tensors between a VirtualGpu's memory, the host's and other GPUs'. Large copies go on streams of their own, beside the
/// kernels; events keep the order. Nothing here waits for the GPU, but for want of pinned memory. Strings, resources and variants,
/// whose objects are always the host's, are passed on as they are. Thread-safe.
class CopyEngine {
 public:
  using Done = std::function<void(absl::StatusOr<Tensor>)>;
  /// Copies to the device up to this go on the compute stream itself: events and another stream would cost more than they save.
  static constexpr size_t kSmallBytes = 64 << 10;
  /// Larger ones are copied to pinned memory in pieces of this, while the piece before is on its way.
  static constexpr size_t kPieceBytes = size_t{4} << 20;
  /// Of one copy, what may lie in pinned memory on its way; the driver takes the rest from where it is, which holds the thread up.
  static constexpr size_t kMostStagedBytes = size_t{256} << 20;

  /// What a VirtualGpu lends it. All of it outlives the engine.
  struct Parts {
    std::shared_ptr<Gpu> gpu;
    Stream* compute = nullptr;
    GpuAllocator* memory = nullptr;
    EventPool* events = nullptr;
    EventPoller* poller = nullptr;
    std::shared_ptr<PinnedAllocator> pinned;
    /// Of its streams.
    int priority = 0;
  };

  static absl::StatusOr<std::unique_ptr<CopyEngine>> make(Parts parts);
  /// Waits for the copies and for the `done` of all.
  ~CopyEngine();
  CopyEngine(const CopyEngine&) = delete;

  /// A tensor in the GPU's memory with the elements of `from`, which is in the host's and is held while it is read. Kernels that are enqueued from
  /// now on see them. `allocator`: the GPU's, or one that keeps account of it. ResourceExhausted "OOM when allocating tensor ...".
  absl::StatusOr<Tensor> to_device(const Tensor& from, Allocator* allocator);
  /// The same into `to`, a new tensor of the same dtype and shape in the GPU's memory. Not for strings, resources and variants.
  absl::Status fill_on_device(const Tensor& from, Tensor* to);
  /// Hands `done`, once, a tensor in pinned host memory with the elements that `from`, in the GPU's memory, has after all that was enqueued so far;
  /// from the poller's thread, which must not be held up, or at once where there is nothing to wait for. The tensor may outlive the GPU's other
  /// users.
  void to_host(const Tensor& from, Done done);
  /// A tensor in the memory of the GPU that `to` is of (`allocator`: as above, but that GPU's), for kernels that are enqueued there from now on.
  absl::StatusOr<Tensor> to_peer(const Tensor& from, CopyEngine& to, Allocator* allocator);

  const Stream& in() const { return *in_; }
  const Stream& out() const { return *out_; }
  const Stream& peer() const { return *peer_; }

 private:
  /// A piece of pinned memory that work with this number on the compute stream reads.
  struct Staged {
    uint64_t number = 0;
    Tensor memory;
  };

  explicit CopyEngine(Parts parts) : parts_(std::move(parts)) {}
  /// On the compute stream. False when there is no pinned memory.
  absl::StatusOr<bool> copy_small(const Tensor& from, Tensor* to);
  /// On a stream of its own.
  absl::Status copy_large(const Tensor& from, Tensor* to);
  /// Enqueues what copy_large copies, and adds to `held` what must live until it is done.
  absl::Status enqueue_pieces(const Tensor& from, Tensor* to, std::vector<Tensor>* held);
  absl::Status enqueue_to_host(const Tensor& from, Tensor* to, Point* end);
  absl::Status enqueue_to_peer(const Tensor& from, CopyEngine& other, Tensor* to);
  /// Gives staged memory back that has been read.
  void drop_staged();
  /// Makes `copies` wait until work on `compute` that may still use what was in the block's place is done.
  static absl::Status wait_until_unused(Stream& copies, Stream& compute, const GpuAllocator& memory,
                                        const void* block);
  /// Lets `held` go at `point`.
  void hold(const Point& point, std::vector<Tensor> held);

  const Parts parts_;
  std::unique_ptr<Stream> in_;
  std::unique_ptr<Stream> out_;
  std::unique_ptr<Stream> peer_;

  std::mutex mu_;
  // Guarded by mu_.
  std::deque<Staged> staged_;
  /// Behind some of the staged pieces, so that the compute stream's timeline moves on though nobody else asks.
  Point mark_;
};

}  // namespace troupe
