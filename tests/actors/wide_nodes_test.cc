#include <gmock/gmock.h>

#include <thread>

#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

/// More than a 16-bit number counts.
constexpr int kWide = 70'000;

class WideNodes : public SessionTest {
 protected:
  int unpacked() {
    const int x = placeholder("x", DataType::kInt32);
    return add("parts", "Unpack", {{"T", DataType::kInt32}, {"num", kWide}}, {{x, 0}});
  }
  static Tensor numbers() {
    Tensor t(DataType::kInt32, Shape{kWide});
    for (int i = 0; i < kWide; ++i) t.flat<int32_t>()[i] = i;
    return t;
  }
};

TEST_F(WideNodes, give_every_output_to_who_fetches_it) {
  unpacked();
  Session& s = open();
  for (int slot : {0, 1, 32'767, 32'768, 65'535, 65'536, 65'537, kWide - 1}) {
    auto out = s.run({{"x", numbers()}}, {"parts:" + std::to_string(slot)});
    ASSERT_TRUE(out.ok()) << slot << ": " << out.status();
    EXPECT_EQ((*out)[0].value<int32_t>(), slot);
  }
}

TEST_F(WideNodes, give_every_output_to_the_input_that_it_belongs_to) {
  const int parts = unpacked();
  std::vector<Endpoint> all;
  for (int i = 0; i < kWide; ++i) all.push_back({parts, kWide - 1 - i});
  add("back", "Pack", {{"T", DataType::kInt32}, {"N", kWide}}, all);
  auto out = open().run({{"x", numbers()}}, {"back"});
  ASSERT_TRUE(out.ok()) << out.status();
  for (int i = 0; i < kWide; ++i) ASSERT_EQ((*out)[0].flat<int32_t>()[i], kWide - 1 - i);
}

TEST_F(WideNodes, wait_for_every_control_input) {
  const int parts = unpacked();
  std::vector<int> before;
  for (int i = 0; i < kWide; ++i) {
    before.push_back(add("n" + std::to_string(i), "Identity", {{"T", DataType::kInt32}}, {{parts, i}}));
  }
  add("all", "NoOp", {}, {}, before);
  EXPECT_EQ(open().run({{"x", numbers()}}, {}, {"all"}).status(), absl::OkStatus());
}

TEST_F(WideNodes, run_what_is_behind_them_on_as_many_threads_as_there_are) {
  constexpr int kThreads = 4;
  std::vector<NamedTensor> feeds;
  std::vector<std::string> fetches;
  for (int i = 0; i < kThreads; ++i) {
    feeds.push_back({"x" + std::to_string(i), Tensor::scalar<float>(1)});
    fetches.push_back("hold" + std::to_string(i));
    add(fetches.back(), "TestHold", {}, {{placeholder(feeds.back().first), 0}});
  }
  SessionOptions options;
  options.inter_op_threads = kThreads;
  Session& s = open(options);
  for (int round = 1; round <= 20; ++round) {
    let_go = false;
    held = 0;
    auto run = s.run_async(feeds, fetches);
    const auto begin = std::chrono::steady_clock::now();
    while (held < kThreads && std::chrono::steady_clock::now() - begin < std::chrono::seconds(10))
      std::this_thread::yield();
    EXPECT_EQ(held, kThreads) << "some kernels wait although there are threads; round " << round;
    let_go = true;
    ASSERT_TRUE(run.get().ok());
  }
}

}  // namespace
}  // namespace troupe::test
