// Graphs that a master cuts by task and workers by device, run to their end: what goes from task to task goes as bytes.

#include <gmock/gmock.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "actors/cluster/chunk_receiver.h"
#include "actors/cluster/chunk_sender.h"
#include "actors/cluster/task_id.h"
#include "actors/cluster/tensor_message.h"
#include "actors/step/executor_state.h"
#include "actors/step/rendezvous_table.h"
#include "devices/cpu/cpu_device.h"
#include "devices/cpu/kernels/register_kernels.h"
#include "devices/kernel_registry.h"
#include "graph/ir/graph_builder.h"
#include "graph/ir/graph_def.h"
#include "graph/passes/partition_by_task.h"
#include "graph/passes/planner.h"
#include "graph/passes/rendezvous_key.h"

#include "proto/graph.pb.h"

namespace troupe {
namespace {

constexpr int kTasks = 2, kDevicesPerTask = 2;

std::string task_name(int task) { return TaskId{"worker", task}.to_string(); }

/// The devices of both tasks, as the master sees them or as one of the tasks does.
class Catalog final : public DeviceCatalog {
 public:
  Catalog(const std::vector<std::unique_ptr<Device>>& devices, int task) {
    for (size_t i = 0; i < devices.size(); ++i) {
      entries_.push_back({devices[i]->name(), "CPU", devices[i]->attributes().incarnation, 60,
                          task < 0 || static_cast<int>(i) / kDevicesPerTask == task});
    }
  }
  const std::vector<Entry>& entries() const override { return entries_; }
  int client_device() const override { return 0; }
  absl::StatusOr<Support> kernel_support(const OpDef&, const AttrMap&, const std::string&) const override {
    return Support{true, 0};
  }
  std::string kernels_of(const std::string&) const override { return ""; }

 private:
  std::vector<Entry> entries_;
};

/// Where all executors of a step meet. A value for another task goes through both ends of a transfer.
class WireRendezvous final : public Rendezvous {
 public:
  absl::Status send(const std::string& key, Tensor value, bool is_dead) override {
    TROUPE_ASSIGN_OR_RETURN(const RendezvousKey parsed, RendezvousKey::parse(key));
    if (TaskId::parse(parsed.src_device) == TaskId::parse(parsed.dst_device)) {
      table_.send(key, std::move(value), is_dead);
      return table_.status();
    }
    ++crossed;
    TROUPE_ASSIGN_OR_RETURN(
        absl::Cord bytes,
        encode({.frame = parsed.frame, .iteration = parsed.iteration, .is_dead = is_dead, .value = value}));
    const uint64_t stream = sender_.open(std::move(bytes));
    while (auto next = sender_.next()) {
      TROUPE_ASSIGN_OR_RETURN(ChunkReceiver::Progress progress, receiver_.accept(std::get<Chunk>(*next)));
      TROUPE_RETURN_IF_ERROR(sender_.acknowledge(stream, progress.received).status());
      if (!progress.value) continue;
      TROUPE_ASSIGN_OR_RETURN(TensorMessage message,
                              decode_tensor_message(bytes_of(*std::move(progress.value))));
      table_.send(key, std::move(message.value), message.is_dead);
    }
    return table_.status();
  }
  void recv(const std::string& key, RecvDone done) override {
    table_.recv(key, std::make_shared<Receiver>(std::move(done)));
  }
  size_t left_over() const { return table_.size(); }
  int crossed = 0;

 private:
  RendezvousTable table_;
  ChunkSender sender_;
  ChunkReceiver receiver_;
};

/// Executors that are asked in turn.
class PatientHost final : public ExecutorHost {
 public:
  void launch_kernels(std::vector<KernelTask*>) override { ADD_FAILURE() << "all runs inline"; }
  void wake() override {}
};

class CutRunTest : public testing::Test {
 protected:
  CutRunTest() {
    register_cpu_kernels(&kernels_);
    for (int i = 0; i < kTasks * kDevicesPerTask; ++i) {
      devices_.push_back(make_cpu_device(task_name(i / kDevicesPerTask), i % kDevicesPerTask,
                                         plain_allocator(), serial_runner()));
    }
  }

