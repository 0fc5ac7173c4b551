#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace troupe {

/// A child process that answers each line on its standard input with a line on the descriptor that follows its arguments.
/// What it prints is kept, for when it dies. It is killed with its parent.
class WorkerProcess {
 public:
  /// Starts this same program again with `arguments` and, as the last one, the number of the answers' descriptor.
  static absl::StatusOr<std::unique_ptr<WorkerProcess>> start(const std::vector<std::string>& arguments);
  /// Kills and reaps it.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;

  /// For poll(): readable when an answer, or the end, is there.
  int answers_fd() const { return answers_; }
  /// False when the process is gone.
  bool ask(const std::string& line);
  /// Reads what has come without waiting for more. A whole line, or nothing; `ended` is set at the end of the stream.
  std::optional<std::string> poll_answer(bool* ended);
  /// Waits for it to end, killing it first when `kill`; says how it ended ("killed by SIGSEGV", "exit code 3") with the
  /// last lines that it printed.
  std::string reap(bool kill);

 private:
  WorkerProcess() = default;
  std::string printed_tail() const;

  pid_t pid_ = -1;
  int questions_ = -1;
  int answers_ = -1;
  int printed_ = -1;
  std::string partial_;
};

/// The loop of the child: answers each line of standard input until it ends. The exit code.
int serve_lines(int answers_fd, const std::function<std::string(const std::string&)>& answer);

}  // namespace troupe
