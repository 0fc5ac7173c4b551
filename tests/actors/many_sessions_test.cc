// Sessions in great numbers, one after the other and at once: what is left of them.
#include <caf/all.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <thread>

#include "absl/strings/str_cat.h"
#include "actors/runtime_impl.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

#ifdef TROUPE_SANITIZED
constexpr int kOneAfterTheOther = 500, kAtOnce = 200;
#else
constexpr int kOneAfterTheOther = 10'000, kAtOnce = 2'000;
#endif
constexpr std::chrono::seconds kPatience{60};

int count_threads() {
  std::FILE* f = std::fopen("/proc/self/status", "r");
  if (f == nullptr) return 0;
  int threads = 0;
  char line[256];
  while (threads == 0 && std::fgets(line, sizeof(line), f) != nullptr)
    std::sscanf(line, "Threads: %d", &threads);
  std::fclose(f);
  return threads;
}

bool soon(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!holds() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return holds();
}

class ManySessions : public SessionTest {
 protected:
  ManySessions() {
    const int x = placeholder("x");
    add("twice", "TestAdd", {}, {{x, 0}, {x, 0}});
  }
  std::unique_ptr<Session> open_one(const SessionOptions& options = {}) {
    auto session = Session::open(*runtime_, options);
    EXPECT_TRUE(session.ok()) << session.status();
    EXPECT_TRUE((*session)->create(graph_.clone()).ok());
    return *std::move(session);
  }
  static float run(Session& session, float x) {
    const auto fetched = session.run({{"x", Tensor::scalar<float>(x)}}, {"twice"});
    EXPECT_TRUE(fetched.ok()) << fetched.status();
    return fetched.ok() ? fetched->at(0).value<float>() : 0;
  }
  RuntimeStatus status() {
    caf::scoped_actor self{runtime_->system()};
    RuntimeStatus status;
    self->request(runtime_->impl().actor, kPatience, RuntimeStatusRequest{})
        .receive([&](RuntimeStatus& s) { status = std::move(s); },
                 [](caf::error&) { ADD_FAILURE() << "RUNTIME does not answer"; });
    return status;
  }
  void expect_nothing_left(int64_t runs) {
    EXPECT_TRUE(soon([&] { return *runtime_->impl().live_slots == 0; })) << *runtime_->impl().live_slots;
    EXPECT_TRUE(runtime_->impl().known_sessions().empty());
    const RuntimeStatus now = status();
    EXPECT_EQ(now.sessions, 0);
    EXPECT_EQ(now.runs, runs);
    EXPECT_TRUE(now.steps.empty());
  }
};

TEST_F(ManySessions, leave_nothing_when_they_come_one_after_the_other) {
  run(*open_one(), 1);
  const int threads = count_threads();
  for (int i = 1; i < kOneAfterTheOther; ++i) {
    const auto session = open_one();
    ASSERT_EQ(run(*session, static_cast<float>(i)), static_cast<float>(2 * i));
  }
  expect_nothing_left(kOneAfterTheOther);
  EXPECT_LE(count_threads(), threads);
}

TEST_F(ManySessions, take_no_threads_and_rest_without_slots) {
  std::vector<std::unique_ptr<Session>> all;
  all.push_back(open_one());
  run(*all[0], 1);
  const int threads = count_threads();
  for (int i = 1; i < kAtOnce; ++i) {
    // Names are looked for among all others.
    SessionOptions options;
    options.handle = absl::StrCat("session ", i);
    all.push_back(open_one(options));
    ASSERT_EQ(run(*all.back(), static_cast<float>(i)), static_cast<float>(2 * i));
  }
  EXPECT_EQ(count_threads(), threads);
  EXPECT_EQ(status().sessions, kAtOnce);
  EXPECT_TRUE(soon([&] { return *runtime_->impl().live_slots == 0; })) << "they run no more";
  for (int i = 0; i < kAtOnce; ++i) ASSERT_EQ(run(*all[i], 3), 6);
  all.clear();
  expect_nothing_left(2 * kAtOnce);
}

}  // namespace
}  // namespace troupe::test
