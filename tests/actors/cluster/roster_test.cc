#include "actors/cluster/roster.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const TaskId kFirst{"worker", 0}, kSecond{"worker", 1}, kThird{"worker", 2};

Roster two_workers() { return Roster(*ClusterSpec::parse("worker=a:1,b:1")); }

/// Joins where nobody is.
RosterChange joined(Roster* roster, const TaskId& task, const std::string& address, bool replace = false) {
  const auto change = roster->join(task, address, replace);
  EXPECT_TRUE(change.ok()) << change.status();
  EXPECT_TRUE(change.ok() && change->has_value());
  return change.ok() && *change ? **change : RosterChange();
}

TEST(Roster, begins_with_what_the_cluster_was_started_with) {
  const Roster roster = two_workers();
  EXPECT_EQ(roster.cluster().to_string(), "worker=a:1,b:1");
  EXPECT_THAT(roster.changes(), IsEmpty());
}

TEST(Roster, takes_in_tasks_and_jobs_that_it_did_not_have) {
  Roster roster = two_workers();
  EXPECT_EQ(joined(&roster, kThird, "c:1"), (RosterChange{kThird, "c:1", 1}));
  EXPECT_EQ(joined(&roster, {"ps", 4}, "d:1"), (RosterChange{{"ps", 4}, "d:1", 2}));
  EXPECT_EQ(roster.cluster().to_string(), "ps/4=d:1;worker=a:1,b:1,c:1");
  EXPECT_THAT(roster.changes(),
              ElementsAre(RosterChange{{"ps", 4}, "d:1", 2}, RosterChange{kThird, "c:1", 1}));
}

TEST(Roster, who_is_there_may_say_so_again) {
  Roster roster = two_workers();
  EXPECT_EQ(*roster.join(kSecond, "b:1", false), std::nullopt);
  joined(&roster, kThird, "c:1");
  EXPECT_EQ(*roster.join(kThird, "c:1", true), std::nullopt);
  EXPECT_EQ(roster.changes().size(), 1u);
}

TEST(Roster, a_place_is_taken_by_force_alone) {
  Roster roster = two_workers();
  const absl::Status taken = roster.join(kSecond, "c:1", false).status();
  EXPECT_TRUE(absl::IsAlreadyExists(taken)) << taken;
  EXPECT_EQ(taken.message(),
            "/job:worker/replica:0/task:1 is served by b:1, and cannot be by c:1 before that has left");
  EXPECT_EQ(roster.cluster().to_string(), "worker=a:1,b:1");
  joined(&roster, kSecond, "c:1", /*replace=*/true);
  EXPECT_EQ(roster.cluster().to_string(), "worker=a:1,c:1");
}

TEST(Roster, an_address_is_one_tasks) {
  Roster roster = two_workers();
  for (bool replace : {false, true}) {
    const absl::Status taken = roster.join(kThird, "a:1", replace).status();
    EXPECT_TRUE(absl::IsAlreadyExists(taken)) << taken;
    EXPECT_THAT(std::string(taken.message()), HasSubstr("/job:worker/replica:0/task:0 is served by a:1"));
  }
}

