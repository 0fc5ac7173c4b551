// Partial runs by message: leases, clients that die, fetches as they come, and many at once.
#include <gmock/gmock.h>

#include <caf/all.hpp>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <future>
#include <thread>

#include "actors/errors.h"
#include "actors/interfaces.h"
#include "actors/runtime_impl.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::chrono::seconds kPatience{20};

Tensor f(float value) { return Tensor::scalar<float>(value); }

/// Asks for a partial run, and lives until it is told to end.
class Client final : public FetchListener::base {
 public:
  Client(caf::actor_config& config, SessionActor session, PartialRunSetup setup,
         std::promise<std::string>* begun)
      : FetchListener::base(config), session_(std::move(session)), setup_(std::move(setup)), begun_(begun) {}
  void on_exit() override { session_ = nullptr; }
  behavior_type make_behavior() override {
    request(session_, caf::infinite, setup_)
        .then([this](const std::string& handle, const PartialRunActor&) { begun_->set_value(handle); },
              [this](caf::error& error) { begun_->set_value(std::string(to_status(error).message())); });
    return {[](const FetchReady&) {}};
  }

 private:
  SessionActor session_;
  PartialRunSetup setup_;
  std::promise<std::string>* begun_;
};

class PartialRunClientsTest : public SessionTest {
 protected:
  PartialRunClientsTest() {
    const int a = placeholder("a");
    const int b = placeholder("b");
    add("twice", "TestAdd", {}, {{a, 0}, {a, 0}});
    add("sum", "TestAdd", {}, {{a, 0}, {b, 0}});
  }
  SessionActor actor() { return runtime_->impl().live_sessions().at(0)->actor; }
  static PartialRunSetup setup(bool ends_with_client) {
    PartialRunSetup m;
    m.feeds = {"a", "b"};
    m.fetches = {"twice:0", "sum:0"};
    m.ends_with_client = ends_with_client;
    return m;
  }
  /// Spawned, and its partial run begun.
  FetchListener client(bool ends_with_client, std::string* handle) {
    std::promise<std::string> begun;
    FetchListener c = runtime_->system().spawn<Client>(actor(), setup(ends_with_client), &begun);
    *handle = begun.get_future().get();
    return c;
  }
};

