#pragma once

#include <mutex>
#include <utility>

#include "actors/cluster/cluster_spec.h"

namespace troupe {

/// The cluster as a NODE knows it now, for other threads. Thread-safe.
class ClusterView {
 public:
  explicit ClusterView(ClusterSpec cluster) : cluster_(std::move(cluster)) {}
  ClusterView(const ClusterView&) = delete;

  ClusterSpec get() const {
    std::lock_guard lock(mu_);
    return cluster_;
  }
  void set(ClusterSpec cluster) {
    std::lock_guard lock(mu_);
    cluster_ = std::move(cluster);
  }

 private:
  mutable std::mutex mu_;
  ClusterSpec cluster_;  // guarded by mu_
};

}  // namespace troupe
