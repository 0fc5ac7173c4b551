// Actors that die: their step fails and says who died; other steps do not notice, and the session runs on.
#include <caf/all.hpp>
#include <gmock/gmock.h>

#include <future>

#include "actors/runtime_impl.h"

#include "absl/strings/str_cat.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

constexpr char kCpu0[] = "/job:localhost/replica:0/task:0/device:CPU:0";
constexpr char kCpu1[] = "/job:localhost/replica:0/task:0/device:CPU:1";
constexpr std::chrono::seconds kPatience{20};

/// Two steps that hang until somebody acts: "across" on two devices, where CPU:0 waits for what CPU:1 does not send, and
/// "alone" on CPU:0.
class SupervisionTest : public SessionTest {
 protected:
  SupervisionTest() {
    const int x = placeholder("x");
    const int far = add("far", "TestHang", {}, {{x, 0}}, {}, "/device:CPU:1");
    add("across", "Identity", {{"T", DataType::kFloat}}, {{far, 0}}, {}, "/device:CPU:0");
    add("alone", "TestHang", {}, {{x, 0}}, {}, "/device:CPU:0");
    const int near = add("near", "Identity", {{"T", DataType::kFloat}}, {{x, 0}}, {}, "/device:CPU:1");
    add("quick", "TestAdd", {}, {{near, 0}, {x, 0}}, {}, "/device:CPU:0");
    SessionOptions options;
    options.device_count["CPU"] = 2;
    open(options);
  }

