#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "actors/step_trace.h"

namespace troupe {

/// Makes events of Chrome's trace format of traced steps. A process for each session, with rows for its STEPs and EXECUTORs, and one for each
/// device of a session, with a row for each thread that ran its nodes. Arrows are the messages whose times are known: StartExecutor and
/// ExecutorDone, LaunchKernels and DrainKernels of what a DEVICE ran, and what a RENDEZVOUS passed on. Microseconds since the first step.
class TraceEvents {
 public:
  /// Processes and threads are named anew.
  void begin_file();
  /// One step's, with a comma between each two.
  std::string of(const StepTrace& trace);

 private:
  struct Row {
    int pid = 0;
    int64_t tid = 0;
  };
  class Writer;
  /// Beside those of steps that were traced at the same time; lanes are as many as there ever were of these.
  int lane_of(const StepTrace& trace);

  int64_t first_ns_ = 0;
  int64_t arrows_ = 0;
  /// By name.
  std::map<std::string, int> processes_;
  /// (process, thread) that have their names.
  std::map<std::pair<int, int64_t>, bool> named_;
  /// By session: when the last step of each lane ended.
  std::map<int64_t, std::vector<int64_t>> lanes_;
};

}  // namespace troupe
