#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "devices/cuda/driver.h"
#include "graph/status.h"

namespace troupe {

/// What a GPU says of itself.
struct GpuAttributes {
  std::string name;
  /// "0000:01:00.0"
  std::string pci_bus_id;
  int compute_major = 0;
  int compute_minor = 0;
  int multiprocessors = 0;
  int threads_per_multiprocessor = 0;
  int threads_per_block = 0;
  /// Bytes of shared memory that a block may ask for.
  int shared_bytes_per_block = 0;
  int64_t memory_bytes = 0;
};

/// A kernel that is loaded: lives as long as its Gpu.
struct GpuFunction {
  cuda::CUfunction handle = nullptr;
  /// Bytes of each of its parameters.
  std::vector<size_t> parameter_bytes;
};

/// A physical GPU: its primary context, the kernels loaded into it, and whether it still works. Shared by all that uses it. Thread-safe.
class Gpu {
 public:
  /// Reads attributes and starts nothing yet. `driver` and the images (fat binaries or PTX of kernels) must live as long as the process.
  static absl::StatusOr<std::shared_ptr<Gpu>> open(const cuda::Driver* driver, int ordinal,
                                                   std::vector<const void*> images);
  ~Gpu();
  Gpu(const Gpu&) = delete;

  /// Makes the context and loads the kernels, which takes hundreds of milliseconds; once it has, later calls do nothing.
  absl::Status start();

  const cuda::Driver& driver() const { return *driver_; }
  const GpuAttributes& attributes() const { return attributes_; }
  /// As the driver counts them.
  int ordinal() const { return ordinal_; }
  /// "device: 1, name: NVIDIA H100, pci bus id: 0000:01:00.0, compute capability: 9.0", as TensorFlow words it.
  std::string description() const;
  /// Null before `start`.
  cuda::CUcontext context() const { return context_; }

  /// A kernel by name. NotFound "No CUDA kernel 'name' for ...".
  absl::StatusOr<const GpuFunction*> function(absl::string_view name);
  /// Lets kernels and copies of this GPU read memory of `peer`'s; false when the hardware cannot: copies then pass through the host.
  absl::StatusOr<bool> enable_peer(Gpu& peer);
  /// Bytes that nobody has taken, now.
  absl::StatusOr<int64_t> free_memory();
  /// What belongs to a started GPU and is not the driver's: the handles of libraries. The first call makes it; it goes with the GPU, before
  /// its context.
  std::shared_ptr<void> companion(absl::FunctionRef<std::shared_ptr<void>()> make);

  /// @name Calling the driver
  /// What `call` gave, as a status that names this GPU. A result that means that the device is lost makes it so.
  absl::Status check(cuda::CUresult result, absl::string_view call);
  /// Unavailable "GPU 0 (...) is lost: ..." with the first error that said so, once it is: all calls then fail at once.
  absl::Status health() const;
  bool is_lost() const { return lost_.load(std::memory_order_acquire); }

  /// Makes the GPU's context the calling thread's. A context that the thread has from elsewhere, as a client's thread may, is put back.
  class Current {
   public:
    explicit Current(Gpu& gpu);
    ~Current();
    Current(const Current&) = delete;

   private:
    Gpu& gpu_;
    cuda::CUcontext before_ = nullptr;
  };

 private:
  Gpu(const cuda::Driver* driver, int ordinal, std::vector<const void*> images)
      : driver_(driver), ordinal_(ordinal), images_(std::move(images)) {}
  absl::Status read_attributes();
  absl::Status make_context();
  void end_context();

  // Constant after `open`.
  const cuda::Driver* const driver_;
  const int ordinal_;
  const std::vector<const void*> images_;
  cuda::CUdevice device_ = 0;
  GpuAttributes attributes_;
  std::string label_;

  std::mutex start_mu_;
  // Guarded by start_mu_; what `start` made is constant after it.
  bool started_ = false;
  cuda::CUcontext context_ = nullptr;
  std::vector<cuda::CUmodule> modules_;

  std::mutex companion_mu_;
  std::shared_ptr<void> companion_;  // guarded by companion_mu_

  mutable std::shared_mutex functions_mu_;
  // Guarded by functions_mu_.
  absl::flat_hash_map<std::string, std::unique_ptr<const GpuFunction>> functions_;

  std::atomic<bool> lost_{false};
  mutable std::mutex lost_mu_;
  absl::Status lost_why_;  // guarded by lost_mu_
  std::mutex peers_mu_;
  absl::flat_hash_map<int, bool> peers_;  // by ordinal; guarded by peers_mu_
};

}  // namespace troupe
