#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "actors/grpc_door/call.h"

namespace troupe {

/// The calls that are not answered yet. Thread-safe.
class OpenCalls {
 public:
  void add(const std::shared_ptr<AnyCall>& call) {
    std::lock_guard lock(mu_);
    calls_.emplace(call.get(), call);
  }
  void remove(const AnyCall* call) {
    std::lock_guard lock(mu_);
    calls_.erase(call);
  }
  /// Answers them all.
  void finish(const absl::Status& status) {
    std::vector<std::shared_ptr<AnyCall>> open;
    {
      std::lock_guard lock(mu_);
      for (const auto& [key, weak] : calls_) {
        if (auto call = weak.lock()) open.push_back(std::move(call));
      }
    }
    for (const auto& call : open) call->finish(status);
  }

 private:
  std::mutex mu_;
  absl::flat_hash_map<const AnyCall*, std::weak_ptr<AnyCall>> calls_;  // guarded by mu_
};

}  // namespace troupe
