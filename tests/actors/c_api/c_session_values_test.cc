// What goes into runs of the C API and comes out: tensors, texts, handles.

#include <gmock/gmock.h>

#include <atomic>
#include <cstring>

#include "tests/actors/c_api/c_graph.h"

using namespace c_test;

namespace {

TEST(CSession, feeds_and_fetches_without_copying) {
  Graph g;
  TF_Output x = g.placeholder("x");
  TF_Output y = g.unary("Identity", "y", x);
  Session session(g.get());
  alignas(64) static float memory[4] = {1, 2, 3, 4};
  static std::atomic<int> freed{0};
  const int64_t four = 4;
  for (int i = 0; i < 3; ++i) {
    freed = 0;
    TensorPtr in(TF_NewTensor(
        TF_FLOAT, &four, 1, memory, sizeof(memory), [](void*, size_t, void*) { ++freed; }, nullptr));
    auto out = session.run({{x, in.get()}}, {y});
    ASSERT_EQ(out.size(), 1u) << session.message();
    EXPECT_EQ(TF_TensorData(out[0].get()), memory);
    in.reset();
    EXPECT_EQ(freed, 0);
    out.clear();
    EXPECT_EQ(freed, 1);
  }
}

TEST(CSession, never_writes_into_memory_that_is_fed) {
  AddThree g;
  Session session(g.graph.get());
  alignas(64) static float memory[2] = {1, 2};
  const int64_t two = 2;
  TensorPtr in(TF_NewTensor(TF_FLOAT, &two, 1, memory, sizeof(memory), nullptr, nullptr));
  for (int i = 0; i < 3; ++i) {
    auto out = session.run({{g.x, in.get()}}, {g.y});
    EXPECT_EQ(floats(out[0].get()), (std::vector<float>{4, 5}));
    EXPECT_EQ(memory[0], 1);
  }
}

TEST(CSession, passes_strings_of_all_kinds) {
  Graph g;
  TF_Output x = g.placeholder("x", TF_STRING);
  TF_Output y = g.unary("Identity", "y", x);
  TF_Output n = g.unary("StringLength", "n", x);
  Session session(g.get());
  const std::string large(40, 'L');
  const int64_t three = 3;
  TensorPtr in(TF_AllocateTensor(TF_STRING, &three, 1, 3 * sizeof(TF_TString)));
  auto* s = static_cast<TF_TString*>(TF_TensorData(in.get()));
  TF_StringCopy(&s[0], "small", 5);
  TF_StringCopy(&s[1], large.data(), large.size());
  TF_StringAssignView(&s[2], "borrowed bytes", 14);
  auto out = session.run({{x, in.get()}}, {y, n});
  ASSERT_EQ(out.size(), 2u) << session.message();
  EXPECT_EQ(TF_TensorData(out[0].get()), s);
  EXPECT_EQ(TF_TensorByteSize(out[0].get()), 72u);
  const auto* lengths = static_cast<int32_t*>(TF_TensorData(out[1].get()));
  EXPECT_EQ(std::vector<int>(lengths, lengths + 3), (std::vector<int>{5, 40, 14}));
  TF_StringDealloc(&s[1]);
}

TEST(CSession, keeps_variables_between_runs_and_hands_handles_out_as_bytes) {
  Graph g;
  TF_Output v = g.variable("v", 5);
  const TF_Operation* init = TF_GraphOperationByName(g.get(), "init_v");
  TF_Output read = {TF_GraphOperationByName(g.get(), "read_v"), 0};
  Session session(g.get());
  session.run({}, {read});
  EXPECT_EQ(session.code(), TF_FAILED_PRECONDITION) << session.message();
  session.run({}, {}, {init});
  EXPECT_EQ(session.run_float({}, read), 5);
  auto handle = session.run({}, {v});
  ASSERT_EQ(handle.size(), 1u) << session.message();
  EXPECT_EQ(TF_TensorType(handle[0].get()), TF_RESOURCE);
  EXPECT_EQ(TF_NumDims(handle[0].get()), 0);
  // TensorFlow takes a fed handle for that of a session's tensor.
  session.run({{v, handle[0].get()}}, {read});
  EXPECT_EQ(session.code(), TF_INVALID_ARGUMENT);
  EXPECT_THAT(session.message(),
              ::testing::HasSubstr("Perhaps a resource tensor was being provided as a feed?"));
  TensorPtr junk(TF_AllocateTensor(TF_RESOURCE, nullptr, 0, 2));
  std::memset(TF_TensorData(junk.get()), 0xff, 2);
  session.run({{v, junk.get()}}, {read});
  EXPECT_EQ(session.message(), "Malformed TF_RESOURCE tensor: unable to parse resource handle");
}

TEST(CSession, hands_out_tensors_without_elements) {
  Graph g;
  TF_Output x = g.placeholder("x");
  TF_Output y = g.unary("Identity", "y", x);
  Session session(g.get());
  const int64_t dims[] = {0, 3};
  TensorPtr in(TF_NewTensor(TF_FLOAT, dims, 2, nullptr, 0, nullptr, nullptr));
  auto out = session.run({{x, in.get()}}, {y});
  ASSERT_EQ(out.size(), 1u) << session.message();
  EXPECT_EQ(TF_Dim(out[0].get(), 1), 3);
  EXPECT_EQ(TF_TensorByteSize(out[0].get()), 0u);
  EXPECT_NE(TF_TensorData(out[0].get()), nullptr);
}

TEST(CSession, refuses_tensors_that_lost_their_memory_by_reshaping) {
  AddThree g;
  Session session(g.graph.get());
  TensorPtr x = float_scalar(1);
  const int64_t many = 1000;
  TF_SetShape(x.get(), &many, 1);
  session.run({{g.x, x.get()}}, {g.y});
  EXPECT_EQ(session.code(), TF_INVALID_ARGUMENT);
}

}  // namespace
