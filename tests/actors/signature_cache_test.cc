#include "actors/signature_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "absl/strings/str_cat.h"
#include "actors/signature.h"
#include "actors/signature_key.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

LeaseRequest fetching(std::vector<std::string> names) {
  LeaseRequest r;
  r.fetches = std::move(names);
  return r;
}

std::shared_ptr<Signature> some_signature() {
  return std::make_shared<Signature>(std::make_shared<SignatureCode>());
}

std::string sorted_key(LeaseRequest request) {
  (void)sort_signature(&request);
  return signature_key(request);
}

std::shared_ptr<const SignatureAlias> find(SignatureCache& cache, const LeaseRequest& request) {
  return cache.find(signature_key(request), [&] { return request; });
}

TEST(SignatureCache, finds_every_order_of_a_signatures_names) {
  SignatureCache cache;
  EXPECT_EQ(find(cache, fetching({"a", "b"})), nullptr);
  auto signature = some_signature();
  EXPECT_TRUE(cache.add(sorted_key(fetching({"a", "b"})), signature, 10).empty());
  for (int again = 0; again < 2; ++again) {
    auto backwards = find(cache, fetching({"b", "a"}));
    ASSERT_NE(backwards, nullptr);
    EXPECT_EQ(backwards->signature, signature);
    EXPECT_EQ(backwards->fetch_at, (std::vector<int>{1, 0}));
  }
  EXPECT_EQ(cache.size(), 1);
  EXPECT_EQ(cache.orders(), 1);
  EXPECT_EQ(cache.hits(), 2);
}

TEST(SignatureCache, forgets_the_orders_of_a_signature_that_goes_and_no_others) {
  SignatureCache cache;
  std::vector<std::string> names{"a", "b", "c", "d"};
  for (const char* last : {"x", "y"}) {
    std::vector<std::string> all = names;
    all.push_back(last);
    cache.count_miss();
    cache.add(sorted_key(fetching(all)), some_signature(), 10);
    std::vector<std::string> order = names;
    do {
      all = order;
      all.push_back(last);
      ASSERT_NE(find(cache, fetching(all)), nullptr);
    } while (std::next_permutation(order.begin(), order.end()));
  }
  EXPECT_EQ(cache.orders(), 48);
  // x goes: y was used last, and the new one is never the one to go.
  EXPECT_EQ(cache.add("new", some_signature(), 2).size(), 1u);
  EXPECT_EQ(cache.orders(), 24);
  EXPECT_EQ(find(cache, fetching({"a", "b", "c", "d", "x"})), nullptr);
  EXPECT_NE(find(cache, fetching({"d", "c", "b", "a", "y"})), nullptr);
  EXPECT_EQ(cache.orders(), 24);
}

TEST(SignatureCache, remembers_no_more_orders_than_fit) {
  SignatureCache cache;
  std::vector<std::string> names;
  for (char c = 'a'; c < 'a' + 8; ++c) names.push_back(std::string(400, c));
  cache.add(sorted_key(fetching(names)), some_signature(), 10);
  constexpr int kOrders = 10'000;  // of 3 kB each
  for (int i = 0; i < kOrders; ++i, std::next_permutation(names.begin(), names.end())) {
    ASSERT_NE(find(cache, fetching(names)), nullptr);
  }
  EXPECT_LT(cache.orders(), kOrders * 2 / 3);
  EXPECT_GT(cache.orders(), kOrders / 3);
  EXPECT_EQ(cache.size(), 1);
}

TEST(SignatureCache, forgets_the_orders_of_what_it_drops) {
  SignatureCache cache;
  cache.add(sorted_key(fetching({"a", "b"})), some_signature(), 1);
  EXPECT_NE(find(cache, fetching({"b", "a"})), nullptr);
  auto gone = cache.add(sorted_key(fetching({"c"})), some_signature(), 1);
  ASSERT_EQ(gone.size(), 1u);
  EXPECT_TRUE(gone[0]->slots.stopped());
  EXPECT_EQ(gone[0].use_count(), 1);
  EXPECT_EQ(cache.orders(), 0);
  EXPECT_EQ(cache.evictions(), 1);
  EXPECT_EQ(find(cache, fetching({"b", "a"})), nullptr);
}

TEST(SignatureCache, keeps_what_callables_use) {
  SignatureCache cache;
  auto pinned = some_signature();
  ++pinned->pins;
  cache.add("pinned", pinned, 1);
  EXPECT_TRUE(cache.add("other", pinned, 1).empty());
  --pinned->pins;
  EXPECT_EQ(cache.add("third", some_signature(), 1).size(), 2u) << "as soon as it may";
}

TEST(SignatureCache, serves_threads_while_signatures_come_and_go) {
  SignatureCache cache;
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; !done; ++i) {
        const std::string other = absl::StrCat("x", i % 5);
        auto found = find(cache, i % 2 == 0 ? fetching({"a", other}) : fetching({other, "a"}));
        if (found != nullptr) {
          EXPECT_EQ(found->fetch_at.size(), 2u);
        }
      }
    });
  }
  for (int i = 0; i < 2000; ++i)
    cache.add(sorted_key(fetching({"a", absl::StrCat("x", i % 5)})), some_signature(), 3);
  done = true;
  for (auto& t : threads) t.join();
  cache.clear();
  EXPECT_EQ(cache.size(), 0);
  EXPECT_EQ(cache.orders(), 0);
}

TEST_F(SessionTest, many_orders_of_the_same_names_are_one_signature) {
  std::vector<std::string> names;
  for (int i = 0; i < 6; ++i) {
    names.push_back(absl::StrCat("c", i));
    constant(names.back(), Tensor::scalar<float>(static_cast<float>(i)));
  }
  Session& s = open();
  do {
    auto out = s.run({}, names);
    ASSERT_TRUE(out.ok()) << out.status();
    for (int i = 0; i < 6; ++i) ASSERT_EQ((*out)[i].value<float>(), static_cast<float>(names[i][1] - '0'));
  } while (std::next_permutation(names.begin(), names.end()));
  EXPECT_EQ(s.counters().signatures, 1);
  EXPECT_EQ(s.counters().signature_misses, 1);
  EXPECT_EQ(s.counters().signature_hits, 719);
}

}  // namespace
}  // namespace troupe::test
