#include "actors/node/node_look.h"

#include <sys/epoll.h>

namespace troupe {
namespace {

/// Between words that follow one another: an answer that two threads were waked for comes within it.
constexpr std::chrono::microseconds kAtOnce{250};

}  // namespace

NodeLook::NodeLook() : sockets_(::epoll_create1(EPOLL_CLOEXEC)) {}

void NodeLook::add(int socket) {
  epoll_event ready{};
  ready.events = EPOLLIN;
  (void)::epoll_ctl(sockets_.get(), EPOLL_CTL_ADD, socket, &ready);
}

void NodeLook::heard() { is_busy_ = Clock::now() - rests_since_ < kAtOnce; }

void NodeLook::rest(absl::FunctionRef<bool()> is_told) {
  rests_since_ = Clock::now();
  if (!is_busy_) return;
  epoll_event one;
  const bool come = look_.look([&] { return ::epoll_wait(sockets_.get(), &one, 1, 0) != 0 || is_told(); });
  if (!come) rests_since_ = Clock::now();
}

}  // namespace troupe
