#include "actors/step/rendezvous_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
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

TEST(RendezvousTable, s095_s097_abort_answers_who_waits_and_who_comes_with_the_first_error) {
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

TEST(RendezvousTable, s093_finds_the_values_of_many_keys_in_any_order) {
  constexpr int kKeys = 100;
  std::minstd_rand random(93);
  std::vector<int> senders(kKeys), receivers;
  std::iota(senders.begin(), senders.end(), 0);
  receivers = senders;
  std::shuffle(senders.begin(), senders.end(), random);
  std::shuffle(receivers.begin(), receivers.end(), random);
  RendezvousTable table;
  table.begin();
  std::vector<int> got(kKeys, -1);
  // In turns, so that some are sent before they are asked for and some after.
  for (int i = 0; i < kKeys; ++i) {
    table.send(std::to_string(senders[i]), Tensor::scalar<int32_t>(senders[i]), false);
    table.recv(std::to_string(receivers[i]),
               std::make_shared<Receiver>([&got, key = receivers[i]](absl::Status s, Tensor v, bool) {
                 ASSERT_TRUE(s.ok()) << s;
                 got[key] = v.value<int32_t>();
               }));
  }
  for (int key = 0; key < kKeys; ++key) EXPECT_EQ(got[key], key);
  EXPECT_EQ(table.size(), 0u);
}

TEST(RendezvousTable, s094_hands_out_the_values_of_a_key_in_the_order_in_which_they_came) {
  constexpr int kValues = 100;
  RendezvousTable table;
  table.begin();
  std::vector<int> got;
  auto recv = [&] {
    table.recv("a", std::make_shared<Receiver>([&](absl::Status s, Tensor v, bool) {
                 got.push_back(s.ok() ? v.value<int32_t>() : -1);
               }));
  };
  // Half of those who receive wait already.
  for (int i = 0; i < kValues / 2; ++i) recv();
  for (int i = 0; i < kValues; ++i) table.send("a", Tensor::scalar<int32_t>(i), false);
  for (int i = 0; i < kValues / 2; ++i) recv();
  ASSERT_EQ(got.size(), size_t{kValues});
  for (int i = 0; i < kValues; ++i) EXPECT_EQ(got[i], i);
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
