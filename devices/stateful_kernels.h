#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "devices/kernel.h"

namespace troupe {

/// Kernels of stateful nodes, shared by all signatures of a session: one per node name and device. Thread-safe.
class StatefulKernels {
 public:
  absl::StatusOr<std::shared_ptr<Kernel>> find_or_create(
      const std::string& key, const std::function<absl::StatusOr<std::unique_ptr<Kernel>>()>& make);
  /// Keeps what a kernel's factory was given for as long as the kernels. For `make` only: it runs under the lock.
  void adopt(std::unique_ptr<KernelNode> node) { nodes_.push_back(std::move(node)); }

 private:
  std::mutex mu_;
  std::vector<std::unique_ptr<KernelNode>> nodes_;  // guarded by mu_; destroyed after the kernels
  absl::flat_hash_map<std::string, std::shared_ptr<Kernel>> kernels_;  // guarded by mu_
};

}  // namespace troupe
