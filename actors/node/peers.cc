#include "actors/node/peers.h"

#include <utility>

namespace troupe {

void fail_calls(NodePeer* peer, const absl::Status& why) {
  for (auto& [id, done] : std::exchange(peer->calls, {})) done(why);
}

void fail_waiting(NodeLink* link, const absl::Status& why) {
  link->dialing = false;
  for (NodeCall& c : std::exchange(link->calls, {})) c.done(why);
  for (NodeSend& w : std::exchange(link->words, {})) {
    if (w.lost) w.lost(why);
  }
}

}  // namespace troupe
