#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "devices/cuda/driver_abi.h"
#include "devices/cuda/machine_gpus.h"
#include "tests/devices/cuda/emulated_options.h"

namespace troupe::test {

class EmulatedMachine;

/// CUDA's driver for GPUs whose memory is the host's, and which run kernels (TROUPE_KERNEL) that the host's compiler compiled. Their streams' work is
/// done in orders that the streams and events allow, chosen by a seed: one piece at a time, when somebody asks or waits; or by a thread of its own.
/// What a program must not do and real hardware forgives most of the time is written down (faults). One at a time in a process; what uses it
/// is gone before it goes. Thread-safe.
class EmulatedDriver {
 public:
  using Options = EmulatedOptions;

  explicit EmulatedDriver(Options options);
  EmulatedDriver() : EmulatedDriver(Options()) {}
  ~EmulatedDriver();
  EmulatedDriver(const EmulatedDriver&) = delete;

  const cuda::Driver* driver() const;
  /// An image with all kernels of this program.
  static GpuKernels kernels();
  /// All of its GPUs.
  std::shared_ptr<MachineGpus> machine() const { return MachineGpus::find(driver(), kernels()); }

  /// @name Faults
  /// The n-th call (from 1) of this function ("cuMemAlloc") from now on, and no other, gives `result` and does nothing.
  void fail(const std::string& call, int64_t n, cuda::CUresult result);
  /// The n-th piece of work (from 1; kernels, copies and fills, of any GPU) that is done from now on fails, and its GPU is lost.
  void fail_work(int64_t n, cuda::CUresult result = cuda::CUDA_ERROR_ILLEGAL_ADDRESS);
  /// Now, with all that is enqueued there.
  void lose(int gpu, cuda::CUresult result = cuda::CUDA_ERROR_ECC_UNCORRECTABLE);

  /// @name What was seen
  /// Copies of memory that is not allocated, or not any more; freed and destroyed things that are used; leaks when a context ends.
  std::vector<std::string> faults() const;
  int64_t calls(const std::string& call) const;
  /// Pieces of work: enqueued and not done yet, and done.
  int64_t work_open() const;
  int64_t work_done() const;
  /// Copies from or to host memory that is not pinned: real ones hold the caller up.
  int64_t pageable_copies() const;
  /// Bytes that are allocated on a GPU.
  size_t bytes_in_use(int gpu) const;

  /// Does up to n pieces of work, in an order of the seed's; as many as there were.
  int64_t work(int64_t n);

 private:
  const std::unique_ptr<EmulatedMachine> machine_;
};

}  // namespace troupe::test
