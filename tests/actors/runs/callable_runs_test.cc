// Callables: what they feed, fetch and connect, and what becomes of their handles.
#include <thread>

#include "tests/actors/runs/runs_fixture.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

CallableOptions fetching(std::vector<std::string> fetches) {
  CallableOptions options;
  options.fetches = std::move(fetches);
  return options;
}

class CallableRuns : public RunsTest {
 protected:
  /// The fetches of a callable that is made for it and released after.
  static absl::StatusOr<std::vector<Tensor>> run_once(Session& s, const CallableOptions& options,
                                                      const std::vector<Tensor>& feeds = {}) {
    auto handle = s.make_callable(options);
    if (!handle.ok()) return handle.status();
    std::vector<Tensor> out(options.fetches.size());
    const absl::Status ran = s.run_callable(*handle, feeds, std::span<Tensor>(out));
    EXPECT_TRUE(s.release_callable(*handle).ok());
    return ran.ok() ? absl::StatusOr<std::vector<Tensor>>(out) : ran;
  }
};

TEST_F(CallableRuns, s004_go_on_until_their_handle_is_released) {
  add_network({3, 2, -1, 0});
  Session& s = open_on_two();
  for (int round = 0; round < 2; ++round) {
    CallableOptions options = fetching({"y:0"});
    options.targets = {"y_neg"};
    auto handle = s.make_callable(options);
    ASSERT_TRUE(handle.ok()) << handle.status();
    std::vector<Tensor> out(1);
    for (int i = 0; i < 2; ++i) {
      out[0] = Tensor();
      ASSERT_EQ(s.run_callable(*handle, {}, std::span<Tensor>(out)), absl::OkStatus());
      ASSERT_TRUE(out[0].initialized());
      EXPECT_EQ(floats(out[0])[0], 5);
    }
    auto refused = [&](CallableHandle which, std::span<Tensor> room) {
      const absl::Status end = s.run_callable(which, {}, room);
      EXPECT_EQ(end.code(), absl::StatusCode::kInvalidArgument) << end;
      return text(end);
    };
    EXPECT_THAT(refused(*handle, {}), HasSubstr("`fetch_tensors` must be provided"));
    std::vector<Tensor> two(2);
    EXPECT_EQ(refused(*handle, two), "Expected room for 1 fetch tensors, but got 2");
    EXPECT_TRUE(s.release_callable(*handle).ok());
    EXPECT_THAT(refused(*handle, out), HasSubstr("Attempted to run callable after handle was released"));
    EXPECT_THAT(refused(*handle + 1, out), HasSubstr("No such callable handle"));
  }
}

TEST_F(CallableRuns, s009_give_one_tensor_the_value_of_another) {
  add_network({3, 2, -1, 0});
  CallableOptions options = fetching({"y_neg:0"});
  options.tensor_connections = {{"a:0", "y:0"}};
  auto out = run_once(open_on_two(), options);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(floats((*out)[0]), ElementsAre(-3, -2, 1, 0));
}

TEST_F(CallableRuns, s010_fetch_what_is_connected_too) {
  add_network({3, 2, -1, 0});
  CallableOptions options = fetching({"a:0", "y_neg:0"});
  options.tensor_connections = {{"a:0", "y:0"}};
  auto out = run_once(open_on_two(), options);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(floats((*out)[0]), ElementsAre(3, 2, -1, 0));
  EXPECT_THAT(floats((*out)[1]), ElementsAre(-3, -2, 1, 0));
}

TEST_F(CallableRuns, s031_connect_one_tensor_to_several) {
  const int first = placeholder("first"), second = placeholder("second");
  placeholder("source");
  add("sum", "Add", {{"T", DataType::kFloat}}, {{first, 0}, {second, 0}});
  CallableOptions options = fetching({"sum:0"});
  options.feeds = {"source:0"};
  options.tensor_connections = {{"source:0", "first:0"}, {"source:0", "second:0"}};
  auto out = run_once(open(), options, {column(5, 6)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(floats((*out)[0]), ElementsAre(10, 12));
}

TEST_F(CallableRuns, s018_feed_what_is_no_placeholder) {
  add_network({1, 2, 3, 4});
  CallableOptions options = fetching({"y:0"});
  options.feeds = {"x:0"};
  auto out = run_once(open_on_two(), options, {column(5, 6)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(floats((*out)[0]), ElementsAre(17, 39));
}

TEST_F(CallableRuns, s020_run_from_many_threads_at_once) {
  constexpr int kThreads = 4, kRuns = 1000;
  add_network({1, 2, 3, 4});
  Session& s = open_on_two();
  auto handle = s.make_callable(fetching({"y:0"}));
  ASSERT_TRUE(handle.ok()) << handle.status();
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kRuns; ++i) {
        std::vector<Tensor> out(1);
        right += s.run_callable(*handle, {}, std::span<Tensor>(out)).ok() && floats(out[0])[0] == 3;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, kThreads * kRuns);
}

}  // namespace
}  // namespace troupe::test
