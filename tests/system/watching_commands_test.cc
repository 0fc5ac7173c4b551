// What looks at runs from outside, as a user types it: --console, --trace-folder, top.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "actors/console/console.h"
#include "actors/runtime.h"
#include "actors/session.h"

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "tests/system/graph_texts.h"
#include "tests/system/program.h"
#include "tools/troupe/files.h"

namespace troupe {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class WatchingCommands : public ::testing::Test {
 protected:
  static ProgramResult troupe(const std::vector<std::string>& arguments) {
    return run_program(TROUPE_PROGRAM, arguments);
  }
  std::string graph() { return folder_.write("graph.pbtxt", graph_texts::kArithmetic); }
  /// One line of error, and nothing else.
  static void expect_error(const ProgramResult& r, const std::string& phrase) {
    EXPECT_EQ(r.exit_code, 1) << r.err;
    EXPECT_EQ(r.out, "");
    EXPECT_THAT(r.err, HasSubstr(phrase));
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }

  TemporaryFolder folder_;
};

TEST_F(WatchingCommands, run_writes_timelines_of_many_runs_into_a_folder) {
  const std::string traces = folder_.path() + "/traces";
  const ProgramResult r = troupe({"run", graph(), "--feed", "x=1", "--feed", "y=2", "--fetch", "z",
                                  "--repeat", "20", "--trace-folder", traces, "--trace-every", "5"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  int steps = 0;
  for (const auto& file : std::filesystem::directory_iterator(traces)) {
    const absl::StatusOr<std::string> written = read_file(file.path());
    ASSERT_TRUE(written.ok()) << written.status();
    const nlohmann::json timeline = nlohmann::json::parse(*written);
    for (const auto& event : timeline["traceEvents"]) steps += event.value("cat", "") == "STEP";
  }
  EXPECT_EQ(steps, 4);
}

TEST_F(WatchingCommands, run_shows_a_console_and_says_when_it_cannot) {
  const std::string file = graph();
  const ProgramResult r =
      troupe({"run", file, "--feed", "x=1", "--feed", "y=2", "--fetch", "z", "--console", "0"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.err, StartsWith("console: http://127.0.0.1:"));
  expect_error(troupe({"run", file, "--fetch", "z", "--console", "here"}),
               "--console 'here' is not PORT or HOST:PORT");
  expect_error(troupe({"run", file, "--fetch", "z", "--console", "nowhere:80"}),
               "neither an address nor localhost");
  const std::unique_ptr<Runtime> runtime = Runtime::create();
  const auto taken = Console::start(*runtime);
  ASSERT_TRUE(taken.ok()) << taken.status();
  expect_error(troupe({"run", file, "--fetch", "z", "--console", absl::StrCat((*taken)->port())}),
               "Address already in use");
}

TEST_F(WatchingCommands, top_shows_what_a_console_says) {
  const std::unique_ptr<Runtime> runtime = Runtime::create();
  const auto console = Console::start(*runtime);
  ASSERT_TRUE(console.ok()) << console.status();
  SessionOptions options;
  options.has_metadata = true;
  options.metadata_name = "spiral";
  const auto session = Session::open(*runtime, options);
  EXPECT_FALSE((*session)->run({}, {"none"}).ok());
  const ProgramResult r = troupe({"top", (*console)->url(), "--once"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("ready; runs 0, in flight 0, errors 0"));
  EXPECT_THAT(r.out, ContainsRegex("SESSION +RUNS +RUNNING .*NAME\n +1 +0 +0 .*spiral\n"));
  EXPECT_THAT(r.out, ContainsRegex("BUSY .*POOL\n.* default\n.* compile\n.* waiting\n"));
  EXPECT_THAT(r.out, HasSubstr("FETCHES -> TARGETS"));
  EXPECT_THAT(r.out, Not(HasSubstr("\033"))) << "for scripts";
  EXPECT_EQ(troupe({"top", absl::StrCat((*console)->port()), "--once"}).exit_code, 0) << "a port alone";
}

TEST_F(WatchingCommands, top_says_why_it_shows_nothing) {
  expect_error(troupe({"top", "here", "--once"}), "'here' is not HOST:PORT");
  expect_error(troupe({"top", "127.0.0.1:1", "--once"}),
               "no console answers at 127.0.0.1:1: Connection refused");
}

}  // namespace
}  // namespace troupe
