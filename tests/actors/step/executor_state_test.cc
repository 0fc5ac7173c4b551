#include "actors/step/executor_state.h"

#include <gmock/gmock.h>

#include <map>

#include "devices/cpu/cpu_device.h"
#include "devices/cpu/kernels/register_kernels.h"

namespace troupe {
namespace {

const OpRow kOps[] = {
    {"CountUp", "x:int32", "y:int32", "", ""}, {"Below", "x:int32", "y:bool", "limit:int", ""},
    {"Slow", "x:int32", "y:int32", "", ""},    {"Plus", "x:int32, y:int32", "z:int32", "", ""},
    {"Later", "x:int32", "y:int32", "", ""},   {"Halves", "x:int32", "y:int32, z:int32", "", ""},
    {"Give", "", "y:int32", "", ""},           {"Trip", "x:int32", "y:int32", "", ""},
};

absl::Status count_up(KernelContext& c) {
  c.set_output(0, Tensor::scalar<int32_t>(c.input(0).value<int32_t>() + 1));
  return absl::OkStatus();
}
absl::Status plus(KernelContext& c) {
  c.set_output(0, Tensor::scalar<int32_t>(c.input(0).value<int32_t>() + c.input(1).value<int32_t>()));
  return absl::OkStatus();
}
/// What Give hands out, and what Trip cancels.
Tensor given = Tensor::scalar<int32_t>(1);
CancellationToken* tripped = nullptr;
absl::Status give(KernelContext& c) {
  c.set_output(0, given);
  return absl::OkStatus();
}
absl::Status trip(KernelContext& c) {
  tripped->cancel(absl::CancelledError("tripped"));
  return count_up(c);
}
/// Sets the second of its outputs only.
absl::Status halves(KernelContext& c) {
  c.set_output(1, c.input(0));
  return absl::OkStatus();
}
absl::Status below(KernelContext& c) {
  c.set_output(0, Tensor::scalar<bool>(c.input(0).value<int32_t>() < *c.node().attrs.get<int64_t>("limit")));
  return absl::OkStatus();
}

/// Hands out what is to be called when it is done.
class Later final : public AsyncKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction&) {
    return std::make_unique<Later>();
  }
  void compute_async(KernelContext&, Done done) override { out.push_back(std::move(done)); }
  static inline std::vector<Done> out;
};

/// Runs what is launched when the test says so, in the order that the test likes.
class ManualHost final : public ExecutorHost {
 public:
  void launch_kernels(std::vector<KernelTask*> tasks) override {
    out.insert(out.end(), tasks.begin(), tasks.end());
  }
  void wake() override { ++wakes; }
  std::vector<KernelTask*> out;
  int wakes = 0;
};

