#include "actors/step/run_life.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

/// Decides what happens next: by a seed, or every possibility in turn.
class Chooser {
 public:
  virtual ~Chooser() = default;
  virtual size_t choose(size_t n) = 0;
};

class Dice final : public Chooser {
 public:
  explicit Dice(uint64_t seed) : random_(seed) {}
  size_t choose(size_t n) override { return static_cast<size_t>(random_() % n); }

 private:
  std::mt19937_64 random_;
};

/// Each `next` begins a play whose choices differ from all before; false when there is no other.
class AllOrders final : public Chooser {
 public:
  size_t choose(size_t n) override {
    if (at_ == choices_.size()) choices_.push_back({0, n});
    return choices_[at_++].made;
  }
  bool next() {
    at_ = 0;
    while (!choices_.empty() && ++choices_.back().made == choices_.back().of) choices_.pop_back();
    return !choices_.empty();
  }

 private:
  struct Choice {
    size_t made, of;
  };
  std::vector<Choice> choices_;
  size_t at_ = 0;
};

struct Cast {
  bool directly = false;
  size_t executors = 1;
  int runs = 1;
  /// How often each may happen in the whole play.
  int executor_deaths = 0, step_deaths = 0, failures = 0, cancels = 0, doubles = 0;
};

/// A slot's runs with everybody who takes part, each as far as the protocol goes: messages are delivered in any order that keeps the
/// order between two, doubled, or come late. Looks that each run ends once, and what it is told.
class Play final : RunHost {
 public:
  Play(const Cast& cast, Chooser* chooser)
      : cast_(cast), chooser_(chooser), life_(this, cast.executors, cast.directly),
        executors_(cast.executors) {}

  void run() {
    while (!over_) {
      std::vector<std::function<void()>> can;
      add_client(&can);
      add_deliveries(&can);
      add_accidents(&can);
      if (can.empty()) break;
      can[chooser_->choose(can.size())]();
    }
    EXPECT_TRUE(over_) << "a run hangs" << log_;
    EXPECT_EQ(started_, ended_) << log_;
  }

 private:
  /// A way by which messages keep their order.
  using Way = std::vector<std::function<void()>>;
  struct Executor {
    bool alive = true;
    /// The run that it is at, or 0.
    int64_t id = 0;
    int64_t last = 0;
    Way mailbox;
  };

  void note(const std::string& what) { absl::StrAppend(&log_, "\n  ", what); }

  // --- what may happen ---

  void add_client(std::vector<std::function<void()>>* can) {
    if (phase_ == kIdle) {
      can->push_back([this] {
        // Who has taken a slot before it broke begins on it all the same; nobody takes one that was broken before.
        if (started_ == cast_.runs || put_away_) {
          over_ = true;
          return;
        }
        life_.prepare(++id_);
        touched_ = died_;
        phase_ = kPrepared;
        note(absl::StrCat("prepare ", id_));
      });
    } else if (phase_ == kPrepared) {
      can->push_back([this] {
        phase_ = kRunning;
        ++started_;
        note("start");
        life_.start();
      });
    } else if (phase_ == kEnded) {
      can->push_back([this] { finish(); });
    }
    if (phase_ != kIdle && cast_.cancels > 0) {
      can->push_back([this] {
        --cast_.cancels;
        note("cancel");
        if (const int64_t id = life_.cancel(0, absl::CancelledError("enough"))) {
          touched_ = true;
          step_.push_back([this, id] { life_.stop(id); });
        }
      });
    }
  }

  void add_deliveries(std::vector<std::function<void()>>* can) {
    if (!step_.empty()) {
      can->push_back([this] { deliver(&step_, step_alive_); });
    }
    for (size_t i = 0; i < executors_.size(); ++i) {
      Executor& e = executors_[i];
      if (!e.mailbox.empty()) can->push_back([this, &e] { deliver(&e.mailbox, e.alive); });
      if (e.alive && e.id != 0) {
        can->push_back([this, i] { end_executor(i, absl::OkStatus()); });
        if (cast_.failures > 0) {
          can->push_back([this, i] {
            --cast_.failures;
            touched_ = true;
            end_executor(i, absl::InvalidArgumentError("bad node"));
          });
        }
      }
    }
  }

  void add_accidents(std::vector<std::function<void()>>* can) {
    for (size_t i = 0; i < executors_.size() && cast_.executor_deaths > 0; ++i) {
      if (!executors_[i].alive) continue;
      can->push_back([this, i] {
        --cast_.executor_deaths;
        note(absl::StrCat("executor ", i, " dies"));
        touched_ = died_ = true;
        executors_[i].alive = false;
        executors_[i].id = 0;
        step_.push_back([this] { life_.lose_actor("an executor died"); });
      });
    }
    if (cast_.step_deaths > 0) {
      can->push_back([this] {
        --cast_.step_deaths;
        note("step dies");
        touched_ = died_ = true;
        step_alive_ = false;
        life_.lose_step();
      });
    }
    if (cast_.doubles > 0 && !step_.empty()) {
      can->push_back([this] {
        --cast_.doubles;
        step_.push_back(step_[chooser_->choose(step_.size())]);
      });
    }
  }

