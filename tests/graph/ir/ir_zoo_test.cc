// Every graph file of the model zoo imports, or is one of those that are known to be broken and gives an error.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/ir/function_library.h"
#include "graph/ir/graph_def.h"
#include "graph/ir/graph_file.h"

#include "proto/meta_graph.pb.h"

namespace troupe {
namespace {

std::string shared_dir() {
  if (const char* dir = std::getenv("TROUPE_SHARED")) return dir;
  return TROUPE_SOURCE_DIR "/../shared";
}

std::vector<std::vector<std::string>> read_table(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(in, line);) rows.push_back(absl::StrSplit(line, '\t'));
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

/// Files that TensorFlow 2.21 refuses too, by what is in their paths, and what the error must say.
struct Broken {
  const char* path;
  const char* phrase;
};
constexpr Broken kBroken[] = {
    {"dl4j/examples/emptyArrayTests/scatter_", "incompatible with expected float_ref."},
    {"dl4j/examples/reductions/scatter_", "incompatible with expected float_ref."},
    {"dl4j/examples/scatter_nd_", "incompatible with expected float_ref."},
    {"dl4j/max_add_2.pb.txt", "no field named \"opType\""},
    {"dl4j/max_graph.pb.txt", "no field named \"opType\""},
    {"dl4j/max_multiply.pb.txt", "no field named \"opType\""},
    {"ngraph_bridge/python/flib_graph_2.pbtxt", "Op type not registered 'NGraphVariable'"},
    {"opencv_extra/batch_norm_text_net.pbtxt", "Unknown input node 'batch_norm/gamma'"},
    {"opencv_extra/flatten_net.pbtxt", "Op type not registered 'Flatten'"},
    {"opencv_extra/fp16_deconvolution_net.pb", "incompatible with expected half."},
    {"opencv_extra/fp16_eltwise_add_mul_net.pb", "incompatible with expected half."},
    {"opencv_extra/fp16_max_pool_even_net.pb", "incompatible with expected half."},
    {"opencv_extra/fp16_max_pool_odd_valid_net.pb", "incompatible with expected half."},
    {"opencv_extra/fp16_pad", "incompatible with expected half."},
    {"opencv_extra/fp16_single_conv_net.pb", "incompatible with expected half."},
    {"opencv_extra/keras_relu6_net.pbtxt", "Unknown input node 'keras_relu6/Const_1'"},
    {"opencv_extra/two_inputs_net.pbtxt", "No attr named 'dtype' in NodeDef:"},
    {"aot/test_graph_tfadd.pbtxt", "Unknown input node 'y_shape'"},
    {"aot/test_graph_tfunknownop", "Op type not registered 'SomeUnknownOp'"},
    {"aot/tests/test_error_message.lit.pbtxt.debug.pbtxt", "neither a GraphDef"},
    {"jit/tests/keras_imagenet_main_graph_mode.pbtxt", "Node name contains invalid characters"},
    {"jit/tests/opens2s_gnmt_mixed_precision.pbtxt.gz", "neither a GraphDef"},
    {"graphdef2mlir/graph-custom-operation.pbtxt", "Node name contains invalid characters"},
    {"graphdef2mlir/graph-function-defs.pbtxt", "Op type not registered 'TPUReplicatedInput'"},
    {"graphdef2mlir/legacy-fed-input-without-inputs.pbtxt", "Op type not registered 'LegacyFedInput'"},
    {"graphdef2mlir/switch_n.pbtxt", "Node name contains invalid characters"},
    {"graph_properties_testdata/while_loop_var_handle_op.pbtxt", "was passed resource"},
};

/// Files that import, as in TensorFlow, but hold nodes that cannot run.
constexpr Broken kDefective[] = {
    {"fuzz_generated/const_with_no_value/", "NodeDef missing attr 'value'"},
    {"debuginfo/v1_1.0_224_frozen.wrong_attr.line.part.pbtxt", "not in the list of allowed values"},
};

template <size_t N>
std::string expected_phrase(const Broken (&table)[N], const std::string& path) {
  for (const Broken& b : table) {
    if (absl::StrContains(path, b.path)) return b.phrase;
  }
  return "";
}

/// OK without a phrase, an error that contains it otherwise.
void expect_status(const absl::Status& status, const std::string& phrase, const std::string& path) {
  if (phrase.empty()) {
    EXPECT_TRUE(status.ok()) << path << ": " << status;
  } else {
    EXPECT_FALSE(status.ok()) << path;
    EXPECT_TRUE(absl::StrContains(status.message(), phrase)) << path << ": " << status;
  }
}

absl::Status import_file(const std::string& path, Graph* graph) {
  auto file = read_graph_file(path);
  if (!file.ok()) return file.status();
  return import_graph_def(file->graph_def(), {}, graph);
}

/// The graph as a message, and that message imported again, are the same.
void expect_same_after_round_trip(const Graph& graph, const std::string& path) {
  pb::GraphDef once, twice;
  to_graph_def(graph, &once);
  Graph again;
  absl::Status s = import_graph_def(once, {}, &again);
  ASSERT_TRUE(s.ok()) << path << ": " << s;
  to_graph_def(again, &twice);
  ASSERT_EQ(once.node_size(), twice.node_size()) << path;
  EXPECT_EQ(graph.library()->names(), again.library()->names()) << path;
  for (int i = 0; i < graph.num_ids(); ++i) {
    ASSERT_EQ(graph.node(i).attrs.size(), again.node(i).attrs.size()) << path << ": " << graph.node(i).name;
    ASSERT_EQ(graph.node(i).inputs, again.node(i).inputs) << path << ": " << graph.node(i).name;
    ASSERT_EQ(graph.node(i).control_inputs, again.node(i).control_inputs)
        << path << ": " << graph.node(i).name;
  }
}

TEST(Zoo, imports_every_file_or_says_why_not) {
  auto rows = read_table(shared_dir() + "/data/manifest.tsv");
  if (rows.empty()) GTEST_SKIP() << "no model zoo";
  EXPECT_GT(rows.size(), 1000u);
  for (const auto& row : rows) {
    Graph graph;
    absl::Status status = import_file(absl::StrCat(shared_dir(), "/data/", row[0]), &graph);
    expect_status(status, expected_phrase(kBroken, row[0]), row[0]);
    if (!status.ok()) {
      EXPECT_EQ(graph.num_ids(), 0) << row[0];
      continue;
    }
    expect_status(graph.check_runnable(), expected_phrase(kDefective, row[0]), row[0]);
    if (graph.check_runnable().ok()) expect_same_after_round_trip(graph, row[0]);
  }
}

TEST(Zoo, refuses_what_tensorflow_calls_ill_typed) {
  auto rows = read_table(shared_dir() + "/data/cases.tsv");
  if (rows.empty()) GTEST_SKIP() << "no model zoo";
  int seen = 0;
  for (const auto& row : rows) {
    if (row[2] != "illtyped_in_TF") continue;
    ++seen;
    Graph graph;
    EXPECT_FALSE(import_file(absl::StrCat(shared_dir(), "/data/", row[1]), &graph).ok()) << row[1];
  }
  EXPECT_GT(seen, 0);
}

TEST(Zoo, reads_every_folder_of_saved_models) {
  auto rows = read_table(shared_dir() + "/data/manifest.tsv");
  if (rows.empty()) GTEST_SKIP() << "no model zoo";
  for (const auto& row : rows) {
    if (!absl::EndsWith(row[0], "/saved_model.pb") && !absl::EndsWith(row[0], "/saved_model.pbtxt")) continue;
    std::string path = absl::StrCat(shared_dir(), "/data/", row[0]);
    auto file = read_graph_file(path.substr(0, path.rfind('/')));
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(file->kind, GraphFile::Kind::kSavedModel);
    if (!file->variables_prefix.empty() && file->meta_graph->has_saver_def()) {
      EXPECT_NE(file->restore_op, "") << path;
    }
  }
}

/// Graphs with known answers; those of areas "errors" and "session" are wrong, or parts of a graph, on purpose.
TEST(Zoo, imports_every_reference_graph) {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(shared_dir()) / "refcases" / "graphs";
  if (!fs::exists(root)) GTEST_SKIP() << "no reference cases";
  int seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string area = entry.path().parent_path().filename().string();
    if (entry.path().extension() != ".pb" || area == "errors" || area == "session") continue;
    ++seen;
    Graph graph;
    absl::Status s = import_file(entry.path().string(), &graph);
    EXPECT_TRUE(s.ok()) << entry.path() << ": " << s;
    EXPECT_TRUE(graph.check_runnable().ok()) << entry.path() << ": " << graph.check_runnable();
  }
  EXPECT_GT(seen, 1000);
}

/// Cut and bent copies of real files give errors or graphs, never anything worse.
TEST(Zoo, survives_damaged_files) {
  std::ifstream in(shared_dir() + "/bench/local/while_nested.pb", std::ios::binary);
  if (!in) GTEST_SKIP() << "no bench graphs";
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::string path = testing::TempDir() + "/troupe_damaged.pb";
  uint32_t random = 12345;
  for (int round = 0; round < 500; ++round) {
    std::string bent = bytes;
    for (int k = 0; k < 1 + round % 4; ++k) {
      random = random * 1664525u + 1013904223u;
      bent[(random >> 8) % bent.size()] = static_cast<char>(random >> 3);
    }
    if (round % 3 == 0) bent.resize((random >> 5) % bent.size());
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bent;
    Graph graph;
    absl::Status s = import_file(path, &graph);
    EXPECT_TRUE(s.ok() || graph.num_ids() == 0);
  }
  std::remove(path.c_str());
}

}  // namespace
}  // namespace troupe
