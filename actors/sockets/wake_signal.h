#pragma once

#include <poll.h>
#include <sys/eventfd.h>

#include "actors/sockets/socket.h"

namespace troupe {

/// Wakes a thread that polls descriptors. It stays given until it is taken. Thread-safe.
class WakeSignal {
 public:
  pollfd awaited() const { return {event_.get(), POLLIN, 0}; }
  void give() const { (void)::eventfd_write(event_.get(), 1); }
  void take() const {
    eventfd_t times = 0;
    (void)::eventfd_read(event_.get(), &times);
  }

 private:
  const Socket event_{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
};

}  // namespace troupe