  /// Plans and runs `fetches`; nodes whose name has "d3" in it are on device 3, and so on.
  absl::StatusOr<std::vector<Tensor>> run(GraphBuilder& b, const std::vector<std::string>& fetches) {
    TROUPE_ASSIGN_OR_RETURN(Graph graph, b.build());
    for (int i = 0; i < graph.num_ids(); ++i) {
      Node& n = graph.node(i);
      for (size_t d = 0; d < devices_.size(); ++d) {
        if (absl::StrContains(n.name, absl::StrCat("d", d))) n.requested_device = devices_[d]->name();
      }
      if (n.requested_device.empty()) n.requested_device = devices_[0]->name();
    }
    PlanSignature signature;
    signature.fetches = fetches;
    PlanOptions options;
    options.optimize = false;
    options.by_task = true;
    TROUPE_ASSIGN_OR_RETURN(Plan plan, make_plan(graph, signature, Catalog(devices_, -1), nullptr, options));
    parts_ = static_cast<int>(plan.partitions.size());
    for (const PlanPartition& part : plan.partitions) {
      TROUPE_RETURN_IF_ERROR(add_part(part, static_cast<int>(fetches.size())));
    }
    return run_all(fetches.size());
  }

  /// What a worker does with its part, which comes as bytes.
  absl::Status add_part(const PlanPartition& part, int num_fetches) {
    pb::GraphDef sent, received;
    to_graph_def(part.graph, &sent);
    EXPECT_TRUE(received.ParseFromString(sent.SerializeAsString()));
    Graph graph;
    TROUPE_RETURN_IF_ERROR(import_graph_def(received, {.allow_internal_names = true}, &graph));
    const Catalog catalog(devices_, part.device / kDevicesPerTask);
    TROUPE_ASSIGN_OR_RETURN(Plan plan, plan_part(catalog, std::move(graph), 0, num_fetches));
    for (const PlanPartition& p : plan.partitions) {
      TROUPE_ASSIGN_OR_RETURN(
          auto compiled, CompiledPartition::compile(p.graph, devices_[p.device].get(), kernels_, nullptr));
      executors_.push_back(std::make_unique<ExecutorState>(std::move(compiled), &host_));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<Tensor>> run_all(size_t num_fetches) {
    std::vector<Tensor> values(num_fetches);
    std::vector<StepState> steps(executors_.size());
    for (size_t i = 0; i < executors_.size(); ++i) {
      steps[i].device = executors_[i]->partition().device();
      steps[i].cancellation = &token_;
      steps[i].rendezvous = &rendezvous_;
      steps[i].retvals = values;
      executors_[i]->start(&steps[i], /*inline_only=*/true);
    }
    std::vector<bool> done(executors_.size());
    for (int round = 0; round < 100'000; ++round) {
      for (size_t i = 0; i < executors_.size(); ++i) {
        if (!done[i]) done[i] = executors_[i]->advance() == ExecutorState::Turn::kFinished;
      }
      if (std::find(done.begin(), done.end(), false) == done.end()) break;
    }
    for (size_t i = 0; i < executors_.size(); ++i) {
      if (!done[i]) return absl::DeadlineExceededError(absl::StrCat("executor ", i, " is stuck"));
      TROUPE_RETURN_IF_ERROR(executors_[i]->status());
    }
    EXPECT_EQ(rendezvous_.left_over(), 0u) << "values that nobody received";
    return values;
  }

  KernelRegistry kernels_;
  std::vector<std::unique_ptr<Device>> devices_;
  PatientHost host_;
  CancellationToken token_;
  WireRendezvous rendezvous_;
  std::vector<std::unique_ptr<ExecutorState>> executors_;
  int parts_ = 0;
};

TEST_F(CutRunTest, values_cross_tasks_and_devices) {
  GraphBuilder b;
  Out x = b.constant(3.0f, "d0_x");
  Out y = b.neg(x, "d2_y"), z = b.mul(x, y, "d3_z");
  b.add(y, z, "d1_sum");
  auto values = run(b, {"d1_sum", "d3_z"});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0].value<float>(), -12.0f);
  EXPECT_EQ((*values)[1].value<float>(), -9.0f);
  EXPECT_EQ(parts_, 2);
  EXPECT_EQ(executors_.size(), 4u);
  EXPECT_EQ(rendezvous_.crossed, 3) << "x there; y and z back";
}

TEST_F(CutRunTest, large_values_and_strings_cross_tasks) {
  GraphBuilder b;
  Tensor large(DataType::kFloat, Shape{1 << 20});
  for (int i = 0; i < 1 << 20; ++i) large.flat<float>()[i] = static_cast<float>(i);
  b.neg(b.constant(large, "d0_large"), "d2_neg");
  b.identity(b.constant(Tensor::string_scalar("over there"), "d2_text"), "d1_text");
  auto values = run(b, {"d2_neg", "d1_text"});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0].flat<float>()[(1 << 20) - 1], -1048575.0f);
  EXPECT_EQ((*values)[1].value<TString>().view(), "over there");
}

