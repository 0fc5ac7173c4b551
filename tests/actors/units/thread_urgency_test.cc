#include "actors/units/thread_urgency.h"

#include <gtest/gtest.h>

#if defined(__linux__)
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

namespace troupe {
namespace {

/// What sched_getattr(2) fills.
struct SchedulingAttributes {
  uint32_t size, policy;
  uint64_t flags;
  int32_t niceness;
  uint32_t priority;
  uint64_t runtime, deadline, period;
};

struct Urgency {
  int niceness = 0;
  uint64_t turn = 0;
};

Urgency of_this_thread() {
  SchedulingAttributes attr{};
  EXPECT_EQ(syscall(SYS_sched_getattr, 0, &attr, sizeof attr, 0), 0);
  return {getpriority(PRIO_PROCESS, 0), attr.runtime};
}

/// What a new thread is after `become`.
Urgency after(void (*become)()) {
  Urgency found;
  std::thread([&] {
    become();
    found = of_this_thread();
  }).join();
  return found;
}

TEST(ThreadUrgency, a_thread_that_yields_is_nicer_than_others_and_they_stay_as_they_are) {
  const Urgency before = of_this_thread();
  if (before.niceness > 14) GTEST_SKIP() << "as nice as can be already";
  EXPECT_GT(after(&yield_to_others).niceness, before.niceness);
  EXPECT_EQ(of_this_thread().niceness, before.niceness);
}

TEST(ThreadUrgency, turns_are_short_for_control_and_long_for_labour) {
  const Urgency control = after(&take_short_turns);
  if (control.turn == 0) GTEST_SKIP() << "this kernel lets no thread choose its turns";
  EXPECT_LE(control.turn, 1'000'000U);
  EXPECT_GT(after(&yield_to_others).turn, control.turn);
  EXPECT_EQ(control.niceness, of_this_thread().niceness);
}

}  // namespace
}  // namespace troupe
#endif
