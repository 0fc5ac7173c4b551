#include "actors/cluster/send_joiner.h"

#include <gmock/gmock.h>

#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace troupe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const TaskId kA{"worker", 0}, kB{"worker", 1};

/// "worker0/7: a b".
std::vector<std::string> text(const std::vector<SendJoiner::Batch>& batches) {
  std::vector<std::string> out;
  for (const auto& b : batches) {
    std::vector<std::string> messages;
    for (const absl::Cord& m : b.messages) messages.push_back(std::string(m));
    out.push_back(absl::StrCat(b.peer.job, b.peer.index, "/", b.step, ": ", absl::StrJoin(messages, " ")));
  }
  return out;
}

TEST(SendJoiner, joins_what_goes_to_one_peer_for_one_step) {
  SendJoiner joiner;
  EXPECT_THAT(joiner.add(kA, 7, absl::Cord("a")), IsEmpty());
  EXPECT_THAT(joiner.add(kB, 7, absl::Cord("b")), IsEmpty());
  EXPECT_THAT(joiner.add(kA, 8, absl::Cord("c")), IsEmpty());
  EXPECT_THAT(joiner.add(kA, 7, absl::Cord("d")), IsEmpty());
  EXPECT_FALSE(joiner.empty());
  EXPECT_THAT(text(joiner.flush()), ElementsAre("worker0/7: a d", "worker0/8: c", "worker1/7: b"));
  EXPECT_TRUE(joiner.empty());
  EXPECT_THAT(joiner.flush(), IsEmpty());
}

TEST(SendJoiner, sends_when_a_limit_is_reached) {
  SendJoiner joiner({.item_bytes = 4, .bytes = 10, .count = 3});
  joiner.add(kA, 1, absl::Cord("1111"));
  joiner.add(kA, 1, absl::Cord("2222"));
  EXPECT_THAT(text(joiner.add(kA, 1, absl::Cord("333"))), ElementsAre("worker0/1: 1111 2222"))
      << "with it there would be 11 bytes";
  joiner.add(kA, 1, absl::Cord("4"));
  EXPECT_THAT(text(joiner.add(kA, 1, absl::Cord("5"))), ElementsAre("worker0/1: 333 4 5")) << "three";
  EXPECT_TRUE(joiner.empty());
}

TEST(SendJoiner, large_values_go_alone_and_in_order) {
  SendJoiner joiner({.item_bytes = 4, .bytes = 10, .count = 3});
  joiner.add(kA, 1, absl::Cord("1"));
  joiner.add(kB, 1, absl::Cord("2"));
  EXPECT_THAT(text(joiner.add(kA, 1, absl::Cord("large"))), ElementsAre("worker0/1: 1", "worker0/1: large"));
  EXPECT_THAT(text(joiner.flush()), ElementsAre("worker1/1: 2"));
}

TEST(SendJoiner, forgets_steps_that_are_over_and_peers_that_are_gone) {
  SendJoiner joiner;
  joiner.add(kA, 1, absl::Cord("1"));
  joiner.add(kA, 2, absl::Cord("2"));
  joiner.add(kB, 2, absl::Cord("3"));
  joiner.drop_step(1);
  joiner.drop_peer(kB);
  EXPECT_THAT(text(joiner.flush()), ElementsAre("worker0/2: 2"));
}

TEST(JoinedMessages, come_apart_again) {
  const std::string joined(join_messages({absl::Cord("one"), absl::Cord(""), absl::Cord("three")}));
  auto parts = split_messages(joined);
  ASSERT_TRUE(parts.ok()) << parts.status();
  EXPECT_THAT(*parts, ElementsAre("one", "", "three"));
}

TEST(JoinedMessages, are_refused_unless_all_numbers_fit) {
  const std::string joined(join_messages({absl::Cord("one"), absl::Cord("two")}));
  for (size_t size = 0; size < joined.size(); ++size) {
    EXPECT_EQ(split_messages(joined.substr(0, size)).status().code(), absl::StatusCode::kInvalidArgument)
        << size;
  }
  EXPECT_THAT(std::string(split_messages(joined + "x").status().message()),
              HasSubstr("2 joined messages announce 18 bytes, but 19 are there"));
  EXPECT_THAT(std::string(split_messages(joined, 1).status().message()),
              HasSubstr("2 messages are joined, expected 1 to 1"));
  EXPECT_FALSE(split_messages(std::string(4, '\0')).ok()) << "none";
  EXPECT_FALSE(split_messages(std::string(4, '\xff')).ok());
  const std::string huge = std::string("\2\0\0\0", 4) + std::string(8, '\xff');
  EXPECT_FALSE(split_messages(huge).ok()) << "sizes whose sum is over 32 bits";
}

TEST(JoinedMessages, stand_any_bytes) {
  const std::string joined(join_messages({absl::Cord("one"), absl::Cord("two"), absl::Cord("three")}));
  std::mt19937 random(7);
  int good = 0;
  for (int i = 0; i < 50000; ++i) {
    std::string bytes = joined;
    for (unsigned n = 1 + random() % 3; n > 0; --n)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    auto parts = split_messages(bytes);
    if (!parts.ok()) continue;
    ++good;
    size_t total = 4 * (1 + parts->size());
    for (absl::string_view p : *parts) total += p.size();
    ASSERT_EQ(total, bytes.size()) << i;
  }
  EXPECT_GT(good, 0);
}

}  // namespace
}  // namespace troupe
