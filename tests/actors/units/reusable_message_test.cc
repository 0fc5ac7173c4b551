#include "actors/reusable_message.h"

#include <gtest/gtest.h>

#include <vector>

#include "actors/messages.h"

namespace troupe::test {
namespace {

/// Keeps what is sent to it.
struct Mailbox {
  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit*) {
    elements.push_back(std::move(element));
  }
  size_t executor(size_t i) const { return elements[i]->content().get_as<ExecutorDone>(0).index; }
  std::vector<caf::mailbox_element_ptr> elements;
};

TEST(ReusableMessage, is_sent_again_when_it_has_been_read) {
  ReusableMessage<ExecutorDone> message;
  Mailbox mailbox;
  for (size_t i = 0; i < 3; ++i) {
    message.send(&mailbox, nullptr, {1, i});
    EXPECT_TRUE(message.is(mailbox.elements[0].get()));
    EXPECT_EQ(mailbox.executor(0), i);
    mailbox.elements.clear();
  }
}

TEST(ReusableMessage, sends_another_while_it_is_under_way) {
  ReusableMessage<ExecutorDone> message;
  Mailbox mailbox;
  message.send(&mailbox, nullptr, {1, 7});
  message.send(&mailbox, nullptr, {1, 8});
  EXPECT_FALSE(message.is(mailbox.elements[1].get()));
  EXPECT_EQ(mailbox.executor(0), 7);
  EXPECT_EQ(mailbox.executor(1), 8);
}

TEST(ReusableMessage, outlives_its_owner_in_a_mailbox) {
  auto message = std::make_unique<ReusableMessage<ExecutorDone>>();
  Mailbox mailbox;
  message->send(&mailbox, nullptr, {1, 7});
  const auto* const element = mailbox.elements[0].get();
  EXPECT_TRUE(message->is(element));
  // What is allocated next would lie where the message lay, had it been freed.
  message.reset();
  std::vector<std::unique_ptr<ReusableMessage<ExecutorDone>>> others;
  for (int i = 0; i < 100; ++i) {
    others.push_back(std::make_unique<ReusableMessage<ExecutorDone>>());
    EXPECT_FALSE(others.back()->is(element));
  }
  EXPECT_EQ(mailbox.executor(0), 7);
}

}  // namespace
}  // namespace troupe::test
