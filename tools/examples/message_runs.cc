// Runs begun by message, in an application's own actor system: their client knows each step before its end. It lets one end, cancels one,
// gives one 20 ms, and then takes with it the SESSION, to which it is linked.
#include <caf/all.hpp>
#include <cstdio>

#include "actors/errors.h"
#include "actors/interfaces.h"
#include "actors/runtime.h"
#include "graph/ir/graph_builder.h"

namespace {

using std::chrono::milliseconds;
constexpr std::chrono::seconds kPatience{10};

class AppConfig : public caf::actor_system_config {
 public:
  AppConfig() { troupe::configure(*this); }
};

/// five = 2 + 3; never = what is taken from a queue that nobody fills.
std::shared_ptr<const troupe::Graph> make_graph() {
  troupe::GraphBuilder g;
  const troupe::AttrMap floats{{"component_types", std::vector<troupe::DataType>{troupe::DataType::kFloat}}};
  g.add(g.constant(2.0f), g.constant(3.0f), "five");
  g.op("QueueDequeueV2", {g.op("FIFOQueueV2", {}, floats)}, floats, "never");
  return std::make_shared<const troupe::Graph>(*g.build());
}

class Client final : public troupe::RunClient::base {
 public:
  Client(caf::actor_config& config, troupe::SessionActor session)
      : troupe::RunClient::base(config), session_(std::move(session)) {}
  void on_exit() override { session_ = nullptr; }

  behavior_type make_behavior() override {
    link_to(session_);
    request(session_, kPatience, troupe::CreateGraph{nullptr, make_graph()})
        .then([this](troupe::Done) { next(); }, [this](caf::error& e) { quit(e); });
    return {[this](const troupe::RunFinished& m) {
      std::printf("run %lld: %s %s\n", static_cast<long long>(m.run), m.status.ToString().c_str(),
                  m.status.ok() ? m.reply.fetches[0].to_string().c_str() : "");
      next();
    }};
  }

 private:
  void next() {
    switch (++run_) {
      case 1: return begin("five", milliseconds(0), [](const troupe::RunBegun&) {});
      case 2:
        return begin("never", milliseconds(0), [this](const troupe::RunBegun& m) { cancel(m.step_id); });
      case 3: return begin("never", milliseconds(20), [](const troupe::RunBegun&) {});
      // Any reason but a normal one takes with it what is linked.
      default: quit(caf::exit_reason::user_shutdown);
    }
  }
  template <class Begun>
  void begin(const char* fetch, milliseconds timeout, Begun begun) {
    troupe::BeginRun m{{{}, {fetch}, {}, {}}, this};
    m.run.options.timeout = timeout;
    request(session_, kPatience, std::move(m)).then(begun, [this](caf::error& e) { quit(e); });
  }
  void cancel(int64_t step_id) {
    request(session_, kPatience, troupe::CancelRequest{step_id, "no need"})
        .then([](const troupe::CancelReply& r) { std::printf("cancelled: %d\n", r.steps); },
              [this](caf::error& e) { quit(e); });
  }

  troupe::SessionActor session_;
  int run_ = 0;
};

}  // namespace

int main() {
  AppConfig config;
  caf::actor_system system(config);
  const auto runtime = troupe::Runtime::create(system);
  caf::scoped_actor self{system};
  self->request(troupe::runtime_actor(*runtime), kPatience, troupe::OpenSession{})
      .receive(
          [&](const troupe::SessionActor& session) {
            self->monitor(session);
            self->spawn<Client>(session);
          },
          [](caf::error& e) { std::fprintf(stderr, "%s\n", troupe::to_status(e).ToString().c_str()); });
  self->receive(
      [](const caf::down_msg& m) { std::printf("the SESSION has ended: %s\n", to_string(m.reason).c_str()); },
      caf::after(kPatience) >> [] {});
}

// Prints:
// run 1: OK ...5...
// cancelled: 1
// run 2: CANCELLED: Run call was cancelled: no need...
// run 3: DEADLINE_EXCEEDED: ...
// the SESSION has ended: ...user_shutdown...
