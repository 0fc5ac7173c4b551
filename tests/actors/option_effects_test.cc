// What fields of ConfigProto, RunOptions and CallableOptions change in what a session does.
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include "actors/environment.h"
#include "actors/errors.h"
#include "actors/messages.h"
#include "actors/runtime_impl.h"
#include "proto/config.pb.h"
#include "proto/graph.pb.h"
#include "tests/actors/session_fixture.h"
#include "tests/graph/passes/function_graphs.h"

namespace troupe::test {
namespace {

namespace pb = ::tensorflow;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

SessionOptions from_text(const std::string& text) {
  auto options = SessionOptions::from_config_text(text);
  EXPECT_TRUE(options.ok()) << options.status();
  return *std::move(options);
}

/// y = two + e^x + e^x + Twice(e^x), where two is a sum of constants and e^x stands there twice.
const std::string kGraph = placeholder_text("x", "DT_FLOAT") + R"(
  node { name: "one" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 1 } } } }
  node { name: "two" op: "AddV2" input: "one" input: "one" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "e1" op: "Exp" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "e2" op: "Exp" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "y" op: "AddN" input: "two" input: "e1" input: "e2" input: "call"
         attr { key: "T" value { type: DT_FLOAT } } attr { key: "N" value { i: 4 } } }
)" +
                           call_text("call", "PartitionedCall", {"e1"}, {{"f", "Twice"}},
                                     types_text("Tin", {"DT_FLOAT"}) + types_text("Tout", {"DT_FLOAT"}));

class OptionEffects : public SessionTest {
 protected:
  Session& open_graph(const std::string& config) {
    auto session = Session::open(*runtime_, from_text(config));
    EXPECT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
    const absl::Status created = session_->create(with_functions(kGraph));
    EXPECT_TRUE(created.ok()) << created;
    return *session_;
  }
  /// What RunMetadata says of a run that computes y, which must be right.
  pb::RunMetadata run(Session& s, const RunOptions& options) {
    RunStats stats;
    auto y = s.run({{"x", Tensor::scalar<float>(0)}}, {"y"}, {}, options, &stats);
    EXPECT_TRUE(y.ok()) << y.status();
    EXPECT_EQ(y.ok() ? (*y)[0].value<float>() : 0, 6);
    pb::RunMetadata metadata;
    EXPECT_TRUE(metadata.ParseFromString(stats.metadata));
    return metadata;
  }
  std::map<std::string, pb::NodeDef> planned(const std::string& config) {
    RunOptions options;
    options.output_partition_graphs = true;
    std::map<std::string, pb::NodeDef> nodes;
    const pb::RunMetadata metadata = run(open_graph(config), options);
    for (const auto& graph : metadata.partition_graphs()) {
      for (const auto& n : graph.node()) nodes[n.name()] = n;
    }
    return nodes;
  }
  /// "fold merge inline": what planning did to the graph.
  std::string passes(const std::string& config) {
    const auto nodes = planned(config);
    std::string out;
    if (nodes.contains("two") && nodes.at("two").op() == "Const") out += "fold ";
    if (nodes.contains("e1") != nodes.contains("e2")) out += "merge ";
    if (!nodes.contains("call")) out += "inline ";
    return out.empty() ? "nothing" : out.substr(0, out.size() - 1);
  }
};

TEST_F(OptionEffects, of_the_optimizers_are_the_passes_that_run) {
  const std::string level_zero = "optimizer_options { opt_level: L0 } ";
  const std::string all_asked =
      "optimizer_options { do_constant_folding: true do_common_subexpression_elimination: true "
      "do_function_inlining: true } ";
  auto rewriter = [](const std::string& fields) { return "rewrite_options { " + fields + " } "; };
  const std::pair<std::string, std::string> kCases[] = {
      {"", "fold merge inline"},
      {level_zero, "inline"},
      {"optimizer_options { opt_level: L0 do_constant_folding: true }", "fold inline"},
      {"optimizer_options { opt_level: L0 do_common_subexpression_elimination: true }", "merge inline"},
      {"optimizer_options { max_folded_constant_in_bytes: 3 }", "merge inline"},
      {rewriter("constant_folding: OFF"), "merge inline"},
      {rewriter("constant_folding: AGGRESSIVE"), "fold merge inline"},
      {rewriter("common_subgraph_elimination: OFF"), "fold inline"},
      {rewriter("function_optimization: OFF"), "fold merge"},
      {rewriter("constant_folding: OFF common_subgraph_elimination: OFF function_optimization: OFF") +
           all_asked,
       "fold merge inline"},
      {rewriter("disable_meta_optimizer: true"), "nothing"},
      {rewriter("disable_meta_optimizer: true") + all_asked, "fold merge inline"},
      {rewriter("optimizers: 'constfold' constant_folding: OFF"), "fold"},
      {rewriter("optimizers: 'function' optimizers: 'common_subgraph_elimination'"), "merge inline"},
      {rewriter("optimizers: 'layout'"), "nothing"},
      {rewriter("min_graph_nodes: 8"), "fold merge inline"},
      {rewriter("min_graph_nodes: 100"), "inline"},
      {rewriter("min_graph_nodes: -1"), "fold merge inline"},
  };
  for (const auto& [config, expected] : kCases)
    EXPECT_EQ(passes("graph_options { " + config + " }"), expected) << config;
}

