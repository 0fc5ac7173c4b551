#include "actors/step/rendezvous_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace troupe {
namespace {

TEST(RendezvousTable, hands_a_value_to_who_waits_and_keeps_it_for_who_comes) {
  RendezvousTable table;
  table.begin();
  int got = 0;
  auto take = [&](absl::Status s, Tensor v, bool dead) {
    ASSERT_TRUE(s.ok());
    EXPECT_FALSE(dead);
    got = v.value<int32_t>();
  };
  table.recv("a", std::make_shared<Receiver>(take));
  EXPECT_EQ(got, 0);
  table.send("a", Tensor::scalar<int32_t>(1), false);
  EXPECT_EQ(got, 1);
  table.send("a", Tensor::scalar<int32_t>(2), false);
  table.recv("a", std::make_shared<Receiver>(take));
  EXPECT_EQ(got, 2);
  EXPECT_EQ(table.size(), 0u);
}

TEST(Receiver, is_answered_once_and_at_the_latest_when_it_is_dropped) {
  std::vector<absl::Status> ends;
  auto receiver = std::make_shared<Receiver>([&](absl::Status s, Tensor, bool) { ends.push_back(s); });
  receiver->answer(absl::OkStatus(), Tensor(), false);
  receiver->answer(absl::AbortedError("late"), Tensor(), false);
  receiver = nullptr;
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_TRUE(ends[0].ok());
  receiver = std::make_shared<Receiver>([&](absl::Status s, Tensor, bool) { ends.push_back(s); });
  receiver = nullptr;
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[1].code(), absl::StatusCode::kCancelled);
}

TEST(RendezvousTable, abort_answers_who_waits_and_who_comes_with_the_first_error) {
  RendezvousTable table;
  table.begin();
  std::vector<absl::Status> ends;
  auto take = [&](absl::Status s, Tensor, bool) { ends.push_back(s); };
  table.recv("a", std::make_shared<Receiver>(take));
  table.abort(absl::AbortedError("first"));
  table.abort(absl::CancelledError("second"));
  table.recv("b", std::make_shared<Receiver>(take));
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[0], absl::AbortedError("first"));
  EXPECT_EQ(ends[1], absl::AbortedError("first"));
  table.begin();
  EXPECT_TRUE(table.status().ok());
}

/// Against a plain reference: random sends and receives over few keys, first in first out for each.
TEST(RendezvousTable, agrees_with_a_model_over_random_orders) {
  for (uint32_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    std::minstd_rand random(seed);
    RendezvousTable table;
    table.begin();
    std::map<std::string, std::vector<int>> sent, received;
    int next = 0;
    for (int i = 0; i < 400; ++i) {
      std::string key(1, static_cast<char>('a' + random() % 4));
      if (random() % 2 == 0) {
        sent[key].push_back(next);
        table.send(key, Tensor::scalar<int32_t>(next++), false);
      } else {
        table.recv(key, std::make_shared<Receiver>([&received, key](absl::Status s, Tensor v, bool) {
                     if (s.ok()) received[key].push_back(v.value<int32_t>());
                   }));
      }
    }
    for (auto& [key, values] : received) {
      ASSERT_LE(values.size(), sent[key].size());
      EXPECT_TRUE(std::equal(values.begin(), values.end(), sent[key].begin()));
    }
    table.abort(absl::CancelledError("end"));
  }
}

}  // namespace
}  // namespace troupe
