// RENDEZVOUS: values and those who wait for them, by key; steps one after the other; its death.
#include "actors/rendezvous_actor.h"

#include <gmock/gmock.h>

#include "tests/actors/actor_fixture.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A RENDEZVOUS of a slot; what those who wait are answered, in order.
class RendezvousActorTest : public ActorTest {
 protected:
  RendezvousActorTest() {
    const int x = placeholder("x");
    add("y", "TestAdd", {}, {{x, 0}, {x, 0}});
    open_session();
    slot_ = new_slot({{"x"}, {"y"}, {}});
    rendezvous_ = spawn_rendezvous(system(), slot_);
    tell(rendezvous_, RendezvousBegin{1});
    run_all();
  }
  void TearDown() override {
    kill(rendezvous_);
    slot_.reset();
    ActorTest::TearDown();
  }

  void send(const std::string& key, float value, bool is_dead = false) {
    tell(rendezvous_, RendezvousSend{key, Tensor::scalar<float>(value), is_dead});
    run_all();
  }
  RendezvousRecv waiter(const std::string& key) {
    return {key,
            std::make_shared<Receiver>([this](const absl::Status& status, const Tensor& value, bool is_dead) {
              if (!status.ok()) return answers_.push_back(std::string(status.message()));
              answers_.push_back(is_dead ? "dead" : absl::StrCat(value.value<float>()));
            })};
  }
  void recv(const std::string& key) {
    tell(rendezvous_, waiter(key));
    run_all();
  }
  void abort(int64_t step_id, const std::string& why) {
    tell(rendezvous_, RendezvousAbort{step_id, absl::InternalError(why)});
    run_all();
  }

  std::shared_ptr<StepSlot> slot_;
  RendezvousActor rendezvous_;
  std::vector<std::string> answers_;
};

TEST_F(RendezvousActorTest, s086_s087_gives_a_value_to_who_waits_for_its_key) {
  recv("a");
  send("b", 2);
  EXPECT_THAT(answers_, IsEmpty());
  send("a", 1);
  EXPECT_THAT(answers_, ElementsAre("1"));
  recv("b");
  EXPECT_THAT(answers_, ElementsAre("1", "2"));
}

TEST_F(RendezvousActorTest, serves_values_and_waiters_of_a_key_as_they_come) {
  send("a", 1);
  send("a", 2);
  recv("a");
  recv("a");
  recv("a");
  recv("a");
  send("a", 3);
  EXPECT_THAT(answers_, ElementsAre("1", "2", "3"));
  send("a", 4);
  EXPECT_THAT(answers_, ElementsAre("1", "2", "3", "4"));
}

TEST_F(RendezvousActorTest, takes_values_and_waiters_that_come_together) {
  recv("a");
  RendezvousBatch batch;
  batch.values = {{"a", Tensor::scalar<float>(1)}, {"b", Tensor::scalar<float>(2)}};
  batch.receivers = {waiter("c"), waiter("b")};
  tell(rendezvous_, std::move(batch));
  run_all();
  EXPECT_THAT(answers_, ElementsAre("1", "2"));
  send("c", 3);
  EXPECT_THAT(answers_, ElementsAre("1", "2", "3"));
}

TEST_F(RendezvousActorTest, hears_what_a_turn_has_sent_when_it_is_over) {
  const auto face = make_rendezvous_face(rendezvous_);
  const auto wait_for = [&](const std::string& key) {
    face->recv(key, [this](const absl::Status& status, const Tensor& value, bool) {
      answers_.push_back(status.ok() ? absl::StrCat(value.value<float>()) : std::string(status.message()));
    });
  };
  const auto give = [&](const std::string& key, float value) {
    EXPECT_EQ(face->send(key, Tensor::scalar<float>(value), false), absl::OkStatus());
  };
  {
    const RendezvousTurn turn(rendezvous_);
    give("a", 1);
    wait_for("a");
    run_all();
    EXPECT_THAT(answers_, IsEmpty());
    {
      // Of another step, whose kernels use this one's, too.
      const RendezvousActor another = spawn_rendezvous(system(), slot_);
      const RendezvousTurn inner(another);
      give("b", 2);
      wait_for("b");
      run_all();
      EXPECT_THAT(answers_, ElementsAre("2"));
      kill(another);
    }
  }
  run_all();
  EXPECT_THAT(answers_, ElementsAre("2", "1"));
  EXPECT_EQ(RendezvousTurn::of(rendezvous_), nullptr);
}

TEST_F(RendezvousActorTest, hears_what_a_turn_has_sent_when_it_is_much) {
  const auto face = make_rendezvous_face(rendezvous_);
  const RendezvousTurn turn(rendezvous_);
  for (size_t i = 0; i < RendezvousTurn::kMost; ++i) {
    recv(absl::StrCat(i));
    run_all();
    EXPECT_THAT(answers_, IsEmpty());
    (void)face->send(absl::StrCat(i), Tensor::scalar<float>(1), false);
  }
  run_all();
  EXPECT_EQ(answers_.size(), RendezvousTurn::kMost);
}

TEST_F(RendezvousActorTest, hands_on_that_a_value_is_dead) {
  send("a", 1, true);
  recv("a");
  recv("b");
  send("b", 1, true);
  EXPECT_THAT(answers_, ElementsAre("dead", "dead"));
}

