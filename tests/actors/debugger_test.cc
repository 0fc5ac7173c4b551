// Runs whose tensors are watched: as files in TensorFlow's layout, as messages to an actor, by an application's own debugger.
#include "actors/debugger.h"

#include <gmock/gmock.h>

#include <caf/all.hpp>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>

#include "actors/builtin_debugger.h"
#include "graph/tensor/tensor_proto.h"
#include "proto/config.pb.h"
#include "proto/event.pb.h"
#include "proto/graph.pb.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

// The field is deprecated, and what TensorFlow's debugger reads.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
std::string log_text(const tensorflow::Event& event) { return event.log_message().message(); }
#pragma GCC diagnostic pop

namespace pb = ::tensorflow;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Keeps what it hears.
struct Heard {
  std::mutex mu;
  std::condition_variable changed;
  std::vector<WatchedValue> values;
  std::vector<DebugMetadata> runs;

  std::vector<WatchedValue> await(size_t number) {
    std::unique_lock lock(mu);
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(20), [&] { return values.size() >= number; }));
    return values;
  }
};

class Listener final : public DebugListener::base {
 public:
  Listener(caf::actor_config& config, Heard* heard) : DebugListener::base(config), heard_(heard) {}
  behavior_type make_behavior() override {
    return {[this](const WatchedValue& m) {
              std::lock_guard lock(heard_->mu);
              heard_->values.push_back(m);
              heard_->changed.notify_all();
            },
            [this](const DebugMetadata& m) {
              std::lock_guard lock(heard_->mu);
              heard_->runs.push_back(m);
            }};
  }

 private:
  Heard* const heard_;
};

/// scope/b = a + a; c = b + b; a is fed.
class DebuggerTest : public SessionTest {
 protected:
  DebuggerTest() {
    const int a = placeholder("a");
    const int b = add("scope/b", "TestAdd", {}, {{a, 0}, {a, 0}});
    add("c", "TestAdd", {}, {{b, 0}, {b, 0}});
    add("apart", "TestAdd", {}, {{a, 0}, {a, 0}});
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("debug_dump_" + std::to_string(reinterpret_cast<uintptr_t>(this)));
    std::filesystem::remove_all(folder_);
  }
  ~DebuggerTest() override { std::filesystem::remove_all(folder_); }

  std::string url() const { return "file://" + folder_.string(); }
  static RunOptions watching(TensorWatch watch) {
    RunOptions options;
    options.debug.watches.push_back(std::move(watch));
    options.debug.global_step = 7;
    return options;
  }
  static absl::Status run(Session& s, const RunOptions& options, float a = 2) {
    auto out = s.run({{"a", Tensor::scalar<float>(a)}}, {"c:0"}, {}, options);
    if (out.ok() && a == a) {
      EXPECT_EQ(out->at(0).value<float>(), 4 * a);
    }
    return out.status();
  }
  /// Paths below the folder, without the times at their ends.
  std::map<std::string, pb::Event> dumps() const {
    std::map<std::string, pb::Event> events;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      std::stringstream bytes;
      bytes << file.rdbuf();
      const std::string path = std::filesystem::relative(entry.path(), folder_).string();
      pb::Event event;
      EXPECT_TRUE(event.ParseFromString(bytes.str())) << path;
      const size_t time = path.rfind('_');
      EXPECT_EQ(path.substr(time + 1), std::to_string(static_cast<int64_t>(event.wall_time())));
      events[path.substr(0, time)] = event;
    }
    return events;
  }

  std::filesystem::path folder_;
};

constexpr char kDevice[] = "_tfdbg_device_,job_localhost,replica_0,task_0,device_CPU_0";

