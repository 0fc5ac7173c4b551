#include "actors/cluster/lease.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

/// Calls are at most a period apart; a gap of more than this many periods is one in which this process did not run.
constexpr int kGapPeriods = 2;

std::chrono::milliseconds in_ms(std::chrono::nanoseconds t) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(t);
}

}  // namespace

absl::Status LeaseOptions::check() const {
  if (period.count() > 0 && 2 * period <= suspect_after && suspect_after < lease) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("a lease of ", lease.count(), " ms, renewed every ", period.count(),
                   " ms, whose peers are suspect after ", suspect_after.count(),
                   " ms; expected two renewals or more before a peer is suspect, and "
                   "that before its lease is over"));
}

void LeaseTable::live(LeaseTime now) {
  if (!last_) last_ = now;
  if (now <= *last_) return;
  const std::chrono::nanoseconds passed = now - *last_;
  last_ = now;
  if (passed <= kGapPeriods * options_.period) {
    lived_ += passed;
    return;
  }
  // One period counts, so that a process that is slow for ever still finds the dead.
  lived_ += options_.period;
  for (auto& [task, peer] : peers_) {
    if (lived_ - peer.heard < options_.lease || std::exchange(peer.spared, true)) continue;
    peer.heard = lived_ - (options_.lease - options_.period);
  }
}

void LeaseTable::watch(const TaskId& peer, uint64_t incarnation, LeaseTime now) {
  live(now);
  peers_[peer] = Peer{incarnation, lived_};
}

void LeaseTable::forget(const TaskId& peer) { peers_.erase(peer); }

std::optional<LeaseEvent> LeaseTable::heard(const TaskId& peer, uint64_t incarnation, LeaseTime now) {
  live(now);
  auto found = peers_.find(peer);
  if (found == peers_.end()) return std::nullopt;
  Peer& p = found->second;
  const std::chrono::milliseconds silence = in_ms(lived_ - p.heard);
  if (p.incarnation != incarnation) {
    const uint64_t before = p.incarnation;
    p = Peer{incarnation, lived_};
    return LeaseEvent{LeaseEvent::Kind::kRestarted, peer, before, silence};
  }
  p.heard = lived_;
  p.spared = false;
  if (!std::exchange(p.suspect, false)) return std::nullopt;
  return LeaseEvent{LeaseEvent::Kind::kTrusted, peer, incarnation, silence};
}

std::vector<LeaseEvent> LeaseTable::turn(LeaseTime now) {
  live(now);
  std::vector<LeaseEvent> events;
  for (auto& [task, peer] : peers_) {
    const std::chrono::nanoseconds silence = lived_ - peer.heard;
    if (silence >= options_.lease) {
      events.push_back({LeaseEvent::Kind::kExpired, task, peer.incarnation, in_ms(silence)});
    } else if (silence >= options_.suspect_after && !peer.suspect) {
      peer.suspect = true;
      events.push_back({LeaseEvent::Kind::kSuspect, task, peer.incarnation, in_ms(silence)});
    }
  }
  for (const LeaseEvent& e : events) {
    if (e.kind == LeaseEvent::Kind::kExpired) peers_.erase(e.peer);
  }
  std::sort(events.begin(), events.end(),
            [](const LeaseEvent& a, const LeaseEvent& b) { return a.peer < b.peer; });
  return events;
}

}  // namespace troupe