  /// Whatever died, nothing is left of the session's steps.
  ~SupervisionTest() override {
    session_.reset();
    const auto end = std::chrono::steady_clock::now() + kPatience;
    const auto& left = *runtime_->impl().live_slots;
    while (left > 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_EQ(left.load(), 0) << "slots that something still holds";
  }

  std::future<absl::Status> begin(const std::string& fetch) {
    const size_t before = running_slots().size();
    auto step = std::async(std::launch::async, [this, fetch] {
      return session_->run({{"x", Tensor::scalar<float>(1)}}, {fetch}).status();
    });
    // Not only counted in: it has reached the kernel that hangs.
    while (running_slots().size() == before || !hangs(fetch)) std::this_thread::yield();
    return step;
  }

  bool hangs(const std::string& fetch) {
    const auto reports = session_->inspect();
    if (!reports.ok()) return false;
    for (const StepReport& report : *reports) {
      if (report.fetches != std::vector<std::string>{fetch}) continue;
      for (const std::string& line : report.frontier) {
        if (line.find("TestHang") != std::string::npos && line.find("running") != std::string::npos)
          return true;
      }
    }
    return false;
  }

  std::shared_ptr<SessionCore> core() { return runtime_->impl().live_sessions().at(0); }

  std::vector<std::shared_ptr<StepSlot>> running_slots() {
    std::vector<std::shared_ptr<StepSlot>> slots;
    for (const auto& weak : core()->slots()) {
      auto slot = weak.lock();
      if (slot != nullptr && slot->report_from_outside().step_id != 0) slots.push_back(std::move(slot));
    }
    return slots;
  }

  std::shared_ptr<StepSlot> slot_of(const std::string& fetch) {
    for (auto& slot : running_slots()) {
      if (slot->code->fetches == std::vector<std::string>{fetch}) return slot;
    }
    ADD_FAILURE() << fetch << " does not run";
    return nullptr;
  }

  /// The index of the partition on a device.
  static size_t part_on(const StepSlot& slot, const std::string& device) {
    size_t i = 0;
    while (slot.code->partitions.at(i)->device()->name() != device) ++i;
    return i;
  }

  template <class Handle>
  static void kill(const Handle& actor) {
    caf::anon_send_exit(actor, caf::exit_reason::kill);
  }

  void expect_that_it_works() {
    for (int i = 0; i < 20; ++i) {
      const auto out = session_->run({{"x", Tensor::scalar<float>(21)}}, {"quick"});
      ASSERT_TRUE(out.ok()) << out.status();
      EXPECT_EQ((*out)[0].value<float>(), 42);
    }
  }

  /// A hanging step that must outlive what the test does, and can still be cancelled then.
  void expect_still_running(std::future<absl::Status>& step, const std::string& fetch) {
    ASSERT_EQ(step.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout) << step.get();
    const auto slot = slot_of(fetch);
    ASSERT_NE(slot, nullptr);
    EXPECT_TRUE(session_->cancel_step(slot->life.id()).ok());
    EXPECT_EQ(step.get().code(), absl::StatusCode::kCancelled);
  }

  static void expect_death(std::future<absl::Status>& step, const std::string& who) {
    ASSERT_EQ(step.wait_for(kPatience), std::future_status::ready) << "nobody noticed";
    const absl::Status end = step.get();
    EXPECT_EQ(end.code(), absl::StatusCode::kInternal) << end;
    EXPECT_THAT(std::string(end.message()), HasSubstr(absl::StrCat("the ", who, " of step ")));
    EXPECT_THAT(std::string(end.message()), HasSubstr("died"));
  }
};

TEST_F(SupervisionTest, an_executor_that_dies_fails_its_step_alone) {
  for (const char* device : {kCpu0, kCpu1}) {
    for (int round = 0; round < 3; ++round) {
      auto other = begin("alone");
      auto step = begin("across");
      const auto slot = slot_of("across");
      kill(slot->executors[part_on(*slot, device)]);
      expect_death(step, absl::StrCat("executor of ", device));
      expect_that_it_works();
      expect_still_running(other, "alone");
    }
  }
}

TEST_F(SupervisionTest, a_rendezvous_that_dies_fails_its_step_alone) {
  for (int round = 0; round < 3; ++round) {
    auto other = begin("alone");
    auto step = begin("across");
    kill(slot_of("across")->rendezvous);
    expect_death(step, "rendezvous");
    expect_that_it_works();
    expect_still_running(other, "alone");
  }
}

TEST_F(SupervisionTest, a_device_that_dies_fails_the_steps_on_it_and_is_made_anew) {
  for (int round = 0; round < 3; ++round) {
    auto other = begin("alone");
    auto step = begin("across");
    const auto slot = slot_of("across");
    kill(slot->devices[part_on(*slot, kCpu1)]);
    expect_death(step, absl::StrCat("device ", kCpu1));
    expect_that_it_works();
    expect_still_running(other, "alone");
  }
}

TEST_F(SupervisionTest, a_step_that_dies_fails_its_run_alone) {
  for (int round = 0; round < 3; ++round) {
    auto other = begin("alone");
    auto step = begin("across");
    kill(slot_of("across")->step);
    ASSERT_EQ(step.wait_for(kPatience), std::future_status::ready) << "nobody noticed";
    const absl::Status end = step.get();
    EXPECT_EQ(end.code(), absl::StatusCode::kInternal) << end;
    EXPECT_THAT(std::string(end.message()), HasSubstr("died"));
    expect_that_it_works();
    expect_still_running(other, "alone");
  }
}

TEST_F(SupervisionTest, actors_that_die_between_steps_are_replaced) {
  for (int victim = 0; victim < 4; ++victim) {
    expect_that_it_works();
    int killed = 0;
    for (const auto& weak : core()->slots()) {
      const auto slot = weak.lock();
      if (slot == nullptr || slot->life.broken()) continue;
      ++killed;
      switch (victim) {
        case 0: kill(slot->executors[0]); break;
        case 1: kill(slot->rendezvous); break;
        case 2: kill(slot->devices[0]); break;
        default: kill(slot->step); break;
      }
      const auto deadline = std::chrono::steady_clock::now() + kPatience;
      while (!slot->life.broken() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
      EXPECT_TRUE(slot->life.broken()) << "victim " << victim;
    }
    EXPECT_GE(killed, 1);
    expect_that_it_works();
  }
}

TEST_F(SupervisionTest, a_session_that_dies_ends_its_steps) {
  auto step = begin("alone");
  kill(core()->actor);
  ASSERT_EQ(step.wait_for(kPatience), std::future_status::ready) << "nobody noticed";
  EXPECT_EQ(step.get().code(), absl::StatusCode::kCancelled);
  const absl::Status end = session_->run({{"x", Tensor::scalar<float>(1)}}, {"quick"}).status();
  EXPECT_FALSE(end.ok());
}

}  // namespace
}  // namespace troupe::test
