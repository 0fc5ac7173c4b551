// `troupe cluster start` as a user starts and ends it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>
#include <sstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "actors/grpc_door/grpc_server.h"
#include "tests/system/graph_texts.h"
#include "tests/system/program.h"

namespace troupe {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

/// Of the lines "TASK is process PID".
std::vector<pid_t> processes_in(const std::string& text) {
  const std::string is = " is process ";
  std::vector<pid_t> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t at = line.find(is);
    pid_t pid = 0;
    if (at != std::string::npos && absl::SimpleAtoi(line.substr(at + is.size()), &pid)) out.push_back(pid);
  }
  return out;
}

/// With an input that ends at once.
ProgramResult run_piped(const std::string& arguments) {
  return run_program(find_program({"sh"}), {"-c", absl::StrCat(": | '", TROUPE_PROGRAM, "' ", arguments)});
}

bool is_gone(pid_t pid) { return ::kill(pid, 0) != 0 && errno == ESRCH; }

TEST(ClusterCommand, starts_nodes_that_end_with_its_input) {
  const ProgramResult r = run_piped("cluster start 3 --job ps");
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, MatchesRegex("ps=127.0.0.1:[0-9]+,127.0.0.1:[0-9]+,127.0.0.1:[0-9]+\n"));
  const std::vector<pid_t> processes = processes_in(r.err);
  EXPECT_THAT(processes, SizeIs(3)) << r.err;
  EXPECT_THAT(processes, Each(::testing::Truly(is_gone)));
}

TEST(ClusterCommand, ends_well_when_it_is_told_to) {
  for (const char* signal : {"TERM", "INT"}) {
    const TemporaryFolder folder;
    // An input that never ends.
    const std::string script =
        absl::StrCat("mkfifo '", folder.path(), "/in' && exec timeout --preserve-status -s ", signal, " 2 '",
                     TROUPE_PROGRAM, "' cluster start 2 <>'", folder.path(), "/in'");
    const ProgramResult r = run_program(find_program({"sh"}), {"-c", script});
    EXPECT_EQ(r.exit_code, 0) << r.err;
    EXPECT_THAT(r.out, MatchesRegex("worker=127.0.0.1:[0-9]+,127.0.0.1:[0-9]+\n"));
    const std::vector<pid_t> processes = processes_in(r.err);
    EXPECT_THAT(processes, SizeIs(2)) << r.err;
    EXPECT_THAT(processes, Each(::testing::Truly(is_gone)));
  }
}

TEST(ClusterCommand, stays_where_nobody_holds_its_input) {
  const std::string script = absl::StrCat("exec timeout 1 '", TROUPE_PROGRAM, "' cluster start 1 </dev/null");
  const ProgramResult r = run_program(find_program({"sh"}), {"-c", script});
  EXPECT_EQ(r.exit_code, 124) << "it ended before it was told to: " << r.err;
}

TEST(ClusterCommand, gives_the_first_a_door) {
  if (!GrpcServer::available()) GTEST_SKIP() << "this build has no gRPC";
  const ProgramResult r = run_piped("cluster start 2 --grpc 127.0.0.1:0");
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, MatchesRegex("worker=127.0.0.1:[0-9]+,127.0.0.1:[0-9]+\ngrpc://127.0.0.1:[0-9]+\n"));
}

TEST(ClusterCommand, is_where_troupe_run_has_its_graph_run) {
  const TemporaryFolder folder;
  const std::string graph = folder.write("graph.pbtxt", graph_texts::kArithmetic);
  // The cluster is there for as long as its input.
  const std::string script = absl::StrCat(
      "cd '", folder.path(), "' && mkfifo in out && { '", TROUPE_PROGRAM,
      "' cluster start 2 <in >out & } && exec 3>in && IFS=, read -r first second <out && '", TROUPE_PROGRAM,
      "' run '", graph, "' --feed 'x=[1, 2.5]' --feed 'y=[[10],[20]]' --fetch z --server \"caf://$second\"; ",
      "code=$?; exec 3>&-; wait; exit $code");
  const ProgramResult r = run_program(find_program({"sh"}), {"-c", script});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out, "z: float [2,2]\n[[12. 15.]\n [22. 25.]]\n") << r.err;
  const ProgramResult nobody =
      run_program(TROUPE_PROGRAM, {"run", graph, "--feed", "x=[1, 2.5]", "--feed", "y=[[10],[20]]", "--fetch",
                                   "z", "--server", "caf://127.0.0.1:1"});
  EXPECT_EQ(nobody.exit_code, 1);
  EXPECT_THAT(nobody.err, HasSubstr("UNAVAILABLE: caf://127.0.0.1:1 does not answer"));
}

TEST(ClusterCommand, says_why_it_does_not_start) {
  const ProgramResult none = run_program(TROUPE_PROGRAM, {"cluster", "start", "0"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("nodes"));
  const ProgramResult job = run_program(TROUPE_PROGRAM, {"cluster", "start", "1", "--job", "9"});
  EXPECT_EQ(job.exit_code, 1);
  EXPECT_THAT(job.err, HasSubstr("INVALID_ARGUMENT"));
  // The node says what is wrong, and this which node it was.
  const ProgramResult config = run_program(TROUPE_PROGRAM, {"cluster", "start", "1", "--config", "nonsense"});
  EXPECT_EQ(config.exit_code, 1);
  EXPECT_THAT(config.err, HasSubstr("Unparseable ConfigProto"));
  EXPECT_THAT(config.err, HasSubstr("/job:worker/replica:0/task:0: process "));
  EXPECT_THAT(config.err, HasSubstr("has ended: exit code 1"));
}

}  // namespace
}  // namespace troupe