TEST_F(OptionEffects, of_shape_inference_are_shapes_in_the_partition_graphs) {
  const auto plain = planned("");
  EXPECT_FALSE(plain.at("y").attr().contains("_output_shapes"));
  const auto nodes = planned("graph_options { infer_shapes: true }");
  const auto& two = nodes.at("two").attr();
  ASSERT_TRUE(two.contains("_output_shapes"));
  ASSERT_EQ(two.at("_output_shapes").list().shape_size(), 1);
  EXPECT_FALSE(two.at("_output_shapes").list().shape(0).unknown_rank());
  EXPECT_EQ(two.at("_output_shapes").list().shape(0).dim_size(), 0);
  // What is fed has the shape that it comes with.
  EXPECT_TRUE(nodes.at("e1").attr().at("_output_shapes").list().shape(0).unknown_rank());
}

TEST_F(OptionEffects, of_a_timeline_step_are_statistics_of_every_so_many_runs) {
  Session& s = open_graph("graph_options { timeline_step: 3 }");
  for (int i = 1; i <= 6; ++i) EXPECT_EQ(run(s, {}).has_step_stats(), i % 3 == 0) << "run " << i;
  EXPECT_FALSE(run(open_graph(""), {}).has_step_stats());
}

// --- the session's name ---

TEST_F(OptionEffects, of_a_session_handle_are_a_name_that_only_one_open_session_has) {
  graph_ = Graph(ops_.get());
  add("hang", "TestHang", {}, {{placeholder("x"), 0}});
  Session& s = open(from_text("session_handle: 'mine'"));
  const absl::Status second = Session::open(*runtime_, from_text("session_handle: 'mine'")).status();
  EXPECT_EQ(second.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(second.message()),
              HasSubstr("A session with the session_handle \"mine\" is open already"));
  EXPECT_TRUE(Session::open(*runtime_, from_text("session_handle: 'yours'")).ok());
  auto hanging = s.run_async({{"x", Tensor::scalar<float>(1)}}, {"hang"});
  absl::StatusOr<std::vector<StepReport>> steps;
  do {
    steps = s.inspect();
    ASSERT_TRUE(steps.ok()) << steps.status();
  } while (steps->empty());
  EXPECT_EQ((*steps)[0].session, "mine");
  ASSERT_TRUE(s.close().ok());
  EXPECT_FALSE(hanging.get().ok());
  EXPECT_TRUE(Session::open(*runtime_, from_text("session_handle: 'mine'")).ok()) << "its name is free again";
}

// --- what does nothing ---

/// What is logged while it lives.
class Log {
 public:
  Log() : before_(spdlog::default_logger()) {
    spdlog::set_default_logger(
        std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_)));
  }
  ~Log() { spdlog::set_default_logger(before_); }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::shared_ptr<spdlog::logger> before_;
};

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST_F(OptionEffects, that_are_none_are_logged_once_a_session) {
  Log log;
  Session& s = open_graph("session_handle: 'mine' placement_period: 5");
  EXPECT_EQ(count(log.text(), "session mine: placement_period: Of no use in TensorFlow either."), 1u);
  pb::RunOptions proto;
  proto.mutable_experimental()->set_collective_graph_key(3);
  const auto options = RunOptions::from_bytes(proto.SerializeAsString());
  ASSERT_TRUE(options.ok()) << options.status();
  for (int i = 0; i < 3; ++i) run(s, *options);
  EXPECT_EQ(count(log.text(), "session mine: experimental.collective_graph_key: "), 1u) << log.text();
  Session& other = open_graph("");
  run(other, *options);
  EXPECT_EQ(count(log.text(), "experimental.collective_graph_key: "), 2u) << "each session says it";
}