TEST_F(RendezvousActorTest, s096_tells_all_who_wait_and_who_comes_later_why_the_step_is_over) {
  recv("a");
  recv("a");
  recv("b");
  abort(1, "enough");
  EXPECT_THAT(answers_, ElementsAre("enough", "enough", "enough"));
  send("a", 1);
  recv("a");
  EXPECT_THAT(answers_, ElementsAre("enough", "enough", "enough", "enough"));
}

TEST_F(RendezvousActorTest, keeps_to_the_first_reason) {
  abort(1, "enough");
  abort(1, "more than enough");
  recv("a");
  EXPECT_THAT(answers_, ElementsAre("enough"));
}

TEST_F(RendezvousActorTest, does_not_end_a_step_for_another_ones_abort) {
  recv("a");
  abort(0, "nobody's");
  abort(2, "a later one's");
  EXPECT_THAT(answers_, IsEmpty());
  tell(rendezvous_, RendezvousBegin{2});
  abort(1, "too late");
  recv("a");
  send("a", 1);
  EXPECT_THAT(answers_, ElementsAre("the step has ended", "1"));
}

TEST_F(RendezvousActorTest, forgets_the_values_of_the_step_before) {
  send("a", 1);
  tell(rendezvous_, RendezvousBegin{2});
  recv("a");
  EXPECT_THAT(answers_, IsEmpty());
  send("a", 2);
  EXPECT_THAT(answers_, ElementsAre("2"));
}

TEST_F(RendezvousActorTest, forgets_why_the_step_before_was_over) {
  abort(1, "enough");
  tell(rendezvous_, RendezvousBegin{2});
  send("a", 1);
  recv("a");
  EXPECT_THAT(answers_, ElementsAre("1"));
}

TEST_F(RendezvousActorTest, answers_all_who_wait_when_it_dies) {
  for (const auto why : {caf::exit_reason::kill, caf::exit_reason::user_shutdown}) {
    answers_.clear();
    rendezvous_ = spawn_rendezvous(system(), slot_);
    recv("a");
    recv("b");
    kill(rendezvous_, why);
    run_all();
    EXPECT_THAT(answers_, ElementsAre("the rendezvous has ended", "the rendezvous has ended"));
    EXPECT_FALSE(is_alive(rendezvous_));
  }
}

TEST_F(RendezvousActorTest, answers_those_too_whom_it_had_not_read_when_it_died) {
  kill(rendezvous_);
  tell(rendezvous_, waiter("behind"));
  EXPECT_THAT(answers_, IsEmpty());
  run_all();
  EXPECT_THAT(answers_, ElementsAre("the rendezvous has ended"));
}

TEST_F(RendezvousActorTest, answers_who_asks_when_it_is_gone) {
  kill(rendezvous_);
  run_all();
  recv("a");
  send("a", 1);
  make_rendezvous_face(rendezvous_)->recv("b", [this](const absl::Status& status, const Tensor&, bool) {
    answers_.push_back(std::string(status.message()));
  });
  EXPECT_THAT(answers_, ElementsAre("the rendezvous has ended", "the rendezvous has ended"));
}

TEST_F(RendezvousActorTest, takes_a_message_for_each_call_of_a_kernel) {
  const auto face = make_rendezvous_face(rendezvous_);
  face->recv("a", [this](const absl::Status&, const Tensor& value, bool is_dead) {
    answers_.push_back(absl::StrCat(value.value<float>(), is_dead ? " dead" : ""));
  });
  EXPECT_TRUE(face->send("a", Tensor::scalar<float>(5), true).ok());
  EXPECT_THAT(answers_, IsEmpty()) << "both wait in its mailbox";
  EXPECT_TRUE(run_turn_of(rendezvous_));
  EXPECT_THAT(answers_, IsEmpty());
  EXPECT_TRUE(run_turn_of(rendezvous_));
  EXPECT_THAT(answers_, ElementsAre("5 dead"));
  EXPECT_FALSE(run_turn_of(rendezvous_));
}

TEST_F(RendezvousActorTest, s088_passes_a_value_to_and_fro) {
  constexpr int kRounds = 1000;
  const auto face = make_rendezvous_face(rendezvous_);
  int pings = 0, pongs = 0;
  std::function<void()> serve = [&] {
    face->recv("ping", [&](const absl::Status& status, const Tensor& value, bool) {
      if (!status.ok()) return;
      ++pings;
      EXPECT_TRUE(face->send("pong", value, false).ok());
      serve();
    });
  };
  std::function<void()> play = [&] {
    EXPECT_TRUE(face->send("ping", Tensor::scalar<int32_t>(pongs), false).ok());
    face->recv("pong", [&](const absl::Status& status, const Tensor& value, bool) {
      ASSERT_TRUE(status.ok()) << status;
      EXPECT_EQ(value.value<int32_t>(), pongs);
      if (++pongs < kRounds) play();
    });
  };
  serve();
  play();
  run_all();
  EXPECT_EQ(pings, kRounds);
  EXPECT_EQ(pongs, kRounds);
  // Who serves waits for a next ping, which is not to come.
  abort(1, "enough");
}

TEST_F(RendezvousActorTest, does_not_hold_its_slot) {
  const std::weak_ptr<StepSlot> slot = slot_;
  stop_slot(slot_);
  slot_.reset();
  run_all();
  EXPECT_TRUE(slot.expired());
  recv("a");
  send("a", 1);
  EXPECT_THAT(answers_, ElementsAre("1"));
}

}  // namespace
}  // namespace troupe::test
