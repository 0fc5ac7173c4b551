// `troupe serve` as a user starts and ends it. What its clients see is in tests/actors/grpc_door.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "actors/grpc_door/grpc_server.h"
#include "actors/runtime.h"
#include "tests/system/graph_texts.h"
#include "tests/system/program.h"

namespace troupe {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class ServeCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!GrpcServer::available()) GTEST_SKIP() << "this build has no gRPC";
  }
  /// One line of error, and nothing else.
  static void expect_error(const std::vector<std::string>& arguments, const std::string& phrase) {
    std::vector<std::string> all{"serve"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const ProgramResult r = run_program(TROUPE_PROGRAM, all);
    EXPECT_EQ(r.exit_code, 1) << r.err;
    EXPECT_EQ(r.out, "");
    EXPECT_THAT(r.err, HasSubstr(phrase));
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }
};

TEST_F(ServeCommand, prints_its_target_and_ends_well_when_it_is_told_to) {
  for (const char* signal : {"TERM", "INT"}) {
    const ProgramResult r =
        run_program(find_program({"timeout"}), {"--preserve-status", "-s", signal, "1", TROUPE_PROGRAM,
                                                "serve", "--grpc", "127.0.0.1:0", "--console", "0"});
    EXPECT_EQ(r.exit_code, 0) << r.err;
    EXPECT_THAT(r.out, MatchesRegex("grpc://127.0.0.1:[0-9]+\n"));
    EXPECT_THAT(r.err, ContainsRegex("console: http://127.0.0.1:[0-9]+"));
  }
}

TEST_F(ServeCommand, is_a_task_of_a_cluster_with_a_door) {
  const ProgramResult r =
      run_program(find_program({"timeout"}),
                  {"--preserve-status", "-s", "TERM", "1", TROUPE_PROGRAM, "serve", "--cluster",
                   "worker=127.0.0.1:0", "--grpc", "127.0.0.1:0", "--console", "0"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, MatchesRegex("/job:worker/replica:0/task:0 listens on port [0-9]+\n"
                                  "grpc://127.0.0.1:[0-9]+\n"));
  EXPECT_THAT(r.err, ContainsRegex("console: http://127.0.0.1:[0-9]+"));
}

TEST_F(ServeCommand, says_why_it_does_not_serve) {
  expect_error({}, "is required");
  expect_error({"--grpc", "0.0.0.0:0"}, "PERMISSION_DENIED: Servers listen on the loopback only");
  expect_error({"--grpc", "localhost"}, "INVALID_ARGUMENT: Could not parse \"localhost\"");
  expect_error({"--grpc", "localhost:0", "--config", "nonsense"},
               "INVALID_ARGUMENT: Unparseable ConfigProto");
  expect_error({"--grpc", "localhost:0", "--config", "device_count { key: 'CPU' value: 0 }"},
               "NOT_FOUND: No CPU devices found");
}

TEST_F(ServeCommand, troupe_run_runs_at_a_server) {
  const std::unique_ptr<Runtime> runtime = Runtime::create();
  const auto server = GrpcServer::start(*runtime);
  ASSERT_TRUE(server.ok()) << server.status();
  const TemporaryFolder folder;
  std::vector<std::string> run{"run",      folder.write("graph.pbtxt", graph_texts::kArithmetic),
                               "--feed",   "x=[1, 2.5]",
                               "--feed",   "y=[[10],[20]]",
                               "--fetch",  "z",
                               "--server", (*server)->target()};
  const ProgramResult there = run_program(TROUPE_PROGRAM, run);
  EXPECT_EQ(there.exit_code, 0) << there.err;
  EXPECT_EQ(there.out, "z: float [2,2]\n[[12. 15.]\n [22. 25.]]\n");
  (*server)->stop();
  const ProgramResult nowhere = run_program(TROUPE_PROGRAM, run);
  EXPECT_EQ(nowhere.exit_code, 1);
  EXPECT_THAT(nowhere.err, HasSubstr("UNAVAILABLE: " + (*server)->target() + " does not answer"));
  run.push_back("--raw");
  EXPECT_THAT(run_program(TROUPE_PROGRAM, run).err,
              HasSubstr("INVALID_ARGUMENT: --raw and --device-count are for sessions of this process"));
}

}  // namespace
}  // namespace troupe
