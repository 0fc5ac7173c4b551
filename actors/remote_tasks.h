#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "actors/interfaces.h"
#include "actors/remote_part.h"
#include "graph/passes/plan.h"

namespace troupe {

/// Where the values that leave a task, and those that come in, go. Of one session in one task; thread-safe, never waits.
class StepExchange {
 public:
  virtual ~StepExchange() = default;
  /// Whether a device, by its full name, is another task's.
  virtual bool is_elsewhere(absl::string_view device) const = 0;
  /// Hands a value to the RENDEZVOUS of that step on the task of `device`. When it does not get there the step fails, by whoever
  /// notices that the task is lost.
  virtual void push(absl::string_view device, int64_t step_id, const std::string& key, Tensor value,
                    bool is_dead) = 0;
  /// From now on what comes for that step goes to this RENDEZVOUS, what came before first.
  virtual void open_step(int64_t step_id, const RendezvousActor& rendezvous) = 0;
  /// The step is over here: what comes for it is nobody's.
  virtual void close_step(int64_t step_id) = 0;
};

/// The other tasks of a session's cluster. Thread-safe.
class RemoteTasks {
 public:
  virtual ~RemoteTasks() = default;
  virtual std::shared_ptr<StepExchange> exchange() const = 0;

  /// What one task is to run of a signature: partitions of its devices.
  struct Part {
    std::string task;
    std::vector<PlanPartition> partitions;
    /// The full name of each one's device.
    std::vector<std::string> devices;
    /// Of the whole signature.
    int num_feeds = 0;
    int num_fetches = 0;
  };
  using Registered = std::function<void(absl::StatusOr<std::vector<std::shared_ptr<const RemotePart>>>)>;
  /// Registers all of them. `done` is called once, on any thread: with the first error, or when all tasks have answered.
  virtual void register_parts(std::vector<Part> parts, Registered done) = 0;
  /// Drops the resources in these containers (none: in the default one) of the session on all tasks.
  virtual void clear_containers(const std::vector<std::string>& containers) = 0;
};

}  // namespace troupe
