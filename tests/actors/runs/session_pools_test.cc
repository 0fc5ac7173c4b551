// Two pools, of which one has a single thread, and that is occupied: its runs wait, and nobody else's.
#include <chrono>
#include <future>
#include <thread>

#include "google/protobuf/text_format.h"
#include "proto/graph.pb.h"
#include "tests/actors/runs/runs_fixture.h"

namespace troupe::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::Not;
using testing::SizeIs;
using Fetched = absl::StatusOr<std::vector<Tensor>>;

constexpr std::chrono::seconds kPatience{20};
constexpr int kLarge = 0, kSmall = 1;

/// The nodes "blocked", which holds its thread until it is let go, and "quick", which tells where it ran; as ops or as calls of
/// functions.
std::string nodes_text(bool functions) {
  const std::string head =
      "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }\n";
  const std::string number = " attr { key: 'i' value { i: 0 } }";
  if (!functions) {
    return head + "node { name: 'blocked' op: 'TestHold' input: 'x' }\n" +
           "node { name: 'quick' op: 'TestThread' input: 'x'" + number + " }\n versions { producer: 1882 }";
  }
  auto function = [](const std::string& name, const std::string& body) {
    return "function { signature { name: '" + name +
           "' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } } "
           "attr { key: '_noinline' value { b: true } } node_def { name: 'inside' input: 'x' op: " +
           body + " } ret { key: 'y' value: 'inside:z:0' } }\n";
  };
  auto call = [](const std::string& name, const std::string& f) {
    return "node { name: '" + name +
           "' op: 'PartitionedCall' input: 'x' attr { key: 'f' value { func { name: '" + f +
           "' } } } attr { key: 'Tin' value { list { type: DT_FLOAT } } } "
           "attr { key: 'Tout' value { list { type: DT_FLOAT } } } }\n";
  };
  return head + call("blocked", "Blocked") + call("quick", "Quick") + "library {\n" +
         function("Blocked", "'TestHold'") + function("Quick", "'TestThread'" + number) +
         "}\n versions { producer: 1882 }";
}

class SessionPools : public RunsTest {
 protected:
  std::unique_ptr<Session> open_with_pools(bool functions, bool global) {
    const std::string large = global ? " global_name: 'large'" : "",
                      small = global ? " global_name: 'small'" : "";
    auto session = Session::open(
        *runtime_, from_text("session_inter_op_thread_pool { num_threads: 4" + large +
                             " } session_inter_op_thread_pool { num_threads: 1" + small + " }"));
    tensorflow::GraphDef def;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(nodes_text(functions), &def));
    EXPECT_TRUE(session.ok() && (*session)->create(def).ok());
    return *std::move(session);
  }
  static RunOptions in_pool(int index) {
    RunOptions options;
    options.inter_op_pool = index;
    return options;
  }
  static std::future<Fetched> begin(Session& s, const std::string& fetch, int pool) {
    return s.run_async({{"x", Tensor::scalar<float>(3)}}, {fetch}, {}, in_pool(pool));
  }
  static void expect_three(std::future<Fetched>& run) {
    ASSERT_EQ(run.wait_for(kPatience), std::future_status::ready)
        << "it waits for a pool that is not its own";
    const Fetched out = run.get();
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].value<float>(), 3);
  }

  void occupy_the_small_pool_of(Session& s, Session& others);
  void check(bool functions, bool global) {
    const auto s = open_with_pools(functions, global);
    if (!global) return occupy_the_small_pool_of(*s, *s);
    // It has the same pools, by their names.
    const auto others = open_with_pools(functions, global);
    occupy_the_small_pool_of(*s, *others);
  }
};

void SessionPools::occupy_the_small_pool_of(Session& s, Session& others) {
  // Compiled before, so that what waits later waits for a thread.
  ASSERT_TRUE(others.run({{"x", Tensor::scalar<float>(3)}}, {"quick"}).ok());
  std::future<Fetched> blocked = begin(s, "blocked", kSmall);
  for (const auto late = std::chrono::steady_clock::now() + kPatience; held == 0; std::this_thread::yield())
    ASSERT_LT(std::chrono::steady_clock::now(), late) << "nobody has begun to hold the small pool";
  take_threads();
  std::vector<std::future<Fetched>> waiting;
  for (int i = 0; i < 3; ++i) waiting.push_back(begin(others, "quick", kSmall));
  for (int i = 0; i < 10; ++i) {
    std::future<Fetched> large = begin(others, "quick", kLarge);
    expect_three(large);
  }
  const auto in_large = take_threads();
  EXPECT_THAT(in_large, AllOf(SizeIs(10), Not(Contains(std::this_thread::get_id()))));
  EXPECT_TRUE(others.run({{"x", Tensor::scalar<float>(3)}}, {"quick"}, {}, in_pool(-1)).ok());
  EXPECT_THAT(take_threads(), AllOf(SizeIs(1), Each(std::this_thread::get_id())));
  for (auto& run : waiting)
    EXPECT_EQ(run.wait_for(std::chrono::seconds(0)), std::future_status::timeout)
        << "the pool has one thread";
  let_go = true;
  expect_three(blocked);
  for (auto& run : waiting) expect_three(run);
  const auto in_small = take_threads();
  ASSERT_THAT(in_small, SizeIs(3));
  EXPECT_THAT(in_small, Each(in_small[0]));
  EXPECT_THAT(in_large, Not(Contains(in_small[0])));
  EXPECT_NE(in_small[0], std::this_thread::get_id());
}

TEST_F(SessionPools, s054_of_a_session_hold_up_nobody_but_their_own_runs) { check(false, false); }
TEST_F(SessionPools, s055_of_a_session_hold_up_nobody_but_their_own_calls) { check(true, false); }
TEST_F(SessionPools, s056_with_names_hold_up_the_runs_of_every_session_that_names_them) {
  check(false, true);
}
TEST_F(SessionPools, s057_with_names_hold_up_the_calls_of_every_session_that_names_them) {
  check(true, true);
}

}  // namespace
}  // namespace troupe::test
