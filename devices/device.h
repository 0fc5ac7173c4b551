#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "devices/resource_manager.h"
#include "graph/tensor/allocator.h"

namespace troupe {

/// Splits loops of kernels over the intra-op threads of the machine. Thread-safe; the caller takes part, so that it
/// may be used from any thread, nested too.
class ParallelRunner {
 public:
  virtual ~ParallelRunner() = default;
  virtual int num_threads() const = 0;
  /// Calls fn(begin, end) for disjoint ranges that cover [0, total), and returns when all are done. `cost_per_unit`
  /// in nanoseconds, roughly: small totals run here and now.
  virtual void parallel_for(int64_t total, int64_t cost_per_unit,
                            absl::FunctionRef<void(int64_t begin, int64_t end)> fn) = 0;
};

/// Runs everything on the calling thread.
ParallelRunner* serial_runner();

struct DeviceAttributes {
  /// "/job:localhost/replica:0/task:0/device:CPU:0"
  std::string name;
  /// "CPU", "GPU"
  std::string type;
  int64_t memory_limit_bytes = 0;
  /// Fresh, random and not zero for each device object: tells a restarted device from the old one.
  uint64_t incarnation = 0;
  std::string physical_description;
};

/// A device of one session: attributes, memory and resources. Kernels are handed it through their context. The
/// DEVICE actor owns the queue of work; this object has no threads. Thread-safe.
class Device {
 public:
  Device(DeviceAttributes attributes, Allocator* allocator, ParallelRunner* runner)
      : attributes_(std::move(attributes)), allocator_(allocator), runner_(runner) {}
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceAttributes& attributes() const { return attributes_; }
  const std::string& name() const { return attributes_.name; }
  const std::string& type() const { return attributes_.type; }
  Allocator* allocator() const { return allocator_; }
  ParallelRunner* runner() const { return runner_; }
  ResourceManager& resources() { return resources_; }

 private:
  const DeviceAttributes attributes_;
  Allocator* const allocator_;
  ParallelRunner* const runner_;
  ResourceManager resources_;
};

}  // namespace troupe
