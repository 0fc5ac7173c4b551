#include "actors/cluster/clock_offset.h"

#include <algorithm>

namespace troupe {
namespace {

/// Clocks of honest peers are far below this (146 years); beyond it differences overflow.
constexpr int64_t kFarthest = int64_t{1} << 62;

bool is_time(int64_t t) { return t >= 0 && t < kFarthest; }

}  // namespace

bool ClockOffset::add(int64_t sent, int64_t peer_received, int64_t peer_answered, int64_t received) {
  if (!is_time(sent) || !is_time(peer_received) || !is_time(peer_answered) || !is_time(received))
    return false;
  const int64_t away = received - sent, there = peer_answered - peer_received;
  if (away < 0 || there < 0 || there > away) return false;
  const int64_t out = peer_received - sent, back = peer_answered - received;
  samples_[next_] = {out / 2 + back / 2 + (out % 2 + back % 2) / 2, away - there};
  next_ = (next_ + 1) % kSamples;
  count_ = std::min(count_ + 1, kSamples);
  return true;
}

const ClockOffset::Sample& ClockOffset::best() const {
  return *std::min_element(samples_.begin(), samples_.begin() + count_,
                           [](const Sample& a, const Sample& b) { return a.round_trip < b.round_trip; });
}

std::chrono::nanoseconds ClockOffset::offset() const {
  return std::chrono::nanoseconds(known() ? best().offset : 0);
}

std::optional<std::chrono::nanoseconds> ClockOffset::doubt() const {
  if (!known()) return std::nullopt;
  // Rounded up: half of an odd nanosecond is doubt, too.
  return std::chrono::nanoseconds((best().round_trip + 1) / 2);
}

}  // namespace troupe
