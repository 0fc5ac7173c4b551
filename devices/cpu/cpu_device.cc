#include "devices/cpu/cpu_device.h"

#include "absl/strings/str_cat.h"

namespace troupe {

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
