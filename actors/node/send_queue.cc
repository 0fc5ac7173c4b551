#include "actors/node/send_queue.h"

#include <utility>

namespace troupe {

bool NodeSendQueue::add(NodeSend word) {
  std::lock_guard lock(mu_);
  waiting_.push_back(std::move(word));
  return waiting_.size() == 1;
}

std::vector<NodeSend> NodeSendQueue::take(size_t enough) {
  std::vector<NodeSend> next;
  std::lock_guard lock(mu_);
  if (waiting_.size() < enough) return next;
  // As many come again, mostly.
  next.reserve(waiting_.size());
  return std::exchange(waiting_, std::move(next));
}

}  // namespace troupe
