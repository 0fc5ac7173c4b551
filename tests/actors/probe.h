#pragma once

#include <gtest/gtest.h>

#include <caf/all.hpp>

#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "actors/errors.h"

/// What tests of actors ask and answer with.
namespace troupe::test {

/// What became of a request.
template <class... Results>
struct Reply {
  /// The first result; the test fails when there is none.
  const auto& value() const {
    EXPECT_TRUE(status.ok()) << status;
    return std::get<0>(results);
  }
  bool waits() const { return times == 0; }

  int times = 0;
  absl::Status status = absl::UnknownError("no answer yet");
  std::tuple<Results...> results;
};

/// An actor that keeps what it is sent, and answers when the test says so.
class Probe {
 public:
  explicit Probe(caf::actor_system& system);
  ~Probe();
  Probe(const Probe&) = delete;

  const caf::actor& actor() const { return actor_; }
  template <class Handle>
  Handle as() const {
    return caf::actor_cast<Handle>(actor_);
  }
  /// What it got of one kind, in order.
  template <class M>
  std::vector<M> got() const {
    std::vector<M> all;
    for (const caf::message& m : mail_->messages) {
      if (m.match_elements<M>()) all.push_back(m.template get_as<M>(0));
    }
    return all;
  }
  template <class M>
  int count() const {
    return static_cast<int>(got<M>().size());
  }
  /// Of all kinds.
  size_t size() const { return mail_->messages.size(); }
  void forget() { mail_->messages.clear(); }
  /// Answers the request that waits longest.
  template <class M>
  void answer(M reply) {
    ASSERT_FALSE(mail_->unanswered.empty()) << "nobody has asked";
    caf::response_promise promise = std::move(mail_->unanswered.front());
    mail_->unanswered.erase(mail_->unanswered.begin());
    promise.deliver(std::move(reply));
  }

 private:
  struct Mail {
    std::vector<caf::message> messages;
    std::vector<caf::response_promise> unanswered;
  };
  const std::shared_ptr<Mail> mail_ = std::make_shared<Mail>();
  caf::actor actor_;
};

/// A probe where somebody keeps the handle of an actor, until it goes.
template <class Handle>
class StandIn : public Probe {
 public:
  StandIn(caf::actor_system& system, Handle& place) : Probe(system), place_(place), real_(place) {
    place_ = as<Handle>();
  }
  ~StandIn() { place_ = real_; }
  const Handle& real() const { return real_; }

 private:
  Handle& place_;
  const Handle real_;
};

}  // namespace troupe::test
