// What happens to whole sessions: their graphs change, they are cancelled, finalized, reset, closed and ended, and others opened.
#include <gtest/gtest.h>

#include <caf/all.hpp>

#include "actors/ask.h"
#include "tests/actors/stress/factories.h"
#include "tests/actors/stress/player.h"

namespace troupe::test {
namespace {

void extend(Player& p) {
  const std::string name = "more" + std::to_string(p.shared()->next_node++);
  tensorflow::GraphDef more;
  tensorflow::NodeDef& node = *more.add_node();
  node.set_name(name);
  node.set_op("TestAdd");
  node.add_input("x");
  node.add_input("twice");
  if (!p.good(Asked::kExtend, p.session().extend(more))) return;
  const float x = p.number();
  auto fetched = p.session().run({{"x", scalar(x)}}, {name});
  if (p.good(Asked::kRun, fetched.status())) {
    EXPECT_EQ(fetched->at(0).value<float>(), 3 * x);
  }
}

void cancel_one(Player& p) {
  auto steps = p.session().inspect();
  if (!p.good(Asked::kInspect, steps.status()) || steps->empty()) return;
  const int64_t id = steps->at(p.below(steps->size())).step_id;
  (void)p.good(Asked::kCancelStep, p.session().cancel_step(id, "a player's whim"));
}

void cancel_all(Player& p) { (void)p.good(Asked::kCancel, p.session().cancel("a player's whim").status()); }

void clear_containers(Player& p) {
  std::vector<std::string> containers;
  if (p.once_in(2)) containers = {"shelf"};
  (void)p.good(Asked::kClear, p.session().clear_containers(containers));
}

void finalize(Player& p) {
  if (p.good(Asked::kFinalize, p.session().finalize())) p.shared()->mark->spent = true;
}

void close(Player& p) {
  EXPECT_TRUE(p.good(Asked::kClose, p.session().close()));
  p.shared()->mark->spent = true;
}

/// SESSION itself, under all who use it.
void end_by_message(Player& p) {
  caf::anon_send_exit(p.shared()->actor,
                      p.once_in(2) ? caf::exit_reason::user_shutdown : caf::exit_reason::kill);
  p.shared()->mark->spent = true;
}

/// All sessions of one door are closed, and their containers dropped.
void reset(Player& p) {
  static const char* const kTargets[] = {"", kObjectTarget, kActorTarget};
  SessionOptions options;
  options.target = kTargets[p.below(std::size(kTargets))];
  const std::vector<std::string> containers{"shelf"};
  Runtime& runtime = p.stage().runtime();
  const absl::Status s =
      p.once_in(2)
          ? Session::reset(runtime, options, containers)
          : ask<Done>(runtime.system(), runtime_actor(runtime), ResetRequest{containers, options}).status();
  EXPECT_TRUE(p.answers().good(Asked::kReset, nullptr, s));
}

void renew(Player& p) { p.stage().renew(nullptr, p.random()); }

const Act kActs[] = {
    {"extending", 25, extend},
    {"cancelling a step", 30, cancel_one},
    {"cancelling all steps", 8, cancel_all},
    {"dropping containers", 8, clear_containers},
    {"finalizing", 3, finalize},
    {"closing", 3, close},
    {"ending the session's actor", 3, end_by_message},
    {"resetting", 1, reset},
    {"opening a session in the place of another", 4, renew},
};

}  // namespace

std::span<const Act> session_acts() { return kActs; }

}  // namespace troupe::test
