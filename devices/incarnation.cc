#include "devices/incarnation.h"

#include <mutex>
#include <random>

namespace troupe {

uint64_t new_incarnation() {
  // To ask the system each time takes longer than all else that a session needs.
  static std::mutex mu;
  static std::mt19937_64 random = [] {
    std::random_device system;
    std::seed_seq seed{system(), system(), system(), system()};
    return std::mt19937_64(seed);
  }();
  std::lock_guard lock(mu);
  uint64_t v = 0;
  while (v == 0) v = random();
  return v;
}

}  // namespace troupe