  void deliver(Way* way, bool alive) {
    auto message = std::move(way->front());
    way->erase(way->begin());
    if (alive) message();
  }

  void end_executor(size_t i, const absl::Status& status) {
    const int64_t id = std::exchange(executors_[i].id, 0);
    note(absl::StrCat("executor ", i, " ends: ", status.ToString()));
    if (cast_.directly) return life_.ended_directly(status, 10);
    step_.push_back([=, this] { life_.executor_done(id, i, status, 10); });
  }

  void finish() {
    phase_ = kIdle;
    const RunEnd end = life_.finish();
    const bool broken = put_away_ = life_.broken();
    const bool cancelled = life_.token().token().cancelled();
    life_.token().end(!broken);
    EXPECT_EQ(life_.token().running(), 0);
    EXPECT_EQ(life_.cancel(0, absl::CancelledError("too late")), 0);
    EXPECT_EQ(life_.token().token().cancelled(), broken && cancelled)
        << "what is left of a broken run starts nothing" << log_;
    note(absl::StrCat("finish: ", end.status.ToString()));
    if (!touched_) {
      EXPECT_TRUE(end.status.ok()) << end.status << log_;
      EXPECT_EQ(end.nodes_run, 10 * static_cast<int64_t>(executors_.size())) << log_;
    }
    if (end.status.ok()) {
      EXPECT_EQ(end.nodes_run, 10 * static_cast<int64_t>(executors_.size())) << log_;
    }
    EXPECT_FALSE(end.false_start && end.nodes_run > 0) << log_;
    EXPECT_FALSE(end.false_start && !life_.broken()) << log_;
  }

  // --- RunHost ---

  void check_running(const char* what) {
    EXPECT_EQ(phase_, kRunning) << what << " of a run that is over" << log_;
  }
  void start_step(int64_t id) override {
    step_.push_back([this, id] { life_.begin_by_step(id); });
  }
  void begin_rendezvous(int64_t id) override {
    EXPECT_GT(id, rendezvous_) << log_;
    rendezvous_ = id;
  }
  void start_executor(size_t i) override {
    check_running("start");
    EXPECT_TRUE(cast_.directly || rendezvous_ == id_) << "nowhere to meet" << log_;
    executors_[i].mailbox.push_back([this, i, id = id_] {
      Executor& e = executors_[i];
      EXPECT_LT(e.last, id) << "started twice" << log_;
      e.id = e.last = id;
    });
  }
  void stop_executor(size_t i, int64_t id, const absl::Status& why) override {
    EXPECT_FALSE(why.ok()) << log_;
    executors_[i].mailbox.push_back([this, i, id, why] {
      if (executors_[i].id == id) end_executor(i, why);
    });
  }
  void stop_rendezvous(int64_t id, const absl::Status&) override { EXPECT_LE(id, id_) << log_; }
  void drop_kernels() override {}
  void tell_ended(RunEnd& end, bool all_done) override {
    check_running("end");
    for (size_t i = 0; i < executors_.size() && all_done; ++i) EXPECT_EQ(executors_[i].id, 0) << log_;
    if (!all_done) {
      EXPECT_TRUE(life_.token().token().cancelled()) << "kernels may be at work" << log_;
    }
    if (all_done && end.status.ok() && life_.token().token().cancelled())
      end.status = life_.token().token().reason();
    note(absl::StrCat("ended: ", end.status.ToString()));
    ++ended_;
    phase_ = kEnded;
  }

  Cast cast_;
  Chooser* const chooser_;
  RunLife life_;
  enum { kIdle, kPrepared, kRunning, kEnded } phase_ = kIdle;
  std::vector<Executor> executors_;
  Way step_;
  bool step_alive_ = true, put_away_ = false, over_ = false;
  /// Whether anything but its executors may have ended the run.
  bool touched_ = false, died_ = false;
  int64_t id_ = 0, rendezvous_ = 0;
  int started_ = 0, ended_ = 0;
  std::string log_;
};

/// Returns how many orders there are.
int play_all(const Cast& cast) {
  AllOrders orders;
  int n = 0;
  do {
    Play(cast, &orders).run();
    ++n;
  } while (orders.next() && !testing::Test::HasFailure());
  return n;
}