TEST_F(CutRunTest, dead_values_stay_dead_in_the_other_task) {
  for (const bool taken : {true, false}) {
    SCOPED_TRACE(taken);
    executors_.clear();
    GraphBuilder b;
    Out x = b.constant(3.0f, "x");
    auto out = b.cond(
        b.constant(taken, "predicate"), [&] { return std::vector<Out>{b.neg(b.neg(x, "d2_y"), "d3_y")}; },
        [&] { return std::vector<Out>{b.add(x, x, "d1_z")}; });
    auto values = run(b, {b.name_of(out[0])});
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_EQ((*values)[0].value<float>(), taken ? 3.0f : 6.0f);
  }
}

TEST_F(CutRunTest, control_edges_order_what_is_in_other_tasks) {
  GraphBuilder b;
  GraphBuilder::Variable v = b.variable(Tensor::scalar<float>(1), "d2_v");
  Out one = b.constant(1.0f, "one");
  Out added;
  {
    auto after = b.control({v.initializer});
    added = b.assign_add(v, one, "d2_add");
  }
  Out here;
  {
    auto after = b.control({added});
    here = b.op("NoOp", {}, {}, "d1_here");
  }
  auto after = b.control({here});
  b.read(v, "d2_read");
  auto values = run(b, {"d2_read"});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0].value<float>(), 2.0f);
}

/// sum = start; i = 0; while i < limit: sum += step(i), over as many devices as the names say.
std::vector<Out> sum_loop(GraphBuilder& b, int32_t limit, const std::string& step, const std::string& sum) {
  return b.while_loop(
      {b.constant(int32_t{0}), b.constant(int32_t{100})},
      [&](const std::vector<Out>& v) { return b.less(v[0], b.constant(limit)); },
      [&](const std::vector<Out>& v) {
        Out next = b.add(v[0], b.constant(int32_t{1}));
        Out twice = b.add(v[0], v[0], step);
        return std::vector<Out>{next, b.add(v[1], twice, sum)};
      });
}

TEST_F(CutRunTest, loops_go_round_over_tasks_and_devices) {
  for (const auto& [step, sum] : std::vector<std::pair<std::string, std::string>>{
           {"d2_step", "sum"}, {"d2_step", "d3_sum"}, {"d1_step", "d3_sum"}, {"d3_step", "d3_sum"}}) {
    for (const int32_t limit : {0, 1, 25}) {
      SCOPED_TRACE(absl::StrCat(step, " ", sum, " ", limit));
      executors_.clear();
      GraphBuilder b;
      std::vector<Out> end = sum_loop(b, limit, step, sum);
      auto values = run(b, {b.name_of(end[0]), b.name_of(end[1])});
      ASSERT_TRUE(values.ok()) << values.status();
      EXPECT_EQ((*values)[0].value<int32_t>(), limit);
      EXPECT_EQ((*values)[1].value<int32_t>(), 100 + limit * (limit - 1));
    }
  }
}

TEST_F(CutRunTest, loops_within_loops_go_round_over_tasks) {
  GraphBuilder b;
  std::vector<Out> end = b.while_loop(
      {b.constant(int32_t{0}), b.constant(int32_t{0})},
      [&](const std::vector<Out>& v) { return b.less(v[0], b.constant(int32_t{4})); },
      [&](const std::vector<Out>& v) {
        Out next = b.add(v[0], b.constant(int32_t{1}), "d2_next");
        std::vector<Out> inner = b.while_loop(
            {b.constant(int32_t{0}), v[1]},
            [&](const std::vector<Out>& w) { return b.less(w[0], b.constant(int32_t{3})); },
            [&](const std::vector<Out>& w) {
              return std::vector<Out>{b.add(w[0], b.constant(int32_t{1})),
                                      b.add(w[1], b.constant(int32_t{5}), "d3_more")};
            },
            "inner");
        return std::vector<Out>{next, inner[1]};
      });
  auto values = run(b, {b.name_of(end[1])});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0].value<int32_t>(), 4 * 3 * 5);
}

}  // namespace
}  // namespace troupe
