#include "actors/cluster/membership.h"

#include <gmock/gmock.h>

#include <random>

namespace troupe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = MemberEvent::Kind;

const TaskId kWorker0{"worker", 0}, kWorker1{"worker", 1}, kPs{"ps", 0};

class MembershipTest : public testing::Test {
 protected:
  MembershipTest() : nodes_(*ClusterSpec::parse("worker=a:1,b:1;ps=c:1")) {}

  /// What became of a join: the event's kind, or nothing.
  std::optional<Kind> join(const TaskId& task, const std::string& address, uint64_t incarnation) {
    auto event = nodes_.join(task, address, incarnation);
    EXPECT_TRUE(event.ok()) << event.status();
    if (!event.ok() || !*event) return std::nullopt;
    EXPECT_EQ((*event)->member.epoch, nodes_.epoch());
    return (*event)->kind;
  }
  Membership nodes_;
};

TEST_F(MembershipTest, says_who_is_missing) {
  const std::vector<TaskId> all = {kWorker0, kWorker1, kPs};
  EXPECT_THAT(nodes_.missing(all), ElementsAre(kWorker0, kWorker1, kPs));
  EXPECT_EQ(join(kWorker0, "a:1", 10), Kind::kJoined);
  EXPECT_EQ(join(kPs, "c:1", 30), Kind::kJoined);
  EXPECT_EQ(nodes_.waiting_for(all), "waiting for /job:worker/replica:0/task:1");
  EXPECT_EQ(nodes_.waiting_for(std::vector<TaskId>{kWorker0, kPs}), "");
  EXPECT_EQ(nodes_.die(kPs, 30)->kind, Kind::kDied);
  EXPECT_EQ(nodes_.waiting_for(all),
            "waiting for /job:worker/replica:0/task:1, /job:ps/replica:0/task:0 (dead)");
  EXPECT_EQ(join(kWorker1, "b:1", 20), Kind::kJoined);
  EXPECT_EQ(join(kPs, "c:1", 31), Kind::kReplaced);
  EXPECT_THAT(nodes_.missing(all), IsEmpty());
}

TEST_F(MembershipTest, counts_each_change_and_nothing_else) {
  EXPECT_EQ(nodes_.epoch(), 0u);
  join(kWorker0, "a:1", 10);
  EXPECT_EQ(nodes_.epoch(), 1u);
  EXPECT_EQ(join(kWorker0, "a:1", 10), std::nullopt) << "it says so again";
  EXPECT_EQ(nodes_.trust(kWorker0, 10), std::nullopt) << "it was never suspect";
  EXPECT_EQ(nodes_.suspect(kWorker0, 11), std::nullopt) << "another life";
  EXPECT_EQ(nodes_.leave(kWorker1, 20), std::nullopt) << "it never came";
  EXPECT_EQ(nodes_.epoch(), 1u);
  EXPECT_EQ(nodes_.suspect(kWorker0, 10)->kind, Kind::kSuspected);
  EXPECT_EQ(nodes_.suspect(kWorker0, 10), std::nullopt);
  EXPECT_EQ(nodes_.trust(kWorker0, 10)->kind, Kind::kTrusted);
  EXPECT_EQ(nodes_.drain(kWorker0, 10)->kind, Kind::kDraining);
  EXPECT_EQ(nodes_.leave(kWorker0, 10)->kind, Kind::kLeft);
  EXPECT_EQ(nodes_.die(kWorker0, 10), std::nullopt) << "it has left";
  EXPECT_EQ(nodes_.epoch(), 5u);
  EXPECT_EQ(nodes_.find(kWorker0)->epoch, 5u);
}

TEST_F(MembershipTest, suspects_may_get_work_and_those_who_drain_may_not) {
  join(kWorker0, "a:1", 10);
  join(kWorker1, "b:1", 20);
  nodes_.suspect(kWorker0, 10);
  nodes_.drain(kWorker1, 20);
  EXPECT_EQ(nodes_.waiting_for(std::vector<TaskId>{kWorker0, kWorker1}),
            "waiting for /job:worker/replica:0/task:1 (draining)");
  EXPECT_TRUE(nodes_.check(kWorker1, 20).ok()) << "it finishes what it has";
  EXPECT_EQ(join(kWorker0, "a:1", 10), Kind::kTrusted) << "a suspect that joins again is heard of";
}