class ExecutorStateTest : public testing::Test {
 protected:
  ExecutorStateTest()
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
    kernels_.add(KernelDef("Halves").fn(halves, true));
    kernels_.add(KernelDef("Below").fn(below, true));
  }

  int add(const std::string& name, const std::string& op, AttrMap attrs, std::vector<Endpoint> in,
          std::vector<int> control = {}) {
    auto n = graph_.add_node(name, op, std::move(attrs), std::move(in), std::move(control));
    EXPECT_TRUE(n.ok()) << n.status();
    return n.ok() ? (*n)->id : -1;
  }
  int constant(const std::string& name, int32_t v, std::vector<int> control = {}) {
    return add(name, "Const", {{"dtype", DataType::kInt32}, {"value", Tensor::scalar<int32_t>(v)}}, {},
               std::move(control));
  }
  int truth(const std::string& name, bool v) {
    return add(name, "Const", {{"dtype", DataType::kBool}, {"value", Tensor::scalar<bool>(v)}}, {});
  }
  void fetch(Endpoint e, int index) {
    add("ret" + std::to_string(index), "_Retval", {{"T", graph_.type_of(e)}, {"index", index}}, {e});
    fetches_ = std::max(fetches_, index + 1);
  }
  /// A loop around `count`, from `start` up to `limit`.
  Endpoint loop(const std::string& frame, Endpoint start, int limit, int parallel = 10,
                const std::string& op = "CountUp") {
    AttrMap t{{"T", DataType::kInt32}};
    int in =
        add(frame + "/in", "Enter",
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
  /// Whether some input of a node carries its constant from step to step.
  bool is_bound(const std::string& name) const {
    const CompiledPartition& p = state_->partition();
    for (int i = 0; i < p.num_nodes(); ++i) {
      if (p.info(i).name == name) return p.node(i).bound_inputs != 0;
    }
    ADD_FAILURE() << "no node " << name;
    return false;
  }

  void compile() {
    auto p = CompiledPartition::compile(graph_, device_.get(), kernels_, nullptr);
    ASSERT_TRUE(p.ok()) << p.status();
    state_ = std::make_unique<ExecutorState>(*p, &host_);
  }
  /// One step to its end; launched kernels run last first.
  absl::Status run() {
    retvals_.assign(fetches_, Tensor());
    step_.device = device_.get();
    step_.cancellation = &token_;
    step_.retvals = retvals_;
    state_->start(&step_, false);
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

  /// Begins a step.
  void start(bool collect_stats = false) {
    retvals_.assign(fetches_, Tensor());
    step_.device = device_.get();
    step_.cancellation = &token_;
    step_.retvals = retvals_;
    state_->start(&step_, false, collect_stats);
  }
  /// As far as it comes without answers.
  ExecutorState::Turn advance() {
    ExecutorState::Turn turn;
    do {
      turn = state_->advance();
    } while (turn == ExecutorState::Turn::kYield);
    return turn;
  }
  std::vector<std::string> told(size_t limit) const {
    std::vector<std::string> out;
    for (const FrontierEntry& e : state_->frontier(limit)) out.push_back(e.node + ": " + e.waits_for);
    return out;
  }

  OpRegistry ops_;
  KernelRegistry kernels_;
  Graph graph_;
  std::unique_ptr<Device> device_;
  ManualHost host_;
  std::unique_ptr<ExecutorState> state_;
  CancellationToken token_;
  StepState step_;
  std::vector<Tensor> retvals_;
  int fetches_ = 0;
};

TEST_F(ExecutorStateTest, runs_a_loop_to_its_limit_again_and_again) {
  fetch(loop("f", {constant("zero", 0), 0}, 1000), 0);
  compile();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(run().ok());
    EXPECT_EQ(retvals_[0].value<int32_t>(), 1000);
  }
}

TEST_F(ExecutorStateTest, runs_loops_of_which_none_iterates) {
  fetch(loop("f", {constant("five", 5), 0}, 3), 0);
  compile();
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(retvals_[0].value<int32_t>(), 5);
}

TEST_F(ExecutorStateTest, parks_iterations_beyond_the_parallel_ones) {
  for (int parallel : {1, 2, 32}) {
    std::string frame = "f" + std::to_string(parallel);
    fetch(loop(frame, {constant(frame + "zero", 0), 0}, 50, parallel, "Slow"), fetches_);
  }
  compile();
  ASSERT_TRUE(run().ok());
  for (const Tensor& t : retvals_) EXPECT_EQ(t.value<int32_t>(), 50);
}

TEST_F(ExecutorStateTest, propagates_death_through_an_untaken_branch_and_a_loop_in_it) {
  int x = constant("x", 1);
  int no = truth("no", false);
  int sw = add("switch", "Switch", {{"T", DataType::kInt32}}, {{x, 0}, {no, 0}});
  int taken = add("taken", "CountUp", {}, {{sw, 0}});
  Endpoint untaken = loop("f", {sw, 1}, 10);
  int merge = add("merge", "Merge", {{"T", DataType::kInt32}, {"N", 2}}, {{taken, 0}, untaken});
  fetch({merge, 0}, 0);
  fetch({merge, 1}, 1);
  compile();
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(retvals_[0].value<int32_t>(), 2);
  EXPECT_EQ(retvals_[1].value<int32_t>(), 0) << "which input arrived";
}

TEST_F(ExecutorStateTest, drops_what_is_ready_when_cancelled_and_runs_the_next_step) {
  fetch(loop("f", {constant("zero", 0), 0}, 100'000'000), 0);
  compile();
  retvals_.assign(1, Tensor());
  step_.device = device_.get();
  step_.cancellation = &token_;
  step_.retvals = retvals_;
  state_->start(&step_, false);
  EXPECT_EQ(state_->advance(), ExecutorState::Turn::kYield);
  EXPECT_FALSE(state_->frontier(10).empty());
  token_.cancel(absl::CancelledError("enough"));
  ExecutorState::Turn turn;
  do {
    turn = state_->advance();
  } while (turn == ExecutorState::Turn::kYield);
  EXPECT_EQ(turn, ExecutorState::Turn::kFinished);
  EXPECT_EQ(state_->status(), absl::CancelledError("enough"));
}

TEST_F(ExecutorStateTest, sends_independent_expensive_kernels_out_and_a_lone_one_not) {
  int x = constant("x", 1);
  int a = add("a", "Slow", {}, {{x, 0}});
  int b = add("b", "Slow", {}, {{x, 0}});
  fetch({a, 0}, 0);
  fetch({b, 0}, 1);
  compile();
  retvals_.assign(2, Tensor());
  step_.device = device_.get();
  step_.cancellation = &token_;
  step_.retvals = retvals_;
  state_->start(&step_, false);
  EXPECT_EQ(state_->advance(), ExecutorState::Turn::kWaiting);
  ASSERT_EQ(host_.out.size(), 2u);
  for (KernelTask* t : host_.out) {
    t->run();
    state_->complete(t);
  }
  EXPECT_EQ(host_.wakes, 1) << "completions share one wake";
  EXPECT_EQ(state_->advance(), ExecutorState::Turn::kFinished);
  EXPECT_EQ(retvals_[1].value<int32_t>(), 2);
}

TEST_F(ExecutorStateTest, binds_the_constants_of_a_loops_body_to_their_consumers) {
  // Two variables, as TensorFlow writes it: the constants of both updates wait for the first one's pivot.
  auto enter = [&](const std::string& name, int start) {
    return add(name, "Enter", {{"T", DataType::kInt32}, {"frame_name", "f"}},
               {{constant(name + "0", start), 0}});
  };
  const AttrMap t{{"T", DataType::kInt32}};
  int in_a = enter("a", 0), in_b = enter("b", 100);
  int merge_a = add("merge_a", "Merge", {{"T", DataType::kInt32}, {"N", 2}}, {{in_a, 0}, {in_a, 0}});
  int merge_b = add("merge_b", "Merge", {{"T", DataType::kInt32}, {"N", 2}}, {{in_b, 0}, {in_b, 0}});
  int go = add("go", "Below", {{"limit", 40}}, {{merge_a, 0}});
  int cond = add("cond", "LoopCond", {}, {{go, 0}});
  int switch_a = add("switch_a", "Switch", t, {{merge_a, 0}, {cond, 0}});
  int switch_b = add("switch_b", "Switch", t, {{merge_b, 0}, {cond, 0}});
  int pivot = add("pivot", "Identity", t, {{switch_a, 1}});
  int plus_a = add("plus_a", "Plus", {}, {{pivot, 0}, {constant("one", 1, {pivot}), 0}});
  int plus_b = add("plus_b", "Plus", {}, {{constant("ten", 10, {pivot}), 0}, {switch_b, 1}});
  graph_.node(merge_a).inputs[1] = {add("next_a", "NextIteration", t, {{plus_a, 0}}), 0};
  graph_.node(merge_b).inputs[1] = {add("next_b", "NextIteration", t, {{plus_b, 0}}), 0};
  fetch({add("out_a", "Exit", t, {{switch_a, 0}}), 0}, 0);
  fetch({add("out_b", "Exit", t, {{switch_b, 0}}), 0}, 1);
  compile();
  EXPECT_TRUE(is_bound("plus_a"));
  EXPECT_TRUE(is_bound("plus_b")) << "its value comes from a Switch by the same predicate";
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(run().ok());
    EXPECT_EQ(retvals_[0].value<int32_t>(), 40);
    EXPECT_EQ(retvals_[1].value<int32_t>(), 500);
  }
  // 2 Merge, Below, LoopCond, 2 Switch in 41 iterations; pivot, 2 Plus, 2 NextIteration in 40; 4 nodes before the
  // loop and 4 after it. Not one Const in the loop.
  EXPECT_EQ(state_->nodes_run(), 6 * 41 + 5 * 40 + 8);
}

