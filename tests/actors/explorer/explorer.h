#pragma once

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/actors/actor_fixture.h"

namespace troupe::test {

/// What became of a request.
struct Answer {
  std::string asked;
  int times = 0;
  bool good = false;
};

/// Sessions whose every actor runs on one thread, a message at a time, in an order that a seed decides. The steps are those of SessionTest's
/// ops on two devices:
///   quick = x + x, across both; wide = x + x, by two kernels of a pool; alone, across: hang until cancelled;
///   call = x + x and stuck, which hangs, in functions;
///   more<i> = x, added by Extend
class Explorer : public ActorTest {
 protected:
  /// A session with its graph, and the order of all that follows.
  void begin(uint64_t seed);
  /// Ends the session, looks what is left of it.
  void end();

  /// Something that clients or accidents do. `deaths`: actors may be killed.
  void act(bool deaths);
  /// Runs at most so many messages.
  void run_some(size_t messages);
  /// Lets time go on, and what was set for then come.
  void wait_a_while();

  size_t roll(size_t n) { return static_cast<size_t>(random_() % n); }
  size_t asked() const { return answers_.size(); }
  int64_t kernels_run() const { return runtime_->impl().default_pool->kernels_run(); }

 private:
  template <class... Results, class Message>
  std::shared_ptr<Answer> ask(const std::string& what, Message message,
                              std::type_identity_t<std::function<void(const Results&...)>> good = {},
                              std::function<void(const caf::error&)> bad = {});
  /// A client's thread in Session::run, whose every turn is the test's to decide.
  struct Lender {
    std::shared_ptr<Answer> answer;
    std::string fetch;
    /// Has the gate.
    std::shared_ptr<SessionCore> core;
    RunGate::Place place;
    int64_t cancels = 0;
    /// When no cancel was under way.
    bool in_peace = false;
    std::shared_ptr<StepLease> lease;
    bool begun = false;
  };
  void ask_for_cancel();
  void ask_for_run(const std::string& fetch);
  void ask_for_extend();
  void begin_lender(const std::string& fetch);
  /// False when it sleeps.
  bool take_turn_of(Lender& lender);
  std::string some_fetch();
  void take_turn();
  std::function<void(const std::string&, const PartialRunActor&)> note_partial_run();
  void kill_one();
  bool run_one() override;

  std::mt19937_64 random_;
  std::vector<std::shared_ptr<Answer>> answers_;
  /// Cancels, and Close, asked for and answered. A death is a cancel that never ends.
  int cancels_ = 0;
  int cancelled_ = 0;
  std::vector<std::shared_ptr<Lender>> lenders_;
  /// Nodes that Extend has added.
  std::vector<std::string> added_;
  int extends_ = 0;
  /// Runs with a deadline.
  std::vector<std::shared_ptr<Answer>> hurried_;
  std::vector<std::string> partial_runs_;
  std::vector<PartialRunActor> partial_run_actors_;
};

}  // namespace troupe::test
