#pragma once

#include <optional>
#include <vector>

#include "graph/ir/device_name.h"

namespace troupe {

/// By device of a catalog: the priority of the kernel there, or nothing where there is none.
using KernelPriorities = std::vector<std::optional<int>>;

/// Which of the resources that a function takes and returns are one, or must be in one place, and where that may be.
struct CallResources {
  struct Group {
    DeviceName wish;
    /// What a variable in the function insists on.
    DeviceName resource;
    KernelPriorities support;
    /// Some of it is handed in.
    bool is_taken = false;
  };
  std::vector<Group> groups;
  /// By input and output of the call: an index into groups; -1: no resource.
  std::vector<int> inputs;
  std::vector<int> outputs;
};

}  // namespace troupe
