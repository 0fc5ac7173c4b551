// A console beside real runs, as a program that speaks HTTP sees it. The page itself is tested in a browser: tests/system.
#include "actors/console/console.h"

#include <gmock/gmock.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <regex>
#include <sstream>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "tests/actors/console/raw_client.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class ConsoleTest : public SessionTest {
 protected:
  ConsoleTest() {
    const int x_node = placeholder("x");
    add("twice", "TestAdd", {}, {{x_node, 0}, {x_node, 0}});
    add("hang", "TestHang", {}, {{x_node, 0}});
    add("fail", "TestFail", {}, {{x_node, 0}});
    add("slow", "TestSleep", {{"micros", int64_t{30'000}}}, {{x_node, 0}});
    ConsoleOptions options;
    options.slow_after = 20ms;
    auto console = Console::start(*runtime_, options);
    EXPECT_TRUE(console.ok()) << console.status();
    console_ = *std::move(console);
  }
  ~ConsoleTest() override { console_.reset(); }

  static std::vector<NamedTensor> x() { return {{"x", Tensor::scalar<float>(1)}}; }
  std::string fetch(const std::string& path) const { return get(console_->port(), path); }
  /// Newer than what happened before the call.
  json status() const {
    std::this_thread::sleep_for(220ms);
    return json::parse(body_of(fetch("/api/status")));
  }
  /// The sample of that name and labels, as it stands in the text; NaN when there is none.
  static double sample(const std::string& metrics, const std::string& what) {
    for (const absl::string_view line : absl::StrSplit(metrics, '\n')) {
      const std::pair<absl::string_view, absl::string_view> parts =
          absl::StrSplit(line, absl::MaxSplits(' ', 1));
      double value = 0;
      if (parts.first == what && absl::SimpleAtod(parts.second, &value)) return value;
    }
    return std::nan("");
  }

  std::unique_ptr<Console> console_;
};

TEST_F(ConsoleTest, says_that_it_lives_and_is_ready_and_what_there_is) {
  EXPECT_EQ(body_of(fetch("/healthz")), "ok\n");
  EXPECT_THAT(fetch("/readyz"), AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("ready")));
  EXPECT_THAT(fetch("/"),
              AllOf(HasSubstr("text/html"), HasSubstr("<title>Troupe</title>"), HasSubstr("</html>")));
  EXPECT_THAT(fetch("/nothing"), AllOf(StartsWith("HTTP/1.1 404"), HasSubstr("/api/status")));
  EXPECT_EQ(console_->url(), absl::StrCat("http://127.0.0.1:", console_->port()));
}

TEST_F(ConsoleTest, counts_runs_errors_and_durations_for_prometheus) {
  Session& s = open();
  ASSERT_TRUE(s.run(x(), {"slow", "twice"}).ok());
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(s.run(x(), {"fail"}).ok());
  EXPECT_FALSE(s.run(x(), {"none"}).ok());
  // What planning left behind is freed on the compile pool, a moment after the runs.
  const auto patience = std::chrono::steady_clock::now() + 10s;
  std::string text = body_of(fetch("/metrics"));
  while (sample(text, "troupe_pool_threads_busy{pool=\"compile\"}") + sample(text, "troupe_compile_queue") >
             0 &&
         std::chrono::steady_clock::now() < patience) {
    std::this_thread::sleep_for(20ms);
    text = body_of(fetch("/metrics"));
  }
  EXPECT_EQ(sample(text, "troupe_runs_total"), 5);
  EXPECT_EQ(sample(text, "troupe_sessions"), 1);
  EXPECT_EQ(sample(text, "troupe_steps_in_flight"), 0);
  EXPECT_EQ(sample(text, "troupe_run_errors_total{code=\"INVALID_ARGUMENT\"}"), 4);
  EXPECT_EQ(sample(text, "troupe_run_errors_total{code=\"INTERNAL\"}"), 0);
  EXPECT_GE(sample(text, "troupe_step_duration_seconds_sum"), 0.03);
  EXPECT_EQ(sample(text, "troupe_step_duration_seconds_bucket{le=\"+Inf\"}"),
            sample(text, "troupe_step_duration_seconds_count"));
  EXPECT_GE(sample(text, "troupe_step_duration_seconds_count"), 1);
  EXPECT_EQ(sample(text, "troupe_pool_threads_busy{pool=\"compile\"}"), 0);
  EXPECT_EQ(sample(text, "troupe_compile_queue"), 0);
  EXPECT_GT(sample(text, "troupe_memory_allocations_total"), 0);
}

TEST_F(ConsoleTest, writes_metrics_as_the_format_wants_them) {
  SessionOptions named;
  named.has_metadata = true;
  named.metadata_name = "a \"quoted\\name\"\nof two lines";
  Session& s = open(named);
  ASSERT_TRUE(s.run(x(), {"slow"}).ok());
  const std::string text = body_of(fetch("/metrics"));
  const std::regex line(
      R"re((# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z_]+="([^"\\]|\\.)*"(,[a-z_]+="([^"\\]|\\.)*")*\})? [0-9.e+-]+))re");
  std::string family;
  double below = 0;
  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  for (const std::string& l : lines) {
    EXPECT_TRUE(std::regex_match(l, line)) << l;
    if (l.starts_with("# HELP ")) family = l.substr(7, l.find(' ', 7) - 7);
    EXPECT_TRUE(l.starts_with("#") || l.starts_with(family)) << l << " does not stand below its family";
    if (!l.starts_with("troupe_step_duration_seconds_bucket")) continue;
    const double value = sample(text, l.substr(0, l.find(' ')));
    EXPECT_GE(value, below) << "buckets are sums";
    below = value;
  }
  EXPECT_EQ(below, 1);
  EXPECT_THAT(text, HasSubstr(R"(name="a \"quoted\\name\"\nof two lines")"));
}

TEST_F(ConsoleTest, shows_what_runs_and_what_it_waits_for) {
  Session& s = open();
  auto hanging = s.run_async(x(), {"hang"});
  json one;
  for (int i = 0; i < 50; ++i) {
    one = status().at("sessions").at(0);
    if (!one.at("steps").empty() && !one.at("steps")[0].at("frontier").empty()) break;
  }
  EXPECT_EQ(one.at("running"), 1);
  ASSERT_EQ(one.at("steps").size(), 1u);
  EXPECT_EQ(one.at("steps")[0].at("label"), "hang");
  EXPECT_THAT(one.at("steps")[0].at("frontier").at(0).get<std::string>(), HasSubstr("hang (TestHang)"));
  EXPECT_EQ(sample(body_of(fetch("/metrics")), "troupe_steps_in_flight"), 1);
  EXPECT_EQ(*s.cancel(), 1);
  (void)hanging.get();
  const json after = status();
  EXPECT_EQ(after.at("sessions").at(0).at("running"), 0);
  EXPECT_EQ(after.at("steps").at("errors").at("CANCELLED"), 1);
}

TEST_F(ConsoleTest, lists_the_last_steps_the_slow_ones_pools_and_devices) {
  Session& s = open();
  ASSERT_TRUE(s.run(x(), {"slow"}).ok());
  const json all = status();
  EXPECT_TRUE(all.at("ready").get<bool>());
  ASSERT_EQ(all.at("steps").at("slow").size(), 1u);
  EXPECT_EQ(all.at("steps").at("slow")[0].at("label"), "slow");
  EXPECT_GE(all.at("steps").at("slow")[0].at("us").get<double>(), 30'000);
  EXPECT_EQ(all.at("steps").at("recent").size(), 1u);
  std::vector<std::string> pools;
  for (const json& p : all.at("pools")) pools.push_back(p.at("name"));
  EXPECT_THAT(pools, testing::IsSupersetOf({"default", "compile", "waiting"}));
  EXPECT_EQ(all.at("devices").at(0).at("name"), "CPU:0");
}

TEST_F(ConsoleTest, keeps_the_runs_of_sessions_that_are_gone) {
  Session& s = open();
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(s.run(x(), {"twice"}).ok());
  session_.reset();
  const json all = status();
  EXPECT_EQ(all.at("runs"), 4);
  EXPECT_TRUE(all.at("sessions").empty());
}

TEST_F(ConsoleTest, is_asked_by_many_at_once_while_steps_run) {
  Session& s = open();
  std::atomic<int> good{0};
  std::vector<std::thread> askers;
  for (int i = 0; i < 8; ++i) {
    askers.emplace_back([&, i] {
      for (int k = 0; k < 20; ++k)
        good += fetch(i % 2 == 0 ? "/metrics" : "/api/status").starts_with("HTTP/1.1 200");
    });
  }
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(s.run(x(), {"twice"}).ok());
  for (std::thread& t : askers) t.join();
  EXPECT_EQ(good, 160);
}

TEST_F(ConsoleTest, says_at_its_start_what_is_wrong) {
  ConsoleOptions taken;
  taken.port = console_->port();
  const absl::Status in_use = Console::start(*runtime_, taken).status();
  EXPECT_EQ(in_use.code(), absl::StatusCode::kFailedPrecondition) << in_use;
  EXPECT_THAT(std::string(in_use.message()), HasSubstr(absl::StrCat("cannot bind 127.0.0.1:", taken.port)));
  EXPECT_EQ(body_of(fetch("/healthz")), "ok\n") << "who has the port keeps it";
  ConsoleOptions nowhere;
  nowhere.host = "not an address";
  const absl::Status no_host = Console::start(*runtime_, nowhere).status();
  EXPECT_EQ(no_host.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(no_host.message()), HasSubstr("not an address"));
  ConsoleOptions no_port;
  no_port.port = 70'000;
  const absl::Status out_of_range = Console::start(*runtime_, no_port).status();
  EXPECT_EQ(out_of_range.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(out_of_range.message()), HasSubstr("70000 is no port"));
  EXPECT_TRUE(open().run(x(), {"twice"}).ok());
  session_.reset();
  const int port = console_->port();
  console_.reset();
  EXPECT_EQ(get(port, "/healthz"), "");
  runtime_->shutdown();
  EXPECT_EQ(Console::start(*runtime_).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(ConsoleTest, answers_as_before_after_requests_that_are_none) {
  Session& s = open();
  for (const std::string& bytes :
       {std::string("hello\r\n\r\n"), "GET /" + std::string(1 << 20, 'a'), std::string("\x16\x03\x01")}) {
    const RawClient client(console_->port());
    // It may hang up before it has read all.
    client.send(bytes);
    EXPECT_THAT(client.receive_all(), StartsWith("HTTP/1.1 4")) << bytes.substr(0, 30);
    EXPECT_TRUE(s.run(x(), {"twice"}).ok());
    EXPECT_THAT(fetch("/"), HasSubstr("<title>Troupe</title>"));
  }
  EXPECT_EQ(status().at("runs"), 3);
}

TEST_F(ConsoleTest, is_not_ready_once_the_runtime_has_been_shut_down) {
  runtime_->shutdown();
  EXPECT_THAT(fetch("/readyz"), StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(fetch("/metrics"), StartsWith("HTTP/1.1 503"));
  EXPECT_EQ(body_of(fetch("/healthz")), "ok\n");
}

// --- one that the environment asks for ---

/// A console of the environment, with this port in it, and what was logged meanwhile.
struct OfEnvironment {
  OfEnvironment(Runtime& runtime, const std::string& port) {
    std::ostringstream text;
    const auto before = spdlog::default_logger();
    spdlog::set_default_logger(
        std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text)));
    setenv("TROUPE_CONSOLE_PORT", port.c_str(), 1);
    console = Console::of_environment(runtime);
    unsetenv("TROUPE_CONSOLE_PORT");
    spdlog::set_default_logger(before);
    log = text.str();
  }
  std::unique_ptr<Console> console;
  std::string log;
};

TEST_F(ConsoleTest, is_where_the_environment_says) {
  const OfEnvironment any(*runtime_, "0");
  ASSERT_NE(any.console, nullptr) << any.log;
  EXPECT_THAT(any.log, HasSubstr(any.console->url())) << "who does not choose a port reads it";
  EXPECT_THAT(any.console->url(), StartsWith("http://127.0.0.1:"));
  EXPECT_EQ(body_of(get(any.console->port(), "/healthz")), "ok\n");
}

TEST_F(ConsoleTest, of_the_environment_is_none_where_it_does_not_ask_or_a_port_cannot_be_had) {
  const OfEnvironment none(*runtime_, "");
  EXPECT_EQ(none.console, nullptr);
  EXPECT_EQ(none.log, "");
  const OfEnvironment in_use(*runtime_, absl::StrCat(console_->port()));
  EXPECT_EQ(in_use.console, nullptr);
  EXPECT_THAT(in_use.log, AllOf(HasSubstr("TROUPE_CONSOLE_PORT asks for one, but FAILED_PRECONDITION"),
                                HasSubstr(absl::StrCat(console_->port()))));
  for (const char* wrong : {"65536", "-1", "http", "80 80"}) {
    const OfEnvironment no_port(*runtime_, wrong);
    EXPECT_EQ(no_port.console, nullptr) << wrong;
    EXPECT_THAT(no_port.log, HasSubstr(absl::StrCat("TROUPE_CONSOLE_PORT=", wrong, " is ignored")));
  }
}

}  // namespace
}  // namespace troupe::test