TEST_F(DebuggerTest, dumps_what_is_watched_in_tensorflows_layout) {
  Session& s = open();
  ASSERT_TRUE(run(s, {}).ok());
  ASSERT_TRUE(
      run(s, watching({"scope/b", 0, {"DebugIdentity", "DebugNanCount", "DebugNumericSummary"}, {url()}}))
          .ok());
  const auto events = dumps();
  const std::string b = std::string(kDevice) + "/scope/b_0_";
  ASSERT_TRUE(events.contains(b + "DebugIdentity"));
  const auto& value = events.at(b + "DebugIdentity").summary().value(0);
  EXPECT_EQ(value.tag(), "scope/b");
  EXPECT_EQ(value.node_name(), "scope/b:0:DebugIdentity");
  EXPECT_EQ(from_proto(value.tensor())->value<float>(), 4);
  EXPECT_EQ(value.metadata().plugin_data().plugin_name(), "debugger");
  EXPECT_THAT(value.metadata().plugin_data().content(),
              HasSubstr("\"device\":\"/job:localhost/replica:0/task:0/device:CPU:0\",\"outputSlot\":0"));
  const auto nans = from_proto(events.at(b + "DebugNanCount").summary().value(0).tensor());
  EXPECT_EQ(nans->shape(), (Shape{1}));
  EXPECT_EQ(nans->flat<int64_t>()[0], 0);
  EXPECT_EQ(from_proto(events.at(b + "DebugNumericSummary").summary().value(0).tensor())->num_elements(), 14);
  EXPECT_EQ(log_text(events.at("_tfdbg_core_metadata_sessionrun00000000000002")),
            "{\"global_step\":7,\"session_run_index\":2,\"executor_step_index\":0,\"input_names\":[\"a\"],"
            "\"output_names\":[\"c:0\"],\"target_nodes\":[]}");
  int graphs = 0;
  for (const auto& [path, event] : events) {
    if (path.find("_tfdbg_graph_hash") == std::string::npos) continue;
    ++graphs;
    pb::GraphDef graph;
    ASSERT_TRUE(graph.ParseFromString(event.graph_def()));
    EXPECT_TRUE(std::any_of(graph.node().begin(), graph.node().end(), [](const pb::NodeDef& n) {
      return n.name() == "__dbg_scope/b:0_1_DebugNanCount" && n.input(0) == "scope/b";
    }));
  }
  EXPECT_EQ(graphs, 1);
  EXPECT_EQ(events.size(), 5U);
}

TEST_F(DebuggerTest, watches_only_the_runs_that_ask) {
  Session& s = open();
  const RunOptions watched = watching({"scope/b", 0, {"DebugIdentity"}, {url()}});
  ASSERT_TRUE(run(s, watched).ok());
  const size_t files = dumps().size();
  ASSERT_TRUE(run(s, {}).ok());
  EXPECT_EQ(dumps().size(), files);
  EXPECT_EQ(s.counters().signature_misses, 2) << "with the watch, and without";
  ASSERT_TRUE(run(s, watched).ok());
  EXPECT_EQ(s.counters().signature_misses, 2);
  EXPECT_THAT(log_text(dumps().at("_tfdbg_core_metadata_sessionrun00000000000003")),
              HasSubstr("\"executor_step_index\":1"));
}

