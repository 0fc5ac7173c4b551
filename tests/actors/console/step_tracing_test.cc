// Traces of runs: which are written, and what is in them.
#include "actors/console/step_tracing.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using nlohmann::json;
using testing::HasSubstr;

class StepTracingTest : public SessionTest {
 protected:
  StepTracingTest() {
    std::string pattern = (fs::temp_directory_path() / "troupe_test_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    options_.folder = folder_ / "traces";
  }
  ~StepTracingTest() override {
    tracing_.reset();
    fs::remove_all(folder_);
  }
  void start() {
    auto tracing = StepTracing::start(*runtime_, options_);
    ASSERT_TRUE(tracing.ok()) << tracing.status();
    tracing_ = *std::move(tracing);
  }
  /// Of all files, after the end of tracing.
  std::vector<json> events() {
    tracing_.reset();
    std::vector<json> out;
    for (const auto& e : fs::directory_iterator(options_.folder)) {
      std::ifstream in(e.path());
      const json file = json::parse(in);
      for (const json& event : file.at("traceEvents")) out.push_back(event);
    }
    return out;
  }
  static std::vector<json> select(const std::vector<json>& events, const std::string& phase,
                                  const std::string& key, const std::string& value) {
    std::vector<json> out;
    for (const json& e : events) {
      if (e.at("ph") == phase && e.value(key, "") == value) out.push_back(e);
    }
    return out;
  }
  static std::vector<NamedTensor> x() { return {{"x", Tensor::scalar<float>(1)}}; }

  fs::path folder_;
  TraceOptions options_;
  std::unique_ptr<StepTracing> tracing_;
};

TEST_F(StepTracingTest, writes_every_nth_run_of_all_sessions) {
  const int in = placeholder("x");
  add("twice", "TestAdd", {}, {{in, 0}, {in, 0}});
  Session& s = open();
  auto other = Session::open(*runtime_);
  ASSERT_TRUE((*other)->create(graph_.clone()).ok());
  options_.every = 10;
  start();
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(s.run(x(), {"twice"}).ok());
    ASSERT_TRUE((*other)->run(x(), {"twice"}).ok());
    (void)(*other)->run_async(x(), {"twice"}).get();
  }
  const std::vector<json> all = events();
  const std::vector<json> steps = select(all, "X", "cat", "STEP");
  ASSERT_EQ(steps.size(), 15u);
  EXPECT_THAT(steps[0].at("name").get<std::string>(), HasSubstr("twice"));
  EXPECT_EQ(select(all, "X", "name", "twice").size(), 15u);
  std::set<int> processes;
  for (const json& e : steps) processes.insert(e.at("pid").get<int>());
  EXPECT_EQ(processes.size(), 2u) << "one for each session";
  for (const json& e : steps) EXPECT_GE(e.at("dur").get<double>(), 0);
}

