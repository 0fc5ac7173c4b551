#include "actors/node/step_directory.h"

#include <caf/all.hpp>

#include "absl/strings/str_cat.h"
#include "graph/status.h"

namespace troupe {

void StepDirectory::hand_over(const RendezvousActor& to, PushedValue value) {
  caf::anon_send(to, RendezvousSend{std::move(value.key), std::move(value.value), value.is_dead});
}

void StepDirectory::add_session(uint64_t session) {
  std::lock_guard lock(mu_);
  sessions_.try_emplace(session);
}

void StepDirectory::remove_session(uint64_t session) {
  decltype(sessions_)::node_type gone;  // freed outside the lock
  std::lock_guard lock(mu_);
  gone = sessions_.extract(session);
}

void StepDirectory::open(uint64_t session, int64_t step, const RendezvousActor& rendezvous) {
  std::lock_guard lock(mu_);
  Session& s = sessions_[session];
  s.open[step] = rendezvous;
  auto early = s.early.find(step);
  if (early == s.early.end()) return;
  // Under the lock: what comes next comes after.
  for (PushedValue& v : early->second) {
    s.early_bytes -= v.value.bytes();
    hand_over(rendezvous, std::move(v));
  }
  s.early.erase(early);
}

void StepDirectory::close(uint64_t session, int64_t step) {
  std::vector<PushedValue> dropped;  // freed outside the lock
  std::lock_guard lock(mu_);
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return;
  Session& s = found->second;
  s.open.erase(step);
  if (auto early = s.early.find(step); early != s.early.end()) {
    for (const PushedValue& v : early->second) s.early_bytes -= v.value.bytes();
    dropped = std::move(early->second);
    s.early.erase(early);
  }
  if (!s.over.insert(step).second) return;
  s.over_order.push_back(step);
  if (s.over_order.size() <= kRemembered) return;
  s.over.erase(s.over_order.front());
  s.over_order.pop_front();
}

absl::Status StepDirectory::deliver(PushedValue value) {
  std::lock_guard lock(mu_);
  const auto found = sessions_.find(value.session);
  if (found == sessions_.end()) return absl::OkStatus();
  Session& s = found->second;
  if (const auto open = s.open.find(value.step); open != s.open.end()) {
    // Under the lock: not after the step is closed, and its RENDEZVOUS another's.
    hand_over(open->second, std::move(value));
    return absl::OkStatus();
  }
  if (s.over.contains(value.step)) return absl::OkStatus();
  if (s.early_bytes + value.value.bytes() > kMostEarlyBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("values for steps that have not begun take more than ", kMostEarlyBytes, " bytes"));
  }
  s.early_bytes += value.value.bytes();
  const int64_t step = value.step;
  s.early[step].push_back(std::move(value));
  return absl::OkStatus();
}

absl::Status StepDirectory::deliver(const absl::Cord& body) {
  TROUPE_ASSIGN_OR_RETURN(PushedValue value, unpack_pushed(body));
  return deliver(std::move(value));
}

bool StepDirectory::is_over(uint64_t session, int64_t step) const {
  std::lock_guard lock(mu_);
  const auto found = sessions_.find(session);
  return found != sessions_.end() && found->second.over.contains(step);
}

size_t StepDirectory::num_open() const {
  std::lock_guard lock(mu_);
  size_t n = 0;
  for (const auto& [id, s] : sessions_) n += s.open.size();
  return n;
}

size_t StepDirectory::num_early() const {
  std::lock_guard lock(mu_);
  size_t n = 0;
  for (const auto& [id, s] : sessions_) {
    for (const auto& [step, values] : s.early) n += values.size();
  }
  return n;
}

}  // namespace troupe
