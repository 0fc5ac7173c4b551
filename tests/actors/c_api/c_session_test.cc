// Sessions of the C API: what they run, and graphs that grow meanwhile.

#include <atomic>
#include <thread>

#include "tests/actors/c_api/c_graph.h"

using namespace c_test;

namespace {

/// ConfigProto { inter_op_parallelism_threads: -1 }: every step on its caller's thread.
const std::string kOwnThread("\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);

TEST(CSession, runs_a_graph_again_and_again) {
  AddThree g;
  Session session(g.graph.get());
  for (int i = 0; i < 20; ++i) {
    TensorPtr x = float_scalar(static_cast<float>(i));
    EXPECT_EQ(session.run_float({{g.x, x.get()}}, g.y), i + 3);
  }
}

TEST(CSession, runs_on_the_callers_thread_when_told_so) {
  AddThree g;
  Session session(g.graph.get(), kOwnThread);
  TensorPtr x = float_scalar(2);
  EXPECT_EQ(session.run_float({{g.x, x.get()}}, g.y), 5);
}

TEST(CSession, takes_up_what_is_added_between_runs) {
  AddThree g;
  Session session(g.graph.get());
  TensorPtr x = float_scalar(1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(session.run_float({{g.x, x.get()}}, g.y), 4);
  TF_Output z = g.graph.unary("Neg", "z", g.y);
  EXPECT_EQ(session.run_float({{g.x, x.get()}}, z), -4);
  EXPECT_EQ(session.run_float({{g.x, x.get()}}, g.y), 4);
}

TEST(CSession, takes_up_single_nodes_between_runs) {
  Graph g;
  TF_Output x = g.placeholder("x");
  TF_Output one = g.constant("one", 1);
  TF_Output sum = x;
  Session session(g.get());
  TensorPtr fed = float_scalar(1);
  for (int i = 0; i < 100; ++i) {
    sum = g.binary("AddV2", ("sum" + std::to_string(i)).c_str(), sum, one);
    ASSERT_EQ(session.run_float({{x, fed.get()}}, sum), i + 2);
  }
}

TEST(CSession, takes_up_changed_nodes_with_new_ones) {
  Graph g;
  TF_Output c = g.constant("c", 1);
  Session session(g.get());
  EXPECT_EQ(session.run_float({}, c), 1);
  EXPECT_EQ(session.run_float({}, g.unary("Identity", "before", c)), 1);
  // AttrValue { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 5 } }
  BufferPtr five = buffer_of(std::string("\x42\x0a\x08\x01\x12\x00\x2a\x04\x00\x00\xa0\x40", 12));
  Status s(TF_NewStatus());
  TF_SetAttr(g.get(), c.oper, "value", five.get(), s.get());
  ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << describe(s);
  EXPECT_EQ(session.run_float({}, g.unary("Identity", "after", c)), 5);
}

TEST(CSession, goes_on_once_what_it_refused_is_put_right) {
  Graph g;
  TF_Output c = g.constant("c", 1);
  Session session(g.get());
  EXPECT_EQ(session.run_float({}, c), 1);
  TF_Output far = g.unary("Identity", "far", c);
  TF_SetRequestedDevice(g.get(), far.oper, "/device:GPU:7");
  session.run({}, {far});
  EXPECT_EQ(session.code(), TF_INVALID_ARGUMENT);
  TF_SetRequestedDevice(g.get(), far.oper, "");
  EXPECT_EQ(session.run_float({}, far), 1);
  EXPECT_EQ(session.run_float({}, g.unary("Identity", "further", far)), 1);
}

TEST(CSession, takes_up_nodes_while_a_partial_run_is_open) {
  AddThree g;
  Session session(g.graph.get());
  Status s(TF_NewStatus());
  const char* handle = nullptr;
  TF_SessionPRunSetup(session.get(), &g.x, 1, &g.y, 1, nullptr, 0, &handle, s.get());
  ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << describe(s);
  TensorPtr x = float_scalar(1);
  TF_Output more = g.y;
  for (int i = 0; i < 3; ++i) {
    more = g.graph.unary("Identity", ("more" + std::to_string(i)).c_str(), more);
    EXPECT_EQ(session.run_float({{g.x, x.get()}}, more), 4);
  }
  TF_Tensor* fed = x.get();
  TF_Tensor* out = nullptr;
  TF_SessionPRun(session.get(), handle, &g.x, &fed, 1, &g.y, &out, 1, nullptr, 0, s.get());
  ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << describe(s);
  EXPECT_EQ(floats(TensorPtr(out).get()), std::vector<float>{4});
  TF_DeletePRunHandle(handle);
}

TEST(CSession, is_extended_by_hand_once_it_was) {
  AddThree g;
  Session session(g.graph.get());
  TF_ExtendSession(session.get(), session.status().get());
  EXPECT_EQ(session.code(), TF_OK);
  TensorPtr x = float_scalar(1);
  EXPECT_EQ(session.run_float({{g.x, x.get()}}, g.y), 4);
  TF_Output z = g.graph.unary("Neg", "z", g.y);
  session.run({{g.x, x.get()}}, {z});
  EXPECT_NE(session.code(), TF_OK);
  TF_ExtendSession(session.get(), session.status().get());
  EXPECT_EQ(session.run_float({{g.x, x.get()}}, z), -4);
}

TEST(CSession, may_outlive_its_graph) {
  Status s(TF_NewStatus());
  AddThree g;
  TF_Graph* graph = g.graph.release();
  TF_Session* first = TF_NewSession(graph, nullptr, s.get());
  TF_Session* second = TF_NewSession(graph, nullptr, s.get());
  TF_DeleteGraph(graph);
  TF_DeleteSession(first, s.get());
  TensorPtr x = float_scalar(1);
  TF_Tensor* value = x.get();
  TF_Tensor* out = nullptr;
  TF_SessionRun(second, nullptr, &g.x, &value, 1, &g.y, &out, 1, nullptr, 0, nullptr, s.get());
  EXPECT_EQ(floats(out), std::vector<float>{4});
  TF_DeleteTensor(out);
  TF_DeleteSession(second, s.get());
}

TEST(CSession, is_shared_by_threads_while_the_graph_grows) {
  AddThree g;
  Session session(g.graph.get());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      Status s(TF_NewStatus());
      TensorPtr x = float_scalar(static_cast<float>(t));
      for (int i = 0; i < 200; ++i) {
        TF_Tensor* value = x.get();
        TF_Tensor* out = nullptr;
        TF_SessionRun(session.get(), nullptr, &g.x, &value, 1, &g.y, &out, 1, nullptr, 0, nullptr, s.get());
        if (TF_GetCode(s.get()) != TF_OK || floats(out) != std::vector<float>{t + 3.0f}) ++wrong;
        TF_DeleteTensor(out);
      }
    });
  }
  for (int i = 0; i < 50; ++i) g.graph.unary("Neg", ("more" + std::to_string(i)).c_str(), g.y);
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(CSession, runs_more_signatures_than_it_keeps_callables) {
  Graph g;
  TF_Output x = g.placeholder("x");
  std::vector<TF_Output> ends;
  for (int i = 0; i < 300; ++i) ends.push_back(g.unary("Neg", ("n" + std::to_string(i)).c_str(), x));
  Session session(g.get());
  TensorPtr one = float_scalar(1);
  for (int round = 0; round < 3; ++round) {
    for (TF_Output end : ends) ASSERT_EQ(session.run_float({{x, one.get()}}, end), -1);
  }
}

TEST(CSession, lists_its_devices) {
  AddThree g;
  Session session(g.graph.get());
  Status s(TF_NewStatus());
  TF_DeviceList* list = TF_SessionListDevices(session.get(), s.get());
  ASSERT_NE(list, nullptr);
  ASSERT_EQ(TF_DeviceListCount(list), 1);
  EXPECT_STREQ(TF_DeviceListName(list, 0, s.get()), "/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_STREQ(TF_DeviceListType(list, 0, s.get()), "CPU");
  EXPECT_GT(TF_DeviceListMemoryBytes(list, 0, s.get()), 0);
  EXPECT_NE(TF_DeviceListIncarnation(list, 0, s.get()), 0u);
  EXPECT_EQ(TF_DeviceListName(list, 1, s.get()), nullptr);
  EXPECT_EQ(describe(s), "3: index out of bounds");
  EXPECT_EQ(TF_DeviceListType(list, -1, s.get()), nullptr);
  EXPECT_EQ(TF_DeviceListMemoryBytes(nullptr, 0, s.get()), -1);
  EXPECT_EQ(describe(s), "3: list is null!");
  EXPECT_EQ(TF_DeviceListIncarnation(list, 7, s.get()), 0u);
  TF_DeleteDeviceList(list);
  EXPECT_EQ(TF_SessionListDevices(nullptr, s.get()), nullptr);
  EXPECT_EQ(TF_DeviceListCount(nullptr), 0);
}

TEST(CSession, runs_in_parts) {
  Graph g;
  TF_Output a = g.placeholder("a"), b = g.placeholder("b");
  TF_Output one = g.constant("one", 1);
  TF_Output a1 = g.binary("AddV2", "a1", a, one);
  TF_Output ab = g.binary("AddV2", "ab", a1, b);
  Session session(g.get());
  Status s(TF_NewStatus());
  const TF_Output feeds[] = {a, b}, fetches[] = {a1, ab};
  const char* handle = nullptr;
  TF_SessionPRunSetup(session.get(), feeds, 2, fetches, 2, nullptr, 0, &handle, s.get());
  ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  TensorPtr ten = float_scalar(10), twenty = float_scalar(20);
  TF_Tensor* value = ten.get();
  TF_Tensor* out = nullptr;
  TF_SessionPRun(session.get(), handle, &a, &value, 1, &a1, &out, 1, nullptr, 0, s.get());
  ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  EXPECT_EQ(floats(out), std::vector<float>{11});
  TF_DeleteTensor(out);
  value = twenty.get();
  TF_SessionPRun(session.get(), handle, &b, &value, 1, &ab, &out, 1, nullptr, 0, s.get());
  EXPECT_EQ(floats(out), std::vector<float>{31});
  TF_DeleteTensor(out);
  TF_SessionPRun(session.get(), "bogus", &b, &value, 1, &ab, &out, 1, nullptr, 0, s.get());
  EXPECT_EQ(describe(s), "3: Must run 'setup' before performing partial runs!");
  TF_DeletePRunHandle(handle);
  TF_SessionPRunSetup(session.get(), feeds, 2, fetches, 2, nullptr, 0, nullptr, s.get());
  EXPECT_EQ(TF_GetCode(s.get()), TF_INVALID_ARGUMENT);
}

}  // namespace
