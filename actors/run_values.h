#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "graph/tensor/tensor.h"

namespace troupe {

/// Tensors by name, as `run` takes them: {"x", value}, {"y:1", value}.
using NamedTensor = std::pair<std::string, Tensor>;

inline std::vector<Tensor> values_of(const std::vector<NamedTensor>& named) {
  std::vector<Tensor> values;
  values.reserve(named.size());
  for (const NamedTensor& t : named) values.push_back(t.second);
  return values;
}

/// What a run did, beside its fetches.
struct RunStats {
  int64_t step_id = 0;
  /// Nodes executed, over all partitions and iterations.
  int64_t nodes_run = 0;
  int num_partitions = 0;
  /// A serialised RunMetadata when RunOptions asked for statistics or partition graphs; else empty.
  std::string metadata;
  /// How many messages of each kind the step's actors were sent, when RunOptions asked for statistics: "StartExecutor".
  std::map<std::string, int> messages;
};

/// A callable, as make_callable returned it; never used twice in one session.
using CallableHandle = int64_t;

/// A running step, as `inspect` shows it.
struct StepReport {
  int64_t step_id = 0;
  std::chrono::microseconds age{0};
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  /// The first nodes not done: "name (Op) on device: running" or "...: waits for a, b:1".
  std::vector<std::string> frontier;
  /// The client's name for the session (ConfigProto.session_handle), else its number.
  std::string session;
};

/// A partial run, and how far it is.
struct PartialRunReport {
  std::string handle;
  /// 0 when its step is over.
  int64_t step_id = 0;
  /// As the client wrote them, sorted.
  std::vector<std::string> feeds_to_come;
  std::vector<std::string> fetches_to_come;
  int turns_waiting = 0;
  int forks_waiting = 0;
  /// Since somebody took a turn, and how long nobody may; zero: for ever.
  std::chrono::milliseconds idle{0};
  std::chrono::milliseconds lease{0};
  /// Not OK when it has failed, and nobody has heard it yet.
  absl::Status status;
};

/// What becomes of a step, as those hear who have subscribed to a session's steps. Those of called functions are their caller's.
struct StepEvent {
  enum class Kind {
    kBegun,
    /// Well.
    kEnded,
    /// With an error; cancelled and timed-out steps, too.
    kFailed,
    /// It has been running for longer than the subscriber's `slow_after`; once for each step.
    kSlow,
  };
  Kind kind = Kind::kBegun;
  /// Of this runtime.
  int64_t session_id = 0;
  int64_t step_id = 0;
  /// How long it has been running.
  std::chrono::microseconds age{0};
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  /// Of kFailed.
  absl::Status status;
};

struct SessionCounters {
  int64_t runs = 0;
  int64_t signatures = 0;
  int64_t signature_hits = 0;
  int64_t signature_misses = 0;
  int64_t evictions = 0;
  int64_t running_steps = 0;
  /// What steps run on (their actors and tensors), idle ones and those of called functions included: now, and the most
  /// there ever were.
  int64_t step_slots = 0;
  int64_t most_step_slots = 0;
};

/// What a running step holds on one device: values that wait there for its nodes. What kernels at work hold is not in it.
struct StepMemory {
  /// Of this runtime.
  int64_t session_id = 0;
  int64_t step_id = 0;
  int64_t waiting_bytes = 0;
};

struct DeviceInfo {
  std::string name;
  std::string type;
  int64_t memory_limit_bytes = 0;
  uint64_t incarnation = 0;
};

}  // namespace troupe
