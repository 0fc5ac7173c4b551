#include "actors/node/step_directory.h"

#include <caf/all.hpp>

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "graph/status.h"

namespace troupe {

void StepDirectory::hand_over(const RendezvousActor& to, std::vector<PushedValue> values) {
  const auto as_sent = [](PushedValue& v) {
    return RendezvousSend{std::move(v.key), std::move(v.value), v.is_dead};
  };
  if (values.size() == 1) return caf::anon_send(to, as_sent(values[0]));
  RendezvousBatch all;
  all.values.reserve(values.size());
  for (PushedValue& v : values) all.values.push_back(as_sent(v));
  caf::anon_send(to, std::move(all));
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
  for (const PushedValue& v : early->second) s.early_bytes -= v.value.bytes();
  hand_over(rendezvous, std::move(early->second));
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

absl::Status StepDirectory::deliver(std::vector<PushedValue> values) {
  const int64_t step = values[0].step;
  std::lock_guard lock(mu_);
  const auto found = sessions_.find(values[0].session);
  if (found == sessions_.end()) return absl::OkStatus();
  Session& s = found->second;
  if (const auto open = s.open.find(step); open != s.open.end()) {
    // Under the lock: not after the step is closed, and its RENDEZVOUS another's.
    hand_over(open->second, std::move(values));
    return absl::OkStatus();
  }
  if (s.over.contains(step)) return absl::OkStatus();
  size_t bytes = 0;
  for (const PushedValue& v : values) bytes += v.value.bytes();
  if (s.early_bytes + bytes > kMostEarlyBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("values for steps that have not begun take more than ", kMostEarlyBytes, " bytes"));
  }
  s.early_bytes += bytes;
  std::move(values.begin(), values.end(), std::back_inserter(s.early[step]));
  return absl::OkStatus();
}

absl::Status StepDirectory::deliver(absl::Span<const absl::Cord> bodies) {
  std::vector<PushedValue> values;
  values.reserve(bodies.size());
  for (const absl::Cord& body : bodies) {
    TROUPE_ASSIGN_OR_RETURN(PushedValue value, unpack_pushed(body));
    if (!values.empty() && (values[0].session != value.session || values[0].step != value.step))
      TROUPE_RETURN_IF_ERROR(deliver(std::exchange(values, {})));
    values.push_back(std::move(value));
  }
  return values.empty() ? absl::OkStatus() : deliver(std::move(values));
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
