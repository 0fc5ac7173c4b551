#include "actors/node/links.h"

#include <caf/all.hpp>

#include <utility>

#include "absl/strings/str_cat.h"
#include "actors/sockets/dial.h"
#include "devices/services.h"

namespace troupe {

uint64_t NodeLinks::peer_of(const TaskId& task) const {
  const auto link = links_.find(task);
  return link == links_.end() ? 0 : link->second.peer;
}

void NodeLinks::await(NodeCall call, const absl::StatusOr<TaskAddress>& address) {
  const TaskId task = call.task;
  Link& link = links_[task];
  link.waiting.calls.push_back(std::move(call));
  this->call(task, &link, address);
}

void NodeLinks::await(NodeSend word, const absl::StatusOr<TaskAddress>& address) {
  const TaskId task = word.task;
  Link& link = links_[task];
  link.waiting.words.push_back(std::move(word));
  call(task, &link, address);
}

void NodeLinks::call(const TaskId& task, Link* link, const absl::StatusOr<TaskAddress>& address) {
  if (link->dialing || link->peer != 0) return;
  if (!address.ok()) return fail(link, address.status());
  link->dialing = true;
  NodeDialed answer{task, address->host, ++link->attempt, {}, nullptr};
  const absl::Status begun = waiting_->run(
      [node = node_, answer, address = *address, patience = patience_]() mutable -> BlockingPool::Answer {
        auto socket = dial(address, patience);
        answer.status = socket.status();
        if (socket.ok()) answer.socket = std::make_shared<Socket>(*std::move(socket));
        caf::anon_send(node, std::move(answer));
        return nullptr;
      });
  if (!begun.ok()) fail(link, begun);
}

bool NodeLinks::dialed(const NodeDialed& m) {
  Link& link = links_[m.task];
  if (m.attempt != link.attempt || !link.dialing) return false;
  if (m.status.ok()) return true;
  fail(&link, absl::UnavailableError(absl::StrCat(m.task.to_string(), ": ", m.status.message())));
  return false;
}

void NodeLinks::connected(const TaskId& task, uint64_t peer) { links_[task].peer = peer; }

NodeLinks::Waiting NodeLinks::take(const TaskId& task) {
  Link& link = links_[task];
  link.dialing = false;
  return std::exchange(link.waiting, {});
}

void NodeLinks::lose(const TaskId& task, uint64_t peer, const absl::Status& why) {
  Link& link = links_[task];
  if (link.peer == peer) link.peer = 0;
  fail(&link, why);
}

void NodeLinks::hang_up(const TaskId& task, const absl::Status& why) {
  const auto link = links_.find(task);
  if (link != links_.end() && link->second.dialing) fail(&link->second, why);
}

void NodeLinks::lose_all(const absl::Status& why) {
  for (auto& [task, link] : std::exchange(links_, {})) fail(&link, why);
  // What others of its steps know may refer to the node, and would keep it for ever.
  node_ = nullptr;
}

void NodeLinks::fail(Link* link, const absl::Status& why) {
  link->dialing = false;
  const Waiting told = std::exchange(link->waiting, {});
  for (const NodeCall& c : told.calls) c.done(why);
  for (const NodeSend& w : told.words) w.lost(why);
}

}  // namespace troupe
