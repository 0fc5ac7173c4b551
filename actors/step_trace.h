#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace troupe {

struct NestedTimings;
struct StepSlot;

/// What a step that collected statistics did, for a timeline. Times are nanoseconds since the epoch.
struct StepTrace {
  struct Node {
    std::string name;
    std::string op;
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
    uint32_t thread = 0;
    /// When its EXECUTOR sent it to the DEVICE, in a batch; 0: it ran where its EXECUTOR was.
    int64_t launched_ns = 0;
    /// Of a _Send and its _Recv: what is passed; else "".
    std::string transfer;
  };
  /// One EXECUTOR, or a partition of a function that the step called.
  struct Partition {
    std::string device;
    bool called = false;
    /// In the order in which they ended.
    std::vector<Node> nodes;
  };
  int64_t session_id = 0;
  int64_t step_id = 0;
  int64_t began_ns = 0;
  int64_t ended_ns = 0;
  std::string label;
  absl::Status status;
  /// False: of a run that was only found slow; nothing of its nodes and messages is known.
  bool recorded = true;
  std::vector<Partition> partitions;
  /// How many of each kind its actors were sent.
  std::map<std::string, int> messages;
};

/// Of a step that has ended, its slot still its own; `called` is what its functions ran. Without the session's id, and times and status of
/// the whole.
StepTrace trace_of(const StepSlot& slot, const std::vector<NestedTimings>& called);

/// "y:0, loss +3 -> train": the first names of what is fetched, and of the targets.
std::string step_label(const std::vector<std::string>& fetches, const std::vector<std::string>& targets);

}  // namespace troupe
