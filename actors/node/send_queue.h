#pragma once

#include <mutex>
#include <vector>

#include "actors/node/messages.h"

namespace troupe {

/// A node's words that wait to be sent, from any threads: while NODE has not looked, others join them and need not tell it. Thread-safe.
class NodeSendQueue {
 public:
  /// True when NODE is to be told, by NodeSends; false when it has been.
  bool add(NodeSend word);
  /// All that wait, in their order; none when they are fewer than `enough`.
  std::vector<NodeSend> take(size_t enough = 1);

 private:
  std::mutex mu_;
  std::vector<NodeSend> waiting_;  // guarded by mu_
};

}  // namespace troupe
