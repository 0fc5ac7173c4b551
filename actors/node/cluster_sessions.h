#pragma once

#include <caf/actor.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "actors/node/cluster_view.h"
#include "actors/node/message.h"
#include "actors/node/send_queue.h"
#include "actors/node/step_directory.h"
#include "actors/session_factory.h"
#include "devices/device_set.h"

namespace troupe {

class CancellationToken;
class DeviceFilters;
class Runtime;
struct SessionCore;

/// What sessions of a cluster are made of.
struct ClusterSessionsParts {
  /// Of the SESSIONs; outlives them.
  Runtime* runtime = nullptr;
  caf::actor node;
  std::shared_ptr<const ClusterView> cluster;
  /// The node's own, whose sessions' master it is.
  TaskId task;
  std::shared_ptr<NodeSendQueue> words;
  std::shared_ptr<StepDirectory> steps;
  /// The task's devices, and the same with resources of their own.
  std::shared_ptr<DeviceSet> devices;
  std::function<absl::StatusOr<std::shared_ptr<DeviceSet>>()> own_devices;
  /// How long a session that opens waits for tasks.
  std::chrono::milliseconds open_patience{0};
  /// Of the options that are meant for it.
  std::string target;
};

/// Opens sessions over the tasks of a cluster whose master is this node. Thread-safe.
class ClusterSessions final : public SessionFactory {
 public:
  explicit ClusterSessions(ClusterSessionsParts parts) : parts_(std::move(parts)) {}

  bool accepts(const SessionOptions& options) const override { return options.target == parts_.target; }
  /// Whatever the target. Waits for the tasks that the options' device_filters let through, no longer than open_patience and
  /// operation_timeout, and not when `given_up` is cancelled. DeadlineExceeded that names those that do not answer; InvalidArgument for
  /// a filter that is none, Unimplemented for a cluster of the options' own; Cancelled once it is stopped.
  absl::StatusOr<std::unique_ptr<Session>> new_session(const SessionOptions& options) override;
  /// On the tasks that the options' device_filters let through. Isolated sessions lose what they have with their end.
  absl::Status reset(const SessionOptions& options, const std::vector<std::string>& containers) override;
  /// Opens none any more: Unavailable.
  void drain();
  /// Tells another task that the cluster has this one no more; that tells all. Unavailable when none hears of it; OK for a task that is alone.
  absl::Status leave();
  /// That are open.
  size_t num_open() const;
  /// Opens none any more, and waits for calls that are at it. The NODE is told to end first: they wait for its answers.
  void stop();

 private:
  using Time = std::chrono::steady_clock::time_point;
  using Answer = absl::StatusOr<absl::Cord>;
  /// A task that is there.
  struct Life {
    uint64_t incarnation = 0;
    std::vector<DeviceAttributes> devices;
  };
  using Lives = std::map<TaskId, Life>;
  struct Wish;
  class Call;
  /// How long somebody waits.
  struct Patience {
    Time until;
    /// SessionOptions::given_up.
    std::shared_ptr<CancellationToken> token;
    /// Why he does not any more; OK: he does.
    absl::Status given_up() const;
  };

  absl::StatusOr<Wish> wish_of(const SessionOptions& options) const;
  /// Asks all of these; those that have answered by then.
  std::map<TaskId, Answer> ask_all(const std::vector<TaskId>& tasks, Method method, const absl::Cord& body,
                                   const Patience& patience) const;
  /// The other tasks that the cluster has and these let through; those that join or leave meanwhile are met, or left out.
  std::vector<TaskId> others(const DeviceFilters& filters) const;
  absl::StatusOr<Lives> meet(const DeviceFilters& filters, const Patience& patience) const;
  absl::Status create_on(const Wish& wish, uint64_t key, const Patience& patience) const;
  absl::StatusOr<std::shared_ptr<DeviceSet>> devices_of(const Wish& wish, Lives lives) const;
  absl::StatusOr<std::unique_ptr<Session>> open(const SessionOptions& options);
  bool stopping() const;

  const ClusterSessionsParts parts_;
  mutable std::mutex mu_;
  std::condition_variable idle_;
  // Guarded by mu_.
  bool stopping_ = false;
  bool draining_ = false;
  int calls_ = 0;
  std::vector<std::weak_ptr<SessionCore>> opened_;
};

}  // namespace troupe
