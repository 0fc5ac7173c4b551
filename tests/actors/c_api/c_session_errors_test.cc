// Runs of the C API that end with an error, and sessions that cannot be.

#include <gmock/gmock.h>

#include <thread>

#include "tensorflow/c/c_api_experimental.h"
#include "tests/actors/c_api/c_graph.h"

using namespace c_test;

namespace {

/// RunOptions { trace_level: FULL_TRACE }
const std::string kFullTrace("\x08\x03", 2);
/// RunOptions { timeout_in_ms: 50 }
const std::string kShort("\x10\x32", 2);

/// "fifo_queue_enqueue_1" and "fifo_queue_dequeue_1", which TF_DequeueNamedTensor(..., 1, ...) waits at.
TF_Operation* named_queue(Graph& g) {
  Status s(TF_NewStatus());
  const TF_DataType type = TF_FLOAT;
  TF_OperationDescription* d = TF_NewOperation(g.get(), "FIFOQueueV2", "queue");
  TF_SetAttrTypeList(d, "component_types", &type, 1);
  const TF_Output queue{TF_FinishOperation(d, s.get()), 0};
  d = TF_NewOperation(g.get(), "QueueDequeueV2", "fifo_queue_dequeue_1");
  TF_AddInput(d, queue);
  TF_SetAttrTypeList(d, "component_types", &type, 1);
  TF_FinishOperation(d, s.get());
  const TF_Output one = g.constant("one", 1);
  d = TF_NewOperation(g.get(), "QueueEnqueueV2", "fifo_queue_enqueue_1");
  TF_AddInput(d, queue);
  TF_AddInputList(d, &one, 1);
  TF_Operation* const enqueue = TF_FinishOperation(d, s.get());
  EXPECT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  return enqueue;
}

/// A loop that goes on as long as what is fed to "always" is true: for ever.
TF_Output endless_loop(Graph& g) {
  Status s(TF_NewStatus());
  TF_Output always = g.placeholder("always", TF_BOOL);
  TF_WhileParams params = TF_NewWhile(g.get(), &always, 1, s.get());
  params.cond_output = params.cond_inputs[0];
  params.body_outputs[0] = params.body_inputs[0];
  params.name = "loop";
  TF_Output out;
  TF_FinishWhile(&params, s.get(), &out);
  EXPECT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  return out;
}

TensorPtr bool_scalar(bool value) {
  TensorPtr t(TF_AllocateTensor(TF_BOOL, nullptr, 0, 1));
  *static_cast<bool*>(TF_TensorData(t.get())) = value;
  return t;
}

TEST(CSession, reports_errors_of_runs_as_tensorflow_does) {
  AddThree g;
  Session session(g.graph.get());
  TensorPtr x = float_scalar(1);
  TensorPtr wrong = bool_scalar(true);
  for (int i = 0; i < 3; ++i) {
    session.run({}, {g.y});
    EXPECT_EQ(session.code(), TF_INVALID_ARGUMENT);
    EXPECT_NE(session.message().find("You must feed a value for placeholder tensor 'x' with dtype float"),
              std::string::npos)
        << session.message();
    session.run({{g.x, x.get()}}, {{g.y.oper, 3}});
    EXPECT_EQ(session.code(), TF_OUT_OF_RANGE) << session.message();
    session.run({{g.x, wrong.get()}}, {g.y});
    EXPECT_EQ(session.code(), TF_INVALID_ARGUMENT) << session.message();
    session.run({{g.x, x.get()}, {g.x, x.get()}}, {g.y});
    EXPECT_EQ(session.code(), TF_INVALID_ARGUMENT) << session.message();
  }
  EXPECT_EQ(session.run_float({{g.x, x.get()}}, g.y), 4);
}

TEST(CSession, survives_null_and_nonsense) {
  AddThree g;
  Session session(g.graph.get());
  Status s(TF_NewStatus());
  TF_Tensor* out = nullptr;
  TF_Tensor* none = nullptr;
  TensorPtr x = float_scalar(1);
  TF_SessionRun(nullptr, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0, nullptr, 0, nullptr, s.get());
  EXPECT_EQ(TF_GetCode(s.get()), TF_INVALID_ARGUMENT);
  TF_SessionRun(session.get(), nullptr, &g.x, &none, 1, &g.y, &out, 1, nullptr, 0, nullptr, s.get());
  EXPECT_EQ(TF_GetCode(s.get()), TF_INVALID_ARGUMENT);
  TF_SessionRun(session.get(), nullptr, nullptr, nullptr, 1, &g.y, &out, 1, nullptr, 0, nullptr, s.get());
  EXPECT_EQ(TF_GetCode(s.get()), TF_INVALID_ARGUMENT);
  TF_SessionRun(session.get(), nullptr, nullptr, nullptr, -1, &g.y, &out, 1, nullptr, 0, nullptr, s.get());
  EXPECT_EQ(TF_GetCode(s.get()), TF_INVALID_ARGUMENT);
  session.run({{{nullptr, 0}, x.get()}}, {g.y});
  EXPECT_EQ(session.code(), TF_INVALID_ARGUMENT);
  session.run({{g.x, x.get()}}, {g.y}, {nullptr});
  EXPECT_EQ(session.code(), TF_INVALID_ARGUMENT);
  EXPECT_EQ(TF_NewSession(nullptr, nullptr, s.get()), nullptr);
  EXPECT_EQ(TF_GetCode(s.get()), TF_INVALID_ARGUMENT);
  TF_DeleteSession(nullptr, s.get());
  EXPECT_EQ(TF_GetCode(s.get()), TF_OK);
  TF_CloseSession(nullptr, s.get());
  EXPECT_EQ(TF_GetCode(s.get()), TF_INVALID_ARGUMENT);
}

TEST(CSession, reads_options_and_writes_metadata) {
  AddThree g;
  Session session(g.graph.get());
  TensorPtr x = float_scalar(1);
  BufferPtr options = buffer_of(kFullTrace);
  BufferPtr metadata(TF_NewBuffer());
  auto out = session.run({{g.x, x.get()}}, {g.y}, {}, options.get(), metadata.get());
  ASSERT_EQ(out.size(), 1u) << session.message();
  EXPECT_NE(bytes_of(metadata.get()).find("device:CPU:0"), std::string::npos);
  session.run({{g.x, x.get()}}, {g.y}, {}, nullptr, metadata.get());
  EXPECT_EQ(session.message(), "Passing non-empty run_metadata is invalid.");
  BufferPtr junk = buffer_of("\xff\xff\xff");
  session.run({{g.x, x.get()}}, {g.y}, {}, junk.get());
  EXPECT_EQ(session.message(), "Unparseable RunOptions proto");
}

TEST(CSession, keeps_to_the_deadline_of_a_run) {
  Graph g;
  TF_Output loop = endless_loop(g);
  TF_Output always = {TF_GraphOperationByName(g.get(), "always"), 0};
  Session session(g.get());
  TensorPtr yes = bool_scalar(true);
  BufferPtr options = buffer_of(kShort);
  session.run({{always, yes.get()}}, {loop}, {}, options.get());
  EXPECT_EQ(session.code(), TF_DEADLINE_EXCEEDED) << session.message();
}

TEST(CSession, cancels_what_runs_when_it_is_closed) {
  Graph g;
  TF_Output loop = endless_loop(g);
  TF_Output always = {TF_GraphOperationByName(g.get(), "always"), 0};
  const TF_Operation* const says_that_it_runs = named_queue(g);
  Session session(g.get());
  TensorPtr yes = bool_scalar(true);
  Status s(TF_NewStatus());
  std::thread runner([&] {
    TF_Tensor* value = yes.get();
    TF_Tensor* out = nullptr;
    TF_SessionRun(session.get(), nullptr, &always, &value, 1, &loop, &out, 1, &says_that_it_runs, 1, nullptr,
                  s.get());
    EXPECT_EQ(out, nullptr);
  });
  TensorPtr running(TF_DequeueNamedTensor(session.get(), 1, session.status().get()));
  EXPECT_NE(running, nullptr) << session.message();
  TF_CloseSession(session.get(), session.status().get());
  runner.join();
  EXPECT_EQ(TF_GetCode(s.get()), TF_CANCELLED) << TF_Message(s.get());
  session.run({{always, yes.get()}}, {loop});
  EXPECT_EQ(session.message(), "Session has been closed.");
  TF_CloseSession(session.get(), session.status().get());
  EXPECT_EQ(session.code(), TF_OK);
}

TEST(CSession, refuses_bad_options) {
  OptionsPtr options(TF_NewSessionOptions());
  Status s(TF_NewStatus());
  TF_SetConfig(options.get(), "\xff\xff", 2, s.get());
  EXPECT_EQ(describe(s), "3: Unparseable ConfigProto");
  TF_SetConfig(nullptr, "", 0, s.get());
  EXPECT_EQ(TF_GetCode(s.get()), TF_INVALID_ARGUMENT);
  TF_SetTarget(options.get(), "foo://bar");
  AddThree g;
  EXPECT_EQ(TF_NewSession(g.graph.get(), options.get(), s.get()), nullptr);
  EXPECT_EQ(TF_GetCode(s.get()), TF_NOT_FOUND);
  EXPECT_EQ(
      std::string(TF_Message(s.get())).find("No session factory registered for the given session options"),
      0u);
}

// What loads is in the C examples.
TEST(CSavedModel, says_why_it_cannot_be_loaded) {
  Status s(TF_NewStatus());
  GraphPtr empty(TF_NewGraph());
  AddThree full;
  const char* tag = "serve";
  auto load = [&](const char* folder, TF_Graph* graph, const TF_Buffer* options = nullptr, int num_tags = 1) {
    EXPECT_EQ(TF_LoadSessionFromSavedModel(nullptr, options, folder, &tag, num_tags, graph, nullptr, s.get()),
              nullptr);
    return describe(s);
  };
  EXPECT_EQ(load("/no/such/folder", empty.get()).find("5: Could not find SavedModel .pb or .pbtxt"), 0u)
      << describe(s);
  EXPECT_EQ(load("/no/such/folder", full.graph.get()), "3: Graph is non-empty.");
  BufferPtr junk = buffer_of("\xff\xff");
  EXPECT_EQ(load("/no/such/folder", empty.get(), junk.get()), "3: Unparseable RunOptions proto");
  EXPECT_EQ(load(nullptr, empty.get())[0], '3');
  EXPECT_EQ(load("/no/such/folder", nullptr)[0], '3');
  EXPECT_EQ(load("/no/such/folder", empty.get(), nullptr, -1)[0], '3');
}

}  // namespace