TEST_F(ExecutorStateTest, binds_a_branchs_constant_only_where_its_consumer_dies_with_it) {
  const AttrMap t{{"T", DataType::kInt32}};
  int x = add("x", "CountUp", {}, {{constant("zero", 0), 0}});
  int yes = truth("yes", true), no = truth("no", false);
  int on_no = add("on_no", "Switch", t, {{x, 0}, {no, 0}});
  int on_yes = add("on_yes", "Switch", t, {{x, 0}, {yes, 0}});
  int pivot = add("pivot", "Identity", t, {{on_no, 1}});  // dead
  int same = add("same", "Plus", {}, {{on_no, 1}, {constant("c1", 1, {pivot}), 0}});
  int other_side = add("other_side", "Plus", {}, {{on_no, 0}, {constant("c2", 2, {pivot}), 0}});
  int other_predicate = add("other_predicate", "Plus", {}, {{on_yes, 1}, {constant("c3", 3, {pivot}), 0}});
  int free = add("free", "Plus", {}, {{x, 0}, {constant("c4", 4, {pivot}), 0}});
  for (int dead : {same, other_side, other_predicate, free}) {
    const std::string name = graph_.node(dead).name;
    int merge = add("merge_" + name, "Merge", {{"T", DataType::kInt32}, {"N", 2}}, {{dead, 0}, {x, 0}});
    fetch({merge, 1}, fetches_);
  }
  compile();
  EXPECT_TRUE(is_bound("same"));
  EXPECT_FALSE(is_bound("other_side"));
  EXPECT_FALSE(is_bound("other_predicate"));
  EXPECT_FALSE(is_bound("free"));
  ASSERT_TRUE(run().ok());
  for (const Tensor& which : retvals_) EXPECT_EQ(which.value<int32_t>(), 1) << "the sum is dead";
}

