// A value of a type that nobody declared is refused where it arrives: a kernel that trusted the declaration would read other
// memory than there is.
#include <gmock/gmock.h>

#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

constexpr char kCpu0[] = "/job:localhost/replica:0/task:0/device:CPU:0";

class WrongTypes : public SessionTest {
 protected:
  /// send of a constant under a key; recv of `type` under the same.
  void transfer(const std::string& send, const std::string& recv, Tensor value, DataType type) {
    const AttrMap edge{{"tensor_name", std::string("edge")},
                       {"send_device", std::string(kCpu0)},
                       {"recv_device", std::string(kCpu0)},
                       {"send_device_incarnation", 1},
                       {"client_terminated", false}};
    AttrMap sent = edge;
    sent.set("T", value.dtype());
    AttrMap received = edge;
    received.set("tensor_type", type);
    const int c = constant("c", std::move(value));
    add("send", send, sent, {{c, 0}});
    const int r = add("recv", recv, received);
    add("out", "Identity", {{"T", type}}, {{r, 0}});
  }

  void expect_refused(const absl::Status& end, const std::string& text) {
    EXPECT_EQ(end.code(), absl::StatusCode::kInternal) << end;
    EXPECT_EQ(std::string(end.message()), text);
  }
};

TEST_F(WrongTypes, of_a_turns_feed_are_refused_by_the_node_that_gets_it) {
  struct Case {
    DataType declared;
    Tensor fed;
    const char* text;
  };
  const Case cases[] = {
      {DataType::kDouble, Tensor::vector<int8_t>({1, 2}),
       "type int8 does not match declared output type double"},
      {DataType::kDouble, Tensor::vector<float>({1}),
       "type float does not match declared output type double"},
      {DataType::kString, Tensor::vector<float>({1, 2}),
       "type float does not match declared output type string"},
      {DataType::kFloat, Tensor::string_scalar("a"), "type string does not match declared output type float"},
  };
  int n = 0;
  for (const Case& c : cases) {
    const std::string name = "x" + std::to_string(n++);
    add(name + "/y", "Identity", {{"T", c.declared}}, {{placeholder(name, c.declared), 0}});
  }
  Session& s = open();
  n = 0;
  for (const Case& c : cases) {
    const std::string name = "x" + std::to_string(n++);
    auto handle = s.partial_run_setup({name}, {name + "/y"});
    ASSERT_TRUE(handle.ok()) << handle.status();
    expect_refused(s.partial_run(*handle, {{name, c.fed}}, {name + "/y"}).status(),
                   "Output 0 of " + std::string(c.text) + " for node {{node _recv_" + name + "_0}}");
    EXPECT_THAT(std::string(s.partial_run(*handle, {}, {name + "/y"}).status().message()),
                HasSubstr("Must run 'setup'"));
  }
  EXPECT_TRUE(s.wait_idle(std::chrono::seconds(5)).ok());
}

TEST_F(WrongTypes, of_a_feed_alone_are_told_to_the_next_turn) {
  const int a = placeholder("a", DataType::kDouble);
  const int b = placeholder("b", DataType::kDouble);
  add("y", "Identity", {{"T", DataType::kDouble}}, {{a, 0}});
  add("z", "Identity", {{"T", DataType::kDouble}}, {{b, 0}});
  Session& s = open();
  auto handle = s.partial_run_setup({"a", "b"}, {"y", "z"});
  ASSERT_TRUE(handle.ok()) << handle.status();
  (void)s.partial_run(*handle, {{"a", Tensor::vector<int8_t>({1})}}, {});
  ASSERT_TRUE(s.wait_idle(std::chrono::seconds(5)).ok());
  expect_refused(
      s.partial_run(*handle, {{"b", Tensor::vector<double>({1})}}, {"z"}).status(),
      "Output 0 of type int8 does not match declared output type double for node {{node _recv_a_0}}");
}

TEST_F(WrongTypes, of_a_turns_feed_take_any_shape_as_tensorflow_does) {
  const int a = add("a", "Placeholder", {{"dtype", DataType::kDouble}, {"shape", PartialShape({2, 2})}});
  add("y", "Identity", {{"T", DataType::kDouble}}, {{a, 0}});
  Session& s = open();
  auto handle = s.partial_run_setup({"a"}, {"y"});
  ASSERT_TRUE(handle.ok()) << handle.status();
  auto out = s.partial_run(*handle, {{"a", Tensor::vector<double>({7})}}, {"y"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].shape(), Shape({1}));
}

TEST_F(WrongTypes, of_a_send_are_refused_by_its_recv) {
  transfer("_Send", "_Recv", Tensor::vector<int8_t>({1, 2}), DataType::kDouble);
  expect_refused(open().run({}, {"out"}, {"send"}).status(),
                 "Output 0 of type int8 does not match declared output type double for node {{node recv}}");
}

TEST_F(WrongTypes, s082_of_a_send_end_the_step_for_those_who_wait_elsewhere_too) {
  transfer("_Send", "_Recv", Tensor::vector<double>({1}), DataType::kFloat);
  // Nobody sends this.
  const int late = add("late", "_Recv",
                       {{"tensor_name", std::string("never")},
                        {"tensor_type", DataType::kFloat},
                        {"send_device", std::string(kCpu0)},
                        {"recv_device", std::string(kCpu0)},
                        {"send_device_incarnation", 1},
                        {"client_terminated", false}});
  add("waits", "Identity", {{"T", DataType::kFloat}}, {{late, 0}});
  Session& s = open();
  for (int i = 0; i < 3; ++i) {
    expect_refused(
        s.run({}, {"out", "waits"}, {"send"}).status(),
        "Output 0 of type double does not match declared output type float for node {{node recv}}");
  }
  EXPECT_TRUE(s.wait_idle(std::chrono::seconds(5)).ok());
}

TEST_F(WrongTypes, of_a_host_send_are_refused_by_its_recv) {
  transfer("_HostSend", "_HostRecv", Tensor::vector<float>({1, 2}), DataType::kString);
  expect_refused(open().run({}, {"out"}, {"send"}).status(),
                 "Output 0 of type float does not match declared output type string for node {{node recv}}");
}

TEST_F(WrongTypes, of_a_clients_own_send_are_refused_by_its_recv) {
  transfer("Send", "Recv", Tensor::string_scalar("text"), DataType::kFloat);
  expect_refused(open().run({}, {"out"}, {"send"}).status(),
                 "Output 0 of type string does not match declared output type float for node {{node recv}}");
}

TEST_F(WrongTypes, of_a_clients_own_argument_are_refused) {
  const int x = placeholder("x");
  add("y", "Identity", {{"T", DataType::kFloat}}, {{x, 0}});
  const int own = add("own", "_Arg", {{"T", DataType::kString}, {"index", 0}});
  add("text", "Identity", {{"T", DataType::kString}}, {{own, 0}});
  const absl::Status end = open().run({{"x", Tensor::scalar<float>(1)}}, {"y", "text"}).status();
  EXPECT_EQ(end.code(), absl::StatusCode::kInvalidArgument) << end;
  EXPECT_THAT(std::string(end.message()), HasSubstr("Type mismatch: actual float vs. expect string"));
}

}  // namespace
}  // namespace troupe::test