TEST_F(DebuggerTest, tells_an_actor_that_is_registered) {
  Session& s = open();
  Heard heard;
  caf::actor_system& system = runtime_->system();
  const DebugListener listener = system.spawn<Listener>(&heard);
  system.registry().put(caf::atom("watcher"), caf::actor_cast<caf::strong_actor_ptr>(listener));
  const RunOptions watched = watching({"scope/b", 0, {"DebugIdentity"}, {"actor://watcher"}});
  ASSERT_TRUE(run(s, watched).ok());
  const auto values = heard.await(1);
  EXPECT_EQ(values[0].node, "scope/b");
  EXPECT_EQ(values[0].slot, 0);
  EXPECT_EQ(values[0].debug_op, "DebugIdentity");
  EXPECT_EQ(values[0].device, "/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_GT(values[0].step_id, 0);
  EXPECT_EQ(values[0].value.value<float>(), 4);
  ASSERT_EQ(heard.runs.size(), 1U);
  EXPECT_EQ(heard.runs[0].global_step, 7);
  EXPECT_THAT(heard.runs[0].fetches, ElementsAre("c:0"));
  system.registry().erase(caf::atom("watcher"));
  EXPECT_EQ(run(s, watched).code(), absl::StatusCode::kNotFound) << "before anything runs";
  caf::anon_send_exit(listener, caf::exit_reason::user_shutdown);
}

TEST_F(DebuggerTest, mutes_a_summary_of_a_healthy_tensor) {
  Session& s = open();
  const RunOptions watched =
      watching({"scope/b", 0, {"DebugNumericSummary(mute_if_healthy=true;lower_bound=-1.5)"}, {url()}});
  const std::string summary = std::string(kDevice) + "/scope/b_0_DebugNumericSummary";
  ASSERT_TRUE(run(s, watched).ok());
  EXPECT_FALSE(dumps().contains(summary));
  ASSERT_TRUE(run(s, watched, kNan).ok());
  EXPECT_TRUE(dumps().contains(summary));
}

TEST_F(DebuggerTest, sees_every_output_with_the_wildcard) {
  Session& s = open();
  ASSERT_TRUE(run(s, watching({"*", -1, {"DebugIdentity"}, {url()}})).ok());
  const auto events = dumps();
  EXPECT_TRUE(events.contains(std::string(kDevice) + "/scope/b_0_DebugIdentity"));
  EXPECT_TRUE(events.contains(std::string(kDevice) + "/c_0_DebugIdentity"));
}

TEST_F(DebuggerTest, sees_a_variable_before_those_who_write_to_it) {
  const int v = add("v", "VariableV2",
                    {{"dtype", DataType::kFloat},
                     {"shape", Shape{}},
                     {"container", std::string()},
                     {"shared_name", std::string("v")}});
  const int one = constant("one", Tensor::scalar<float>(1));
  const AttrMap floats{{"T", DataType::kFloat}, {"use_locking", false}};
  add("init", "Assign", {{"T", DataType::kFloat}, {"use_locking", false}, {"validate_shape", true}},
      {{v, 0}, {one, 0}});
  add("grow", "AssignAdd", floats, {{v, 0}, {one, 0}});
  Session& s = open();
  ASSERT_TRUE(s.run({}, {}, {"init"}).ok());
  for (int i = 1; i <= 20; ++i) {
    std::filesystem::remove_all(folder_);
    const RunOptions watched = watching({"v", 0, {"DebugIdentity"}, {url()}});
    ASSERT_TRUE(s.run({}, {}, {"grow"}, watched).ok());
    const auto seen = dumps().at(std::string(kDevice) + "/v_0_DebugIdentity").summary().value(0).tensor();
    EXPECT_EQ(from_proto(seen)->value<float>(), static_cast<float>(i));
  }
}

TEST_F(DebuggerTest, is_silent_about_what_the_run_does_not_need) {
  Session& s = open();
  ASSERT_TRUE(run(s, watching({"apart", 0, {"DebugIdentity"}, {url()}})).ok());
  EXPECT_FALSE(dumps().contains(std::string(kDevice) + "/apart_0_DebugIdentity"));
}

TEST_F(DebuggerTest, refuses_watches_of_what_is_not_there) {
  Session& s = open();
  const std::vector<std::tuple<TensorWatch, absl::StatusCode, std::string>> wrong = {
      {{"nobody", 0, {"DebugIdentity"}, {url()}},
       absl::StatusCode::kNotFound,
       "the graph has no node nobody"},
      {{"c", 3, {"DebugIdentity"}, {url()}}, absl::StatusCode::kInvalidArgument, "c (TestAdd) has 1 outputs"},
      {{"c", -1, {"DebugIdentity"}, {url()}},
       absl::StatusCode::kFailedPrecondition,
       "valid only for the wildcard node name (\"*\"), but got node name c"},
      {{"c", 0, {"Nonsense"}, {url()}},
       absl::StatusCode::kFailedPrecondition,
       "Failed to create debug node Nonsense for tensor c:0, due to: Failed to create node definition for "
       "debug "
       "op Nonsense on watched tensor c:0"},
      {{"c", 0, {"DebugNumericSummary(nix=3)"}, {url()}},
       absl::StatusCode::kFailedPrecondition,
       "1 attribute key(s) were not valid for debug node __dbg_c:0_0_DebugNumericSummary: nix"},
      {{"c", 0, {"DebugNumericSummary(lower_bound=low)"}, {url()}},
       absl::StatusCode::kFailedPrecondition,
       "Failed to set value of attribute key lower_bound"},
      {{"c", 0, {"DebugIdentity"}, {"nonsense://x"}},
       absl::StatusCode::kInvalidArgument,
       "Unsupported debug URL \"nonsense://x\""},
      {{"c", 0, {"DebugIdentity"}, {"actor://nobody"}}, absl::StatusCode::kNotFound, "No actor \"nobody\""},
      {{"c", 0, {"DebugIdentity"}, {"actor://much_too_long"}},
       absl::StatusCode::kInvalidArgument,
       "has a name of 1 to 10 letters"},
  };
  for (const auto& [watch, code, phrase] : wrong) {
    const absl::Status refused = run(s, watching(watch));
    EXPECT_EQ(refused.code(), code) << refused;
    EXPECT_THAT(std::string(refused.message()), HasSubstr(phrase));
  }
  TensorWatch tolerant{"c", 0, {"Nonsense", "DebugIdentity"}, {url()}};
  tolerant.tolerates_failures = true;
  EXPECT_TRUE(run(s, watching(tolerant)).ok());
  EXPECT_TRUE(dumps().contains(std::string(kDevice) + "/c_0_DebugIdentity"));
  EXPECT_EQ(s.counters().running_steps, 0);
}

TEST_F(DebuggerTest, says_which_file_it_cannot_write) {
  Session& s = open();
  const absl::Status refused = run(s, watching({"c", 0, {"DebugIdentity"}, {"file:///proc/no/such/folder"}}));
  EXPECT_FALSE(refused.ok());
  EXPECT_THAT(std::string(refused.message()), HasSubstr("/proc/no/such/folder"));
}

TEST_F(DebuggerTest, is_asked_for_by_the_proto) {
  pb::RunOptions proto;
  proto.mutable_debug_options()->set_global_step(9);
  auto* watch = proto.mutable_debug_options()->add_debug_tensor_watch_opts();
  watch->set_node_name("c");
  watch->set_output_slot(2);
  watch->add_debug_ops("DebugIdentity");
  watch->add_debug_urls("file:///x");
  watch->set_tolerate_debug_op_creation_failures(true);
  const auto options = RunOptions::from_bytes(proto.SerializeAsString());
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->debug.global_step, 9);
  EXPECT_THAT(options->debug.watches,
              ElementsAre(TensorWatch{"c", 2, {"DebugIdentity"}, {"file:///x"}, true}));
}

