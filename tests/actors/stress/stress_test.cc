#include <gtest/gtest.h>

#include <caf/all.hpp>

#include <cstdlib>
#include <thread>

#include "actors/runtime_impl.h"
#include "tests/actors/called_functions.h"
#include "tests/actors/stress/factories.h"
#include "tests/actors/stress/player.h"

namespace troupe::test {
namespace {

constexpr size_t kThreads = 16;
constexpr size_t kSessions = 8;
constexpr std::chrono::seconds kPatience{60};

int from_environment(const char* name, int otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoi(value);
}

std::vector<Act> all_acts() {
  std::vector<Act> all;
  for (std::span<const Act> group : {run_acts(), turn_acts(), session_acts(), watching_acts(), client_acts()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

template <class Condition>
bool await(const Condition& condition) {
  const auto limit = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

/// A second runtime, in the same actor system, opens sessions for factories of the first.
class StressTest : public CalledFunctions {
 protected:
  StressTest() {
    RuntimeOptions options;
    options.inter_op_threads = 2;
    options.intra_op_threads = 1;
    options.ops = ops_.get();
    options.kernels = kernels_.get();
    elsewhere_ = Runtime::create(runtime_->system(), options);
    factory_ = spawn_factory_actor(*elsewhere_);
    SessionFactories& factories = runtime_->session_factories();
    EXPECT_TRUE(factories.add("OBJECT", make_object_factory(elsewhere_.get())).ok());
    EXPECT_TRUE(factories.add("ACTOR", make_actor_session_factory(kActorTarget, factory_)).ok());
  }
  ~StressTest() override {
    caf::anon_send_exit(factory_, caf::exit_reason::user_shutdown);
    elsewhere_.reset();
  }

  static void print_frontiers(const Stage& stage) {
    for (const auto& shared : stage.all()) {
      auto steps = shared->session->inspect();
      if (!steps.ok()) continue;
      for (const StepReport& step : *steps) {
        std::fprintf(stderr, "%s, a session %s: step %ld, %ld us:", step.session.c_str(),
                     shared->mark->kind->name, static_cast<long>(step.step_id),
                     static_cast<long>(step.age.count()));
        for (const std::string& node : step.frontier) std::fprintf(stderr, " [%s]", node.c_str());
        std::fprintf(stderr, "\n");
      }
    }
  }

  static void play(Stage& stage, Answers& answers, unsigned seed, std::chrono::seconds seconds) {
    Watchdog watchdog(kThreads, kPatience, [&] { print_frontiers(stage); });
    const std::vector<Act> acts = all_acts();
    const auto until = std::chrono::steady_clock::now() + seconds;
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] { Player({&stage, &answers, &watchdog}, i, seed).play(acts, until); });
    }
    for (std::thread& t : threads) t.join();
  }

  /// Clients die, leases end, and with them all steps and partial runs.
  static void expect_rest(Stage& stage) {
    for (const auto& shared : stage.all()) {
      const char* const kind = shared->mark->kind->name;
      EXPECT_TRUE(shared->session->wait_idle(kPatience).ok()) << kind;
      EXPECT_EQ(shared->session->counters().running_steps, 0) << kind;
      EXPECT_TRUE(await([&] {
        const auto runs = shared->session->partial_runs();
        return !runs.ok() || runs->empty();
      })) << kind
          << ": partial runs that nobody forgets";
    }
  }

  static void expect_nothing_left(Runtime& runtime) {
    Runtime::Impl& impl = runtime.impl();
    EXPECT_TRUE(impl.live_sessions().empty());
    EXPECT_TRUE(await([&] { return *impl.live_slots == 0; })) << *impl.live_slots << " slots";
    EXPECT_TRUE(await([&] { return impl.known_sessions().empty(); }))
        << impl.known_sessions().size() << " sessions that something holds";
    EXPECT_TRUE(await([&] { return impl.host_memory->stats().bytes_in_use == 0; }))
        << impl.host_memory->stats().bytes_in_use << " bytes of tensors";
  }

  std::unique_ptr<Runtime> elsewhere_;
  SessionFactoryActor factory_;
};

TEST_F(StressTest, leaves_right_answers_and_nothing_else) {
  const unsigned seed = static_cast<unsigned>(from_environment("TROUPE_STRESS_SEED", 1));
  const std::chrono::seconds seconds(from_environment("TROUPE_STRESS_SECONDS", 5));
  SCOPED_TRACE("seed " + std::to_string(seed));
  Answers answers;
  Stage stage(runtime_.get(), elsewhere_.get(), &answers, graph_of(stage_nodes()), kSessions);
  play(stage, answers, seed, seconds);
  expect_rest(stage);
  stage.clear();
  expect_nothing_left(*runtime_);
  expect_nothing_left(*elsewhere_);
  // Callbacks, listeners and clients, by what they hold.
  EXPECT_TRUE(await([] { return Prop::count == 0; })) << Prop::count << " are held";
  answers.expect_some_good();
  std::printf("%s", answers.summary().c_str());
}

}  // namespace
}  // namespace troupe::test
