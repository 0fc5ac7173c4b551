// Steps that are fed and fetched in turns.
#include <chrono>
#include <thread>

#include "absl/strings/str_cat.h"
#include "actors/runtime_impl.h"
#include "tests/actors/runs/runs_fixture.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Tensor f(float value) { return Tensor::scalar<float>(value); }

/// r1 = a + b, r2 = r1 * c.
class PartialRuns : public RunsTest {
 protected:
  PartialRuns() {
    const AttrMap t{{"T", DataType::kFloat}};
    const int a = placeholder("a"), b = placeholder("b"), c = placeholder("c");
    const int r1 = add("r1", "AddV2", t, {{a, 0}, {b, 0}});
    add("r2", "Mul", t, {{r1, 0}, {c, 0}});
  }
  static std::string setup(Session& s, const std::vector<std::string>& feeds,
                           const std::vector<std::string>& fetches) {
    auto handle = s.partial_run_setup(feeds, fetches);
    EXPECT_TRUE(handle.ok()) << handle.status();
    return handle.ok() ? *handle : "";
  }
  static std::vector<float> turn(Session& s, const std::string& handle, const std::vector<NamedTensor>& feeds,
                                 const std::vector<std::string>& fetches) {
    auto out = s.partial_run(handle, feeds, fetches);
    EXPECT_TRUE(out.ok()) << out.status();
    std::vector<float> values;
    if (out.ok())
      std::ranges::transform(*out, std::back_inserter(values),
                             [](const Tensor& t) { return t.value<float>(); });
    return values;
  }
};

TEST_F(PartialRuns, s388_may_depend_on_what_they_have_given) {
  Session& s = open();
  for (float factor : {17.0F, 18.0F}) {
    const std::string handle = setup(s, {"a", "b", "c"}, {"r1", "r2"});
    const auto first = turn(s, handle, {{"a", f(1)}, {"b", f(2)}}, {"r1"});
    ASSERT_THAT(first, ElementsAre(3));
    EXPECT_THAT(turn(s, handle, {{"c", f(first[0] * factor)}}, {"r2"}), ElementsAre(9 * factor));
  }
  EXPECT_EQ(s.counters().running_steps, 0);
}

TEST_F(PartialRuns, s389_that_nobody_ends_go_with_their_session) {
  Session& s = open();
  const std::string handle = setup(s, {"a", "b", "c"}, {"r1", "r2"});
  EXPECT_THAT(turn(s, handle, {{"a", f(1)}, {"b", f(2)}}, {"r1"}), ElementsAre(3));
  EXPECT_EQ(s.counters().running_steps, 1);
  session_.reset();
  const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (runtime_->impl().live_slots->load() > 0 && std::chrono::steady_clock::now() < late)
    std::this_thread::yield();
  EXPECT_EQ(runtime_->impl().live_slots->load(), 0);
}

TEST_F(PartialRuns, s390_know_nothing_of_each_other) {
  Session& s = open();
  const std::string one = setup(s, {"a", "b", "c"}, {"r1"});
  const std::string other = setup(s, {"a", "b", "c"}, {"r1", "r2"});
  ASSERT_NE(one, other);
  const auto first = turn(s, one, {{"a", f(1)}, {"b", f(2)}}, {"r1"});
  ASSERT_THAT(first, ElementsAre(3));
  EXPECT_THAT(turn(s, other, {{"a", f(first[0] * 19)}, {"b", f(9)}}, {"r1"}), ElementsAre(66));
  EXPECT_THAT(turn(s, other, {{"c", f(11)}}, {"r2"}), ElementsAre(726));
}