TEST_F(ExecutorStateTest, keeps_the_order_that_a_constant_carries) {
  int x = constant("x", 1);
  int effect = add("effect", "CountUp", {}, {{x, 0}});
  int later =
      add("later", "Plus", {}, {{add("y", "CountUp", {}, {{x, 0}}), 0}, {constant("c", 1, {effect}), 0}});
  int ordered = add("ordered", "Plus", {}, {{effect, 0}, {constant("d", 1, {effect}), 0}});
  fetch({later, 0}, 0);
  fetch({ordered, 0}, 1);
  compile();
  EXPECT_FALSE(is_bound("later")) << "it would no longer wait for `effect`";
  EXPECT_TRUE(is_bound("ordered")) << "it waits for `effect` anyway";
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(retvals_[0].value<int32_t>(), 3);
  EXPECT_EQ(retvals_[1].value<int32_t>(), 3);
}

TEST_F(ExecutorStateTest, keeps_the_order_that_several_constants_carry) {
  int x = constant("x", 1);
  int effect = add("effect", "CountUp", {}, {{x, 0}});
  int before = add("before", "CountUp", {}, {{x, 0}});
  int both = add("both", "Plus", {}, {{constant("c", 1, {effect}), 0}, {constant("d", 2, {effect}), 0}});
  graph_.node(both).control_inputs.push_back(before);
  fetch({both, 0}, 0);
  compile();
  const CompiledPartition& p = state_->partition();
  for (int i = 0; i < p.num_nodes(); ++i) {
    if (p.info(i).name != "both") continue;
    EXPECT_EQ(p.node(i).bound_inputs, 1u) << "one must still wait for `effect`";
  }
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(retvals_[0].value<int32_t>(), 3);
}

// --- outputs ---

TEST_F(ExecutorStateTest, lets_a_kernel_leave_an_output_that_nobody_wants) {
  int h = add("halves", "Halves", {}, {{constant("seven", 7), 0}});
  fetch({h, 1}, 0);
  compile();
  ASSERT_TRUE(run().ok()) << state_->status();
  EXPECT_EQ(retvals_[0].value<int32_t>(), 7);
}

