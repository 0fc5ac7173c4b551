#include "actors/units/thread_urgency.h"

#if defined(__linux__)
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <cstdint>

namespace troupe {
namespace {

#if defined(__linux__)
/// Added to what the thread has.
constexpr int kNicer = 5;
// In nanoseconds; what the kernel takes at most and at least. Its own choice is 1 to 3 milliseconds.
constexpr uint64_t kLongTurn = 100'000'000;
constexpr uint64_t kShortTurn = 100'000;

/// As sched_setattr(2) has it; <linux/sched/types.h> clashes with <sched.h>.
struct SchedulingAttributes {
  uint32_t size = sizeof(SchedulingAttributes);
  uint32_t policy = 0;
  uint64_t flags = 8;  // SCHED_FLAG_KEEP_POLICY
  int32_t niceness = 0;
  uint32_t priority = 0;
  uint64_t runtime = 0;
  uint64_t deadline = 0;
  uint64_t period = 0;
};
static_assert(sizeof(SchedulingAttributes) == 48);

/// Of the calling thread: the length of a turn.
void set_turn(uint64_t nanoseconds) {
  SchedulingAttributes attributes;
  attributes.niceness = getpriority(PRIO_PROCESS, 0);
  attributes.runtime = nanoseconds;
  (void)syscall(SYS_sched_setattr, 0, &attributes, 0);
}
#endif

}  // namespace

void yield_to_others() {
#if defined(__linux__)
  (void)setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + kNicer);
  set_turn(kLongTurn);
#endif
}

void take_short_turns() {
#if defined(__linux__)
  set_turn(kShortTurn);
#endif
}

}  // namespace troupe
