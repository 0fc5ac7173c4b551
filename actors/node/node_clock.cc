#include "actors/node/node_clock.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

timespec timespec_of(std::chrono::milliseconds time) {
  return {time.count() / 1000, time.count() % 1000 * 1'000'000};
}

}  // namespace

absl::Status NodeClock::start(caf::io::broker* broker, std::chrono::milliseconds period) {
  timer_ = std::make_shared<const Socket>(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  // The nodes of one machine say together that they are alive, so that each is waked once for it, or twice.
  const std::chrono::nanoseconds now = std::chrono::steady_clock::now().time_since_epoch();
  const itimerspec every{timespec_of(period), timespec_of((now / period + 1) * period)};
  if (timer_->get() < 0 || ::timerfd_settime(timer_->get(), TFD_TIMER_ABSTIME, &every, nullptr) != 0)
    return absl::UnavailableError(absl::StrCat("there is no clock for a node: ", std::strerror(errno)));
  events_ = SocketEvents::watch(broker, timer_->get(), timer_, kId);
  return absl::OkStatus();
}

void NodeClock::take() const {
  uint64_t periods = 0;
  (void)!::read(timer_->get(), &periods, sizeof(periods));
}

}  // namespace troupe