TEST(Roster, refuses_what_no_cluster_has) {
  Roster roster = two_workers();
  EXPECT_TRUE(absl::IsInvalidArgument(roster.join({"1", 0}, "c:1", false).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(roster.join({"worker", -1}, "c:1", false).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(roster.join(kThird, "c", false).status()));
  const absl::Status no_port = roster.join(kThird, "c:0", false).status();
  EXPECT_EQ(no_port.message(), "/job:worker/replica:0/task:2 is said to listen at c:0, expected a port");
  const absl::Status too_long = roster.join(kThird, std::string(2000, 'c') + ":1", false).status();
  EXPECT_THAT(std::string(too_long.message()), HasSubstr("expected 1024 at most"));
}

TEST(Roster, tasks_leave_and_come_again) {
  Roster roster = two_workers();
  EXPECT_EQ(*roster.leave(kSecond), (RosterChange{kSecond, "", 1}));
  EXPECT_EQ(roster.cluster().to_string(), "worker=a:1");
  const absl::Status gone = roster.leave(kSecond).status();
  EXPECT_TRUE(absl::IsNotFound(gone)) << gone;
  EXPECT_EQ(gone.message(), "/job:worker/replica:0/task:1 is no task of this cluster, which has worker=a:1");
  EXPECT_EQ(joined(&roster, kSecond, "b:1").version, 2u);
  EXPECT_EQ(roster.cluster().to_string(), "worker=a:1,b:1");
}

TEST(Roster, hears_what_is_news_and_nothing_else) {
  Roster here = two_workers(), there = two_workers();
  const RosterChange third = joined(&here, kThird, "c:1");
  EXPECT_THAT(*there.merge(std::vector{third}), ElementsAre(third));
  EXPECT_THAT(*there.merge(std::vector{third}), IsEmpty());
  const RosterChange left = *there.leave(kThird);
  EXPECT_THAT(*here.merge(std::vector{left}), ElementsAre(left));
  // What comes late.
  EXPECT_THAT(*here.merge(std::vector{third}), IsEmpty());
  EXPECT_EQ(here.cluster().to_string(), "worker=a:1,b:1");
  EXPECT_EQ(here.cluster(), there.cluster());
}

TEST(Roster, takes_nothing_of_a_message_with_an_error) {
  Roster roster = two_workers();
  for (const RosterChange& bad : {RosterChange{kThird, "d:1", 0}, RosterChange{kThird, "d:1", ~uint64_t{0}},
                                  RosterChange{kThird, "d", 1}, RosterChange{kThird, "d:0", 1},
                                  RosterChange{{"", 1}, "", 1}, RosterChange{{"worker", -1}, "", 1}}) {
    const absl::Status refused = roster.merge(std::vector{RosterChange{{"ps", 0}, "c:1", 1}, bad}).status();
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
    EXPECT_THAT(roster.changes(), IsEmpty());
  }
}

TEST(Roster, of_two_that_join_at_once_at_one_address_both_sides_take_the_same) {
  Roster here = two_workers(), there = two_workers();
  const RosterChange one = joined(&here, kThird, "c:1"), other = joined(&there, {"ps", 0}, "c:1");
  ASSERT_TRUE(here.merge(std::vector{other}).ok());
  ASSERT_TRUE(there.merge(std::vector{one}).ok());
  EXPECT_EQ(here.cluster(), there.cluster());
  EXPECT_EQ(here.cluster().num_tasks(), 3);
}

/// Nodes that change what they like and tell each other in any order, doubled, in part: when all have heard all they agree.
TEST(Roster, who_has_heard_the_same_has_the_same_cluster) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto one_of = [&](size_t n) { return static_cast<size_t>(random() % n); };
    std::vector<Roster> nodes(4, two_workers());
    for (int i = 0; i < 60; ++i) {
      Roster& node = nodes[one_of(nodes.size())];
      const TaskId task{one_of(2) == 0 ? "worker" : "ps", static_cast<int>(one_of(4))};
      switch (one_of(4)) {
        case 0: (void)node.leave(task); break;
        case 1: (void)node.join(task, absl::StrCat("h", one_of(5), ":1"), one_of(2) == 0); break;
        default: {
          std::vector<RosterChange> some = nodes[one_of(nodes.size())].changes();
          std::shuffle(some.begin(), some.end(), random);
          some.resize(one_of(some.size() + 1));
          ASSERT_TRUE(node.merge(some).ok());
        }
      }
    }
    for (Roster& node : nodes) {
      for (const Roster& other : nodes) ASSERT_TRUE(node.merge(other.changes()).ok());
    }
    for (const Roster& node : nodes) {
      EXPECT_EQ(node.cluster(), nodes[0].cluster()) << "seed " << seed;
      EXPECT_EQ(node.changes(), nodes[0].changes()) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace troupe
