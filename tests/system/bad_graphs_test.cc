// Graphs that are wrong, one way each: `troupe run` must end with TensorFlow's code and phrase, in one line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tests/system/graph_texts.h"
#include "tests/system/program.h"

namespace troupe {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct BadGraph {
  std::string name;
  std::string text;
  std::string code;
  std::string phrase;
  std::vector<std::string> arguments = {"--fetch", "a"};
  friend void PrintTo(const BadGraph& graph, std::ostream* out) { *out << graph.name; }
};

constexpr char kFloat[] = R"( attr { key: "T" value { type: DT_FLOAT } } )";
constexpr char kC[] = R"(
  node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 2 } } } } )";

std::string node(const std::string& op, const std::string& rest) {
  return absl::StrCat("node { name: \"a\" op: \"", op, "\" ", rest, " } ");
}

/// Identity of what is named.
std::string identity(const std::string& inputs) {
  return absl::StrCat(node("Identity", inputs + kFloat), kC);
}

/// A float constant whose `value` is this TensorProto.
std::string constant(const std::string& tensor) {
  return node(
      "Const",
      absl::StrCat(R"(attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { )",
                   tensor, " } } }"));
}

/// Fill with int32 dimensions.
std::string fill(const std::string& dims, int count) {
  return absl::StrCat(
      kC,
      R"(node { name: "d" op: "Const" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value {
        tensor { dtype: DT_INT32 tensor_shape { dim { size: )",
      count, " } } ", dims, " } } } } ",
      node("Fill",
           absl::StrCat(R"(input: "d" input: "c" attr { key: "index_type" value { type: DT_INT32 } })",
                        kFloat)));
}

std::string dims(const std::vector<std::string>& sizes) {
  std::string out = "dtype: DT_FLOAT tensor_shape { ";
  for (const std::string& size : sizes) absl::StrAppend(&out, "dim { size: ", size, " } ");
  return out + "}";
}

const std::vector<std::string> kRunA = {"--target", "a"};

std::vector<BadGraph> bad_graphs() {
  return {
      {"unknown_op", node("NoSuchOp", ""), "NOT_FOUND", "Op type not registered 'NoSuchOp'"},
      {"cycle", graph_texts::kCycle, "INVALID_ARGUMENT", "2 nodes in a cycle"},
      {"own_input", identity(R"(input: "a")"), "INVALID_ARGUMENT", "1 nodes in a cycle"},
      {"duplicate_name", node("NoOp", "") + node("NoOp", ""), "INVALID_ARGUMENT", "Node 'a' is not unique",
       kRunA},
      {"bad_name", R"(node { name: "a b" op: "NoOp" })", "INVALID_ARGUMENT",
       "Node 'a b': Node name contains invalid characters", kRunA},
      {"no_name", R"(node { name: "" op: "NoOp" })", "INVALID_ARGUMENT",
       "Node name contains invalid characters", kRunA},
      {"unknown_input", identity(R"(input: "gone")"), "INVALID_ARGUMENT",
       "Node 'a': Unknown input node 'gone'"},
      {"invalid_output", identity(R"(input: "c:1")"), "INVALID_ARGUMENT",
       "Node 'a': Connecting to invalid output 1 of source node c which has 1 outputs."},
      {"control_before_data", identity(R"(input: "^c" input: "c")"), "INVALID_ARGUMENT",
       "Node 'a': Control dependencies must come after regular dependencies"},
      {"missing_input", identity(""), "INVALID_ARGUMENT", "missing 1 inputs for a"},
      {"too_many_inputs", identity(R"(input: "c" input: "c")"), "INVALID_ARGUMENT", "a"},
      {"wrong_input_type",
       absl::StrCat(kC, node("Identity", R"(input: "c" attr { key: "T" value { type: DT_INT32 } })")),
       "INVALID_ARGUMENT", "Input 0 of node a was passed float from c:0 incompatible with expected int32."},
      {"missing_attr", absl::StrCat(kC, node("Identity", R"(input: "c")")), "NOT_FOUND",
       "No attr named 'T' in NodeDef"},
      {"wrong_attr_type",
       absl::StrCat(kC, node("Identity", R"(input: "c" attr { key: "T" value { i: 3 } })")),
       "INVALID_ARGUMENT", "AttrValue"},
      {"attr_not_allowed",
       absl::StrCat(kC, node("Cholesky", R"(input: "c" attr { key: "T" value { type: DT_STRING } })")),
       "INVALID_ARGUMENT",
       "Value for attr 'T' of string is not in the list of allowed values: double, float"},
      {"text_not_allowed",
       absl::StrCat(kC,
                    node("Conv2D",
                         absl::StrCat(R"(input: "c" input: "c" attr { key: "strides" value { list { i: 1 } } }
         attr { key: "padding" value { s: "WRONG" } })",
                                      kFloat))),
       "INVALID_ARGUMENT", "Value for attr 'padding' of \"WRONG\" is not in the list of allowed values"},
      {"list_too_short",
       absl::StrCat(kC, node("AddN", absl::StrCat(R"(attr { key: "N" value { i: 0 } })", kFloat))),
       "INVALID_ARGUMENT", "Value for attr 'N' of 0 must be at least minimum 1"},
      {"elements_overflow", constant(dims({"4000000000", "4000000000"})), "INVALID_ARGUMENT",
       "would have more than 2**63 - 1 elements"},
      {"negative_dimension", constant(dims({"-4"})), "INVALID_ARGUMENT", "Dimension -4 must be >= 0"},
      {"content_too_short", constant(dims({"4"}) + " tensor_content: \"abc\""), "INVALID_ARGUMENT",
       "Cannot parse tensor from proto"},
      {"constant_of_terabytes", constant(dims({"1000000000000"}) + " float_val: 1"), "RESOURCE_EXHAUSTED",
       "'a'"},
      {"constant_of_another_type", constant("dtype: DT_INT8 tensor_shape {} int_val: 1"), "INVALID_ARGUMENT",
       "Type mismatch between value (int8) and dtype (float)"},
      {"result_overflows", fill("int_val: 2000000000", 3), "INVALID_ARGUMENT",
       "would have more than 2**63 - 1 elements"},
      {"result_too_large", fill("int_val: 2000000000 int_val: 900000000", 2), "RESOURCE_EXHAUSTED",
       "OOM when allocating tensor with shape[2000000000,900000000] and type float on "
       "/job:localhost/replica:0/task:0/device:CPU:0"},
      {"negative_result", fill("int_val: -7", 1), "INVALID_ARGUMENT", "{{node a}}"},
      {"malformed_device", node("NoOp", R"(device: "nonsense//")"), "INVALID_ARGUMENT",
       "Malformed device specification 'nonsense//'", kRunA},
      {"absent_device", node("NoOp", R"(device: "/device:CPU:7")"), "INVALID_ARGUMENT",
       "Cannot assign a device for operation a: {{node a}} was explicitly assigned to /device:CPU:7", kRunA},
      {"too_new", node("NoOp", "") + "versions { producer: 5 min_consumer: 999999 }", "INVALID_ARGUMENT",
       "GraphDef min consumer version 999999 above current version", kRunA},
      {"too_old", node("NoOp", "") + "versions { producer: -5 }", "INVALID_ARGUMENT",
       "GraphDef producer version -5 below min producer 0", kRunA},
      {"merge_of_nothing", node("Merge", absl::StrCat(R"(attr { key: "N" value { i: 0 } })", kFloat)),
       "INVALID_ARGUMENT", "Value for attr 'N' of 0 must be at least minimum 1"},
  };
}

class BadGraphs : public ::testing::TestWithParam<BadGraph> {};

TEST_P(BadGraphs, end_with_their_code_and_phrase) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments = {"run", folder.write("graph.pbtxt", GetParam().text)};
  arguments.insert(arguments.end(), GetParam().arguments.begin(), GetParam().arguments.end());
  const ProgramResult r = run_program(TROUPE_PROGRAM, arguments);
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_EQ(r.out, "");
  EXPECT_THAT(r.err, StartsWith(absl::StrCat("troupe run: ", GetParam().code, ": ")));
  EXPECT_THAT(r.err, HasSubstr(GetParam().phrase));
  EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
}

INSTANTIATE_TEST_SUITE_P(, BadGraphs, ::testing::ValuesIn(bad_graphs()),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace troupe
