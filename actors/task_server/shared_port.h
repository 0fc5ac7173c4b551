#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "actors/cluster/cluster_spec.h"

namespace troupe {

/// A port that two protocols share: who connects and begins as HTTP/2 does, gRPC's clients, goes to one function, all others, nodes and their clients, to
/// another. A thread of its own accepts, and looks at the first message without taking it. Who does not say it within five
/// seconds is closed, and so is the first of those who have not when there are too many of them.
class SharedPort {
 public:
  /// Is given the socket, non-blocking and without delay, to keep, of which nothing was read. Called on the port's thread; must not wait.
  using Taker = std::function<void(int socket)>;
  /// And what its first message says: a whole frame (actors/node/connection.h), or less where it is none.
  using PeerTaker = std::function<void(int socket, absl::string_view first_message)>;

  /// Has the port; nobody is accepted yet. Port 0: the system chooses one. On all addresses that the host's name has.
  /// Unavailable when it cannot listen there.
  static absl::StatusOr<std::unique_ptr<SharedPort>> listen(const TaskAddress& address);
  /// Nobody is given a socket any more when it returns.
  ~SharedPort();
  SharedPort(const SharedPort&) = delete;

  uint16_t port() const;
  /// Accepts from now on. Once.
  void serve(Taker http2, PeerTaker peers);

 private:
  class Impl;
  explicit SharedPort(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe
