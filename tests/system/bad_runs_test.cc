// Runs that are wrong, against a session that is right: each must end with TensorFlow's code and phrase, keep no memory, and
// leave the session able to do the next right run.
#include <caf/all.hpp>
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "actors/interfaces.h"
#include "actors/runtime.h"
#include "actors/session.h"

#include "proto/graph.pb.h"
#include "proto/pb.h"

#include "absl/strings/str_cat.h"
#include "tests/system/graph_texts.h"

namespace troupe {
namespace {

using ::testing::HasSubstr;

pb::GraphDef parsed(const std::string& text) {
  pb::GraphDef graph;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &graph)) << text;
  return graph;
}

/// Arithmetic, a variable that nobody initialised, one resource variable, a matrix product and a reshape.
pb::GraphDef sound_graph() {
  pb::GraphDef graph = parsed(graph_texts::kArithmetic);
  graph.MergeFrom(parsed(graph_texts::kVariable));
  graph.MergeFrom(parsed(R"(
    node { name: "nothing" op: "NoOp" }
    node { name: "h" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } }
           attr { key: "shape" value { shape {} } } attr { key: "shared_name" value { s: "h" } } }
    node { name: "read" op: "ReadVariableOp" input: "h" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "product" op: "MatMul" input: "x" input: "y" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "reshaped" op: "Reshape" input: "x" input: "i" attr { key: "T" value { type: DT_FLOAT } }
           attr { key: "Tshape" value { type: DT_INT32 } } }
    node { name: "filled" op: "Fill" input: "i" input: "y" attr { key: "T" value { type: DT_FLOAT } }
           attr { key: "index_type" value { type: DT_INT32 } } })"));
  return graph;
}

struct BadRun {
  std::string name;
  std::vector<NamedTensor> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  absl::StatusCode code;
  std::string phrase;
  friend void PrintTo(const BadRun& run, std::ostream* out) { *out << run.name; }
};

std::vector<BadRun> bad_runs() {
  using enum absl::StatusCode;
  const Tensor one = Tensor::scalar<float>(1), pair = Tensor::vector<float>({1, 2}),
               three = Tensor::vector<float>({1, 2, 3});
  const Tensor number = Tensor::scalar<int32_t>(1);
  const Tensor row = Tensor::from<float>({1, 2}, {1, 2}), cube = Tensor::from<float>({1, 1, 1}, {1});
  return {
      {"nothing_asked",
       {},
       {},
       {},
       kInvalidArgument,
       "Must specify at least one target to fetch or execute."},
      {"unknown_feed", {{"q", one}}, {"z"}, {}, kInvalidArgument, "Tensor q:0, specified in either"},
      {"unknown_fetch", {}, {"q"}, {}, kInvalidArgument, "Tensor q:0, specified in either"},
      {"unknown_target", {}, {}, {"q"}, kNotFound, "Some target nodes not found: q"},
      {"feed_of_no_output", {{"x:7", one}}, {"z"}, {}, kOutOfRange, "does not have output 7"},
      {"fetch_of_no_output", {{"i", number}}, {"xi:7"}, {}, kOutOfRange, "does not have output 7"},
      {"fetch_of_a_node_without_outputs", {}, {"nothing"}, {}, kOutOfRange, "does not have output 0"},
      {"fetch_of_a_huge_output", {{"i", number}}, {"xi:99999999999999999999"}, {}, kOutOfRange, "Node 'xi'"},
      {"fetch_with_an_empty_name", {}, {""}, {}, kInvalidArgument, "Tensor :0, specified"},
      {"fed_twice", {{"x", one}, {"x", one}}, {"z"}, {}, kInvalidArgument, "fed more than once."},
      {"fed_and_fetched", {{"x", one}}, {"x"}, {}, kInvalidArgument, "x is both fed and fetched."},
      {"not_fed",
       {{"x", one}},
       {"z"},
       {},
       kInvalidArgument,
       "You must feed a value for placeholder tensor 'y' with dtype float"},
      {"wrong_dtype", {{"i", one}}, {"xi"}, {}, kInvalidArgument, "to be int32 but float is provided"},
      {"wrong_shape",
       {{"x", pair}, {"y", three}},
       {"z"},
       {},
       kInvalidArgument,
       "Incompatible shapes: [2] vs. [3]\n\t [[{{node z}}]]"},
      {"wrong_rank", {{"x", cube}, {"y", row}}, {"product"}, {}, kInvalidArgument, "{{node product}}"},
      {"wrong_inner_size",
       {{"x", row}, {"y", row}},
       {"product"},
       {},
       kInvalidArgument,
       "Matrix size-incompatible: In[0]: [1,2], In[1]: [1,2]\n\t [[{{node product}}]]"},
      {"reshape_to_more",
       {{"x", pair}, {"i", Tensor::vector<int32_t>({5})}},
       {"reshaped"},
       {},
       kInvalidArgument,
       "Input to reshape is a tensor with 2 values, but the requested shape has 5\n\t [[{{node reshaped}}]]"},
      {"reshape_that_overflows",
       {{"x", pair}, {"i", Tensor::vector<int32_t>({2147483647, 2147483647, 2147483647})}},
       {"reshaped"},
       {},
       kInvalidArgument,
       "{{node reshaped}}"},
      {"sizes_that_overflow",
       {{"y", one}, {"i", Tensor::vector<int32_t>({2147483647, 2147483647, 2147483647})}},
       {"filled"},
       {},
       kInvalidArgument,
       "{{node filled}}"},
      {"more_memory_than_there_is",
       {{"y", one}, {"i", Tensor::vector<int32_t>({2147483647, 1000000000})}},
       {"filled"},
       {},
       kResourceExhausted,
       "OOM when allocating tensor with shape[2147483647,1000000000] and type float"},
      {"negative_size",
       {{"y", one}, {"i", Tensor::vector<int32_t>({-3})}},
       {"filled"},
       {},
       kInvalidArgument,
       "{{node filled}}"},
      {"uninitialised_variable",
       {},
       {"r"},
       {},
       kFailedPrecondition,
       "Attempting to use uninitialized value v\n\t [[{{node r}}]]"},
      {"addition_to_an_uninitialised_variable",
       {},
       {},
       {"more"},
       kFailedPrecondition,
       "Attempting to use uninitialized value v\n\t [[{{node more}}]]"},
      {"uninitialised_resource_variable",
       {},
       {"read"},
       {},
       kFailedPrecondition,
       "Could not find variable h."},
      {"fed_without_a_value", {{"x", Tensor()}, {"y", one}}, {"z"}, {}, kInvalidArgument, "x"},
  };
}

class BadRuns : public ::testing::TestWithParam<BadRun> {
 protected:
  BadRuns() : runtime_(Runtime::create()) {
    absl::StatusOr<std::unique_ptr<Session>> session = Session::open(*runtime_);
    EXPECT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
    const absl::Status created = session_->create(sound_graph());
    EXPECT_TRUE(created.ok()) << created;
  }

  void expect_that_it_works() {
    const auto good =
        session_->run({{"x", Tensor::vector<float>({1, 2})}, {"y", Tensor::scalar<float>(0.5)}}, {"z"});
    ASSERT_TRUE(good.ok()) << good.status();
    EXPECT_EQ((*good)[0].flat<float>()[1], 4.5f);
  }

  int64_t bytes_in_use() {
    int64_t bytes = -1;
    caf::scoped_actor self{runtime_->system()};
    self->request(runtime_actor(*runtime_), std::chrono::seconds(10), RuntimeStatusRequest{})
        .receive([&](const RuntimeStatus& status) { bytes = status.memory.bytes_in_use; },
                 [](const caf::error&) {});
    return bytes;
  }

  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<Session> session_;
};

TEST_P(BadRuns, end_with_their_code_and_keep_nothing) {
  const BadRun& bad = GetParam();
  expect_that_it_works();
  const int64_t before = bytes_in_use();
  ASSERT_GE(before, 0);
  for (int again = 0; again < 3; ++again) {
    const absl::Status end = session_->run(bad.feeds, bad.fetches, bad.targets).status();
    EXPECT_EQ(end.code(), bad.code) << end;
    EXPECT_THAT(std::string(end.message()), HasSubstr(bad.phrase));
    expect_that_it_works();
  }
  EXPECT_EQ(bytes_in_use(), before);
  EXPECT_EQ(session_->counters().running_steps, 0);
}

INSTANTIATE_TEST_SUITE_P(, BadRuns, ::testing::ValuesIn(bad_runs()),
                         [](const auto& p) { return p.param.name; });

class BadSessions : public BadRuns {};

TEST_F(BadSessions, refuse_a_second_graph_and_keep_the_first) {
  const absl::Status second = session_->create(parsed(graph_texts::kVariable));
  EXPECT_EQ(second.code(), absl::StatusCode::kAlreadyExists) << second;
  expect_that_it_works();
}

TEST_F(BadSessions, keep_their_graph_when_an_extension_is_wrong) {
  const struct {
    const char* text;
    absl::StatusCode code;
    const char* phrase;
  } extensions[] = {
      {R"(node { name: "new" op: "NoSuchOp" })", absl::StatusCode::kNotFound,
       "Op type not registered 'NoSuchOp'"},
      {R"(node { name: "x" op: "NoOp" })", absl::StatusCode::kInvalidArgument, "x"},
      {R"(node { name: "new" op: "Identity" input: "gone" attr { key: "T" value { type: DT_FLOAT } } })",
       absl::StatusCode::kInvalidArgument, "Unknown input node 'gone'"},
      {R"(node { name: "new" op: "NoOp" input: "^other" } node { name: "other" op: "NoOp" input: "^new" })",
       absl::StatusCode::kInvalidArgument, "cycle"},
  };
  for (const auto& extension : extensions) {
    const absl::Status end = session_->extend(parsed(extension.text));
    EXPECT_EQ(end.code(), extension.code) << end;
    EXPECT_THAT(std::string(end.message()), HasSubstr(extension.phrase));
    expect_that_it_works();
    EXPECT_EQ(session_->run({}, {}, {"new"}).status().code(), absl::StatusCode::kNotFound)
        << "half of it was added";
  }
  EXPECT_TRUE(session_->extend(parsed(R"(node { name: "new" op: "NoOp" })")).ok());
  EXPECT_TRUE(session_->run({}, {}, {"new"}).ok());
}

TEST_F(BadSessions, have_no_graph_after_one_that_was_refused) {
  auto session = Session::open(*runtime_);
  ASSERT_TRUE(session.ok());
  EXPECT_FALSE((*session)->create(parsed(R"(node { name: "a" op: "NoSuchOp" })")).ok());
  const absl::Status end = (*session)->run({}, {"a"}).status();
  EXPECT_EQ(end.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(end.message()), HasSubstr("Session was not created with a graph before Run()!"));
  EXPECT_TRUE((*session)->create(sound_graph()).ok());
  EXPECT_TRUE((*session)->run({}, {}, {"init"}).ok());
}

TEST_F(BadSessions, refuse_runs_and_extensions_after_close) {
  EXPECT_TRUE(session_->close().ok());
  for (const absl::Status& end : {session_->run({}, {}, {"nothing"}).status(),
                                  session_->extend(parsed(R"(node { name: "new" op: "NoOp" })"))}) {
    EXPECT_EQ(end.code(), absl::StatusCode::kCancelled) << end;
    EXPECT_THAT(std::string(end.message()), HasSubstr("Session has been closed."));
  }
  EXPECT_TRUE(session_->close().ok());
}

}  // namespace
}  // namespace troupe
