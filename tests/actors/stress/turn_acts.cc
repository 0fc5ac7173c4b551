// Partial runs: their turns, forks that go on from their own or from others', looks at them, their end.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/actors/stress/player.h"

namespace troupe::test {
namespace {

using std::chrono::milliseconds;

/// Nobody's turn for so long, and it is over.
constexpr milliseconds kLease{200};

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// One turn; the test fails at a wrong answer.
bool turn(Player& p, const std::string& handle, const std::vector<NamedTensor>& feeds,
          const std::vector<std::string>& fetches, const std::vector<float>& answers) {
  auto fetched = p.session().partial_run(handle, feeds, fetches);
  if (!p.good(Asked::kTurn, fetched.status())) return false;
  EXPECT_EQ(fetched->size(), fetches.size());
  for (size_t i = 0; i < fetches.size(); ++i)
    EXPECT_EQ(fetched->at(i).value<float>(), answers[i]) << fetches[i];
  return true;
}

/// Empty when there is none.
std::string set_up(Player& p) {
  // Some have the session's lease, which may be shorter.
  const auto lease = p.once_in(8) ? std::nullopt : std::optional<milliseconds>(kLease);
  auto handle = p.session().partial_run_setup({"x", "y"}, {"twice", "sum"}, {}, lease);
  return p.good(Asked::kSetUp, handle.status()) ? *handle : "";
}

/// Goes on from where a fork is: feeds what it lacks, and fetches what is left.
void go_on(Player& p, const std::string& handle, const PostedTurns& from) {
  auto report = p.session().inspect_partial_run(handle);
  if (!p.good(Asked::kInspectTurns, report.status())) return;
  EXPECT_FALSE(has(report->feeds_to_come, "x")) << "fed before the fork";
  std::vector<NamedTensor> feeds;
  float y = from.y;
  if (has(report->feeds_to_come, "y")) {
    y = p.number();
    feeds.push_back({"y", scalar(y)});
  }
  const bool twice = has(report->fetches_to_come, "twice");
  if (twice && p.once_in(2)) {
    if (!turn(p, handle, {}, {"twice"}, {from.x + from.x})) return;
  }
  if (has(report->fetches_to_come, "sum")) (void)turn(p, handle, feeds, {"sum"}, {from.x + y});
}

/// Forks it, and forks the forks.
void fork_and_go_on(Player& p, const PostedTurns& from) {
  std::string handle = from.handle;
  for (unsigned depth = 1 + p.below(3); depth > 0; --depth) {
    auto forked = p.session().partial_run_fork(handle);
    if (!p.good(Asked::kFork, forked.status())) return;
    EXPECT_NE(*forked, handle);
    if (!p.once_in(4)) go_on(p, *forked, from);
    handle = *forked;
  }
}

void run_in_turns(Player& p) {
  PostedTurns mine{set_up(p), p.number(), p.number()};
  if (mine.handle.empty()) return;
  if (p.once_in(8))
    return (void)p.good(Asked::kEndTurns, p.session().cancel_partial_run(mine.handle, "a whim"));
  if (p.once_in(8)) return;  // its lease will be over
  std::vector<std::string> first;
  if (!p.once_in(3)) first = {"twice"};
  if (!turn(p, mine.handle, {{"x", scalar(mine.x)}}, first, {mine.x + mine.x})) return;
  p.shared()->post(mine);
  if (p.once_in(3)) fork_and_go_on(p, mine);
  if (p.once_in(4)) return;
  // Fed and fetched at once, or one after the other.
  std::vector<NamedTensor> y{{"y", scalar(mine.y)}};
  if (p.once_in(3)) {
    if (!turn(p, mine.handle, y, {}, {})) return;
    y.clear();
  }
  if (!turn(p, mine.handle, y, {"sum"}, {mine.x + mine.y})) return;
  if (first.empty() && !p.once_in(4)) (void)turn(p, mine.handle, {}, {"twice"}, {mine.x + mine.x});
}

void fork_anothers(Player& p) {
  const PostedTurns posted = p.shared()->posted(p.random());
  if (posted.handle.empty()) return;
  fork_and_go_on(p, posted);
}

void look_at_turns(Player& p) {
  auto all = p.session().partial_runs();
  if (!p.good(Asked::kListTurns, all.status()) || all->empty()) return;
  for (const PartialRunReport& r : *all) {
    EXPECT_FALSE(r.handle.empty());
    EXPECT_GE(r.turns_waiting, 0);
    EXPECT_LE(r.feeds_to_come.size(), 2U);
  }
  const std::string& handle = all->at(p.below(all->size())).handle;
  auto one = p.session().inspect_partial_run(handle);
  if (p.good(Asked::kInspectTurns, one.status())) {
    EXPECT_EQ(one->handle, handle);
  }
}

void end_anothers(Player& p) {
  const PostedTurns posted = p.shared()->posted(p.random());
  if (posted.handle.empty()) return;
  (void)p.good(Asked::kEndTurns, p.session().cancel_partial_run(posted.handle, "a player's whim"));
}

const Act kActs[] = {
    {"a partial run", 90, run_in_turns},
    {"a fork of another's partial run", 50, fork_anothers},
    {"a look at partial runs", 20, look_at_turns},
    {"the end of another's partial run", 8, end_anothers},
};

}  // namespace

std::span<const Act> turn_acts() { return kActs; }

}  // namespace troupe::test