TEST(RunLife, ends_once_in_every_order_of_events) {
  EXPECT_GT(play_all({.directly = true, .executor_deaths = 1, .step_deaths = 1, .cancels = 1}), 100);
  EXPECT_GT(play_all({.directly = true, .runs = 2, .executor_deaths = 1, .cancels = 1}), 100);
  EXPECT_GT(play_all({.directly = true, .runs = 2, .step_deaths = 1, .failures = 1}), 100);
  EXPECT_GT(play_all({.executors = 1, .executor_deaths = 1, .step_deaths = 1}), 100);
  EXPECT_GT(play_all({.executors = 2, .executor_deaths = 1, .failures = 1}), 1000);
  EXPECT_GT(play_all({.executors = 2, .cancels = 1, .doubles = 1}), 1000);
  EXPECT_GT(play_all({.executors = 0, .runs = 3}), 0);
}

TEST(RunLife, ends_once_in_any_order_of_messages_that_are_late_or_come_twice) {
  for (uint64_t seed = 0; seed < 100'000 && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Dice dice(seed);
    Cast cast;
    cast.directly = dice.choose(3) == 0;
    cast.executors = cast.directly ? 1 : 1 + dice.choose(4);
    cast.runs = 1 + static_cast<int>(dice.choose(5));
    cast.executor_deaths = static_cast<int>(dice.choose(3));
    cast.step_deaths = dice.choose(4) == 0 ? 1 : 0;
    cast.failures = static_cast<int>(dice.choose(3));
    cast.cancels = static_cast<int>(dice.choose(3));
    cast.doubles = static_cast<int>(dice.choose(4));
    Play(cast, &dice).run();
  }
}

/// Does nothing; what matters is what the run becomes.
class Nobody final : public RunHost {
 public:
  void start_step(int64_t) override {}
  void begin_rendezvous(int64_t) override {}
  void start_executor(size_t) override { ++starts; }
  void stop_executor(size_t, int64_t, const absl::Status&) override { ++stops; }
  void stop_rendezvous(int64_t, const absl::Status&) override {}
  void drop_kernels() override {}
  void tell_ended(RunEnd&, bool) override { ++ends; }
  int starts = 0, stops = 0, ends = 0;
};

TEST(RunLife, hears_only_what_is_about_its_run) {
  Nobody host;
  RunLife life(&host, 2, false);
  life.prepare(7);
  life.start();
  life.begin_by_step(6);
  EXPECT_EQ(host.starts, 0) << "of the run before";
  life.begin_by_step(7);
  life.begin_by_step(7);
  EXPECT_EQ(host.starts, 2) << "once";
  life.stop(6);
  EXPECT_EQ(host.stops, 0);
  EXPECT_EQ(life.cancel(6, absl::CancelledError("of another")), 0);
  life.executor_done(6, 0, absl::OkStatus(), 1);
  life.executor_done(7, 1, absl::OkStatus(), 1);
  life.executor_done(7, 1, absl::OkStatus(), 1);
  EXPECT_EQ(host.ends, 0) << "one of two is at work";
  life.executor_done(7, 0, absl::OkStatus(), 1);
  EXPECT_EQ(host.ends, 1);
  EXPECT_EQ(life.finish().nodes_run, 2);
}

TEST(RunLife, keeps_the_first_error_and_tells_who_is_still_at_work) {
  Nobody host;
  RunLife life(&host, 3, false);
  life.prepare(1);
  life.start();
  life.begin_by_step(1);
  life.executor_done(1, 0, absl::OkStatus(), 1);
  life.executor_done(1, 1, absl::InvalidArgumentError("first"), 1);
  EXPECT_EQ(host.stops, 1) << "the third alone";
  EXPECT_TRUE(life.token().token().cancelled());
  life.executor_done(1, 2, absl::InvalidArgumentError("second"), 1);
  EXPECT_EQ(host.ends, 1);
  EXPECT_EQ(life.finish().status.message(), "first");
}

TEST(RunLife, begins_nothing_when_its_actors_are_gone) {
  for (bool directly : {true, false}) {
    Nobody host;
    RunLife life(&host, 1, directly);
    life.lose_step();
    EXPECT_EQ(host.ends, 0) << "nothing ran";
    EXPECT_TRUE(life.broken());
    life.prepare(1);
    life.start();
    EXPECT_EQ(host.ends, 1);
    EXPECT_EQ(host.starts, 0);
    EXPECT_TRUE(life.finish().false_start);
  }
}

TEST(RunLife, refuses_a_run_that_could_not_be_loaded) {
  Nobody host;
  RunLife life(&host, 1, true);
  life.refuse(absl::InvalidArgumentError("wrong type"));
  EXPECT_EQ(life.finish().status.message(), "wrong type");
  EXPECT_TRUE(life.finish().status.ok()) << "the next begins anew";
}

}  // namespace
}  // namespace troupe
