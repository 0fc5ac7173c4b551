// `troupe cluster` as a user starts and ends it.
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

/// A script over a cluster of two, `$first` and `$second`, whose free port beside is `$third`.
ProgramResult run_beside_cluster(const TemporaryFolder& folder, const std::string& script) {
  return run_program(
      find_program({"bash"}),
      {"-c",
       absl::StrCat(
           "cd '", folder.path(), "' && mkfifo in out news && troupe='", TROUPE_PROGRAM,
           "' && { \"$troupe\" cluster start 2 <in >out 2>log & } && exec 3>in && IFS== read -r "
           "job all <out && first=${all%,*} second=${all#*,} && third=127.0.0.1:$((20000 + $$ % 10000)) && ",
           script, "; code=$?; exec 3>&-; wait; exit $code")});
}

TEST(ClusterCommand, tasks_join_are_shown_and_leave_when_they_end) {
  const TemporaryFolder folder;
  const ProgramResult r = run_beside_cluster(folder, R"(
    { "$troupe" serve --join $first --listen $third --job ps --task 4 >news & } && joined=$! &&
    read -r line <news && echo "$line" | sed 's/port .*/port/' &&
    "$troupe" cluster show $second | cut -f1 &&
    "$troupe" cluster show $third | cut -f1 | tail -1 &&
    kill $joined && wait $joined && "$troupe" cluster show $second | cut -f1)");
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out, R"(/job:ps/replica:0/task:4 listens on port
/job:ps/replica:0/task:4
/job:worker/replica:0/task:0
/job:worker/replica:0/task:1
/job:worker/replica:0/task:1
/job:worker/replica:0/task:0
/job:worker/replica:0/task:1
)");
}

TEST(ClusterCommand, a_place_is_taken_by_force_and_its_process_ends) {
  const TemporaryFolder folder;
  const ProgramResult r = run_beside_cluster(folder, R"(
    { "$troupe" serve --join $first --listen $third --job ps --task 0 >news 2>old_log & } && old=$! && read -r line <news &&
    ! "$troupe" serve --join $first --listen $second --job ps --task 1 &&
    ! "$troupe" serve --join $first --listen 127.0.0.1:1 --job ps --task 0 &&
    { "$troupe" serve --join $first --listen ${third%?}$(( (${third: -1} + 1) % 10 )) --job ps --task 0 --replace >news & } &&
    new=$! && read -r line <news && { wait $old; echo "ended with $?"; } && cat old_log &&
    "$troupe" cluster remove $first --job ps --task 0 && { wait $new; echo "ended with $?"; })");
  EXPECT_EQ(r.exit_code, 0) << r.err << r.out;
  EXPECT_THAT(r.err, HasSubstr("ALREADY_EXISTS: /job:worker/replica:0/task:1 is served by 127.0.0.1:"));
  EXPECT_THAT(r.err, HasSubstr("ALREADY_EXISTS: /job:ps/replica:0/task:0 is served by 127.0.0.1:"));
  EXPECT_THAT(r.out, HasSubstr("/job:ps/replica:0/task:0 is served by 127.0.0.1:"));
  EXPECT_THAT(r.out, HasSubstr("ended with 1\n"));
  EXPECT_THAT(r.err, HasSubstr("/job:ps/replica:0/task:0 has left the cluster"));
}

TEST(ClusterCommand, a_task_that_cannot_start_is_nobody_to_wait_for) {
  const TemporaryFolder folder;
  const ProgramResult r = run_beside_cluster(folder, R"(
    ! "$troupe" serve --join $first --listen 192.0.2.1:7 --insecure --job ps --task 0 &&
    "$troupe" cluster show $first | cut -f1)");
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out, "/job:worker/replica:0/task:0\n/job:worker/replica:0/task:1\n");
  EXPECT_THAT(r.err, HasSubstr("UNAVAILABLE: cannot listen on 192.0.2.1:7"));
}

TEST(ClusterCommand, says_who_is_not_there_to_be_asked) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"cluster", "show", "127.0.0.1:1"},
        {"cluster", "remove", "127.0.0.1:1", "--job", "ps", "--task", "0"},
        {"serve", "--join", "127.0.0.1:1", "--listen", "127.0.0.1:2", "--job", "ps", "--task", "0"}}) {
    const ProgramResult r = run_program(TROUPE_PROGRAM, arguments);
    EXPECT_EQ(r.exit_code, 1);
    EXPECT_THAT(r.err, HasSubstr("UNAVAILABLE: 127.0.0.1:1 does not answer"));
  }
  const ProgramResult alone = run_program(TROUPE_PROGRAM, {"serve", "--grpc", "127.0.0.1:0", "--task", "1"});
  EXPECT_EQ(alone.exit_code, 1);
  EXPECT_THAT(alone.err, HasSubstr("--task requires --cluster or --join"));
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
