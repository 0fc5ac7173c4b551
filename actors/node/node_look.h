#pragma once

#include <chrono>

#include "absl/functional/function_ref.h"
#include "actors/sockets/short_look.h"
#include "actors/sockets/socket.h"

namespace troupe {

/// A NODE's look for what its peers say next, before its thread sleeps: only while words follow one another at once. One thread's.
class NodeLook {
 public:
  NodeLook();

  /// Looks at this socket, too, until it is closed.
  void add(int socket);
  /// A word has come. Before what it leads to.
  void heard();
  /// There is nothing to do: may return when there is, by a socket or because `is_told` says so.
  void rest(absl::FunctionRef<bool()> is_told);

 private:
  using Clock = std::chrono::steady_clock;

  /// Of epoll; -1 when the system has none left: it does not look.
  const Socket sockets_;
  ShortLook look_;
  Clock::time_point rests_since_;
  bool is_busy_ = false;
};

}  // namespace troupe
