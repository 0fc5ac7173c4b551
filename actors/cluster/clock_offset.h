#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

namespace troupe {

/// How far a peer's clock is from ours, from requests and their answers, as NTP does it: the quicker the round trip, the less doubt. Of the
/// last kSamples the quickest counts. Times are nanoseconds of any clock that each side keeps to; for timelines, that of its trace.
/// Not thread-safe.
class ClockOffset {
 public:
  static constexpr size_t kSamples = 8;

  /// A round trip: when it left here and came back by our clock, when it came and was answered by the peer's. False, and nothing changes,
  /// when a clock went backwards on the way or the peer claims to have had it for longer than it was away.
  bool add(int64_t sent, int64_t peer_received, int64_t peer_answered, int64_t received);
  /// Of a peer that has restarted nothing is known.
  void reset() { *this = ClockOffset(); }

  bool known() const { return count_ > 0; }
  /// The peer's clock less ours; 0 when nothing is known.
  std::chrono::nanoseconds offset() const;
  /// The offset is off by at most this, if neither clock drifts: half the quickest round trip. Nothing when nothing is known.
  std::optional<std::chrono::nanoseconds> doubt() const;
  /// A time of the peer's clock by ours.
  int64_t to_ours(int64_t peer_time) const { return peer_time - offset().count(); }

 private:
  struct Sample {
    int64_t offset = 0;
    int64_t round_trip = 0;
  };
  const Sample& best() const;

  std::array<Sample, kSamples> samples_{};
  size_t count_ = 0;
  size_t next_ = 0;
};

}  // namespace troupe
