// tools/gdb/troupe-gdb.py, on a live process and on its core.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/system/program.h"

namespace troupe {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> kQuestions = {"troupe sessions", "troupe steps", "troupe frontier",
                                             "troupe frontier 1000000"};

class GdbTest : public testing::Test {
 protected:
  void SetUp() override {
    gdb_ = find_program({"gdb"});
#ifdef TROUPE_SANITIZED
    GTEST_SKIP() << "a core with a sanitizer's memory in it fits on no disk";
#endif
    if (gdb_.empty()) GTEST_SKIP() << "there is no gdb on this machine";
  }
  static std::vector<std::string> batch(const std::vector<std::string>& commands) {
    std::vector<std::string> arguments = {"-nx", "-batch"};
    for (const std::string& command : commands) {
      arguments.push_back("-ex");
      arguments.push_back(command);
    }
    return arguments;
  }
  static std::string helper() {
    return std::string("source ") + TROUPE_SOURCE_DIR + "/tools/gdb/troupe-gdb.py";
  }
  static void expect_answers(const std::string& out) {
    EXPECT_THAT(out, HasSubstr("session 1: 2 steps run\n1 sessions"));
    EXPECT_THAT(out, ContainsRegex("step [0-9]+ of session 1 \\(partial run\\) fetches: sum:0"));
    EXPECT_THAT(out, ContainsRegex("step [0-9]+ of session 1 \\(run\\) fetches: next"));
    EXPECT_THAT(out, HasSubstr("2 steps\n"));
    EXPECT_THAT(out, ContainsRegex("partition 0: next \\(QueueDequeueV2\\): running"));
    EXPECT_THAT(out, ContainsRegex("partition 0: sum \\(AddV2\\): waits for _recv_b"));
    EXPECT_THAT(out, Not(HasSubstr("Traceback")));
  }

  std::string gdb_;
};

TEST_F(GdbTest, tells_what_a_process_and_its_core_are_doing) {
  const TemporaryFolder folder;
  const std::string core = folder.path() + "/core";
  std::vector<std::string> commands = {"set confirm off", "break everything_waits", "run", helper()};
  commands.insert(commands.end(), kQuestions.begin(), kQuestions.end());
  commands.push_back("generate-core-file " + core);
  commands.push_back("kill");
  auto arguments = batch(commands);
  arguments.push_back(TROUPE_GDB_SUBJECT);
  const ProgramResult live = run_program(gdb_, arguments);
  if (live.out.find("Breakpoint 1,") == std::string::npos)
    GTEST_SKIP() << "gdb may not run programs here: " << live.err;
  expect_answers(live.out);
  EXPECT_THAT(live.err, HasSubstr("step 1000000 does not run"));

  ASSERT_TRUE(std::filesystem::exists(core)) << live.err;
  commands = {helper()};
  commands.insert(commands.end(), kQuestions.begin(), kQuestions.end());
  arguments = batch(commands);
  arguments.push_back(TROUPE_GDB_SUBJECT);
  arguments.push_back(core);
  const ProgramResult dead = run_program(gdb_, arguments);
  expect_answers(dead.out);
}

TEST_F(GdbTest, says_so_in_a_program_without_troupe) {
  const ProgramResult other = run_program(gdb_, [] {
    auto arguments = batch({helper(), "troupe sessions"});
    arguments.push_back("/bin/true");
    return arguments;
  }());
  EXPECT_THAT(other.err, HasSubstr("no Troupe in it"));
}

}  // namespace
}  // namespace troupe
