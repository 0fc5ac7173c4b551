#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "graph/tensor/tensor.h"

namespace troupe {

/// Where `_Send` and `_Recv` of one step meet. Implemented above by the RENDEZVOUS actor; kernels see only this.
/// Keys are the texts of graph/passes/rendezvous_key.h. Thread-safe.
class Rendezvous {
 public:
  using RecvDone = std::function<void(absl::Status status, Tensor value, bool is_dead)>;

  virtual ~Rendezvous() = default;
  /// Hands over a value; never blocks. The error with which the step was aborted, if it was.
  virtual absl::Status send(const std::string& key, Tensor value, bool is_dead) = 0;
  /// `done` is called once, from any thread, when the value is there or the step was aborted.
  virtual void recv(const std::string& key, RecvDone done) = 0;
};

}  // namespace troupe