TEST_F(PartialRunClientsTest, end_with_the_client_that_asked_for_it) {
  Session& s = open();
  std::string tied, free;
  const FetchListener dies = client(true, &tied);
  const FetchListener dies_too = client(false, &free);
  const auto forked = s.partial_run_fork(tied);
  ASSERT_TRUE(forked.ok()) << forked.status();
  EXPECT_EQ(s.counters().running_steps, 3);
  caf::anon_send_exit(dies, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(dies_too, caf::exit_reason::kill);
  const auto limit = std::chrono::steady_clock::now() + kPatience;
  while (s.partial_runs()->size() > 1 && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  ASSERT_EQ(s.partial_runs()->size(), 1U) << "the fork ends with the same client";
  EXPECT_EQ(s.partial_runs()->at(0).handle, free);
  EXPECT_THAT(std::string(s.partial_run(tied, {}, {}).status().message()), HasSubstr("Must run 'setup'"));
  EXPECT_EQ(s.partial_run(free, {{"a", f(2)}}, {"twice:0"})->at(0).value<float>(), 4);
}

TEST_F(PartialRunClientsTest, have_leases_of_their_own_within_bounds) {
  Session& s = open();
  for (const auto lease : {std::chrono::milliseconds(-1), std::chrono::milliseconds::max()}) {
    const absl::Status refused = s.partial_run_setup({"a", "b"}, {"sum:0"}, {}, lease).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << refused;
    EXPECT_THAT(std::string(refused.message()), HasSubstr(std::to_string(lease.count())));
  }
  EXPECT_EQ(s.counters().running_steps, 0);
  const auto kept = s.partial_run_setup({"a", "b"}, {"sum:0"}, {}, std::chrono::milliseconds(0));
  const auto short_lived = s.partial_run_setup({"a", "b"}, {"sum:0"}, {}, std::chrono::milliseconds(20));
  ASSERT_TRUE(kept.ok() && short_lived.ok());
  const auto limit = std::chrono::steady_clock::now() + kPatience;
  while (s.partial_runs()->size() > 1 && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  ASSERT_EQ(s.partial_runs()->size(), 1U);
  EXPECT_EQ(s.partial_runs()->at(0).handle, *kept);
}

TEST_F(PartialRunClientsTest, tell_each_fetch_of_a_turn_to_its_listener) {
  open();
  caf::scoped_actor self{runtime_->system()};
  PartialRunActor run;
  std::string handle;
  self->request(actor(), caf::infinite, setup(false))
      .receive([&](std::string& h, const PartialRunActor& a) { handle = h, run = a; },
               [](caf::error& e) { FAIL() << to_status(e); });
  PartialRunTurn turn{{{"a", f(2)}, {"b", f(3)}}, {"sum:0", "twice:0"}};
  turn.listener = caf::actor_cast<FetchListener>(self);
  std::map<std::string, float> heard;
  auto answered = self->request(run, caf::infinite, turn);
  for (int i = 0; i < 2; ++i) {
    self->receive([&](const FetchReady& m) {
      EXPECT_EQ(m.handle, handle);
      EXPECT_EQ(turn.fetches.at(m.index), m.name);
      heard[m.name] = m.value.value<float>();
    });
  }
  answered.receive([](const RunReply& r) { EXPECT_EQ(r.fetches.size(), 2U); },
                   [](caf::error& e) { FAIL() << to_status(e); });
  EXPECT_EQ(heard, (std::map<std::string, float>{{"sum:0", 5}, {"twice:0", 4}}));
}

TEST_F(PartialRunClientsTest, are_cancelled_by_handle_and_then_say_so) {
  Session& s = open();
  const auto handle = s.partial_run_setup({"a", "b"}, {"sum:0"});
  const auto other = s.partial_run_setup({"a", "b"}, {"sum:0"});
  ASSERT_TRUE(handle.ok() && other.ok());
  ASSERT_TRUE(s.cancel_partial_run(*handle, "enough").ok());
  EXPECT_EQ(s.inspect_partial_run(*handle)->status.code(), absl::StatusCode::kCancelled);
  const absl::Status told = s.partial_run(*handle, {{"a", f(1)}}, {}).status();
  EXPECT_EQ(told.code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(std::string(told.message()), HasSubstr("enough"));
  EXPECT_EQ(s.cancel_partial_run(*handle).code(), absl::StatusCode::kInvalidArgument) << "it is gone";
  EXPECT_EQ(s.partial_run(*other, {{"a", f(1)}, {"b", f(2)}}, {"sum:0"})->at(0).value<float>(), 3);
}

long resident_bytes() {
  long total = 0, resident = 0;
  if (FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return resident * 4096;
}

long threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

TEST_F(PartialRunClientsTest, ten_thousand_are_open_at_once_within_bounds) {
  constexpr long kRuns = 10'000;
  constexpr long kBytesEach = 32 * 1024;
  Session& s = open();
  const auto first = s.partial_run_setup({"a", "b"}, {"twice:0", "sum:0"});
  ASSERT_TRUE(first.ok()) << first.status();
  const long threads_before = threads();
  const long bytes_before = resident_bytes();
  std::vector<std::string> handles;
  for (long i = 0; i < kRuns; ++i) {
    auto handle = s.partial_run_setup({"a", "b"}, {"twice:0", "sum:0"});
    ASSERT_TRUE(handle.ok()) << handle.status();
    handles.push_back(*std::move(handle));
  }
  EXPECT_EQ(s.counters().running_steps, kRuns + 1);
  EXPECT_EQ(s.partial_runs()->size(), static_cast<size_t>(kRuns + 1));
  EXPECT_LE(threads(), threads_before) << "an open run needs no thread";
#ifndef TROUPE_SANITIZED
  EXPECT_LT(resident_bytes() - bytes_before, kRuns * kBytesEach);
#endif
  for (const std::string& handle : handles) {
    const auto sum = s.partial_run(handle, {{"a", f(1)}, {"b", f(2)}}, {"sum:0", "twice:0"});
    ASSERT_TRUE(sum.ok()) << sum.status();
    ASSERT_EQ(sum->at(0).value<float>(), 3);
  }
  EXPECT_EQ(s.counters().running_steps, 1);
}

}  // namespace
}  // namespace troupe::test
