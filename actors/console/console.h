#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace troupe {

class Runtime;

struct ConsoleOptions {
  /// A numeric address, or "localhost". Whoever reaches another than the loopback sees names of nodes and sessions.
  std::string host = "127.0.0.1";
  /// 0: a free one.
  int port = 0;
  /// Steps that take as long are listed as slow; zero: none.
  std::chrono::milliseconds slow_after{100};
};

/// A window into a runtime, by HTTP: the page at /, /metrics for Prometheus, /healthz, /readyz and /api/status. It only looks. While it
/// lives the steps of the runtime are counted (StepMeter). Must be destroyed before its runtime.
class Console {
 public:
  /// InvalidArgument for a host or a port that is none; FailedPrecondition when the port is in use; PermissionDenied, ....
  static absl::StatusOr<std::unique_ptr<Console>> start(Runtime& runtime, const ConsoleOptions& options = {});
  ~Console();
  Console(const Console&) = delete;

  int port() const;
  /// "http://127.0.0.1:8080".
  std::string url() const;

 private:
  struct Impl;
  explicit Console(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe
