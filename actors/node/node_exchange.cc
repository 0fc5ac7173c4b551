#include "actors/node/node_exchange.h"

#include <caf/all.hpp>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace troupe {

NodeExchange::NodeExchange(caf::actor node, std::shared_ptr<NodeSendQueue> words, TaskId own,
                           uint64_t session, std::shared_ptr<StepDirectory> steps)
    : node_(std::move(node)), words_(std::move(words)), own_(absl::StrCat(own.to_string(), "/")),
      session_(session), steps_(std::move(steps)) {
  steps_->add_session(session_);
}

NodeExchange::~NodeExchange() { steps_->remove_session(session_); }

bool NodeExchange::is_elsewhere(absl::string_view device) const { return !absl::StartsWith(device, own_); }

void NodeExchange::push(absl::string_view device, int64_t step_id, const std::string& key, Tensor value,
                        bool is_dead) {
  const WordLost lost{fail_, step_id};
  const std::shared_ptr<const TaskId> task = task_of(device);
  if (task == nullptr)
    return lost(absl::InternalError(absl::StrCat("'", device, "' is no device of a task")));
  auto body = pack_pushed(session_, step_id, key, std::move(value), is_dead);
  if (!body.ok()) {
    return lost(
        absl::Status(body.status().code(), absl::StrCat("cannot send ", key, ": ", body.status().message())));
  }
  if (words_->add({*task, {MessageKind::kPush, Method::kNone, 0, *std::move(body)}, lost}))
    caf::anon_send(node_, NodeSends{});
}

std::shared_ptr<const TaskId> NodeExchange::task_of(absl::string_view device) {
  std::lock_guard lock(mu_);
  if (const auto known = tasks_.find(device); known != tasks_.end()) return known->second;
  const std::optional<TaskId> task = TaskId::parse(device);
  if (!task) return nullptr;
  return tasks_.emplace(device, std::make_shared<const TaskId>(*task)).first->second;
}

void NodeExchange::open_step(int64_t step_id, const RendezvousActor& rendezvous) {
  steps_->open(session_, step_id, rendezvous);
}

void NodeExchange::close_step(int64_t step_id) { steps_->close(session_, step_id); }

}  // namespace troupe
