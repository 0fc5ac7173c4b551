// Clients that are actors: they ask for runs, turns and events by message, and die when they like, with what they have under way.
#include <gtest/gtest.h>

#include <caf/all.hpp>

#include <map>

#include "actors/errors.h"
#include "tests/actors/stress/questions.h"

namespace troupe::test {
namespace {

using ClientActor =
    caf::typed_actor<caf::reacts_to<RunFinished>, caf::reacts_to<StepEvent>, caf::reacts_to<FetchReady>>;

/// What a client is to do.
struct Script {
  /// Runs to begin, and runs to ask for.
  std::vector<Asking> begun;
  std::vector<Asking> asked;
  float x = 0;
  bool hangs = false;
  bool listens = false;
  bool takes_turns = false;
  /// It dies when it has got so many messages, or when all it waits for is there.
  int life = 0;
};

class Client final : public ClientActor::base {
 public:
  Client(caf::actor_config& config, const SharedSession& session, Answers* answers, Script script)
      : ClientActor::base(config), session_(session.actor), mark_(session.mark), answers_(answers),
        script_(std::move(script)) {}

  void on_exit() override { session_ = nullptr; }

  behavior_type make_behavior() override {
    if (script_.listens)
      ask<Done>(Asked::kSubscribe, Subscribe{this, std::chrono::milliseconds(2)}, [](const Done&) {});
    for (const Asking& a : script_.begun) begin(a, a.question->fetch);
    if (script_.hangs) begin({nullptr, script_.x, 0}, "hang");
    for (const Asking& a : script_.asked) {
      ask<RunReply>(
          Asked::kRun, RunRequest{a.feeds(), {a.question->fetch}, {}, {}},
          [this, a](const RunReply& r) { a.check(*answers_, Asked::kRun, mark_.get(), r.fetches); });
    }
    if (script_.takes_turns) take_turns();
    return {
        [this](const RunFinished& m) { finished(m); },
        [this](const StepEvent& e) {
          EXPECT_EQ(e.kind == StepEvent::Kind::kFailed, !e.status.ok()) << e.status;
        },
        [this](const FetchReady& m) { EXPECT_EQ(m.value.value<float>(), script_.x + script_.x); },
    };
  }

 private:
  template <class Reply, class Message, class Good>
  void ask(Asked what, Message message, Good good) {
    ++open_;
    request(session_, caf::infinite, std::move(message))
        .then(
            [this, good](const Reply& reply) {
              good(reply);
              one_answered();
            },
            [this, what](caf::error& error) { failed(what, error); });
  }

  void begin(const Asking& a, const std::string& fetch) {
    BeginRun run{{{}, {fetch}, {}, {}}, this};
    run.run.feeds = a.question != nullptr ? a.feeds() : std::vector<NamedTensor>{{"x", scalar(a.x)}};
    ask<RunBegun>(Asked::kRun, std::move(run), [this, a](const RunBegun& r) {
      // The one that hangs ends with the client.
      if (a.question != nullptr) ++open_;
      EXPECT_GT(r.step_id, 0);
      EXPECT_TRUE(runs_.emplace(r.run, a).second) << "each has its number";
    });
  }

  void finished(const RunFinished& m) {
    const auto run = runs_.extract(m.run);
    ASSERT_FALSE(run.empty()) << "it ends once, and not before it has begun";
    const Asking& a = run.mapped();
    if (a.question != nullptr && m.status.ok()) {
      a.check(*answers_, Asked::kRun, mark_.get(), m.reply.fetches);
    } else {
      EXPECT_FALSE(answers_->good(Asked::kRun, mark_.get(), m.status));
    }
    if (a.question != nullptr) one_answered();
  }

  /// Its partial run ends with it, and so does the fork.
  void take_turns() {
    begin_turns(Asked::kSetUp,
                PartialRunSetup{{"x", "y"}, {"twice", "sum"}, {}, std::chrono::milliseconds(0), true},
                [this](const std::string& handle, const PartialRunActor& run) {
                  take_turn(run);
                  begin_turns(Asked::kFork, ForkPartialRun{handle},
                              [](const std::string&, const PartialRunActor&) {});
                });
  }

  template <class Message, class Begun>
  void begin_turns(Asked what, Message message, Begun begun) {
    ++open_;
    request(session_, caf::infinite, std::move(message))
        .then(
            [this, begun](const std::string& handle, const PartialRunActor& run) {
              begun(handle, run);
              one_answered();
            },
            [this, what](caf::error& error) { failed(what, error); });
  }

  void take_turn(const PartialRunActor& run) {
    ++open_;
    request(run, caf::infinite, PartialRunTurn{{{"x", scalar(script_.x)}}, {"twice"}, FetchListener(this)})
        .then([this](const RunReply&) { one_answered(); },
              [this](caf::error& error) { failed(Asked::kTurn, error); });
  }

  void failed(Asked what, const caf::error& error) {
    EXPECT_FALSE(answers_->good(what, mark_.get(), to_status(error)));
    one_answered();
  }

  void one_answered() {
    if (--open_ == 0 || --script_.life <= 0) quit();
  }

  const Prop prop_;
  SessionActor session_;
  const std::shared_ptr<SessionMark> mark_;
  Answers* const answers_;
  Script script_;
  /// Questions without an answer, and runs that have begun and not ended.
  int open_ = 0;
  std::map<int64_t, Asking> runs_;
};

ClientActor spawn_client(Player& p) {
  Script script;
  for (unsigned i = p.below(4); i > 0; --i) script.begun.push_back(any_question(p));
  for (unsigned i = 1 + p.below(3); i > 0; --i) script.asked.push_back(any_question(p));
  script.x = p.number();
  script.hangs = p.once_in(3);
  script.listens = p.once_in(3);
  script.takes_turns = p.once_in(2);
  script.life = 1 + static_cast<int>(p.below(8));
  return p.stage().runtime().system().spawn<Client>(*p.shared(), &p.answers(), std::move(script));
}

/// It lives as long as its script says, or until it is told to end.
void send_a_client(Player& p) {
  const ClientActor client = spawn_client(p);
  if (p.once_in(3)) caf::anon_send_exit(client, caf::exit_reason::user_shutdown);
  if (p.once_in(6)) caf::anon_send_exit(client, caf::exit_reason::kill);
}

const Act kActs[] = {{"sending a client", 60, send_a_client}};

}  // namespace

std::span<const Act> client_acts() { return kActs; }

}  // namespace troupe::test
