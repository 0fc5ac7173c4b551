// Who subscribes to a session hears what becomes of each of its steps: a function, for as long as its subscription lives, or an actor.
#include <caf/all.hpp>
#include <cstdio>
#include <future>
#include <limits>

#include "actors/adopt_session.h"
#include "actors/errors.h"
#include "actors/interfaces.h"
#include "actors/runtime.h"
#include "actors/session.h"
#include "graph/ir/graph_builder.h"
#include "graph/status.h"

namespace {

using troupe::StepEvent;

/// An actor of the application's that counts the steps that ended well, and says how many.
using CounterActor = caf::typed_actor<caf::reacts_to<StepEvent>, caf::replies_to<caf::ok_atom>::with<int>>;

class Counter final : public CounterActor::base {
 public:
  using CounterActor::base::base;
  behavior_type make_behavior() override {
    return {[this](const StepEvent& event) { ended_ += event.kind == StepEvent::Kind::kEnded ? 1 : 0; },
            [this](caf::ok_atom) { return ended_; }};
  }

 private:
  int ended_ = 0;
};

/// Asks and waits.
template <class Reply, class Actor, class Message>
absl::StatusOr<Reply> ask(caf::scoped_actor& self, const Actor& actor, Message message) {
  absl::StatusOr<Reply> result = absl::InternalError("no answer");
  self->request(actor, std::chrono::seconds(10), std::move(message))
      .receive([&](const Reply& reply) { result = reply; },
               [&](caf::error& error) { result = troupe::to_status(error); });
  return result;
}

absl::Status show() {
  const auto runtime = troupe::Runtime::create();
  caf::scoped_actor self{runtime->system()};
  // The SESSION, and a Session over it.
  TROUPE_ASSIGN_OR_RETURN(const auto actor,
                          ask<troupe::SessionActor>(self, runtime_actor(*runtime), troupe::OpenSession{}));
  TROUPE_ASSIGN_OR_RETURN(const auto session, troupe::adopt_session(actor));
  troupe::GraphBuilder g;
  const auto x = g.placeholder(troupe::DataType::kFloat, {}, "x");
  g.op("CheckNumerics", {x}, {{"message", "x"}}, "good");
  TROUPE_ASSIGN_OR_RETURN(troupe::Graph graph, g.build());
  TROUPE_RETURN_IF_ERROR(session->create(std::move(graph)));

  const CounterActor counter = self->spawn<Counter>();
  TROUPE_RETURN_IF_ERROR(ask<troupe::Done>(self, actor, troupe::Subscribe{counter}).status());
  std::promise<void> failed;
  const auto hear = [&](const StepEvent& event) {
    const char* const names[] = {"begun", "ended", "failed", "slow"};
    std::printf("%s %s %s\n", event.fetches[0].c_str(), names[static_cast<int>(event.kind)],
                std::string(absl::StatusCodeToString(event.status.code())).c_str());
    if (event.kind == StepEvent::Kind::kFailed) failed.set_value();
  };
  TROUPE_ASSIGN_OR_RETURN(const troupe::StepSubscription subscription, session->subscribe(hear));
  for (const float value : {1.0f, 2.0f, std::numeric_limits<float>::quiet_NaN()}) {
    (void)session->run({{"x", troupe::Tensor::scalar(value)}}, {"good"});
  }
  failed.get_future().wait();
  TROUPE_ASSIGN_OR_RETURN(const int ended, ask<int>(self, counter, caf::ok_atom::value));
  std::printf("the actor counted %d that ended well\n", ended);
  return absl::OkStatus();
}

}  // namespace

int main() {
  const absl::Status end = show();
  if (!end.ok()) std::fprintf(stderr, "%s\n", end.ToString().c_str());
  return end.ok() ? 0 : 1;
}

// Prints:
// good begun OK
// good ended OK
// good begun OK
// good ended OK
// good begun OK
// good failed INVALID_ARGUMENT
// the actor counted 2 that ended well
