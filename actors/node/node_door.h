#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "actors/cluster/cluster_spec.h"
#include "actors/node/socket_events.h"
#include "actors/sockets/socket.h"

namespace troupe {

/// Where a NODE, its `broker`, listens. Of the NODE's thread; gone before the NODE is.
class NodeDoor {
 public:
  /// As `listen_on`; returns the port. The NODE hears by SocketReady, with ids that no other has, of who comes.
  absl::StatusOr<uint16_t> open(caf::io::broker* broker, const TaskAddress& address);
  static bool is_its(uint64_t id) { return id >= kFirstId; }

  /// Who has come there. When the system has nothing left to take them with it stops looking, and says so once.
  std::vector<Socket> take_in(uint64_t id);
  /// It looks again.
  void go_on();

 private:
  static constexpr uint64_t kFirstId = uint64_t{1} << 63;

  struct Place {
    std::shared_ptr<const Socket> socket;
    SocketEvents::Watch events;
  };
  std::vector<Place> places_;
  bool rests_ = false;
};

}  // namespace troupe
