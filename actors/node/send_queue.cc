#include "actors/node/send_queue.h"

#include <utility>

namespace troupe {

bool NodeSendQueue::add(NodeSend word) {
  std::lock_guard lock(mu_);
  waiting_.push_back(std::move(word));
  return waiting_.size() == 1;
}

std::vector<NodeSend> NodeSendQueue::take() {
  std::lock_guard lock(mu_);
  return std::exchange(waiting_, {});
}

}  // namespace troupe
