#pragma once

#include <caf/io/network/event_handler.hpp>
#include <caf/io/network/operation.hpp>

#include <cstdint>
#include <memory>
#include <utility>

#include "actors/messages/in_process.h"

namespace caf::io {
class broker;
}  // namespace caf::io

namespace troupe {

/// INTERNAL: a socket of a NODE's is ready.
struct SocketReady {
  uint64_t id = 0;
  /// Else to be read, or in a state that reading tells.
  bool to_write = false;
};

/// Tells a broker, by SocketReady on its thread, CAF's multiplexer's, when a socket is ready: to be read, unless it is paused, and, when that is wanted, to be
/// written. CAF's own scribes read into a buffer of one size, which they clear before each read, and write what was copied into another, when the thread
/// comes by again. On that thread alone.
class SocketEvents final : public caf::io::network::event_handler,
                           public std::enable_shared_from_this<SocketEvents> {
 public:
  /// Keeps it, and ends what it tells.
  class Watch {
   public:
    explicit Watch(std::shared_ptr<SocketEvents> events = nullptr) : events_(std::move(events)) {}
    Watch(Watch&& o) noexcept = default;
    Watch& operator=(Watch&& o) noexcept {
      std::swap(events_, o.events_);
      return *this;
    }
    ~Watch() {
      if (events_ != nullptr) events_->stop();
    }
    SocketEvents* operator->() const { return events_.get(); }

   private:
    std::shared_ptr<SocketEvents> events_;
  };

  /// For as long as the Watch lives, which ends on the same thread. The socket is `owner`'s, which is kept, beyond that, until the multiplexer has forgotten
  /// the socket.
  static Watch watch(caf::io::broker* broker, int socket, std::shared_ptr<const void> owner, uint64_t id);
  ~SocketEvents() override;

  void want_write(bool wanted);
  void want_read(bool wanted);

 private:
  SocketEvents(caf::io::network::default_multiplexer& loop, int socket, std::shared_ptr<const void> owner,
               caf::io::broker* broker, uint64_t id);
  void handle_event(caf::io::network::operation op) override;
  void removed_from_loop(caf::io::network::operation op) override;
  void graceful_shutdown() override {}
  void stop();
  std::shared_ptr<SocketEvents>& kept_for(caf::io::network::operation op);
  void want(caf::io::network::operation op, bool wanted);

  const std::shared_ptr<const void> owner_;
  /// Null: stopped.
  caf::io::broker* broker_;
  const uint64_t id_;
  /// Itself, while the multiplexer knows it for reading, or writing.
  std::shared_ptr<SocketEvents> reads_, writes_;
};

}  // namespace troupe
