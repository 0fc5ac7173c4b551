// What is a message in a step, and what is not: the table in actors/README.md.
#include <gmock/gmock.h>

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "actors/run_metadata.h"
#include "actors/runtime_impl.h"
#include "actors/step/serves_turn.h"
#include "proto/graph.pb.h"
#include "tests/actors/session_fixture.h"
#include "tests/graph/passes/function_graphs.h"

#include <google/protobuf/text_format.h>

namespace troupe::test {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

class MessageCounts : public SessionTest {
 protected:
  /// Of a run of the open session with x = 1. DrainKernels are counted apart: completions that come together share one.
  std::map<std::string, int> messages(const std::vector<std::string>& fetches) {
    RunOptions options;
    options.collect_stats = true;
    RunStats stats;
    auto fetched = session_->run({{"x", Tensor::scalar<float>(1)}}, fetches, {}, options, &stats);
    EXPECT_TRUE(fetched.ok()) << fetched.status();
    drains_ = stats.messages["DrainKernels"];
    stats.messages.erase("DrainKernels");
    return stats.messages;
  }
  int drains_ = 0;
};

TEST_F(MessageCounts, one_begins_a_step_of_one_partition_however_long) {
  const int x = placeholder("x");
  int last = x;
  for (int i = 0; i < 1000; ++i) last = add(absl::StrCat("n", i), "TestAdd", {}, {{last, 0}, {x, 0}});
  open();
  EXPECT_THAT(messages({"n99"}), UnorderedElementsAre(Pair("StartExecutor", 1)));
  // One for each turn that has run its budget of time, which passes faster under a sanitizer.
  EXPECT_LE(drains_, 10);
  EXPECT_THAT(messages({"n999"}), UnorderedElementsAre(Pair("StartExecutor", 1)));
  EXPECT_LE(drains_, 100) << "far fewer than nodes";
}

TEST_F(MessageCounts, a_value_that_crosses_devices_is_sent_and_asked_for) {
  const int x = placeholder("x");
  const int far = add("far", "TestAdd", {}, {{x, 0}, {x, 0}}, {}, "/device:CPU:1");
  add("near", "TestAdd", {}, {{far, 0}, {far, 0}}, {}, "/device:CPU:0");
  SessionOptions options;
  options.device_count["CPU"] = 2;
  open(options);
  // x and the sum.
  EXPECT_THAT(messages({"near"}), UnorderedElementsAre(Pair("RunStep", 1), Pair("RendezvousBegin", 1),
                                                       Pair("StartExecutor", 2), Pair("RendezvousSend", 2),
                                                       Pair("RendezvousRecv", 2), Pair("ExecutorDone", 2)));
  EXPECT_LE(drains_, 2);
}

TEST_F(MessageCounts, values_of_a_turn_leave_together_on_a_thread_with_other_work) {
  const int x = placeholder("x");
  constexpr int kValues = 150;
  std::vector<std::string> fetches;
  for (int i = 0; i < kValues; ++i) {
    const int here = add(absl::StrCat("here", i), "TestAdd", {}, {{x, 0}, {x, 0}}, {}, "/device:CPU:0");
    fetches.push_back(absl::StrCat("there", i));
    add(fetches.back(), "TestAdd", {}, {{here, 0}, {here, 0}}, {}, "/device:CPU:1");
  }
  SessionOptions options;
  options.device_count["CPU"] = 2;
  options.optimize = false;
  open(options);
  const ServesTurn as_nodes_do;
  const auto counts = messages(fetches);
  // 64 at a time; a turn ends sooner where time passes faster.
  EXPECT_LE(counts.at("RendezvousBatch") +
                (counts.contains("RendezvousSend") ? counts.at("RendezvousSend") : 0),
            kValues / 4);
}

TEST_F(MessageCounts, kernels_that_run_side_by_side_are_one_batch) {
  const int x = placeholder("x");
  // Each another: equal nodes are one.
  for (int i = 1; i <= 3; ++i) add(std::string(1, "_abc"[i]), "TestSleep", {{"micros", 2'000 * i}}, {{x, 0}});
  SessionOptions options;
  options.inter_op_threads = 3;
  open(options);
  EXPECT_THAT(messages({"a", "b", "c"}),
              UnorderedElementsAre(Pair("StartExecutor", 1), Pair("LaunchKernels", 1)));
  EXPECT_GE(drains_, 1);
  EXPECT_LE(drains_, 3);
}

TEST_F(MessageCounts, a_called_function_begins_and_comes_back) {
  tensorflow::GraphDef graph;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(
    library {
      function {
        signature { name: 'Twice' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
        node_def { name: 'sum' op: 'TestAdd' input: 'x' input: 'x' }
        ret { key: 'y' value: 'sum:z:0' }
        attr { key: '_noinline' value { b: true } } } }
    node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
    node { name: 'call' op: 'Twice' input: 'x' })",
                                                            &graph));
  open();
  session_ = *Session::open(*runtime_);
  ASSERT_TRUE(session_->create(graph).ok());
  (void)messages({"call"});  // compiles it
  EXPECT_THAT(messages({"call"}), UnorderedElementsAre(Pair("StartExecutor", 2)));
  EXPECT_EQ(drains_, 1);
}

TEST_F(MessageCounts, a_turn_of_a_partial_run_talks_to_the_rendezvous) {
  const int x = placeholder("x");
  const int y = placeholder("y");
  add("a", "TestAdd", {}, {{x, 0}, {x, 0}});
  add("b", "TestAdd", {}, {{y, 0}, {y, 0}});
  open();
  auto handle = session_->partial_run_setup({"x", "y"}, {"a", "b"}, {});
  ASSERT_TRUE(handle.ok()) << handle.status();
  ASSERT_TRUE(session_->partial_run(*handle, {{"x", Tensor::scalar<float>(1)}}, {"a"}).ok());
  std::shared_ptr<StepSlot> slot;
  for (const auto& weak : runtime_->impl().live_sessions().at(0)->slots()) {
    if (auto found = weak.lock(); found != nullptr && found->code->partial) slot = found;
  }
  ASSERT_NE(slot, nullptr);
  slot->unit->tally.begin(true);
  ASSERT_TRUE(session_->partial_run(*handle, {{"y", Tensor::scalar<float>(1)}}, {"b"}).ok());
  const auto counts = message_counts(*slot);
  // y from the turn to the executor, b from there to the turn; then all is fed and fetched.
  EXPECT_THAT(counts, UnorderedElementsAre(Pair("RendezvousSend", 2), Pair("RendezvousRecv", 1),
                                           Pair("DrainKernels", 1), Pair("ExecutorDone", 1)));
}

}  // namespace
}  // namespace troupe::test
