#pragma once

#include <optional>

namespace troupe {

/// What variables of the environment ask for, by TensorFlow's names. They count where options leave it open.
struct Environment {
  /// TF_NUM_INTEROP_THREADS: threads that run kernels side by side; below 0: the caller's. 0: it says nothing.
  int inter_op_threads = 0;
  /// TF_NUM_INTRAOP_THREADS: threads of the loops inside kernels. 0: it says nothing.
  int intra_op_threads = 0;
  /// TF_CPP_MIN_LOG_LEVEL: 0 information, 1 warnings, 2 errors, 3 and above nothing but what ends the program.
  std::optional<int> min_log_level;
  /// TF_SYNC_ON_FINISH: a step ends when what its kernels enqueued on GPUs is done. "0" or "false": when all is enqueued; what then fails
  /// on the device is an error of later steps.
  bool sync_on_finish = true;

  /// As it is now. A variable that is no whole number, or is out of its range, counts as not set and is logged.
  static Environment read();
};

/// TROUPE_CONSOLE_PORT: where a process that has the runtime of the C API shows its console, 0 to 65535; 0: a free port. Nothing when it is not
/// set, or, which is logged, no such number.
std::optional<int> console_port_of_environment();

/// Makes the log as quiet as the environment asks, if it does. The first call in a process counts, so that what an application sets
/// later stays.
void quiet_log(const Environment& environment);

}  // namespace troupe
