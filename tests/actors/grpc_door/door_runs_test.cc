// Steps, callables and partial runs of a server's clients.
#include <gmock/gmock.h>

#include <google/protobuf/text_format.h>

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/tensor/tensor_proto.h"
#include "tests/actors/grpc_door/door_fixture.h"

namespace troupe::test {
namespace {

using tensorflow::MakeCallableRequest;
using tensorflow::MakeCallableResponse;
using tensorflow::PartialRunSetupRequest;
using tensorflow::PartialRunSetupResponse;
using tensorflow::RunCallableRequest;
using tensorflow::RunCallableResponse;
using tensorflow::RunStepRequest;
using tensorflow::RunStepResponse;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int kLongText = 1'000'000;
std::string long_text() { return std::string(kLongText, 'e'); }

/// x is fed; twice = x + x, four = twice + twice; "fail", "long" (an error of a megabyte).
class DoorRuns : public DoorTest {
 protected:
  DoorRuns() {
    static const OpRow kRows[] = {{"TestLong", "x:float", "z:float", "", ""}};
    EXPECT_TRUE(ops_->add(kRows).ok());
    kernels_->add(KernelDef("TestLong").fn([](KernelContext&) -> absl::Status {
      return absl::DataLossError(long_text());
    }));
    const int x = placeholder("x");
    const int twice = add("twice", "TestAdd", {}, {{x, 0}, {x, 0}});
    add("four", "TestAdd", {}, {{twice, 0}, {twice, 0}});
    add("fail", "TestFail", {}, {{x, 0}});
    add("long", "TestLong", {}, {{x, 0}});
  }

  void serve_graph(GrpcServerOptions options = {}, const std::string& config = "") {
    serve(options);
    auto session = create_session(graph_def(), config);
    ASSERT_TRUE(session.ok()) << session.status();
    handle_ = *session;
  }
  static std::vector<NamedTensor> x(float value) { return {{"x:0", Tensor::scalar<float>(value)}}; }
  static std::vector<float> numbers(const absl::StatusOr<std::vector<Tensor>>& fetched) {
    std::vector<float> out;
    EXPECT_TRUE(fetched.ok()) << fetched.status();
    if (!fetched.ok()) return out;
    for (const Tensor& t : *fetched) out.push_back(t.value<float>());
    return out;
  }
  std::string partial_run(const std::vector<std::string>& feeds, const std::vector<std::string>& fetches) {
    PartialRunSetupRequest request;
    request.set_session_handle(handle_);
    for (const auto& f : feeds) request.add_feed(f);
    for (const auto& f : fetches) request.add_fetch(f);
    const auto response = ask<PartialRunSetupResponse>(&Client::PartialRunSetup, request);
    EXPECT_TRUE(response.ok()) << response.status();
    return response.ok() ? response->partial_run_handle() : "";
  }
  absl::StatusOr<std::vector<Tensor>> turn(const std::string& handle, const std::vector<NamedTensor>& feeds,
                                           const std::vector<std::string>& fetches) {
    RunStepRequest request = step(handle_, feeds, fetches);
    request.set_partial_run_handle(handle);
    auto response = ask<RunStepResponse>(&Client::RunStep, request);
    if (!response.ok()) return response.status();
    return tensors_of(*response);
  }
  absl::StatusOr<int64_t> make_callable(const std::string& options_text) {
    MakeCallableRequest request;
    request.set_session_handle(handle_);
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(options_text, request.mutable_options()));
    auto response = ask<MakeCallableResponse>(&Client::MakeCallable, request);
    if (!response.ok()) return response.status();
    return response->handle();
  }
  absl::StatusOr<RunCallableResponse> run_callable(int64_t callable, const std::vector<float>& feeds) {
    RunCallableRequest request;
    request.set_session_handle(handle_);
    request.set_handle(callable);
    for (float f : feeds) to_proto(Tensor::scalar<float>(f), request.add_feed());
    return ask<RunCallableResponse>(&Client::RunCallable, request);
  }

