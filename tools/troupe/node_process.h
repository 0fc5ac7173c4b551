#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace troupe {

/// This program started anew as something that says on its standard output when it is ready, and ends upon SIGTERM: `troupe serve`. It ends with
/// the thread that started it, too. One thread at a time.
class NodeProcess {
 public:
  static absl::StatusOr<std::unique_ptr<NodeProcess>> start(const std::vector<std::string>& arguments);
  /// Kills it, when it has not ended.
  ~NodeProcess();
  NodeProcess(const NodeProcess&) = delete;

  pid_t pid() const { return pid_; }
  /// The next line that it prints. Unavailable, with how it ended, when there is none; DeadlineExceeded.
  absl::StatusOr<std::string> read_line(std::chrono::steady_clock::time_point until);
  /// What it has printed beyond the lines that were read: its log, which it must not wait to be rid of.
  std::string take_output();
  /// How it ended ("exit code 1", "killed by SIGKILL"); nothing while it runs.
  std::optional<std::string> ended();
  void terminate() const;
  /// Whether it has ended by then.
  bool wait(std::chrono::steady_clock::time_point until);

 private:
  NodeProcess() = default;
  /// What has come joins `partial_`; false at the end of the stream.
  bool read_more();

  pid_t pid_ = -1;
  int printed_ = -1;
  std::string partial_;
  std::optional<std::string> end_;
};

/// "exit code 1", "killed by SIGKILL": what waitpid has found.
std::string end_of_process(int status);

}  // namespace troupe
