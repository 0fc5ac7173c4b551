#include "devices/cpu/cpu_device.h"

#include <mutex>
#include <random>

#include "absl/strings/str_cat.h"

namespace troupe {

uint64_t new_incarnation() {
  // To ask the system each time takes longer than all else that a session needs.
  static std::mutex mu;
  static std::mt19937_64 random = [] {
    std::random_device system;
    std::seed_seq seed{system(), system(), system(), system()};
    return std::mt19937_64(seed);
  }();
  std::lock_guard lock(mu);
  uint64_t v = 0;
  while (v == 0) v = random();
  return v;
}

std::unique_ptr<Device> make_cpu_device(const std::string& prefix, int index, Allocator* allocator,
                                        ParallelRunner* runner) {
  DeviceAttributes a;
  a.name = absl::StrCat(prefix, "/device:CPU:", index);
  a.type = "CPU";
  a.memory_limit_bytes = kCpuMemoryLimitBytes;
  a.incarnation = new_incarnation();
  return std::make_unique<Device>(std::move(a), allocator, runner);
}

}  // namespace troupe