  std::string handle_;
};

TEST_F(DoorRuns, s251_creates_runs_and_closes_again_and_again) {
  serve();
  for (int i = 0; i < 25; ++i) {
    const auto session = create_session();
    ASSERT_TRUE(session.ok()) << session.status();
    EXPECT_TRUE(run(*session, x(1), {}, {"four"}).ok());
    EXPECT_THAT(numbers(run(*session, x(1), {"four:0"})), ElementsAre(4));
    EXPECT_EQ(close(*session), absl::OkStatus());
  }
}

TEST_F(DoorRuns, s252_callables_run_again_and_again_until_they_are_released) {
  serve_graph();
  for (int i = 0; i < 25; ++i) {
    const auto callable = make_callable("feed: 'x:0' fetch: 'four:0' fetch: 'twice:0'");
    ASSERT_TRUE(callable.ok()) << callable.status();
    const auto response = run_callable(*callable, {1});
    ASSERT_TRUE(response.ok()) << response.status();
    ASSERT_EQ(response->fetch_size(), 2);
    EXPECT_EQ(from_proto(response->fetch(0))->value<float>(), 4);
    EXPECT_EQ(from_proto(response->fetch(1))->value<float>(), 2);
    tensorflow::ReleaseCallableRequest release;
    release.set_session_handle(handle_);
    release.set_handle(*callable);
    EXPECT_TRUE(ask<tensorflow::ReleaseCallableResponse>(&Client::ReleaseCallable, release).ok());
    EXPECT_TRUE(absl::IsInvalidArgument(run_callable(*callable, {1}).status())) << "it was released";
  }
}

TEST_F(DoorRuns, a_callable_wants_all_its_feeds) {
  serve_graph();
  const auto callable = make_callable("feed: 'x:0' fetch: 'four:0'");
  EXPECT_TRUE(absl::IsInvalidArgument(run_callable(*callable, {}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(run_callable(*callable, {1, 2}).status()));
  EXPECT_EQ(run_callable(77, {1}).status(), absl::InvalidArgumentError("No such callable handle: 77"));
  EXPECT_TRUE(run_callable(*callable, {1}).ok());
}

TEST_F(DoorRuns, s253_callables_feed_and_fetch_the_hosts_memory_only) {
  serve_graph();
  const auto callable = make_callable(R"(feed: 'x:0' fetch: 'four:0' fetch_skip_sync: true
    fetch_devices { key: 'four:0' value: '/job:localhost/replica:0/task:0/device:CPU:0' })");
  EXPECT_TRUE(absl::IsUnimplemented(callable.status())) << callable.status();
  EXPECT_THAT(std::string(callable.status().message()), HasSubstr("when using a remote session"));
}

TEST_F(DoorRuns, s254_s256_answers_in_the_order_of_the_fetches_however_often) {
  serve_graph();
  EXPECT_THAT(numbers(run(handle_, x(1), {"four:0", "twice:0", "four:0"})), ElementsAre(4, 2, 4));
  EXPECT_THAT(numbers(run(handle_, x(1), {"twice:0", "four:0"})), ElementsAre(2, 4));
}

TEST_F(DoorRuns, s257_partition_graphs_that_the_session_forbids_are_refused) {
  serve_graph({}, "experimental { disable_output_partition_graphs: true }");
  const auto refused = run(handle_, x(1), {"four:0"}, {}, "output_partition_graphs: true");
  EXPECT_TRUE(absl::IsInvalidArgument(refused.status())) << refused.status();
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("disable_output_partition_graphs"));
}

/// The power method on [[3 2] [-1 0]]: the value goes to 2.
constexpr char kEigen[] = R"(
  node { name: 'a' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' value { tensor {
    dtype: DT_FLOAT tensor_shape { dim { size: 2 } dim { size: 2 } } float_val: 3 float_val: 2 float_val: -1 float_val: 0 } } } }
  node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
  node { name: 'y' op: 'MatMul' input: 'a' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } })";

void s258_s287_iterate(const std::function<absl::StatusOr<std::vector<Tensor>>(Tensor)>& multiply) {
  float v0 = 3, v1 = 1, lambda = 0;
  for (int i = 0; i < 25; ++i) {
    const auto y = multiply(Tensor::from<float>(Shape{2, 1}, {v0, v1}));
    ASSERT_TRUE(y.ok()) << y.status();
    const float y0 = (*y)[0].flat<float>()[0], y1 = (*y)[0].flat<float>()[1];
    lambda = y0 / v0;
    const float norm = std::sqrt(y0 * y0 + y1 * y1);
    v0 = y0 / norm;
    v1 = y1 / norm;
  }
  EXPECT_NEAR(lambda, 2, 0.01);
}

TEST_F(DoorRuns, s258_s287_finds_an_eigenvalue) {
  serve();
  const auto session = create_session(graph_of(kEigen));
  ASSERT_TRUE(session.ok()) << session.status();
  s258_s287_iterate([&](Tensor v) { return run(*session, {{"x:0", std::move(v)}}, {"y:0"}); });
}

GrpcServerOptions two_devices() {
  GrpcServerOptions options;
  tensorflow::ConfigProto config;
  (*config.mutable_device_count())["CPU"] = 2;
  options.default_config = config.SerializeAsString();
  return options;
}

TEST_F(DoorRuns, s259_nodes_run_where_they_are_placed) {
  serve(two_devices());
  const std::string task = "/job:localhost/replica:0/task:0";
  for (int placement = 0; placement < 8; ++placement) {
    auto graph = graph_of(kEigen);
    for (int node = 0; node < 3; ++node)
      graph.mutable_node(node)->set_device(absl::StrCat(task, "/device:CPU:", (placement >> node) & 1));
    const auto session = create_session(graph);
    ASSERT_TRUE(session.ok()) << session.status();
    RunStepRequest request = step(*session, {{"x:0", Tensor::from<float>(Shape{2, 1}, {1, 1})}}, {"y:0"});
    request.mutable_options()->set_trace_level(tensorflow::RunOptions::FULL_TRACE);
    const auto response = ask<RunStepResponse>(&Client::RunStep, request);
    ASSERT_TRUE(response.ok()) << response.status();
    EXPECT_THAT(tensors_of(*response)[0].flat<float>()[0], 5);
    std::string ran_on;
    for (const auto& device : response->metadata().step_stats().dev_stats()) {
      for (const auto& stats : device.node_stats()) ran_on += stats.node_name() == "y" ? device.device() : "";
    }
    EXPECT_EQ(ran_on, graph.node(2).device());
  }
}