TEST_F(ExecutorStateTest, names_the_output_that_is_wanted_and_missing) {
  int h = add("halves", "Halves", {}, {{constant("seven", 7), 0}});
  fetch({h, 0}, 0);
  compile();
  const absl::Status end = run();
  EXPECT_EQ(end.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(end.message(), "Missing 0-th output from {{node halves}}");
}

TEST_F(ExecutorStateTest, kills_all_outputs_of_a_list_when_one_input_is_dead) {
  AttrMap t{{"T", DataType::kInt32}};
  int seven = constant("seven", 7);
  int sw = add("switch", "Switch", t, {{seven, 0}, {truth("yes", true), 0}});
  AttrMap types{{"T", std::vector<DataType>{DataType::kInt32, DataType::kInt32}}};
  int mixed = add("mixed", "IdentityN", types, {{sw, 0}, {seven, 0}});
  int alive = add("alive", "IdentityN", types, {{sw, 1}, {seven, 0}});
  AttrMap two{{"T", DataType::kInt32}, {"N", 2}};
  fetch({add("first", "Merge", two, {{mixed, 1}, {alive, 0}}), 1}, 0);
  fetch({mixed, 1}, 1);
  fetch({alive, 1}, 2);
  compile();
  ASSERT_TRUE(run().ok()) << state_->status();
  EXPECT_EQ(retvals_[0].value<int32_t>(), 1);
  EXPECT_FALSE(retvals_[1].initialized());
  EXPECT_EQ(retvals_[2].value<int32_t>(), 7);
}

TEST_F(ExecutorStateTest, keeps_its_owner_until_asynchronous_kernels_have_answered) {
  const int c = constant("c", 1);
  const int a = add("a", "Later", {}, {{c, 0}});
  const int b = add("b", "Later", {}, {{c, 0}});
  fetch({a, 0}, 0);
  fetch({b, 0}, 1);
  auto p = CompiledPartition::compile(graph_, device_.get(), kernels_, nullptr);
  ASSERT_TRUE(p.ok()) << p.status();
  auto state = std::make_shared<ExecutorState>(*p, &host_);
  retvals_.assign(fetches_, Tensor());
  step_.device = device_.get();
  step_.cancellation = &token_;
  step_.retvals = retvals_;
  state->start(&step_, false);
  ASSERT_EQ(state->advance(), ExecutorState::Turn::kWaiting);
  auto out = std::exchange(Later::out, {});
  ASSERT_EQ(out.size(), 2u);
  out[0](absl::OkStatus());
  EXPECT_EQ(host_.wakes, 1);
  std::weak_ptr<ExecutorState> owner = state;
  ExecutorState* const dying = state.get();
  dying->abandon(std::move(state));
  EXPECT_FALSE(owner.expired());
  out[1](absl::CancelledError("the end"));
  EXPECT_TRUE(owner.expired());
  EXPECT_EQ(host_.wakes, 1) << "nobody is there to be woken";
}

TEST_F(ExecutorStateTest, takes_no_abort_without_a_reason) {
  fetch({add("up", "CountUp", {}, {{constant("zero", 0), 0}}), 0}, 0);
  compile();
  retvals_.assign(fetches_, Tensor());
  step_.device = device_.get();
  step_.cancellation = &token_;
  step_.retvals = retvals_;
  state_->start(&step_, false);
  state_->abort(absl::OkStatus());
  EXPECT_EQ(state_->advance(), ExecutorState::Turn::kFinished);
  EXPECT_EQ(retvals_[0].value<int32_t>(), 1);
}

TEST_F(ExecutorStateTest, begins_no_more_iterations_than_may_run_at_a_time) {
  // The counter runs ahead; a kernel of each iteration does not answer yet.
  loop("f", {constant("zero", 0), 0}, 10, 3);
  add("busy", "Later", {}, {{graph_.find("f/switch")->id, 1}});
  compile();
  start();
  EXPECT_EQ(advance(), ExecutorState::Turn::kWaiting);
  size_t answered = 0, begun = 0;
  std::vector<AsyncKernel::Done> out;
  for (int iteration = 0; iteration < 10; ++iteration) {
    for (auto& done : std::exchange(Later::out, {})) out.push_back(std::move(done));
    begun = out.size();
    EXPECT_EQ(begun, std::min<size_t>(answered + 3, 10));
    ASSERT_LT(answered, begun);
    out[answered++](absl::OkStatus());
    EXPECT_EQ(advance(), answered < 10 ? ExecutorState::Turn::kWaiting : ExecutorState::Turn::kFinished);
  }
}

TEST_F(ExecutorStateTest, takes_the_first_live_value_of_a_merge_and_no_other) {
  const int one = constant("one", 1), two = constant("two", 2);
  AttrMap pair{{"T", DataType::kInt32}, {"N", 2}};
  const int early = add("early", "Merge", pair, {{one, 0}, {two, 0}});
  const int late = add("late", "Merge", pair, {{add("up", "CountUp", {}, {{two, 0}}), 0}, {one, 0}});
  const int first = add("first", "NoOp", {}, {}, {});
  const int waits = add("waits", "Merge", pair, {{one, 0}, {two, 0}}, {first});
  for (int merge : {early, late, waits}) {
    fetch({merge, 0}, fetches_);
    fetch({merge, 1}, fetches_);
  }
  compile();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(run().ok());
    EXPECT_EQ(retvals_[0].value<int32_t>(), 1);
    EXPECT_EQ(retvals_[1].value<int32_t>(), 0);
    EXPECT_EQ(retvals_[2].value<int32_t>(), 1);
    EXPECT_EQ(retvals_[3].value<int32_t>(), 1);
    EXPECT_EQ(retvals_[4].value<int32_t>(), 1);
    EXPECT_EQ(retvals_[5].value<int32_t>(), 0);
    EXPECT_EQ(state_->nodes_run(), 13) << "each node once";
  }
}

