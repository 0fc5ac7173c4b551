// Partitions whose values come from a rendezvous, and go there.

#include "actors/step/rendezvous_table.h"
#include "graph/passes/rendezvous_key.h"
#include "tests/actors/step/executor_state_fixture.h"

namespace troupe::test {
namespace {

constexpr char kDevice[] = "/job:localhost/replica:0/task:0/device:CPU:0";

/// A rendezvous without an actor.
class TableRendezvous final : public Rendezvous {
 public:
  absl::Status send(const std::string& key, Tensor value, bool is_dead) override {
    table.send(key, std::move(value), is_dead);
    return table.status();
  }
  void recv(const std::string& key, RecvDone done) override {
    table.recv(key, std::make_shared<Receiver>(std::move(done)));
  }
  RendezvousTable table;
};

/// A partition between two rendezvous edges, whose other ends are the test's.
class ExecutorTransfersTest : public ExecutorStateTest {
 protected:
  /// What came of a recv.
  struct Received {
    absl::Status status = absl::UnknownError("nothing yet");
    Tensor value;
    bool is_dead = false;
  };

  ExecutorTransfersTest() { step_.rendezvous = &rendezvous_; }

  static std::string key(const std::string& tensor) {
    return RendezvousKey::prefix(kDevice, 1, kDevice, tensor) + "0:0";
  }
  static AttrMap edge(const std::string& tensor) {
    return {{"tensor_name", tensor},
            {"send_device", std::string(kDevice)},
            {"recv_device", std::string(kDevice)},
            {"send_device_incarnation", 1},
            {"client_terminated", false}};
  }
  int add_recv(const std::string& tensor) {
    AttrMap attrs = edge(tensor);
    attrs.set("tensor_type", DataType::kInt32);
    return add("recv_" + tensor, "_Recv", attrs, {});
  }
  void add_send(const std::string& tensor, Endpoint value) {
    AttrMap attrs = edge(tensor);
    attrs.set("T", DataType::kInt32);
    add("send_" + tensor, "_Send", attrs, {value});
  }
  void send(const std::string& tensor, Tensor value) {
    ASSERT_TRUE(rendezvous_.send(key(tensor), std::move(value), false).ok());
  }
  void send(const std::string& tensor, int32_t value) { send(tensor, Tensor::scalar<int32_t>(value)); }
  Received receive(const std::string& tensor) {
    Received got;
    rendezvous_.recv(key(tensor), [&got](absl::Status status, Tensor value, bool is_dead) {
      if (absl::IsUnknown(got.status)) got = {std::move(status), std::move(value), is_dead};
    });
    // Nobody may call it once `got` is gone.
    if (absl::IsUnknown(got.status)) rendezvous_.table.abort(absl::UnknownError("it was not there"));
    return got;
  }

  TableRendezvous rendezvous_;
};

TEST_F(ExecutorTransfersTest, s075_adds_what_it_receives_and_sends_the_sum) {
  const int a = add_recv("a"), b = add_recv("b");
  add_send("c", {add("sum", "Plus", {}, {{a, 0}, {b, 0}}), 0});
  compile();
  send("a", 1);
  start();
  EXPECT_EQ(advance(), ExecutorState::Turn::kWaiting) << "for b";
  const int wakes = host_.wakes;
  send("b", 1);
  EXPECT_EQ(host_.wakes, wakes + 1);
  ASSERT_EQ(advance(), ExecutorState::Turn::kFinished);
  ASSERT_TRUE(state_->status().ok()) << state_->status();
  const Received c = receive("c");
  ASSERT_TRUE(c.status.ok()) << c.status;
  EXPECT_FALSE(c.is_dead);
  EXPECT_EQ(c.value.value<int32_t>(), 2);
}

TEST_F(ExecutorTransfersTest, s079_sends_the_value_of_a_branch_that_is_taken) {
  const int in = add_recv("in");
  const int sw = add("switch", "Switch", {{"T", DataType::kInt32}}, {{in, 0}, {truth("no", false), 0}});
  add_send("out", {sw, 0});
  compile();
  send("in", 1);
  start();
  ASSERT_EQ(advance(), ExecutorState::Turn::kFinished);
  const Received out = receive("out");
  ASSERT_TRUE(out.status.ok()) << out.status;
  EXPECT_FALSE(out.is_dead);
  EXPECT_EQ(out.value.value<int32_t>(), 1);
}

TEST_F(ExecutorTransfersTest, s080_sends_that_a_branch_is_not_taken) {
  const int in = add_recv("in");
  const int sw = add("switch", "Switch", {{"T", DataType::kInt32}}, {{in, 0}, {truth("yes", true), 0}});
  add_send("out", {add("up", "CountUp", {}, {{sw, 0}}), 0});
  compile();
  send("in", 1);
  start();
  ASSERT_EQ(advance(), ExecutorState::Turn::kFinished);
  ASSERT_TRUE(state_->status().ok()) << state_->status();
  const Received out = receive("out");
  ASSERT_TRUE(out.status.ok()) << out.status;
  EXPECT_TRUE(out.is_dead);
}

TEST_F(ExecutorTransfersTest, s081_ends_with_the_reason_for_which_its_rendezvous_was_aborted) {
  const int a = add_recv("a"), b = add_recv("b"), c = add_recv("c"), d = add_recv("d");
  const int left = add("left", "Plus", {}, {{a, 0}, {b, 0}});
  const int right = add("right", "Plus", {}, {{c, 0}, {d, 0}});
  add_send("e", {add("sum", "Plus", {}, {{left, 0}, {right, 0}}), 0});
  compile();
  send("a", given);
  start();
  EXPECT_EQ(advance(), ExecutorState::Turn::kWaiting);
  EXPECT_FALSE(given.unique());
  rendezvous_.table.abort(absl::AbortedError("enough"));
  ASSERT_EQ(advance(), ExecutorState::Turn::kFinished);
  EXPECT_EQ(state_->status().code(), absl::StatusCode::kAborted) << state_->status();
  EXPECT_EQ(state_->status().message().substr(0, 6), "enough");
  EXPECT_TRUE(given.unique()) << "the step has let go of what it had received";
  EXPECT_EQ(receive("e").status, absl::AbortedError("enough"));
}

TEST_F(ExecutorTransfersTest, numbers_a_frame_the_same_in_every_process) {
  loop("frame", {constant("start", 0), 0}, 2);
  add_send("x", {graph_.find("frame/body")->id, 0});
  compile();
  start();
  ASSERT_EQ(advance(), ExecutorState::Turn::kFinished);
  ASSERT_TRUE(state_->status().ok()) << state_->status();
  std::vector<RendezvousTable::Kept> kept = rendezvous_.table.kept();
  std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  ASSERT_EQ(kept.size(), 3u);
  for (size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(kept[i].key,
              RendezvousKey::prefix(kDevice, 1, kDevice, "x") + "16115009389187992167:" + std::to_string(i));
    EXPECT_EQ(kept[i].is_dead, i == 2) << "after the last iteration";
  }
}

}  // namespace
}  // namespace troupe::test
