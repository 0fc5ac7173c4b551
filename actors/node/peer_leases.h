#pragma once

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "actors/cluster/lease.h"

namespace troupe {

/// The leases of a NODE's connections, by their numbers: those of tasks, and of who has not said yet who he is, are short, those of clients longer.
/// One thread's.
class PeerLeases {
 public:
  PeerLeases(LeaseOptions tasks, LeaseOptions clients) : tasks_(tasks), clients_(clients) {}

  void watch(uint64_t connection, LeaseTime now);
  void watch_as_client(uint64_t connection, LeaseTime now);
  void heard(uint64_t connection, LeaseTime now);
  void forget(uint64_t connection);

  struct Expired {
    uint64_t connection = 0;
    std::chrono::milliseconds silence{0};
  };
  /// Once a period of the tasks' lease.
  std::vector<Expired> turn(LeaseTime now);

 private:
  LeaseTable tasks_;
  LeaseTable clients_;
};

}  // namespace troupe