// --- callables ---

constexpr char kCpu[] = "/job:localhost/replica:0/task:0/device:CPU:0";

class CallableDevices : public OptionEffects {
 protected:
  /// Of a callable made by message of the bytes of its options.
  absl::StatusOr<CallableHandle> make(const std::string& more) {
    pb::CallableOptions proto;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString("feed: 'x:0' fetch: 'y:0' " + more, &proto));
    MakeCallable message;
    message.proto = proto.SerializeAsString();
    caf::scoped_actor self{runtime_->system()};
    absl::StatusOr<CallableHandle> handle = absl::InternalError("no answer");
    self->request(runtime_->impl().live_sessions().at(0)->actor, std::chrono::seconds(30), message)
        .receive([&](const CallableReply& reply) { handle = reply.handle; },
                 [&](caf::error& e) { handle = to_status(e); });
    return handle;
  }
  static std::string at(const std::string& what, const std::string& tensor, const std::string& device) {
    return what + " { key: '" + tensor + "' value: '" + device + "' } ";
  }
};

TEST_F(CallableDevices, may_be_cpus_of_the_session) {
  Session& s = open_graph("device_count { key: 'CPU' value: 2 }");
  const std::string second = "/job:localhost/replica:0/task:0/device:CPU:1";
  const auto handle =
      make(at("feed_devices", "x:0", kCpu) + at("fetch_devices", "y:0", second) + "fetch_skip_sync: true");
  ASSERT_TRUE(handle.ok()) << handle.status();
  const Tensor x = Tensor::scalar<float>(0);
  std::vector<Tensor> y(1);
  ASSERT_TRUE(s.run_callable(*handle, {&x, 1}, y).ok());
  EXPECT_EQ(y[0].value<float>(), 6);
  EXPECT_TRUE(make(at("feed_devices", "other:0", "nonsense")).ok()) << "of no tensor of its";
}

TEST_F(CallableDevices, that_cannot_be_are_named) {
  open_graph("");
  auto refusal = [&](const std::string& more) { return make(more).status(); };
  EXPECT_EQ(refusal(at("feed_devices", "x:0", "nonsense")),
            absl::InvalidArgumentError(
                "Invalid device name ('nonsense') provided for the tensor 'x:0' in CallableOptions"));
  // Full names only, as in TensorFlow.
  for (const char* device : {"/device:CPU:0", "/job:localhost/replica:0/task:0/device:GPU:0", ""}) {
    EXPECT_EQ(refusal(at("feed_devices", "x:0", device)),
              absl::InvalidArgumentError(absl::StrCat(
                  "Device '", device, "' specified for tensor 'x:0' in CallableOptions does not exist")));
  }
  EXPECT_EQ(refusal(at("fetch_devices", "y:0", "/cpu:7") + "fetch_skip_sync: true"),
            absl::InvalidArgumentError(
                "Device '/cpu:7' specified for tensor 'y:0' in CallableOptions does not exist"));
  const absl::Status no_skip = refusal(at("fetch_devices", "y:0", kCpu));
  EXPECT_EQ(no_skip.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(no_skip.message()),
              HasSubstr("CallableOptions.fetch_skip_sync = false is not yet implemented"));
}

TEST_F(CallableDevices, come_with_bytes_that_must_parse) {
  open_graph("");
  MakeCallable message;
  message.proto = "\xff\xff";
  caf::scoped_actor self{runtime_->system()};
  absl::Status status;
  self->request(runtime_->impl().live_sessions().at(0)->actor, std::chrono::seconds(30), message)
      .receive([&](const CallableReply&) {}, [&](caf::error& e) { status = to_status(e); });
  EXPECT_EQ(status, absl::InvalidArgumentError("Unparseable CallableOptions proto"));
}

// --- the environment ---