TEST_F(ExecutorStateTest, tells_what_runs_what_is_ready_and_what_waits_for_what) {
  const int zero = constant("zero", 0);
  const int busy = add("busy", "Later", {}, {{zero, 0}});
  const int up = add("up", "CountUp", {}, {{zero, 0}});
  const int bound = add("bound", "Plus", {}, {{busy, 0}, {constant("two", 2), 0}});
  const int half = add("half", "Plus", {}, {{up, 0}, {busy, 0}});
  add("nothing_yet", "Plus", {}, {{bound, 0}, {half, 0}});
  compile();
  EXPECT_TRUE(is_bound("bound"));
  EXPECT_TRUE(state_->frontier(10).empty());
  start();
  EXPECT_FALSE(told(10).empty());
  EXPECT_EQ(told(10)[0], "zero: ready");
  EXPECT_EQ(advance(), ExecutorState::Turn::kWaiting);
  EXPECT_THAT(told(10),
              testing::ElementsAre("busy: running", "bound: waits for busy", "half: waits for busy"));
  EXPECT_THAT(told(2), testing::ElementsAre("busy: running", "bound: waits for busy"));
  EXPECT_THAT(told(1), testing::ElementsAre("busy: running"));
  for (auto& done : std::exchange(Later::out, {})) done(absl::InternalError("told to"));
  EXPECT_EQ(advance(), ExecutorState::Turn::kFinished);
  EXPECT_TRUE(state_->last_frontier().empty()) << "an error names its node; only cancels and deadlines ask";
}

TEST_F(ExecutorStateTest, tells_of_each_node_in_many_iterations_once) {
  loop("f", {constant("zero", 0), 0}, 10, 3);
  const int body = graph_.find("f/switch")->id;
  const int busy = add("busy", "Later", {}, {{body, 1}});
  add("half", "Plus", {}, {{body, 1}, {busy, 0}});
  compile();
  start();
  EXPECT_EQ(advance(), ExecutorState::Turn::kWaiting);
  EXPECT_THAT(told(10), testing::ElementsAre("busy: running", "half: waits for busy"));
  token_.cancel(absl::CancelledError("enough"));
  for (auto& done : std::exchange(Later::out, {})) done(absl::CancelledError("enough"));
  EXPECT_EQ(advance(), ExecutorState::Turn::kFinished);
  EXPECT_FALSE(state_->last_frontier().empty());
}

