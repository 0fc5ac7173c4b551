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
  /// To 65,535; 0: a free one, which Console::port tells.
  int port = 0;
  /// Steps that take as long are listed as slow; zero: none.
  std::chrono::milliseconds slow_after{100};
};

/// A window into a runtime, by HTTP, on a thread of its own: the page at /, /metrics for Prometheus, /healthz, /readyz and /api/status. It
/// only looks. While it lives the steps of the runtime are counted (StepMeter). Must be destroyed before its runtime. Thread-safe.
class Console {
 public:
  /// InvalidArgument for a host or a port that is none; FailedPrecondition when the port is in use or the runtime has been shut down;
  /// otherwise as the operating system says: PermissionDenied.
  static absl::StatusOr<std::unique_ptr<Console>> start(Runtime& runtime, const ConsoleOptions& options = {});
  /// On the loopback, at the port that TROUPE_CONSOLE_PORT names; its address is logged. Null when the environment names none, and when there can
  /// be no console, which is logged: a program runs without.
  static std::unique_ptr<Console> of_environment(Runtime& runtime);
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
