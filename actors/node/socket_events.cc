#include "actors/node/socket_events.h"

#include <caf/all.hpp>
#include <caf/io/all.hpp>
#include <caf/io/network/default_multiplexer.hpp>

#include <utility>

namespace troupe {

using caf::io::network::default_multiplexer;
using caf::io::network::operation;

SocketEvents::Watch SocketEvents::watch(caf::io::broker* broker, int socket,
                                        std::shared_ptr<const void> owner, uint64_t id) {
  auto& loop = dynamic_cast<default_multiplexer&>(broker->system().middleman().backend());
  const std::shared_ptr<SocketEvents> events(new SocketEvents(loop, socket, std::move(owner), broker, id));
  events->want_read(true);
  return Watch(events);
}

SocketEvents::SocketEvents(default_multiplexer& loop, int socket, std::shared_ptr<const void> owner,
                           caf::io::broker* broker, uint64_t id)
    : event_handler(loop, socket), owner_(std::move(owner)), broker_(broker), id_(id) {}

std::shared_ptr<SocketEvents>& SocketEvents::kept_for(operation op) {
  return op == operation::read ? reads_ : writes_;
}

SocketEvents::~SocketEvents() {
  // Its owner closes it.
  fd_ = caf::io::network::invalid_native_socket;
}

void SocketEvents::want_read(bool wanted) { want(operation::read, wanted); }
void SocketEvents::want_write(bool wanted) { want(operation::write, wanted); }

void SocketEvents::want(operation op, bool wanted) {
  std::shared_ptr<SocketEvents>& kept = kept_for(op);
  const auto mask = op == operation::read ? caf::io::network::input_mask : caf::io::network::output_mask;
  if (wanted) {
    kept = shared_from_this();
    return backend().add(op, fd(), this);
  }
  if (kept == nullptr) return;
  backend().del(op, fd(), this);
  // What had not got there yet is forgotten without a word.
  if ((eventbf() & mask) == 0) kept = nullptr;
}

void SocketEvents::stop() {
  const auto self = shared_from_this();
  broker_ = nullptr;
  want_write(false);
  want_read(false);
}

void SocketEvents::removed_from_loop(operation op) { const auto gone = std::exchange(kept_for(op), nullptr); }

void SocketEvents::handle_event(operation op) {
  if (broker_ == nullptr) return;
  const auto self = shared_from_this();
  const caf::strong_actor_ptr alive(broker_->ctrl());
  caf::mailbox_element_vals<SocketReady> word{
      caf::strong_actor_ptr{}, caf::make_message_id(), {}, SocketReady{id_, op == operation::write}};
  broker_->activate(&backend(), word);
}

}  // namespace troupe
