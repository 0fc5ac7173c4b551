#pragma once

#include <caf/actor.hpp>

#include <map>
#include <memory>
#include <vector>

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

  std::shared_ptr<StepExchange> exchange() const override { return exchange_; }
  void register_parts(std::vector<Part> parts, Registered done) override;
  void clear_containers(const std::vector<std::string>& containers) override;

 private:
  class PartOfTask;
  using Answered = std::function<void(absl::StatusOr<absl::Cord>)>;
  /// Asks a task of the session.
  void ask(const TaskId& task, Method method, absl::StatusOr<absl::Cord> body, Answered done) const;

  const caf::actor node_;
  const uint64_t session_;
  const std::map<TaskId, uint64_t> lives_;
  const std::shared_ptr<NodeExchange> exchange_;
};

}  // namespace troupe
