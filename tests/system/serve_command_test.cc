// `troupe serve` as a user starts and ends it. What its clients see is in tests/actors/grpc_door.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "actors/grpc_door/grpc_server.h"
#include "actors/runtime.h"
#include "tests/system/graph_texts.h"
#include "tests/support/authority.h"
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

TEST_F(ServeCommand, drains_no_longer_than_there_are_sessions) {
  const ProgramResult r = run_program(
      find_program({"timeout"}), {"--preserve-status", "-s", "TERM", "-k", "30", "1", TROUPE_PROGRAM, "serve",
                                  "--cluster", "worker=127.0.0.1:0", "--drain-seconds", "1000"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
}

TEST_F(ServeCommand, has_as_many_devices_as_its_config_says_in_clusters_that_sessions_bring) {
  const TemporaryFolder folder;
  const std::string graph = folder.write("graph.pbtxt", R"(
    node { name: "x" op: "Placeholder" device: "/job:worker/task:0/device:CPU:2"
           attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "y" op: "Neg" input: "x" device: "/job:worker/task:0/device:CPU:1"
           attr { key: "T" value { type: DT_FLOAT } } }
    versions { producer: 1000 })");
  const std::string script = absl::StrCat(
      "cd '", folder.path(), "' && mkfifo out && { '", TROUPE_PROGRAM,
      "' serve --grpc localhost:0 --config 'device_count { key: \"CPU\" value: 3 }' >out & } && read -r "
      "target <out && '",
      TROUPE_PROGRAM, "' run '", graph, "' --feed 'x=[1, 2]' --fetch y --server \"$target\" ",
      "--config \"cluster_def { job { name: 'worker' tasks { key: 0 value: '${target#grpc://}' } } }\"; ",
      "code=$?; kill $!; wait; exit $code");
  const ProgramResult r = run_program(find_program({"sh"}), {"-c", script});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out, "y: float [2]\n[-1. -2.]\n");
}

TEST_F(ServeCommand, says_why_it_does_not_serve) {
  expect_error({}, "is required");
  expect_error({"--grpc", "0.0.0.0:0"}, "PERMISSION_DENIED: Servers listen on the loopback only");
  expect_error({"--grpc", "localhost"},
               "INVALID_ARGUMENT: Could not interpret \"localhost\" as a host-port pair: expected HOST:PORT");
  expect_error({"--grpc", "localhost:0", "--config", "nonsense"},
               "INVALID_ARGUMENT: Unparseable ConfigProto");
  expect_error({"--grpc", "localhost:0", "--config", "device_count { key: 'CPU' value: 0 }"},
               "NOT_FOUND: No CPU devices found");
}

TEST_F(ServeCommand, does_not_begin_with_certificates_that_are_not_good) {
  const test::Authority authority, another("another");
  const auto expect_refused = [](const TlsOptions& tls, const std::string& phrase) {
    for (const std::vector<std::string>& what :
         {std::vector<std::string>{"--grpc", "127.0.0.1:0"}, {"--cluster", "worker=127.0.0.1:0"}}) {
      std::vector<std::string> all = what;
      all.insert(all.end(), {"--tls-cert", tls.certificate, "--tls-ca", tls.authority});
      if (!tls.key.empty()) all.insert(all.end(), {"--tls-key", tls.key});
      expect_error(all, phrase);
    }
  };
  TlsOptions tls = authority.issue();
  tls.certificate += ".gone";
  expect_refused(tls, "NOT_FOUND: TLS certificate " + tls.certificate + " cannot be read");
  tls = authority.issue();
  tls.key = authority.issue().key;
  expect_refused(tls, "INVALID_ARGUMENT: TLS key " + tls.key + " does not fit the certificate");
  tls.key.clear();
  expect_refused(tls, "INVALID_ARGUMENT: TLS: no file with the key is named");
  expect_refused(authority.issue({.from_hours = -2, .to_hours = -1}), "certificate has expired (CN=node");
  tls = another.issue();
  tls.authority = authority.file();
  expect_refused(tls, "signed by an authority of " + authority.file() + " is expected");
}

TEST_F(ServeCommand, listens_for_other_machines_with_tls_or_when_it_is_told_to_do_without) {
  const test::Authority authority;
  const TlsOptions tls = authority.issue();
  for (const std::vector<std::string>& how :
       {std::vector<std::string>{"--insecure"},
        {"--tls-cert", tls.certificate, "--tls-key", tls.key, "--tls-ca", tls.authority}}) {
    std::vector<std::string> all{"--preserve-status", "-s",    "TERM",   "1",
                                 TROUPE_PROGRAM,      "serve", "--grpc", "0.0.0.0:0"};
    all.insert(all.end(), how.begin(), how.end());
    const ProgramResult r = run_program(find_program({"timeout"}), all);
    EXPECT_EQ(r.exit_code, 0) << r.err;
    EXPECT_THAT(r.out, MatchesRegex("grpc://0.0.0.0:[0-9]+\n"));
  }
}

TEST_F(ServeCommand, troupe_run_shows_its_certificate) {
  const test::Authority authority;
  const std::unique_ptr<Runtime> runtime = Runtime::create();
  GrpcServerOptions options;
  options.tls = authority.issue();
  const auto server = GrpcServer::start(*runtime, options);
  ASSERT_TRUE(server.ok()) << server.status();
  const TemporaryFolder folder;
  const TlsOptions me = authority.issue({.name = "me", .hosts = {}});
  std::vector<std::string> run{"run",      folder.write("graph.pbtxt", graph_texts::kArithmetic),
                               "--feed",   "x=[1, 2.5]",
                               "--feed",   "y=[[10],[20]]",
                               "--fetch",  "z",
                               "--server", (*server)->target()};
  const test::Authority another("another");
  const TlsOptions stranger = another.issue();
  std::vector<std::string> as_stranger = run;
  as_stranger.insert(as_stranger.end(), {"--tls-cert", stranger.certificate, "--tls-key", stranger.key,
                                         "--tls-ca", stranger.authority});
  const ProgramResult refused = run_program(TROUPE_PROGRAM, as_stranger);
  EXPECT_EQ(refused.exit_code, 1);
  // One line, and none of gRPC's own.
  EXPECT_THAT(refused.err, MatchesRegex("troupe run: UNAVAILABLE: [^\n]*certificate verify failed[^\n]*\n"));
  const ProgramResult plain = run_program(TROUPE_PROGRAM, run);
  EXPECT_EQ(plain.exit_code, 1);
  EXPECT_THAT(plain.err, HasSubstr("UNAVAILABLE: " + (*server)->target() + " does not answer"));
  run.insert(run.end(), {"--tls-cert", me.certificate, "--tls-key", me.key, "--tls-ca", me.authority});
  const ProgramResult there = run_program(TROUPE_PROGRAM, run);
  EXPECT_EQ(there.exit_code, 0) << there.err;
  EXPECT_EQ(there.out, "z: float [2,2]\n[[12. 15.]\n [22. 25.]]\n");
  run.back() = me.certificate + ".gone";
  const ProgramResult gone = run_program(TROUPE_PROGRAM, run);
  EXPECT_EQ(gone.exit_code, 1);
  EXPECT_THAT(gone.err, HasSubstr("NOT_FOUND: TLS authority " + run.back() + " cannot be read"));
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
