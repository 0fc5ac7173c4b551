#include "tests/actors/explorer/explorer.h"

#include <google/protobuf/text_format.h>

#include "absl/strings/str_cat.h"

#include "actors/errors.h"
#include "proto/graph.pb.h"

namespace troupe::test {
namespace {

constexpr char kGraph[] = R"(
  library {
    function {
      signature { name: 'Twice' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
      node_def { name: 'sum' op: 'TestAdd' input: 'x' input: 'x' }
      ret { key: 'y' value: 'sum:z:0' }
      attr { key: '_noinline' value { b: true } } }
    function {
      signature { name: 'Stuck' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
      node_def { name: 'hang' op: 'TestHang' input: 'x' }
      ret { key: 'y' value: 'hang:z:0' }
      attr { key: '_noinline' value { b: true } } } }
  node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
  node { name: 'near' op: 'Identity' input: 'x' device: '/device:CPU:1' attr { key: 'T' value { type: DT_FLOAT } } }
  node { name: 'quick' op: 'TestAdd' input: 'near' input: 'x' device: '/device:CPU:0' }
  node { name: 'alone' op: 'TestHang' input: 'x' device: '/device:CPU:0' }
  node { name: 'far' op: 'TestHang' input: 'x' device: '/device:CPU:1' }
  node { name: 'across' op: 'Identity' input: 'far' device: '/device:CPU:0' attr { key: 'T' value { type: DT_FLOAT } } }
  node { name: 'one' op: 'TestSleep' input: 'x' device: '/device:CPU:0' attr { key: 'micros' value { i: 0 } } }
  node { name: 'two' op: 'TestSleep' input: 'x' device: '/device:CPU:0' attr { key: 'micros' value { i: 1 } } }
  node { name: 'wide' op: 'TestAdd' input: 'one' input: 'two' device: '/device:CPU:0' }
  node { name: 'call' op: 'Twice' input: 'x' device: '/device:CPU:0' }
  node { name: 'stuck' op: 'Stuck' input: 'x' device: '/device:CPU:0' }
)";

std::vector<NamedTensor> feeds() { return {{"x", Tensor::scalar<float>(21)}}; }

}  // namespace

/// Of all jobs, of the threads that have lent themselves, and of the one that runs kernels, one.
bool Explorer::run_one() {
  auto& jobs = scheduler().jobs;
  if (roll(8) == 0 && run_kernel()) return true;
  std::vector<std::shared_ptr<Lender>> awake = lenders_;
  while (!jobs.empty() || !awake.empty()) {
    const size_t i = roll(jobs.size() + awake.size());
    if (i >= jobs.size()) {
      const auto lender = awake[i - jobs.size()];
      if (take_turn_of(*lender)) return true;
      std::erase(awake, lender);
      continue;
    }
    take_job(i);
    return true;
  }
  return run_kernel();
}

void Explorer::begin_lender(const std::string& fetch) {
  auto core = this->core();
  if (core == nullptr) return;
  const int64_t cancels = core->cancels();
  auto place = core->enter();
  if (!place.ok()) return;
  auto lender = std::make_shared<Lender>();
  lender->fetch = fetch;
  lender->core = std::move(core);
  lender->place = *std::move(place);
  lender->cancels = cancels;
  lender->in_peace = cancels_ == cancelled_;
  lender->answer = std::make_shared<Answer>();
  lender->answer->asked = "lent " + fetch;
  const int before = cancels_;
  LeaseRequest want;
  want.feeds = {"x"};
  want.fetches = {fetch};
  ask<SlotReply>(
      "lease", want,
      [this, lender, before](const SlotReply& reply) {
        lender->lease = reply.lease;
        lender->in_peace = lender->in_peace && before == cancels_;
        answers_.push_back(lender->answer);
        lenders_.push_back(lender);
      },
      [lender](const caf::error&) { lender->place.leave(); });
}

bool Explorer::take_turn_of(Lender& lender) {
  StepLease& lease = *lender.lease;
  const std::shared_ptr<StepSlot> slot = lease.slot();
  bool over = false;
  if (!std::exchange(lender.begun, true)) {
    RunOptions options;
    over = !lease.load(0, feeds()[0].second).ok() || !lease.begin(options, lender.cancels).ok();
    if (!over) {
      slot->unit->open();
      slot->life.start();
    }
  } else if (!slot->finished.load()) {
    return slot->unit->run_next();
  } else {
    slot->unit->close();
    over = true;
  }
  if (!over) return true;
  std::vector<Tensor> fetched(1);
  bool false_start = false;
  const absl::Status status = lease.take(fetched, nullptr, &false_start);
  lender.place.leave();
  ++lender.answer->times;
  if (status.ok()) {
    EXPECT_EQ(fetched[0].value<float>(), lender.fetch.starts_with("more") ? 21 : 42);
  } else {
    EXPECT_FALSE(lender.in_peace && cancels_ == cancelled_ && cancels_ == 0)
        << lender.fetch << " ended with " << status;
  }
  std::erase_if(lenders_, [&](const auto& l) { return l.get() == &lender; });
  return true;
}

void Explorer::run_some(size_t messages) {
  while (messages-- > 0 && run_one()) {
  }
}

void Explorer::wait_a_while() { scheduler().advance_time(std::chrono::milliseconds(1 + roll(20))); }

template <class... Results, class Message>
std::shared_ptr<Answer> Explorer::ask(const std::string& what, Message message,
                                      std::type_identity_t<std::function<void(const Results&...)>> good,
                                      std::function<void(const caf::error&)> bad) {
  auto answer = std::make_shared<Answer>();
  answer->asked = what;
  answers_.push_back(answer);
  ask_then<Results...>(
      session(), std::move(message),
      [=](const Results&... results) {
        ++answer->times;
        answer->good = true;
        if (good) good(results...);
      },
      [=](const caf::error& error) {
        ++answer->times;
        if (bad) bad(error);
      });
  return answer;
}

void Explorer::begin(uint64_t seed) {
  random_.seed(seed);
  answers_.clear();
  cancels_ = cancelled_ = extends_ = 0;
  lenders_.clear();
  added_.clear();
  hurried_.clear();
  partial_runs_.clear();
  partial_run_actors_.clear();
  ask_then<SessionActor>(runtime_handle(), OpenSession{two_devices()},
                         [this](const SessionActor& opened) { adopt(opened); }, {});
  run_out();
  auto graph = std::make_shared<tensorflow::GraphDef>();
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(kGraph, graph.get()));
  auto created = ask<Done>("create", CreateGraph{graph, nullptr});
  run_out();
  ASSERT_TRUE(created->good);
}

std::string Explorer::some_fetch() {
  constexpr const char* kFetches[] = {"quick", "wide", "alone", "across", "call", "stuck"};
  const size_t i = roll(std::size(kFetches) + added_.size());
  return i < std::size(kFetches) ? kFetches[i] : added_[i - std::size(kFetches)];
}

/// A run that nobody cancels ends well, or hangs until its deadline.
void Explorer::ask_for_run(const std::string& fetch) {
  const bool in_peace = cancels_ == cancelled_;
  RunOptions options;
  const bool hurried = roll(4) == 0;
  if (hurried) options.timeout = std::chrono::milliseconds(1 + roll(30));
  auto answer = ask<RunReply>(fetch, RunRequest{feeds(), {fetch}, {}, options}, {},
                              [this, fetch, in_peace, hurried, before = cancels_](const caf::error& error) {
                                const absl::Status status = to_status(error);
                                if (hurried && absl::IsDeadlineExceeded(status)) return;
                                EXPECT_FALSE(in_peace && before == cancels_)
                                    << fetch << " ended with " << status;
                              });
  if (hurried) hurried_.push_back(answer);
}

void Explorer::ask_for_extend() {
  const std::string name = absl::StrCat("more", extends_++);
  auto graph = std::make_shared<tensorflow::GraphDef>();
  auto* node = graph->add_node();
  node->set_name(name);
  node->set_op("Identity");
  node->add_input("x");
  (*node->mutable_attr())["T"].set_type(tensorflow::DT_FLOAT);
  ask<Done>("extend", ExtendGraph{graph, nullptr, nullptr},
            [this, name](const Done&) { added_.push_back(name); });
}

/// Those that run when it comes are cancelled; those that are asked for when it is answered are not.
void Explorer::ask_for_cancel() {
  ++cancels_;
  ask<CancelReply>(
      "cancel", CancelRequest{0, "enough"}, [this](const CancelReply&) { ++cancelled_; },
      [this](const caf::error&) { ++cancelled_; });
}

void Explorer::take_turn() {
  if (partial_runs_.empty()) {
    const std::vector<std::string> fetches = {"quick", roll(2) == 0 ? "alone" : "call"};
    ask<std::string, PartialRunActor>(
        "partial run", PartialRunSetup{{"x"}, fetches, {}, std::chrono::milliseconds(0)}, note_partial_run());
    return;
  }
  const std::string& handle = partial_runs_[roll(partial_runs_.size())];
  switch (roll(6)) {
    case 0: ask<RunReply>("feeding turn", PartialRunRequest{handle, feeds(), {"quick"}}); break;
    case 1: ask<RunReply>("turn", PartialRunRequest{handle, {}, {"quick"}}); break;
    case 2: ask<RunReply>("last turn", PartialRunRequest{handle, {}, {"alone"}}); break;
    case 3: ask<std::string, PartialRunActor>("fork", ForkPartialRun{handle}, note_partial_run()); break;
    case 4: ask<PartialRunList>("list of partial runs", ListPartialRuns{}); break;
    default: ask<Done>("end of a partial run", EndPartialRun{handle, "enough"});
  }
}

std::function<void(const std::string&, const PartialRunActor&)> Explorer::note_partial_run() {
  return [this](const std::string& name, const PartialRunActor& actor) {
    partial_runs_.push_back(name);
    partial_run_actors_.push_back(actor);
  };
}

void Explorer::kill_one() {
  ++cancels_;
  const auto why = roll(2) == 0 ? caf::exit_reason::kill : caf::exit_reason::user_shutdown;
  if (!partial_run_actors_.empty() && roll(6) == 0)
    return caf::anon_send_exit(partial_run_actors_[roll(partial_run_actors_.size())], why);
  auto core = this->core();
  if (core == nullptr) return;
  if (roll(12) == 0) return kill(session(), why);
  std::vector<std::shared_ptr<StepSlot>> slots;
  for (const auto& weak : core->slots()) {
    if (auto slot = weak.lock()) slots.push_back(std::move(slot));
  }
  if (slots.empty()) return;
  const StepSlot& slot = *slots[roll(slots.size())];
  switch (roll(4)) {
    case 0: return caf::anon_send_exit(slot.step, why);
    case 1: return caf::anon_send_exit(slot.executors[roll(slot.executors.size())], why);
    case 2:
      if (slot.rendezvous) caf::anon_send_exit(slot.rendezvous, why);
      return;
    default: return caf::anon_send_exit(slot.devices[roll(slot.devices.size())], why);
  }
}

void Explorer::act(bool deaths) {
  switch (roll(deaths ? 17 : 13)) {
    case 0:
    case 1:
    case 2:
    case 3: return ask_for_run(some_fetch());
    case 4:
    case 5: return begin_lender(some_fetch());
    case 6:
    case 7:
    case 8: return take_turn();
    case 9: return ask_for_cancel();
    case 10: return wait_a_while();
    case 11: return ask_for_extend();
    case 12:
      if (roll(4) == 0) {
        ++cancels_;
        ask<Done>("close", CloseRequest{});
      } else {
        ask<InspectReply>("inspect", InspectRequest{});
      }
      return;
    default: return kill_one();
  }
}

void Explorer::end() {
  // Longer than any deadline. What waits for a cancel still runs then, and so does the clock of its runtime.
  advance(std::chrono::milliseconds(100));
  for (const auto& answer : hurried_)
    EXPECT_EQ(answer->times, 1) << "its deadline is over: " << answer->asked;
  ask_for_cancel();
  run_out();
  if (!is_gone()) {
    for (const auto& answer : answers_) {
      EXPECT_EQ(answer->times, 1) << "while the session lives: " << answer->asked;
    }
  }
  kill(session(), caf::exit_reason::user_shutdown);
  run_out();
  for (const auto& answer : answers_) EXPECT_EQ(answer->times, 1) << answer->asked;
  partial_run_actors_.clear();
  forget_session();
}

}  // namespace troupe::test