TEST_F(ExecutorStateTest, begins_as_many_iterations_after_steps_that_were_cancelled) {
  loop("f", {constant("zero", 0), 0}, 10, 3);
  add("busy", "Later", {}, {{graph_.find("f/switch")->id, 1}});
  compile();
  for (int step = 0; step < 4; ++step) {
    start();
    EXPECT_EQ(advance(), ExecutorState::Turn::kWaiting);
    EXPECT_EQ(Later::out.size(), 3u) << "step " << step;
    token_.cancel(absl::CancelledError("enough"));
    for (auto& done : std::exchange(Later::out, {})) done(absl::CancelledError("enough"));
    EXPECT_EQ(advance(), ExecutorState::Turn::kFinished);
    token_.reset();
  }
}

TEST_F(ExecutorStateTest, keeps_no_value_of_a_step_that_was_cancelled) {
  const int busy = add("busy", "Later", {}, {{constant("zero", 0), 0}});
  add("half", "Plus", {}, {{add("give", "Give", {}, {}), 0}, {busy, 0}});
  compile();
  for (int step = 0; step < 3; ++step) {
    start();
    EXPECT_EQ(advance(), ExecutorState::Turn::kWaiting);
    EXPECT_FALSE(given.unique());
    token_.cancel(absl::CancelledError("enough"));
    for (auto& done : std::exchange(Later::out, {})) done(absl::CancelledError("enough"));
    EXPECT_EQ(advance(), ExecutorState::Turn::kFinished);
    EXPECT_TRUE(given.unique()) << "step " << step;
    token_.reset();
  }
}

TEST_F(ExecutorStateTest, sends_nothing_out_once_it_is_cancelled) {
  const int zero = constant("zero", 0);
  for (const char* op : {"Trip", "Slow", "CountUp"}) add(op, op, {}, {{zero, 0}});
  add("other", "Slow", {}, {{zero, 0}});
  compile();
  tripped = &token_;
  start();
  EXPECT_EQ(advance(), ExecutorState::Turn::kFinished);
  EXPECT_TRUE(host_.out.empty());
  EXPECT_EQ(state_->status(), absl::CancelledError("tripped"));
}

TEST_F(ExecutorStateTest, times_what_ran_in_this_step_and_not_what_was_dead) {
  const int zero = constant("zero", 0);
  const int sw = add("switch", "Switch", {{"T", DataType::kInt32}}, {{zero, 0}, {truth("no", false), 0}});
  add("dead", "CountUp", {}, {{sw, 1}});
  add("alive", "CountUp", {}, {{sw, 0}});
  add("busy", "Later", {}, {{zero, 0}});
  compile();
  for (int step = 0; step < 2; ++step) {
    start(true);
    EXPECT_EQ(advance(), ExecutorState::Turn::kWaiting);
    for (auto& done : std::exchange(Later::out, {})) done(absl::OkStatus());
    EXPECT_EQ(advance(), ExecutorState::Turn::kFinished);
    std::map<std::string, NodeTiming> timed;
    for (const NodeTiming& t : state_->timings()) {
      EXPECT_TRUE(timed.emplace(state_->partition().info(t.node).name, t).second) << "once a step";
    }
    EXPECT_FALSE(timed.contains("dead"));
    for (const char* name : {"alive", "busy"}) {
      ASSERT_TRUE(timed.contains(name)) << name;
      EXPECT_GT(timed[name].begin_ns, 0) << name;
      EXPECT_GE(timed[name].end_ns, timed[name].begin_ns) << name;
      EXPECT_NE(timed[name].thread, 0u) << name;
    }
  }
  start();
  advance();
  for (auto& done : std::exchange(Later::out, {})) done(absl::OkStatus());
  EXPECT_EQ(advance(), ExecutorState::Turn::kFinished);
  EXPECT_TRUE(state_->timings().empty()) << "nobody asked";
}

}  // namespace
}  // namespace troupe