TEST_F(DoorRuns, s261_s262_values_cross_the_devices_of_the_server) {
  serve(two_devices());
  const auto session = create_session(graph_of(R"(
    node { name: 's' op: 'Placeholder' attr { key: 'dtype' value { type: DT_STRING } } device: '/cpu:0' }
    node { name: 'b' op: 'Identity' input: 's' attr { key: 'T' value { type: DT_STRING } } device: '/cpu:1' }
    node { name: 'c' op: 'Identity' input: 's' attr { key: 'T' value { type: DT_STRING } } device: '/cpu:1' })"));
  ASSERT_TRUE(session.ok()) << session.status();
  for (const char* fetch : {"b:0", "c:0", "b:0"}) {
    const auto text = run(*session, {{"s:0", Tensor::string_scalar("crossed")}}, {fetch});
    ASSERT_TRUE(text.ok()) << text.status();
    EXPECT_EQ((*text)[0].flat<TString>()[0].view(), "crossed");
  }
}

TEST_F(DoorRuns, errors_are_the_steps_own) {
  serve_graph();
  const auto failed = run(handle_, x(1), {"fail:0"});
  EXPECT_TRUE(absl::IsInvalidArgument(failed.status()));
  EXPECT_THAT(std::string(failed.status().message()),
              testing::AllOf(StartsWith("told to fail"), HasSubstr("[[{{node fail}}]]")));
  EXPECT_EQ(run(handle_, x(1), {"none:0"}).status(),
            absl::NotFoundError("FetchOutputs node none:0: not found"));
  EXPECT_EQ(run(handle_, {{"none:0", Tensor::scalar<float>(1)}}, {"four:0"}).status(),
            absl::NotFoundError("FeedInputs: unable to find feed output none:0"));
  EXPECT_EQ(make_callable("feed: 'x:0' fetch: 'none:0'").status(),
            absl::NotFoundError("FetchOutputs node none:0: not found"));
  EXPECT_TRUE(absl::IsInvalidArgument(run(handle_, {}, {"four:0"}).status()));
}

TEST_F(DoorRuns, errors_stand_in_the_response_where_the_client_wants_them_there) {
  serve_graph();
  RunStepRequest request = step(handle_, x(1), {"fail:0"});
  request.set_store_errors_in_response_body(true);
  auto response = ask<RunStepResponse>(&Client::RunStep, request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->status_code(), tensorflow::error::INVALID_ARGUMENT);
  EXPECT_THAT(response->status_error_message(), StartsWith("told to fail"));
  request.set_session_handle("lost");
  response = ask<RunStepResponse>(&Client::RunStep, request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->status_code(), tensorflow::error::ABORTED);
}

TEST_F(DoorRuns, s265_an_error_of_a_megabyte_arrives) {
  serve_graph();
  RunStepRequest request = step(handle_, x(1), {"long:0"});
  request.set_store_errors_in_response_body(true);
  const auto response = ask<RunStepResponse>(&Client::RunStep, request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->status_code(), tensorflow::error::DATA_LOSS);
  EXPECT_THAT(response->status_error_message(), StartsWith(long_text()));
  request.set_store_errors_in_response_body(false);
  const auto cut = ask<RunStepResponse>(&Client::RunStep, request);
  EXPECT_TRUE(absl::IsDataLoss(cut.status())) << cut.status().code();
  EXPECT_THAT(std::string(cut.status().message()),
              testing::AllOf(StartsWith("eeee"), EndsWith("... [truncated]")))
      << "gRPC's headers hold no more";
}

TEST_F(DoorRuns, feeds_that_are_no_tensors_are_refused) {
  serve_graph();
  RunStepRequest request = step(handle_, x(1), {"four:0"});
  auto* tensor = request.mutable_feed(0)->mutable_tensor();
  tensor->clear_float_val();
  tensor->mutable_tensor_shape()->add_dim()->set_size(4);
  tensor->set_tensor_content("abc");
  const auto refused = ask<RunStepResponse>(&Client::RunStep, request);
  EXPECT_TRUE(absl::IsInvalidArgument(refused.status())) << refused.status();
  EXPECT_THAT(std::string(refused.status().message()), StartsWith("Invalid TensorProto for feed value x:0"));
  tensor->set_dtype(static_cast<tensorflow::DataType>(99));
  EXPECT_TRUE(absl::IsInvalidArgument(ask<RunStepResponse>(&Client::RunStep, request).status()));
  const absl::Status nameless = run(handle_, {{"", Tensor::scalar<float>(1)}}, {"four:0"}).status();
  EXPECT_TRUE(absl::IsNotFound(nameless)) << nameless;
}

TEST_F(DoorRuns, the_same_request_is_not_run_twice) {
  serve_graph();
  RunStepRequest request = step(handle_, x(1), {"four:0"});
  request.set_request_id(5);
  EXPECT_TRUE(ask<RunStepResponse>(&Client::RunStep, request).ok());
  const auto twice = ask<RunStepResponse>(&Client::RunStep, request);
  EXPECT_TRUE(absl::IsAborted(twice.status()));
  EXPECT_THAT(std::string(twice.status().message()),
              StartsWith("The same RunStep (Master) request was received twice."));
  request.set_request_id(0);
  EXPECT_TRUE(ask<RunStepResponse>(&Client::RunStep, request).ok());
  EXPECT_TRUE(ask<RunStepResponse>(&Client::RunStep, request).ok()) << "0 is no id";
}

TEST_F(DoorRuns, s274_compressed_messages_are_understood) {
  serve_graph();
  ::grpc::ChannelArguments arguments;
  arguments.SetCompressionAlgorithm(GRPC_COMPRESS_GZIP);
  connect(arguments);
  EXPECT_THAT(numbers(run(handle_, x(3), {"four:0"})), ElementsAre(12));
}

TEST_F(DoorRuns, large_tensors_go_both_ways) {
  serve();
  const auto session = create_session(graph_of(R"(
    node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
    node { name: 'y' op: 'Identity' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } })"));
  Tensor large(DataType::kFloat, Shape{20'000'000});
  for (int64_t i = 0; i < large.num_elements(); ++i) large.flat<float>()[i] = static_cast<float>(i % 1000);
  const auto same = run(*session, {{"x:0", large}}, {"y:0"});
  ASSERT_TRUE(same.ok()) << same.status();
  ASSERT_EQ((*same)[0].bytes(), large.bytes()) << "80 MB";
  EXPECT_EQ((*same)[0].flat<float>()[19'999'999], 999);
}

TEST_F(DoorRuns, metadata_tells_what_a_step_did) {
  serve_graph();
  RunStepRequest request = step(handle_, x(1), {"four:0"});
  request.mutable_options()->set_trace_level(tensorflow::RunOptions::FULL_TRACE);
  request.mutable_options()->set_output_partition_graphs(true);
  const auto response = ask<RunStepResponse>(&Client::RunStep, request);
  ASSERT_TRUE(response.ok()) << response.status();
  ASSERT_EQ(response->metadata().step_stats().dev_stats_size(), 1);
  EXPECT_EQ(response->metadata().step_stats().dev_stats(0).device(),
            "/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(response->metadata().partition_graphs_size(), 1);
}

TEST_F(DoorRuns, s270_s271_s272_s273_what_takes_too_long_ends_with_deadline_exceeded) {
  add("hang", "TestHang", {}, {{0, 0}});
  serve_graph({}, "operation_timeout_in_ms: 50");
  EXPECT_TRUE(absl::IsDeadlineExceeded(run(handle_, x(1), {"hang:0"}).status()));
  EXPECT_TRUE(absl::IsDeadlineExceeded(run(handle_, x(1), {"hang:0"}, {}, "timeout_in_ms: 30").status()));
  RunStepRequest request = step(handle_, x(1), {"hang:0"});
  request.mutable_options()->set_timeout_in_ms(600'000);
  EXPECT_TRUE(absl::IsDeadlineExceeded(
      ask<RunStepResponse>(&Client::RunStep, request, std::chrono::milliseconds(50)).status()));
  EXPECT_THAT(numbers(run(handle_, x(1), {"four:0"})), ElementsAre(4)) << "the session lives";
  tensorflow::CreateSessionRequest create;
  *create.mutable_graph_def() = graph_def();
  EXPECT_TRUE(absl::IsDeadlineExceeded(
      ask<tensorflow::CreateSessionResponse>(&Client::CreateSession, create, std::chrono::milliseconds(-1000))
          .status()));
}

TEST_F(DoorRuns, partial_runs_take_their_feeds_and_fetches_in_turns) {
  serve_graph();
  const std::string chain = partial_run({"x:0"}, {"twice:0", "four:0"});
  EXPECT_THAT(numbers(turn(chain, x(1), {"twice:0"})), ElementsAre(2));
  EXPECT_THAT(numbers(turn(chain, {}, {"four:0"})), ElementsAre(4));
  EXPECT_TRUE(absl::IsInvalidArgument(turn(chain, {}, {"four:0"}).status())) << "it is over";
  EXPECT_EQ(turn("none", {}, {"four:0"}).status(),
            absl::InvalidArgumentError("Must run PartialRunSetup before performing partial runs"));
  PartialRunSetupRequest nothing;
  nothing.set_session_handle(handle_);
  nothing.add_feed("x:0");
  EXPECT_EQ(ask<PartialRunSetupResponse>(&Client::PartialRunSetup, nothing).status(),
            absl::InvalidArgumentError("Must specify at least one target to fetch or execute."));
}

}  // namespace
}  // namespace troupe::test
