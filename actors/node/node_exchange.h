#pragma once

#include <caf/actor.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "actors/cluster/task_id.h"
#include "actors/node/send_queue.h"
#include "actors/node/step_directory.h"
#include "actors/remote_tasks.h"

namespace troupe {

/// Where the values of one session's steps cross tasks: out through the NODE, in through the directory, in which the session is for as long as this
/// is there.
class NodeExchange final : public StepExchange {
 public:
  /// A step that cannot send what another task waits for. Called on NODE's thread, or a RENDEZVOUS's; must not wait.
  using FailStep = WordLost::FailStep;

  /// `words`, `steps`: the node's.
  NodeExchange(caf::actor node, std::shared_ptr<NodeSendQueue> words, TaskId own, uint64_t session,
               std::shared_ptr<StepDirectory> steps);
  ~NodeExchange() override;
  /// Before the first step.
  void on_lost(FailStep fail) { fail_ = std::make_shared<const FailStep>(std::move(fail)); }

  /// As a value that was lost.
  void fail(int64_t step, const absl::Status& why) const {
    if (fail_) (*fail_)(step, why);
  }

  bool is_elsewhere(absl::string_view device) const override;
  void push(absl::string_view device, int64_t step_id, const std::string& key, Tensor value,
            bool is_dead) override;
  void open_step(int64_t step_id, const RendezvousActor& rendezvous) override;
  void close_step(int64_t step_id) override;

 private:
  /// Null when it is no name of a task's device.
  std::shared_ptr<const TaskId> task_of(absl::string_view device);

  const caf::actor node_;
  const std::shared_ptr<NodeSendQueue> words_;
  std::mutex mu_;
  /// By the name of a device.
  std::map<std::string, std::shared_ptr<const TaskId>, std::less<>> tasks_;  // guarded by mu_
  /// "/job:worker/replica:0/task:1/": what the names of this task's devices begin with.
  const std::string own_;
  const uint64_t session_;
  const std::shared_ptr<StepDirectory> steps_;
  std::shared_ptr<const FailStep> fail_;
};

}  // namespace troupe