TEST_F(PartialRuns, s391_take_many_turns) {
  constexpr int kTurns = 200;
  int last = constant("two", f(2));
  std::vector<std::string> feeds, fetches;
  for (int i = 0; i < kTurns; ++i) {
    feeds.push_back(absl::StrCat("in", i));
    fetches.push_back(absl::StrCat("out", i));
    last = add(fetches[i], "Mul", {{"T", DataType::kFloat}}, {{last, 0}, {placeholder(feeds[i]), 0}});
  }
  Session& s = open();
  std::string handle = setup(s, feeds, fetches);
  for (int i = 0; i < kTurns; ++i)
    ASSERT_THAT(turn(s, handle, {{feeds[i], f(1)}}, {fetches[i]}), ElementsAre(2)) << "turn " << i;
  EXPECT_EQ(s.counters().running_steps, 0);
  // The same in two large turns.
  handle = setup(s, feeds, fetches);
  for (int half : {0, 1}) {
    std::vector<NamedTensor> fed;
    std::vector<std::string> wanted;
    for (int i = half * kTurns / 2; i < (half + 1) * kTurns / 2; ++i) {
      fed.emplace_back(feeds[i], f(1));
      wanted.push_back(fetches[i]);
    }
    EXPECT_THAT(turn(s, handle, fed, wanted), testing::AllOf(testing::SizeIs(kTurns / 2), testing::Each(2)));
  }
  EXPECT_EQ(s.counters().running_steps, 0);
}

TEST_F(PartialRuns, s392_go_beside_runs_and_without_feeds) {
  const AttrMap t{{"T", DataType::kFloat}};
  const int two = constant("two", f(2));
  const int b = add("double", "Mul", t, {{two, 0}, {two, 0}});
  add("more", "Mul", t, {{b, 0}, {constant("three", f(3)), 0}});
  Session& s = open();
  auto run = s.run({}, {"double", "more"});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ((*run)[0].value<float>(), 4);
  EXPECT_EQ((*run)[1].value<float>(), 12);
  const std::string handle = setup(s, {}, {"double", "more"});
  EXPECT_THAT(turn(s, handle, {}, {"double", "more"}), ElementsAre(4, 12));
}

TEST_F(PartialRuns, s393_name_the_placeholder_that_was_not_declared) {
  Session& s = open();
  const std::string handle = setup(s, {"a"}, {"r1"});
  const absl::Status end = s.partial_run(handle, {{"a", f(1)}}, {"r1"}).status();
  EXPECT_EQ(end.code(), absl::StatusCode::kInvalidArgument) << end;
  EXPECT_THAT(text(end), HasSubstr("You must feed a value for placeholder tensor 'b' with dtype float"));
  EXPECT_TRUE(s.wait_idle(std::chrono::seconds(20)).ok());
}

TEST_F(PartialRuns, s398_may_be_fed_before_they_are_asked_for_anything) {
  Session& s = open();
  const std::string handle = setup(s, {"a", "b"}, {"r1"});
  EXPECT_THAT(turn(s, handle, {{"a", f(3)}}, {}), testing::IsEmpty());
  EXPECT_THAT(turn(s, handle, {{"b", f(4)}}, {"r1"}), ElementsAre(7));
}

TEST_F(PartialRuns, s047_wait_for_a_feed_of_one_output_of_a_node_alone) {
  const int yes = add("yes", "Const", {{"dtype", DataType::kBool}, {"value", Tensor::scalar<bool>(true)}});
  const int sw = add("switch", "Switch", {{"T", DataType::kFloat}}, {{constant("one", f(1)), 0}, {yes, 0}});
  add("taken", "Identity", {{"T", DataType::kFloat}}, {{sw, 1}});
  Session& s = open();
  const std::string handle = setup(s, {"switch:1"}, {"taken:0"});
  const absl::Status early = s.partial_run(handle, {}, {"taken:0"}).status();
  EXPECT_EQ(early.code(), absl::StatusCode::kInvalidArgument) << early;
  EXPECT_THAT(text(early), HasSubstr("can't be computed from the feeds that have been fed so far"));
  EXPECT_THAT(turn(s, handle, {{"switch:1", f(11)}}, {"taken:0"}), ElementsAre(11));
}

}  // namespace
}  // namespace troupe::test
