#include <caf/all.hpp>

#include <gtest/gtest.h>
#include <pthread.h>

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "actors/units/on_askers_thread.h"
#include "actors/units/on_senders_thread.h"

namespace troupe::test {

/// The thread that had a turn.
struct Whose {
  std::thread::id id;
  std::string name;
};
using Turn = std::shared_ptr<std::promise<Whose>>;
using Turns = std::vector<Turn>;

}  // namespace troupe::test

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::test::Turn)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::test::Turns)

namespace troupe::test {
namespace {

Whose this_thread() {
  char name[16] = "";
  pthread_getname_np(pthread_self(), name, sizeof(name));
  return {std::this_thread::get_id(), name};
}

/// Says which thread has its turn.
template <class Base>
class Teller final : public Base {
 public:
  using Base::Base;

  caf::behavior make_behavior() override {
    return {
        [](const Turn& turn) { turn->set_value(this_thread()); },
        [this](const Turns& delayed) {
          // More than the queue of the clock holds; from its own thread this would not return.
          for (const Turn& turn : delayed) this->delayed_send(this, std::chrono::milliseconds(1), turn);
        },
        [this](const Turns& delayed, caf::ok_atom) {
          this->delayed_send(this, std::chrono::milliseconds(1), delayed);
        },
    };
  }
};

using Sent = Teller<OnSendersThread<caf::event_based_actor>>;
using Asked = Teller<OnAskersThread<caf::event_based_actor>>;

class ThreadsOfTurnsTest : public testing::Test {
 protected:
  static std::thread::id thread_of_turn(const caf::actor& actor) {
    const auto turn = std::make_shared<std::promise<Whose>>();
    caf::anon_send(actor, turn);
    return turn->get_future().get().id;
  }

  static Turns turns(size_t n) {
    Turns made(n);
    for (Turn& turn : made) turn = std::make_shared<std::promise<Whose>>();
    return made;
  }

  caf::actor_system_config config_;
  caf::actor_system system_{config_};
};

TEST_F(ThreadsOfTurnsTest, whoever_sends_has_the_turn) {
  const caf::actor actor = system_.spawn<Sent, caf::hidden + caf::lazy_init>();
  EXPECT_EQ(thread_of_turn(actor), std::this_thread::get_id());
  std::thread([&] { EXPECT_EQ(thread_of_turn(actor), std::this_thread::get_id()); }).join();
}

TEST_F(ThreadsOfTurnsTest, who_asks_has_the_turn_and_who_only_sends_has_not) {
  const caf::actor actor = system_.spawn<Asked, caf::hidden + caf::lazy_init>();
  EXPECT_NE(thread_of_turn(actor), std::this_thread::get_id());
  // Its last turn may not be over: then the thread that has it goes on.
  bool here = false;
  for (int i = 0; i < 1000 && !here; ++i) {
    const Asking asking;
    here = thread_of_turn(actor) == std::this_thread::get_id();
  }
  EXPECT_TRUE(here);
}

TEST_F(ThreadsOfTurnsTest, the_clock_gives_no_turn_on_its_own_thread) {
  const caf::actor actor = system_.spawn<Sent, caf::hidden + caf::lazy_init>();
  const Turns delayed = turns(10000);
  caf::anon_send(actor, delayed, caf::ok_atom::value);
  for (const Turn& turn : delayed) EXPECT_NE(turn->get_future().get().name, "caf.clock");
}

}  // namespace
}  // namespace troupe::test