/// An application's own.
class Counting final : public Debugger {
 public:
  absl::Status publish(const WatchedValue& seen, const std::vector<std::string>& urls) override {
    std::lock_guard lock(mu);
    values.push_back(seen.node);
    EXPECT_THAT(urls, ElementsAre("mine"));
    return absl::OkStatus();
  }
  absl::Status begin_run(const DebugMetadata& about, const std::vector<std::string>&) override {
    return about.global_step < 0 ? absl::AbortedError("not this one") : absl::OkStatus();
  }
  std::mutex mu;
  std::vector<std::string> values;
};

TEST_F(DebuggerTest, may_be_the_applications_own) {
  const auto own = std::make_shared<Counting>();
  RuntimeOptions options;
  options.ops = ops_.get();
  options.kernels = kernels_.get();
  options.debugger = own;
  const auto runtime = Runtime::create(options);
  auto session = Session::open(*runtime);
  ASSERT_TRUE(session.ok());
  ASSERT_TRUE((*session)->create(graph_.clone()).ok());
  RunOptions watched = watching({"scope/b", 0, {"DebugIdentity"}, {"mine"}});
  EXPECT_TRUE(run(**session, watched).ok());
  EXPECT_THAT(own->values, ElementsAre("scope/b"));
  watched.debug.global_step = -1;
  EXPECT_EQ(run(**session, watched).code(), absl::StatusCode::kAborted);
  EXPECT_THAT(own->values, ElementsAre("scope/b")) << "a run that it refuses does not begin";
}

}  // namespace
}  // namespace troupe::test
