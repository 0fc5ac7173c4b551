// `troupe serve` as a user starts and ends it. What its clients see is in tests/actors/grpc_door.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "actors/grpc_door/grpc_server.h"
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

}  // namespace
}  // namespace troupe
