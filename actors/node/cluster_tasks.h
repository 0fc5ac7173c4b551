#pragma once

#include <caf/actor.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "actors/cluster/clock_offset.h"
#include "actors/cluster/task_id.h"
#include "actors/node/node_exchange.h"
#include "actors/remote_tasks.h"

namespace troupe {

/// The other tasks of one session, as its master sees them: their WORKERs are asked through the NODE. Ends the session there when it goes.
class ClusterTasks final : public RemoteTasks, public std::enable_shared_from_this<ClusterTasks> {
 public:
  /// `lives`: the incarnation of each task when the session was opened there. One that is started again is lost.
  ClusterTasks(caf::actor node, uint64_t session, std::map<TaskId, uint64_t> lives,
               std::shared_ptr<NodeExchange> exchange)
      : node_(std::move(node)), session_(session), lives_(std::move(lives)), exchange_(std::move(exchange)) {}
  ~ClusterTasks() override;

  /// Steps with parts on all of these tasks are to end.
  using Lost = std::function<void(const std::vector<std::string>& tasks, const absl::Status& why)>;
  /// From now on `lost` is called, on any thread, when a task, or the way from one to another, is lost with the values that were on it: their parts
  /// may have ended well. It must not wait. To be called once. A task that was lost begins nothing more for this session, though it may be there again,
  /// and have the session: what it loses nobody would hear of.
  void watch_links(Lost lost);

  std::shared_ptr<StepExchange> exchange() const override { return exchange_; }
  void register_parts(std::vector<Part> parts, Registered done) override;
  void clear_containers(const std::vector<std::string>& containers) override;

 private:
  class PartOfTask;
  using Answered = std::function<void(absl::StatusOr<absl::Cord>)>;
  /// Asks a task of the session.
  void ask(const TaskId& task, Method method, absl::StatusOr<absl::Cord> body, Answered done) const;
  /// Asks a task to tell of the next link, or value, that it loses.
  void watch_links_of(const TaskId& task);
  bool was_lost(const TaskId& task) const;
  /// What it has answered.
  void note_lost(const TaskId& task, const absl::StatusOr<absl::Cord>& body);
  /// How far a task's clock is from ours, after a round trip that ends now.
  ClockOffset clock_after(const TaskId& task, int64_t sent_ns, int64_t came_ns, int64_t answered_ns) const;
  /// What a task's answer to a RunPart that left at that time says.
  RemotePart::End end_of(const absl::StatusOr<absl::Cord>& body, const TaskId& task, int64_t sent_ns) const;

  const caf::actor node_;
  const uint64_t session_;
  const std::map<TaskId, uint64_t> lives_;
  const std::shared_ptr<NodeExchange> exchange_;
  /// Unchanged once links are watched.
  Lost lost_;
  mutable std::mutex gone_mu_;
  /// Whose links are not watched any more.
  std::set<TaskId> gone_;  // guarded by gone_mu_
  mutable std::mutex clocks_mu_;
  /// By what its answers say.
  mutable std::map<TaskId, ClockOffset> clocks_;  // guarded by clocks_mu_
};

}  // namespace troupe
