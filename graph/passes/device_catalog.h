#pragma once

#include <string>
#include <vector>

#include "graph/ir/graph.h"

namespace troupe {

/// What placement and partitioning ask about devices; `devices/` implements it. Indices are what Node::device holds.
class DeviceCatalog {
 public:
  struct Entry {
    /// Full name: "/job:localhost/replica:0/task:0/device:CPU:0"
    std::string name;
    /// "CPU"
    std::string type;
    uint64_t incarnation = 1;
    /// Higher is preferred when a node may go anywhere: CPU 60, GPU 210.
    int priority = 60;
    /// False for devices of other tasks.
    bool local = true;
    /// False where the tensors of its kernels are in memory that CPUs do not read.
    bool host_memory = true;
  };
  struct Support {
    bool supported = false;
    int priority = 0;
    /// Inputs and outputs of the op that the kernel has in the host's memory, wherever its device's is. Null: none.
    const std::vector<std::string>* host_args = nullptr;
  };

  virtual ~DeviceCatalog() = default;
  virtual const std::vector<Entry>& entries() const = 0;
  /// Where the client's feeds and fetches are: the first local CPU.
  virtual int client_device() const = 0;
  /// Whether a device type has a kernel for the op with these attrs, and its registration's priority.
  virtual absl::StatusOr<Support> kernel_support(const OpDef& op, const AttrMap& attrs,
                                                 const std::string& device_type) const = 0;
  /// The registered kernels of an op, for messages: "  device='CPU'; T in [DT_FLOAT]\n" or "  <no registered kernels>\n".
  virtual std::string kernels_of(const std::string& op) const = 0;
};

}  // namespace troupe
