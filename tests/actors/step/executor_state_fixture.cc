#include "tests/actors/step/executor_state_fixture.h"

#include <algorithm>

#include "devices/cpu/cpu_device.h"
#include "devices/cpu/kernels/register_kernels.h"

namespace troupe::test {
namespace {

const OpRow kOps[] = {
    {"CountUp", "x:int32", "y:int32", "", ""}, {"Below", "x:int32", "y:bool", "limit:int", ""},
    {"Slow", "x:int32", "y:int32", "", ""},    {"Plus", "x:int32, y:int32", "z:int32", "", ""},
    {"Later", "x:int32", "y:int32", "", ""},   {"Halves", "x:int32", "y:int32, z:int32", "", ""},
    {"Give", "", "y:int32", "", ""},           {"Trip", "x:int32", "y:int32", "", ""},
    {"Lend", "", "y:Ref(int32)", "", ""},
};

absl::Status count_up(KernelContext& c) {
  c.set_output(0, Tensor::scalar<int32_t>(c.input(0).value<int32_t>() + 1));
  return absl::OkStatus();
}
absl::Status plus(KernelContext& c) {
  c.set_output(0, Tensor::scalar<int32_t>(c.input(0).value<int32_t>() + c.input(1).value<int32_t>()));
  return absl::OkStatus();
}
absl::Status give(KernelContext& c) {
  c.set_output(0, given);
  return absl::OkStatus();
}
absl::Status lend(KernelContext& c) {
  auto ref = std::make_shared<RefTensor>();
  ref->tensor = lent;
  ref->name = c.node().name;
  c.set_output_ref(0, std::move(ref));
  return absl::OkStatus();
}
absl::Status trip(KernelContext& c) {
  tripped->cancel(absl::CancelledError("tripped"));
  return count_up(c);
}
absl::Status halves(KernelContext& c) {
  c.set_output(1, c.input(0));
  return absl::OkStatus();
}
absl::Status below(KernelContext& c) {
  c.set_output(0, Tensor::scalar<bool>(c.input(0).value<int32_t>() < *c.node().attrs.get<int64_t>("limit")));
  return absl::OkStatus();
}

}  // namespace

ExecutorStateTest::ExecutorStateTest()
    : ops_(&builtin_ops()), graph_(&ops_),
      device_(make_cpu_device("/job:localhost/replica:0/task:0", 0, plain_allocator(), serial_runner())) {
  EXPECT_TRUE(ops_.add(kOps).ok());
  register_cpu_kernels(&kernels_);
  kernels_.add(KernelDef("CountUp").fn(count_up, true));
  kernels_.add(KernelDef("Slow").fn(count_up));
  kernels_.add(KernelDef("Plus").fn(plus, true));
  kernels_.add(KernelDef("Later").kernel<Later>());
  kernels_.add(KernelDef("Give").fn(give, true));
  kernels_.add(KernelDef("Trip").fn(trip, true));
  kernels_.add(KernelDef("Lend").fn(lend, true));
  kernels_.add(KernelDef("Halves").fn(halves, true));
  kernels_.add(KernelDef("Below").fn(below, true));
}

int ExecutorStateTest::add(const std::string& name, const std::string& op, AttrMap attrs,
                           std::vector<Endpoint> in, std::vector<int> control) {
  auto n = graph_.add_node(name, op, std::move(attrs), std::move(in), std::move(control));
  EXPECT_TRUE(n.ok()) << n.status();
  return n.ok() ? (*n)->id : -1;
}

Endpoint ExecutorStateTest::loop(const std::string& frame, Endpoint start, int limit, int parallel,
                                 const std::string& op) {
  AttrMap t{{"T", DataType::kInt32}};
  int in = add(frame + "/in", "Enter",
               {{"T", DataType::kInt32}, {"frame_name", frame}, {"parallel_iterations", parallel}}, {start});
  int merge = add(frame + "/merge", "Merge", {{"T", DataType::kInt32}, {"N", 2}}, {{in, 0}, {in, 0}});
  int go = add(frame + "/below", "Below", {{"limit", limit}}, {{merge, 0}});
  int cond = add(frame + "/cond", "LoopCond", {}, {{go, 0}});
  int sw = add(frame + "/switch", "Switch", t, {{merge, 0}, {cond, 0}});
  int body = add(frame + "/body", op, {}, {{sw, 1}});
  int next = add(frame + "/next", "NextIteration", t, {{body, 0}});
  graph_.node(merge).inputs[1] = {next, 0};
  int out = add(frame + "/out", "Exit", t, {{sw, 0}});
  return {out, 0};
}

bool ExecutorStateTest::is_bound(const std::string& name) const {
  const CompiledPartition& p = state_->partition();
  for (int i = 0; i < p.num_nodes(); ++i) {
    if (p.info(i).name == name) return p.node(i).bound_inputs != 0;
  }
  ADD_FAILURE() << "no node " << name;
  return false;
}

void ExecutorStateTest::compile() {
  auto p = CompiledPartition::compile(graph_, device_.get(), kernels_, nullptr);
  ASSERT_TRUE(p.ok()) << p.status();
  state_ = std::make_unique<ExecutorState>(*p, &host_);
}

absl::Status ExecutorStateTest::run() {
  start();
  while (true) {
    auto turn = state_->advance();
    if (turn == ExecutorState::Turn::kFinished) return state_->status();
    if (turn == ExecutorState::Turn::kYield) continue;
    EXPECT_FALSE(host_.out.empty());
    if (host_.out.empty()) return absl::InternalError("stuck");
    KernelTask* t = host_.out.back();
    host_.out.pop_back();
    t->run();
    state_->complete(t);
  }
}

void ExecutorStateTest::start(bool collect_stats) {
  retvals_.assign(fetches_, Tensor());
  step_.device = device_.get();
  step_.cancellation = &token_;
  step_.retvals = retvals_;
  state_->start(&step_, false, collect_stats);
}

ExecutorState::Turn ExecutorStateTest::advance() {
  ExecutorState::Turn turn;
  do {
    turn = state_->advance();
  } while (turn == ExecutorState::Turn::kYield);
  return turn;
}

std::vector<std::string> ExecutorStateTest::told(size_t limit) const {
  std::vector<std::string> out;
  for (const FrontierEntry& e : state_->frontier(limit)) out.push_back(e.node + ": " + e.waits_for);
  return out;
}

}  // namespace troupe::test
