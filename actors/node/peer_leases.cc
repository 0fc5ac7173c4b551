#include "actors/node/peer_leases.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

/// As whom a connection has a lease, and which one that is.
TaskId key(uint64_t connection) { return {absl::StrCat(connection), 0}; }

uint64_t connection_of(const TaskId& key) {
  uint64_t connection = 0;
  (void)absl::SimpleAtoi(key.job, &connection);
  return connection;
}

}  // namespace

void PeerLeases::watch(uint64_t connection, LeaseTime now) { tasks_.watch(key(connection), 1, now); }

void PeerLeases::watch_as_client(uint64_t connection, LeaseTime now) {
  tasks_.forget(key(connection));
  clients_.watch(key(connection), 1, now);
}

void PeerLeases::heard(uint64_t connection, LeaseTime now) {
  // It is in one of them.
  (void)tasks_.heard(key(connection), 1, now);
  (void)clients_.heard(key(connection), 1, now);
}

void PeerLeases::forget(uint64_t connection) {
  tasks_.forget(key(connection));
  clients_.forget(key(connection));
}

std::vector<PeerLeases::Expired> PeerLeases::turn(LeaseTime now) {
  std::vector<Expired> out;
  for (LeaseTable* table : {&tasks_, &clients_}) {
    for (const LeaseEvent& e : table->turn(now)) {
      if (e.kind == LeaseEvent::Kind::kExpired) out.push_back({connection_of(e.peer), e.silence});
    }
  }
  return out;
}

}  // namespace troupe