TEST_F(StepTracingTest, writes_what_a_slow_run_did_and_no_quick_one) {
  const int in = placeholder("x");
  const int slow = add("slow", "TestSleep", {{"micros", int64_t{60'000}}}, {{in, 0}});
  add("last", "TestAdd", {}, {{slow, 0}, {in, 0}});
  add("quick", "TestAdd", {}, {{in, 0}, {in, 0}});
  Session& s = open();
  options_.slow_after = 50ms;
  start();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(s.run(x(), {"quick"}).ok());
  ASSERT_TRUE(s.run(x(), {"last"}).ok());
  const std::vector<json> all = events();
  EXPECT_EQ(select(all, "X", "cat", "STEP").size(), 1u);
  EXPECT_TRUE(select(all, "X", "name", "quick").empty());
  const std::vector<json> sleep = select(all, "X", "name", "slow");
  ASSERT_EQ(sleep.size(), 1u);
  EXPECT_GE(sleep[0].at("dur").get<double>(), 60'000);
  EXPECT_EQ(sleep[0].at("args").at("op"), "TestSleep");
}

TEST_F(StepTracingTest, tells_of_a_slow_run_that_nobody_expected_and_what_the_next_did) {
#ifdef TROUPE_SANITIZED
  GTEST_SKIP() << "a sanitizer makes all runs so long that they are recorded";
#endif
  const int in = placeholder("x");
  int last = in;
  for (int i = 0; i < 50; ++i) last = add(absl::StrCat("add", i), "TestAdd", {}, {{last, 0}, {last, 0}});
  add("maybe", "TestHold", {}, {{last, 0}});
  Session& s = open();
  options_.slow_after = 200ms;
  start();
  let_go = true;
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(s.run(x(), {"maybe"}).ok());
  // Two that are held up.
  for (int i = 0; i < 2; ++i) {
    let_go = false;
    std::thread later([] {
      std::this_thread::sleep_for(400ms);
      let_go = true;
    });
    EXPECT_TRUE(s.run(x(), {"maybe"}).ok());
    later.join();
  }
  const std::vector<json> all = events();
  const std::vector<json> steps = select(all, "X", "cat", "STEP");
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].at("args").value("nodes", ""), "not recorded");
  EXPECT_GE(steps[0].at("dur").get<double>(), 200'000);
  EXPECT_FALSE(steps[1].at("args").contains("nodes")) << "after a slow run the next are recorded";
  const std::vector<json> slow = select(all, "X", "name", "maybe");
  ASSERT_EQ(slow.size(), 1u);
  EXPECT_GE(slow[0].at("dur").get<double>(), 200'000);
}

TEST_F(StepTracingTest, draws_the_messages_between_the_actors_of_a_step) {
  const int in = placeholder("x");
  const int a = add("a", "TestSleep", {{"micros", int64_t{2000}}}, {{in, 0}}, {}, "/cpu:0");
  // Another number, so that they are not one node.
  const int b = add("b", "TestSleep", {{"micros", int64_t{2001}}}, {{in, 0}}, {}, "/cpu:0");
  add("sum", "TestAdd", {}, {{a, 0}, {b, 0}}, {}, "/cpu:1");
  SessionOptions two;
  two.device_count["CPU"] = 2;
  Session& s = open(two);
  options_.every = 1;
  start();
  ASSERT_TRUE(s.run(x(), {"sum"}).ok());
  const std::vector<json> all = events();
  EXPECT_EQ(select(all, "s", "name", "StartExecutor").size(), 2u);
  EXPECT_EQ(select(all, "s", "name", "ExecutorDone").size(), 2u);
  EXPECT_EQ(select(all, "s", "name", "LaunchKernels").size(), 2u) << "a and b, in a batch";
  EXPECT_GE(select(all, "s", "name", "RENDEZVOUS").size(), 2u);
  // Each arrow has two ends, each of which lies in a slice of its row.
  for (const char* phase : {"s", "f"}) {
    for (const json& end : select(all, phase, "cat", "message")) {
      const bool inside = std::any_of(all.begin(), all.end(), [&](const json& e) {
        constexpr double kRounding = 0.01;
        return e.at("ph") == "X" && e.at("pid") == end.at("pid") && e.at("tid") == end.at("tid") &&
               e.at("ts").get<double>() <= end.at("ts").get<double>() + kRounding &&
               end.at("ts").get<double>() <= e.at("ts").get<double>() + e.at("dur").get<double>() + kRounding;
      });
      EXPECT_TRUE(inside) << end;
    }
  }
  EXPECT_EQ(select(all, "s", "cat", "message").size(), select(all, "f", "cat", "message").size());
}

TEST_F(StepTracingTest, tells_how_a_run_failed_and_leaves_statistics_to_who_asked_for_them) {
  const int in = placeholder("x");
  add("fail", "TestFail", {}, {{in, 0}});
  add("twice", "TestAdd", {}, {{in, 0}, {in, 0}});
  Session& s = open();
  options_.every = 1;
  start();
  EXPECT_FALSE(s.run(x(), {"fail"}).ok());
  RunStats quiet, asked;
  ASSERT_TRUE(s.run(x(), {"twice"}, {}, {}, &quiet).ok());
  EXPECT_EQ(quiet.metadata, "");
  EXPECT_TRUE(quiet.messages.empty());
  RunOptions with_stats;
  with_stats.collect_stats = true;
  ASSERT_TRUE(s.run(x(), {"twice"}, {}, with_stats, &asked).ok());
  EXPECT_NE(asked.metadata, "");
  const std::vector<json> steps = select(events(), "X", "cat", "STEP");
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_THAT(steps[0].at("args").at("status").get<std::string>(), HasSubstr("told to fail"));
  EXPECT_EQ(steps[1].at("args").at("status"), "OK");
}

TEST_F(StepTracingTest, keeps_its_folder_small) {
  const int in = placeholder("x");
  add("twice", "TestAdd", {}, {{in, 0}, {in, 0}});
  Session& s = open();
  options_.every = 1;
  options_.max_files = 2;
  options_.max_file_bytes = 8192;
  start();
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(s.run(x(), {"twice"}).ok());
    while (tracing_->written() < i + 1) std::this_thread::yield();
  }
  EXPECT_EQ(tracing_->dropped(), 0);
  tracing_.reset();
  int files = 0;
  for (const auto& e : fs::directory_iterator(options_.folder)) {
    ++files;
    EXPECT_LT(e.file_size(), 2u * 8192);
    std::ifstream in_file(e.path());
    const json trace = json::parse(in_file);
    EXPECT_EQ(trace.at("traceEvents").at(0).at("name"), "process_name") << "each file names its processes";
  }
  EXPECT_EQ(files, 2);
}

TEST_F(StepTracingTest, refuses_what_makes_no_sense) {
  const auto code = [&] { return StepTracing::start(*runtime_, options_).status().code(); };
  EXPECT_EQ(code(), absl::StatusCode::kInvalidArgument) << "nothing says which";
  options_.every = -1;
  EXPECT_EQ(code(), absl::StatusCode::kInvalidArgument);
  options_.every = 1;
  options_.max_files = 0;
  EXPECT_EQ(code(), absl::StatusCode::kInvalidArgument);
  options_.max_files = 1;
  options_.folder = "/dev/null/traces";
  EXPECT_FALSE(StepTracing::start(*runtime_, options_).ok());
  options_.folder = folder_;
  start();
  EXPECT_EQ(code(), absl::StatusCode::kAlreadyExists);
  tracing_.reset();
  EXPECT_EQ(code(), absl::StatusCode::kOk) << "after the end another may";
}

}  // namespace
}  // namespace troupe::test