TEST_F(MembershipTest, tells_handles_of_old_lives_that_they_are_stale) {
  EXPECT_EQ(nodes_.check(kWorker0, 10).code(), absl::StatusCode::kUnavailable) << "nobody is there";
  join(kWorker0, "a:1", 10);
  EXPECT_TRUE(nodes_.check(kWorker0, 10).ok());
  nodes_.die(kWorker0, 10);
  const absl::Status dead = nodes_.check(kWorker0, 10);
  EXPECT_EQ(dead.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(dead.message()), HasSubstr("/job:worker/replica:0/task:0 at a:1 is dead"));
  auto event = nodes_.join(kWorker0, "a:1", 11);
  ASSERT_TRUE(event.ok() && event->has_value());
  EXPECT_EQ((*event)->kind, Kind::kReplaced);
  EXPECT_EQ((*event)->replaced_incarnation, 10u);
  const absl::Status stale = nodes_.check(kWorker0, 10);
  EXPECT_EQ(stale.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(std::string(stale.message()), HasSubstr("/job:worker/replica:0/task:0 has restarted"));
  EXPECT_TRUE(nodes_.check(kWorker0, 11).ok());
}

TEST_F(MembershipTest, a_new_life_at_the_same_address_takes_the_place_at_once) {
  join(kWorker0, "a:1", 10);
  EXPECT_EQ(join(kWorker0, "a:1", 11), Kind::kReplaced);
}

TEST_F(MembershipTest, two_processes_cannot_serve_one_task) {
  join(kWorker0, "a:1", 10);
  const absl::Status taken = nodes_.join(kWorker0, "x:9", 11).status();
  EXPECT_EQ(taken.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(taken.message()), HasSubstr("/job:worker/replica:0/task:0 is served by a:1"));
  EXPECT_THAT(std::string(taken.message()), HasSubstr("x:9"));
  nodes_.drain(kWorker0, 10);
  EXPECT_EQ(join(kWorker0, "x:9", 11), Kind::kReplaced) << "the first goes";
  auto forced = nodes_.replace(kWorker0, "y:9", 12);
  ASSERT_TRUE(forced.ok() && forced->has_value());
  EXPECT_EQ((*forced)->member.address, "y:9");
}

TEST_F(MembershipTest, lives_that_are_over_do_not_come_back) {
  join(kWorker0, "a:1", 10);
  nodes_.die(kWorker0, 10);
  EXPECT_EQ(nodes_.join(kWorker0, "a:1", 10).status().code(), absl::StatusCode::kAborted);
  join(kWorker0, "a:1", 11);
  EXPECT_EQ(nodes_.replace(kWorker0, "a:1", 10).status().code(), absl::StatusCode::kAborted)
      << "a message of the old life that was late";
  EXPECT_EQ(nodes_.find(kWorker0)->incarnation, 11u);
}

TEST_F(MembershipTest, refuses_strangers) {
  const absl::Status stranger = nodes_.join({"chief", 0}, "a:1", 10).status();
  EXPECT_EQ(stranger.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(stranger.message()), HasSubstr("/job:chief/replica:0/task:0 at a:1 is no task"));
  EXPECT_EQ(nodes_.join(kWorker0, "a:1", 0).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(nodes_.epoch(), 0u);
}

/// Whatever happens in whatever order: epochs grow by one with each event, a life ends once, and never comes back.
TEST_F(MembershipTest, keeps_its_word_in_any_order) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Membership nodes(*ClusterSpec::parse("worker=a:1,b:1"));
    std::map<TaskId, std::vector<uint64_t>> over;
    for (int i = 0; i < 100; ++i) {
      const TaskId task{"worker", static_cast<int>(random() % 2)};
      const uint64_t life = 1 + random() % 12;
      const uint64_t before = nodes.epoch();
      std::optional<MemberEvent> event;
      switch (random() % 7) {
        case 0: event = nodes.suspect(task, life); break;
        case 1: event = nodes.trust(task, life); break;
        case 2: event = nodes.drain(task, life); break;
        case 3: event = nodes.leave(task, life); break;
        case 4: event = nodes.die(task, life); break;
        default: {
          auto joined = nodes.join(task, "a:1", life);
          if (joined.ok()) event = *joined;
          const auto& gone = over[task];
          const bool is_over = std::find(gone.begin(), gone.end(), life) != gone.end();
          EXPECT_EQ(is_over, absl::IsAborted(joined.status()));
        }
      }
      EXPECT_EQ(nodes.epoch(), before + event.has_value());
      if (!event) continue;
      EXPECT_EQ(event->member.epoch, nodes.epoch());
      EXPECT_EQ(event->member.incarnation, life);
      if (event->kind == Kind::kLeft || event->kind == Kind::kDied) over[task].push_back(life);
      if (event->kind == Kind::kReplaced) {
        auto& gone = over[task];
        const uint64_t replaced = event->replaced_incarnation;
        if (std::find(gone.begin(), gone.end(), replaced) == gone.end()) gone.push_back(replaced);
      }
    }
  }
}

}  // namespace
}  // namespace troupe
