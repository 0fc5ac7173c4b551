// Files that are broken: those that others broke on purpose, and good ones with bytes changed, cut out or doubled. Each must
// end in an error or in an answer, never in a crash.
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "actors/runtime.h"
#include "actors/session.h"

#include "graph/ir/graph_file.h"

#include "proto/graph.pb.h"

#include "tests/system/graph_texts.h"
#include "tests/system/program.h"
#include "tools/troupe/files.h"

namespace troupe {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string shared_data() {
  if (const char* folder = std::getenv("TROUPE_SHARED")) return std::string(folder) + "/data/";
  return TROUPE_SOURCE_DIR "/../shared/data/";
}

/// Models that others broke on purpose: one line that says why, however they are looked at.
void expect_refused(const std::string& path) {
  SCOPED_TRACE(path);
  const ProgramResult r = run_program(TROUPE_PROGRAM, {"run", path, "--timeout", "20000"});
  EXPECT_EQ(r.exit_code, 1) << r.out;
  EXPECT_EQ(r.out, "");
  EXPECT_THAT(r.err, StartsWith("troupe run: "));
  EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  // Looking at it is possible, or refused as plainly.
  EXPECT_THAT(run_program(TROUPE_PROGRAM, {"inspect", path}).exit_code, AnyOf(0, 1));
}

TEST(BrokenModels, of_the_fuzzer_are_refused) {
  const std::string folder = shared_data() + "tensorflow/cc/saved_model/testdata/fuzz_generated";
  if (!std::filesystem::is_directory(folder))
    GTEST_SKIP() << "no folder " << folder << " (set TROUPE_SHARED)";
  int models = 0;
  for (const auto& model : std::filesystem::directory_iterator(folder)) {
    if (!model.is_directory()) continue;
    ++models;
    expect_refused(model.path().string());
  }
  EXPECT_GE(models, 2);
}

TEST(BrokenModels, of_other_tests_are_refused) {
  for (const char* name : {"tensorflow/c/experimental/saved_model/internal/testdata/UninitializedVariable",
                           "tensorflow/compiler/aot/test_graph_tfunknownop.pbtxt"}) {
    const std::string path = shared_data() + name;
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "no file " << path << " (set TROUPE_SHARED)";
    expect_refused(path);
  }
}

/// Bytes changed at random: bits turned, runs overwritten, cut out, doubled, or the end cut off.
std::string mutated(std::string bytes, std::mt19937* random) {
  const auto pick = [&](size_t n) {
    return std::uniform_int_distribution<size_t>(0, n == 0 ? 0 : n - 1)(*random);
  };
  for (size_t i = 0, n = 1 + pick(4); i < n && !bytes.empty(); ++i) {
    const size_t at = pick(bytes.size()), length = std::min(bytes.size() - at, 1 + pick(16));
    switch (pick(5)) {
      case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << pick(8))); break;
      case 1: std::fill_n(bytes.begin() + static_cast<long>(at), length, static_cast<char>(pick(256))); break;
      case 2: bytes.erase(at, length); break;
      case 3: bytes.insert(at, bytes.substr(at, length)); break;
      default: bytes.resize(pick(8) == 0 ? at : bytes.size()); break;
    }
  }
  return bytes;
}

std::string binary(const char* text) {
  pb::GraphDef graph;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &graph));
  return graph.SerializeAsString();
}

/// Creates a session with the graph, and runs each of its nodes by itself.
void run_all(const pb::GraphDef& graph, Runtime& runtime) {
  SessionOptions options;
  options.operation_timeout = std::chrono::milliseconds(50);
  absl::StatusOr<std::unique_ptr<Session>> session = Session::open(runtime, options);
  ASSERT_TRUE(session.ok()) << session.status();
  if (!(*session)->create(graph).ok()) return;
  for (const pb::NodeDef& node : graph.node()) {
    (void)(*session)->run({}, {}, {node.name()});
    (void)(*session)->run({{"x", Tensor::scalar<float>(1)}, {"y", Tensor::vector<float>({1, 2})}},
                          {node.name()});
  }
}

/// Mutants of `bytes`; the seed tells which one ended the program. 64-bit sizes in the mutants must not be believed.
void survives_mutants(const std::string& bytes, const std::string& name, int count) {
  const std::unique_ptr<Runtime> runtime = Runtime::create();
  int readable = 0;
  for (int seed = 0; seed < count; ++seed) {
    SCOPED_TRACE(::testing::Message() << name << " seed " << seed);
    ::testing::Test::RecordProperty("seed", seed);
    std::mt19937 random(static_cast<uint32_t>(seed));
    pb::GraphDef graph;
    if (!graph.ParseFromString(mutated(bytes, &random))) continue;
    ++readable;
    run_all(graph, *runtime);
  }
  EXPECT_GT(readable, count / 50) << "too few mutants were graphs";
}

TEST(MutatedFiles, never_crash_a_session_of_arithmetic) {
  survives_mutants(binary(graph_texts::kArithmetic), "arithmetic", 3000);
}
TEST(MutatedFiles, never_crash_a_session_with_variables) {
  survives_mutants(binary(graph_texts::kVariable), "variable", 3000);
}
TEST(MutatedFiles, never_crash_a_session_with_a_loop) {
  survives_mutants(binary(graph_texts::kEndless), "loop", 150);
}

TEST(TruncatedFiles, are_refused_by_name_or_hold_whole_nodes) {
  const TemporaryFolder folder;
  const std::string bytes = binary(graph_texts::kArithmetic);
  pb::GraphDef whole;
  ASSERT_TRUE(whole.ParseFromString(bytes));
  int refused = 0;
  for (size_t length = 1; length < bytes.size(); ++length) {
    const absl::StatusOr<GraphFile> file = read_graph_file(folder.write("cut.pb", bytes.substr(0, length)));
    if (file.ok()) {
      for (const pb::NodeDef& node : file->graph_def().node())
        EXPECT_NE(node.op(), "") << "cut after " << length;
      continue;
    }
    ++refused;
    EXPECT_EQ(file.status().code(), absl::StatusCode::kDataLoss) << file.status();
    EXPECT_THAT(std::string(file.status().message()), HasSubstr("cut.pb"));
  }
  // Only where one node ends and the next begins is there a graph.
  EXPECT_GE(refused, static_cast<int>(bytes.size()) - 2 * whole.node_size() - 2);
}

TEST(MutatedFiles, never_crash_the_reader) {
  const TemporaryFolder folder;
  for (const char* text : {graph_texts::kArithmetic, graph_texts::kEndless}) {
    const std::string bytes = binary(text);
    for (int seed = 0; seed < 200; ++seed) {
      std::mt19937 random(static_cast<uint32_t>(seed));
      (void)read_graph_file(folder.write("graph.pb", mutated(bytes, &random)));
      (void)read_graph_file(folder.write("graph.pbtxt", mutated(text, &random)));
      (void)read_graph_file(folder.write("model/saved_model.pb", mutated(bytes, &random)));
    }
  }
}

}  // namespace
}  // namespace troupe
