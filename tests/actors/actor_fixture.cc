#include "tests/actors/actor_fixture.h"

#include <algorithm>

#include "actors/make_slot.h"
#include "actors/session_actor.h"

namespace troupe::test {

/// Of the actors that the test resumes: what they bring goes the way of everything else.
class ActorTest::Unit final : public caf::execution_unit {
 public:
  explicit Unit(caf::actor_system* system) : caf::execution_unit(system) {}
  void exec_later(caf::resumable* job) override { system().scheduler().enqueue(job); }
};

ActorTest::ActorTest() {
  runtime_.reset();
  config_.set("scheduler.policy", caf::atom("testing"));
  configure(config_);
  system_ = std::make_unique<caf::actor_system>(config_);
  unit_ = std::make_unique<Unit>(system_.get());
  RuntimeOptions options;
  options.inter_op_threads = 1;
  options.intra_op_threads = 1;
  options.ops = ops_.get();
  options.kernels = kernels_.get();
  runtime_ = Runtime::create(*system_, options);
  runtime_->impl().default_pool->stop();
  runtime_->impl().default_pool = std::make_shared<NamedPool>(system_.get(), "by hand", NamedPool::kByHand);
  runtime_->impl().compilers->stop();
}

void ActorTest::TearDown() {
  for (const auto& weak : slots_) {
    const auto slot = weak.lock();
    if (slot == nullptr) continue;
    if (slot->life.cancel(0, absl::CancelledError("the test is over")) != 0) run_all();
    stop_slot(slot);
  }
  for (const OpenSessionEntry& s : sessions_) kill(s.actor, caf::exit_reason::user_shutdown);
  run_out();
  while (!sessions_.empty()) forget_session();
}

ActorTest::~ActorTest() {
  kill(runtime_handle(), caf::exit_reason::user_shutdown);
  for (const auto& [name, d] : runtime_->impl().devices()) kill(d, caf::exit_reason::user_shutdown);
  run_all();
  runtime_.reset();
  system_.reset();
}

caf::scheduler::test_coordinator& ActorTest::scheduler() {
  return dynamic_cast<caf::scheduler::test_coordinator&>(system_->scheduler());
}

void ActorTest::take_job(size_t at) {
  auto& jobs = scheduler().jobs;
  const auto where = jobs.begin() + static_cast<std::ptrdiff_t>(at);
  caf::resumable* const job = *where;
  jobs.erase(where);
  switch (job->resume(unit_.get(), 1)) {
    case caf::resumable::resume_later: jobs.push_back(job); break;
    case caf::resumable::shutdown_execution_unit: break;
    default: caf::intrusive_ptr_release(job);
  }
}

bool ActorTest::run_one() {
  if (!scheduler().has_job()) return run_kernel();
  take_job(0);
  return true;
}

bool ActorTest::run_turn(const caf::abstract_actor* actor) {
  auto& jobs = scheduler().jobs;
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (dynamic_cast<caf::abstract_actor*>(jobs[i]) != actor) continue;
    take_job(i);
    return true;
  }
  return false;
}

void ActorTest::run_all_but_of(const caf::abstract_actor* actor) {
  auto& jobs = scheduler().jobs;
  auto is_another = [&](caf::resumable* job) { return dynamic_cast<caf::abstract_actor*>(job) != actor; };
  for (auto at = std::find_if(jobs.begin(), jobs.end(), is_another); at != jobs.end();
       at = std::find_if(jobs.begin(), jobs.end(), is_another)) {
    take_job(static_cast<size_t>(at - jobs.begin()));
  }
}

void ActorTest::run_messages() {
  while (scheduler().has_job()) take_job(0);
}

void ActorTest::run_all() {
  constexpr int kMost = 100'000;
  int ran = 0;
  while (run_one()) ASSERT_LT(++ran, kMost) << "it does not come to rest";
}

void ActorTest::advance(std::chrono::nanoseconds time) {
  run_all();
  auto& clock = scheduler().clock();
  const auto until = clock.now() + time;
  while (!clock.schedule().empty() && clock.schedule().begin()->first <= until) {
    clock.trigger_timeout();
    run_all();
  }
  clock.advance_time(until - clock.now());
}

void ActorTest::run_out() {
  do run_all();
  while (!HasFatalFailure() && scheduler().trigger_timeout());
}

SessionOptions ActorTest::two_devices() {
  SessionOptions options;
  options.device_count["CPU"] = 2;
  return options;
}

SessionActor ActorTest::open_empty_session(const SessionOptions& options) {
  const auto opened = ask<SessionActor>(runtime_handle(), OpenSession{options});
  run_all();
  adopt(opened->value());
  return session();
}

void ActorTest::adopt(const SessionActor& opened) {
  for (const auto& core : runtime_->impl().live_sessions()) {
    if (core->actor == opened) return sessions_.push_back({opened, core});
  }
  FAIL() << "RUNTIME does not know the session that it has opened";
}

void ActorTest::forget_session() {
  EXPECT_EQ(slots_alive(), 0) << "slots that something still holds";
  EXPECT_TRUE(is_gone()) << "something still holds the session";
  sessions_.pop_back();
}

SessionActor ActorTest::open_session(SessionOptions options) {
  open_empty_session(options);
  const auto created =
      ask<Done>(session(), CreateGraph{nullptr, std::make_shared<const Graph>(graph_.clone())});
  run_all();
  EXPECT_TRUE(created->status.ok()) << created->status;
  return session();
}

std::shared_ptr<StepLease> ActorTest::lease(const LeaseRequest& want) {
  const auto reply = ask<SlotReply>(session(), want);
  run_all();
  EXPECT_TRUE(reply->status.ok()) << reply->status;
  return reply->value().lease;
}

std::shared_ptr<StepSlot> ActorTest::new_slot(const LeaseRequest& want) {
  return new_slot(lease(want)->slot()->code);
}

std::shared_ptr<StepSlot> ActorTest::new_slot(const std::shared_ptr<const SignatureCode>& code) {
  auto slot = make_slot(code, core(), core()->pools[0].get());
  core()->add_slot(slot);
  slots_.push_back(slot);
  return slot;
}

int64_t ActorTest::prepare(StepSlot& slot, float feed) {
  for (Tensor& arg : slot.args) arg = Tensor::scalar<float>(feed);
  for (Tensor& value : slot.retvals) value = Tensor();
  const int64_t id = slot.session->gate.new_step_id(RunGate::kActorStripe);
  slot.begin(id, {}, coarse_now());
  return id;
}

int64_t ActorTest::start(StepSlot& slot, float feed) {
  const int64_t id = prepare(slot, feed);
  slot.life.start();
  return id;
}

}  // namespace troupe::test