/// Sets a variable while it lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) before_ = old;
    setenv(name, value, 1);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(EnvironmentTest, gives_the_pools_their_sizes_where_the_options_leave_them_open) {
  const Variable inter("TF_NUM_INTEROP_THREADS", "3"), intra("TF_NUM_INTRAOP_THREADS", "5");
  auto sizes = [](const RuntimeOptions& options) {
    auto runtime = Runtime::create(options);
    return std::pair(runtime->impl().default_pool->num_threads(), runtime->impl().intra_op->num_threads());
  };
  EXPECT_EQ(sizes({}), std::pair(3, 5));
  RuntimeOptions said;
  said.inter_op_threads = 2;
  said.intra_op_threads = 1;
  EXPECT_EQ(sizes(said), std::pair(2, 1));
}

/// Kernels that say on which thread they run; two that are ready at a time go to a pool where there is one.
class ThreadsOfKernels : public SessionTest {
 protected:
  ThreadsOfKernels() {
    static const OpRow kRows[] = {{"TestThread", "x:float", "z:float", "number:int", ""}};
    EXPECT_TRUE(ops_->add(kRows).ok());
    kernels_->add(KernelDef("TestThread").fn(note));
    seen.clear();
    const int x = placeholder("x");
    for (int i = 0; i < 2; ++i)
      add("note" + std::to_string(i), "TestThread", {{"number", int64_t{i}}}, {{x, 0}});
  }
  /// Waits for the other, which is on another thread when there is one.
  static absl::Status note(KernelContext& c) {
    {
      std::lock_guard lock(mu);
      seen.insert(std::this_thread::get_id());
    }
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    for (++come; come < 2 && std::chrono::steady_clock::now() < until;) std::this_thread::yield();
    c.forward_input(0, 0);
    return absl::OkStatus();
  }
  /// Whether all ran on this thread.
  bool run_here(const std::string& config) {
    RuntimeOptions options;
    options.ops = ops_.get();
    options.kernels = kernels_.get();
    session_.reset();
    runtime_ = Runtime::create(options);
    seen.clear();
    come = 0;
    EXPECT_TRUE(open(from_text(config)).run({{"x", Tensor::scalar<float>(1)}}, {"note0", "note1"}).ok());
    return seen == std::set<std::thread::id>{std::this_thread::get_id()};
  }

  static inline std::mutex mu;
  static inline std::set<std::thread::id> seen;
  static inline std::atomic<int> come{0};
};

TEST_F(ThreadsOfKernels, are_the_callers_where_the_environment_or_the_config_says_so) {
  EXPECT_FALSE(run_here(""));
  EXPECT_TRUE(run_here("inter_op_parallelism_threads: -1"));
  const Variable inter("TF_NUM_INTEROP_THREADS", "-1");
  EXPECT_TRUE(run_here(""));
  EXPECT_FALSE(run_here("use_per_session_threads: true")) << "what the config asks for goes first";
  EXPECT_FALSE(run_here("inter_op_parallelism_threads: 2"));
  EXPECT_FALSE(run_here("session_inter_op_thread_pool { num_threads: 2 }"));
}

TEST(EnvironmentTest, gives_no_more_than_a_thousand_and_twenty_four_threads) {
  const auto threads = [](const char* number) {
    const Variable inter("TF_NUM_INTEROP_THREADS", number), intra("TF_NUM_INTRAOP_THREADS", number);
    const Environment e = Environment::read();
    return std::pair(e.inter_op_threads, e.intra_op_threads);
  };
  EXPECT_EQ(threads("1024"), std::pair(1024, 1024));
  EXPECT_EQ(threads("1025"), std::pair(0, 0));
}

TEST(EnvironmentTest, says_what_is_no_number_and_goes_on) {
  Log log;
  const Variable inter("TF_NUM_INTEROP_THREADS", "many"), intra("TF_NUM_INTRAOP_THREADS", "-4"),
      level("TF_CPP_MIN_LOG_LEVEL", "2");
  const Environment e = Environment::read();
  EXPECT_EQ(e.inter_op_threads, 0);
  EXPECT_EQ(e.intra_op_threads, 0);
  EXPECT_EQ(e.min_log_level, 2);
  EXPECT_THAT(log.text(),
              AllOf(HasSubstr("TF_NUM_INTEROP_THREADS=many is ignored"),
                    HasSubstr("TF_NUM_INTRAOP_THREADS=-4 is ignored"), Not(HasSubstr("LOG_LEVEL"))));
}

}  // namespace
}  // namespace troupe::test
