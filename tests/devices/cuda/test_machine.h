#pragma once

#include <memory>
#include <vector>

#include "devices/cuda/virtual_gpu.h"
#include "tests/devices/cuda/emulated_driver.h"

namespace troupe::test {

/// Emulated GPUs, one VirtualGpu on each, whose freed memory is filled with nonsense. Its end fails the test where something is left, or a fault was
/// seen.
class TestMachine {
 public:
  explicit TestMachine(EmulatedDriver::Options options = {}, size_t limit_bytes = size_t{32} << 20,
                       size_t pinned_bytes = PinnedAllocator::kLimitBytes);
  ~TestMachine();
  TestMachine(const TestMachine&) = delete;

  VirtualGpu& gpu(int i = 0) { return *gpus[i]; }
  Tensor tensor(int64_t n, int i = 0);
  /// x = value; to = from + by: one launch on the compute stream.
  absl::Status set(Tensor& x, int32_t value, int i = 0);
  absl::Status add(const Tensor& from, Tensor& to, int32_t by, int i = 0);
  /// Waits for the copy.
  absl::StatusOr<Tensor> to_host(const Tensor& from, int i = 0);

  EmulatedDriver driver;
  std::shared_ptr<EventPoller> poller = std::make_shared<EventPoller>();
  std::vector<std::shared_ptr<Gpu>> physical;
  std::shared_ptr<PinnedAllocator> pinned;
  std::vector<std::shared_ptr<VirtualGpu>> gpus;
  /// What the test expects, as "a part of a fault".
  std::vector<std::string> expected_faults;
};

/// value, value + 1, ... in the host's memory.
Tensor counted_from(int32_t value, int64_t n);
/// Whether a tensor is counted_from(value, its size).
bool is_counted_from(const Tensor& t, int32_t value);
/// Whether all its elements are this.
bool is_all(const Tensor& t, int32_t value);

}  // namespace troupe::test
