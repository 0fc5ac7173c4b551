#include <gmock/gmock.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/ir/function_library.h"
#include "graph/ir/graph_def.h"
#include "tests/graph/ir/import_texts.h"

#include "proto/graph.pb.h"

namespace troupe::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Code = absl::StatusCode;

/// Import into an empty graph fails like this and leaves it empty.
void expect_refused(const std::string& text, Code code, const std::string& phrase) {
  Graph graph;
  absl::Status s = add(text + kVersion, &graph);
  EXPECT_EQ(s.code(), code) << s;
  EXPECT_THAT(std::string(s.message()), HasSubstr(phrase));
  EXPECT_EQ(graph.num_ids(), 0);
  EXPECT_EQ(graph.find("a"), nullptr);
}

/// Import into an empty graph succeeds, but node `name` cannot run; Extend with the same nodes fails at once.
void expect_defect(const std::string& text, const std::string& name, Code code, const std::string& phrase) {
  Graph graph;
  ASSERT_TRUE(add(text + kVersion, &graph).ok());
  ASSERT_NE(graph.find(name), nullptr);
  EXPECT_EQ(graph.find(name)->defect.code(), code) << graph.find(name)->defect;
  EXPECT_THAT(std::string(graph.find(name)->defect.message()), HasSubstr(phrase));
  EXPECT_FALSE(graph.check_runnable().ok());
  Graph older;
  ASSERT_TRUE(add(constant("older") + kVersion, &older).ok());
  EXPECT_EQ(add(text + kVersion, &older).code(), code);
  EXPECT_EQ(older.num_ids(), 1);
}

TEST(ImportGraphDef, connects_nodes_in_any_order) {
  Graph graph;
  ASSERT_TRUE(
      add(neg("b", "a") + constant("a") + node("c", "NoOp", {"^b", "^a", "^b"}) + kVersion, &graph).ok());
  EXPECT_EQ(graph.find("b")->inputs[0], (Endpoint{graph.find("a")->id, 0}));
  EXPECT_THAT(graph.find("c")->control_inputs, ElementsAre(graph.find("b")->id, graph.find("a")->id));
  EXPECT_EQ(graph.versions().producer, 2474);
}

TEST(ImportGraphDef, s343_refuses_bad_names) {
  for (const char* bad : {"", "/a", "_a", "-a", "a b", "a:0", "^a", "a\\\\b", ">a", "a>", "a>_b"}) {
    expect_refused(no_op(bad), Code::kInvalidArgument, "Node name contains invalid characters");
  }
  for (const char* good : {"a", "0", ".", "A_b-c.d/e>f"}) {
    Graph graph;
    EXPECT_TRUE(add(no_op(good) + kVersion, &graph).ok()) << good;
  }
  expect_refused(constant("/a"), Code::kInvalidArgument, "Node '/a': Node name contains invalid characters");
  expect_refused(constant("a") + constant("a"), Code::kInvalidArgument, "Node 'a' is not unique");
}

TEST(ImportGraphDef, refuses_unknown_ops) {
  expect_refused(node("a", "NotAnOp"), Code::kNotFound,
                 "Op type not registered 'NotAnOp' in binary running on ");
}

TEST(ImportGraphDef, s349_takes_a_graph_without_nodes) {
  Graph graph;
  ASSERT_TRUE(add("", &graph).ok());
  EXPECT_EQ(graph.num_nodes(), 0);
  ASSERT_TRUE(add(constant("a") + kVersion, &graph).ok());
  ASSERT_TRUE(add(kVersion, &graph).ok());
  EXPECT_EQ(graph.num_nodes(), 1);
}

TEST(ImportGraphDef, s344_s345_s351_refuses_inputs_that_do_not_exist) {
  for (const char* in : {"b", "^b", "^^a", "a:0:1", "a:", ":0", "a:-1", "", "^a:0"}) {
    expect_refused(constant("a") + neg("y", in), Code::kInvalidArgument,
                   absl::StrCat("Node 'y': Unknown input node '", in, "'"));
  }
  for (const char* in : {"a:1", "a:01"}) {
    expect_refused(constant("a") + neg("y", in), Code::kInvalidArgument,
                   "Node 'y': Connecting to invalid output 1 of source node a which has 1 outputs.");
  }
  expect_refused(constant("a") + node("y", "Neg", {"a", "a"}, {{"T", "type: DT_FLOAT"}}),
                 Code::kInvalidArgument, "Input 1 of node y does not exist. Node only has 1 inputs.");
  expect_refused(constant("a") + node("y", "Add", {"^a", "a"}, {{"T", "type: DT_FLOAT"}}),
                 Code::kInvalidArgument,
                 "Node 'y': Control dependencies must come after regular dependencies");
}

TEST(ImportGraphDef, s348_refuses_types_that_do_not_fit) {
  expect_refused(constant("a") + node("y", "Neg", {"a"}, {{"T", "type: DT_INT32"}}), Code::kInvalidArgument,
                 "Input 0 of node y was passed float from a:0 incompatible with expected int32.");
  expect_refused(constant("a") + node("y", "Assign", {"a", "a"}, {{"T", "type: DT_FLOAT"}}),
                 Code::kInvalidArgument,
                 "Input 0 of node y was passed float from a:0 incompatible with expected float_ref.");
  expect_refused(node("p", "Placeholder", {}, {{"dtype", "type: DT_BOOL"}}) +
                     node("y", "Neg", {"p"}, {{"T", "type: DT_BOOL"}}),
                 Code::kInvalidArgument, "Value for attr 'T' of bool is not in the list of allowed values");
}

TEST(ImportGraphDef, lets_a_value_be_read_from_a_reference) {
  Graph graph;
  EXPECT_TRUE(add(node("v", "VariableV2", {}, {{"dtype", "type: DT_FLOAT"}, {"shape", "shape { }"}}) +
                      neg("y", "v") + kVersion,
                  &graph)
                  .ok());
}

TEST(ImportGraphDef, s346_s347_refuses_cycles_but_not_loops) {
  expect_refused(neg("y", "y"), Code::kInvalidArgument, "1 nodes in a cycle");
  expect_refused(neg("a", "b") + neg("b", "a") + neg("c", "a") + neg("d", "c"), Code::kInvalidArgument,
                 "4 nodes in a cycle");
  const std::vector<std::pair<std::string, std::string>> merge = {{"T", "type: DT_FLOAT"}, {"N", "i: 2"}};
  expect_refused(constant("a") + node("m", "Merge", {"a", "y"}, merge) + neg("y", "m"),
                 Code::kInvalidArgument, "2 nodes in a cycle");
  const std::string next = node("n", "NextIteration", {"m"}, {{"T", "type: DT_FLOAT"}});
  expect_refused(constant("a") + next + node("m", "Merge", {"a", "a", "^n"}, merge), Code::kInvalidArgument,
                 "2 nodes in a cycle");
  Graph graph;
  EXPECT_TRUE(add(constant("a") + next + node("m", "Merge", {"a", "n"}, merge) + kVersion, &graph).ok());
}

TEST(ImportGraphDef, s353_keeps_faults_of_attrs_until_the_node_is_needed) {
  expect_defect(node("y", "Const", {}, {{"dtype", "type: DT_FLOAT"}}), "y", Code::kInvalidArgument,
                "NodeDef missing attr 'value' from Op<name=Const;");
  expect_defect(constant("a") + node("y", "Add", {"a"}, {{"T", "type: DT_FLOAT"}}), "y",
                Code::kInvalidArgument, "");
  const std::string ones = "list { i: [1, 1, 1, 1] }";
  expect_defect(constant("a") + node("y", "ExtractImagePatches", {"a"},
                                     {{"T", "type: DT_FLOAT"},
                                      {"ksizes", "list { i: 1 }"},
                                      {"strides", ones},
                                      {"rates", ones},
                                      {"padding", "s: 'SAME'"}}),
                "y", Code::kInvalidArgument, "Length for attr 'ksizes' of 1 must be at least minimum 4");
  expect_defect(
      node("y", "PlaceholderV2", {}, {{"dtype", "type: DT_FLOAT"}, {"shape", "shape { }"}}), "y",
      Code::kUnimplemented,
      "Op PlaceholderV2 is not available in GraphDef version 2474. It has been removed in version 23. "
      "Placeholder now behaves the same as PlaceholderV2..");
}

TEST(ImportGraphDef, names_missing_inputs) {
  Graph graph;
  ASSERT_TRUE(
      add(constant("a") + node("w", "AddN", {"a"}, {{"T", "type: DT_FLOAT"}, {"N", "i: 3"}}) + kVersion,
          &graph)
          .ok());
  EXPECT_EQ(graph.find("w")->defect.message(), "Incomplete graph, missing 2 inputs for w");
  EXPECT_EQ(graph.find("w")->num_inputs(), 1);
}

TEST(ImportGraphDef, keeps_constants_that_do_not_parse_even_on_extend) {
  const std::string bad =
      node("y", "Const", {},
           {{"dtype", "type: DT_FLOAT"},
            {"value", "tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } tensor_content: 'abc' }"}});
  Graph graph;
  ASSERT_TRUE(add(constant("a") + kVersion, &graph).ok());
  ASSERT_TRUE(add(bad + kVersion, &graph).ok());
  EXPECT_THAT(std::string(graph.find("y")->defect.message()), HasSubstr("Cannot parse tensor from proto:"));
  EXPECT_TRUE(add(constant("b") + kVersion, &graph).ok());
}

TEST(ImportGraphDef, refuses_attrs_that_leave_the_types_open) {
  expect_refused(constant("a") + node("y", "Cast", {"a"}, {{"SrcT", "type: DT_FLOAT"}}), Code::kNotFound,
                 "No attr named 'DstT' in NodeDef:");
  expect_refused(node("y", "AddN", {}, {{"T", "type: DT_FLOAT"}, {"N", "i: 100000000000"}}),
                 Code::kInvalidArgument, "Number of outputs is too big: 100000000000");
  expect_refused(node("y", "AddN", {}, {{"T", "type: DT_FLOAT"}, {"N", "i: -1"}}), Code::kInvalidArgument,
                 "Value for number_attr() -1 < 0");
}

TEST(ImportGraphDef, s350_s353_takes_unknown_attrs_and_fills_in_defaults) {
  Graph graph;
  ASSERT_TRUE(add(constant("a") + node("y", "MatMul", {"a", "a"}, {{"T", "type: DT_FLOAT"}, {"zz", "i: 1"}}) +
                      kVersion,
                  &graph)
                  .ok());
  EXPECT_TRUE(graph.find("y")->attrs.contains("zz"));
  EXPECT_EQ(graph.find("y")->attrs.get_or<bool>("transpose_a", true), false);
}

TEST(ImportGraphDef, s350_checks_versions) {
  auto refuse = [](const std::string& versions, const std::string& phrase) {
    Graph graph;
    absl::Status s = add(constant("a") + " versions { " + versions + " }", &graph);
    EXPECT_EQ(s.code(), Code::kInvalidArgument) << s;
    EXPECT_THAT(std::string(s.message()), HasSubstr(phrase));
  };
  refuse("producer: 2474 min_consumer: 3000",
         "GraphDef min consumer version 3000 above current version 2474");
  refuse(
      "producer: 2474 bad_consumers: 2474",
      "GraphDef disallows consumer version 2474.  Please upgrade TensorFlow: this version is likely buggy.");
  refuse("producer: -1", "GraphDef producer version -1 below min producer 0");
  Graph graph;
  ASSERT_TRUE(
      add(constant("a") + " versions { producer: 2474 min_consumer: 2474 bad_consumers: 2473 }", &graph)
          .ok());
  EXPECT_EQ(graph.versions().min_consumer, 2474);
  EXPECT_THAT(graph.versions().bad_consumers, ElementsAre(2473)) << "kept for who reads it next";
}

TEST(ImportGraphDef, reads_empty_placeholder_shapes_of_old_graphs_as_unknown) {
  const std::string p = node("p", "Placeholder", {}, {{"dtype", "type: DT_FLOAT"}, {"shape", "shape { }"}});
  Graph old, current;
  ASSERT_TRUE(add(p + " versions { producer: 23 }", &old).ok());
  ASSERT_TRUE(add(p + " versions { producer: 24 }", &current).ok());
  EXPECT_FALSE(old.find("p")->attrs.get<PartialShape>("shape")->known_rank());
  EXPECT_TRUE(current.find("p")->attrs.get<PartialShape>("shape")->known_rank());
}

TEST(ImportGraphDef, extends_a_graph) {
  Graph graph;
  ASSERT_TRUE(add(constant("a") + kVersion, &graph).ok());
  ASSERT_TRUE(add(neg("b", "a") + kVersion, &graph).ok());
  EXPECT_EQ(graph.find("b")->inputs[0].node, graph.find("a")->id);
  absl::Status s = add(constant("c") + constant("a") + kVersion, &graph);
  EXPECT_THAT(
      std::string(s.message()),
      HasSubstr("GraphDef argument to Extend includes node 'a', which was created by a previous call"));
  EXPECT_EQ(graph.num_ids(), 2);
  EXPECT_EQ(graph.find("c"), nullptr);
}

TEST(ImportGraphDef, takes_the_version_of_the_extension) {
  const std::string p = node("p", "PlaceholderV2", {}, {{"dtype", "type: DT_FLOAT"}, {"shape", "shape { }"}});
  Graph graph;
  ASSERT_TRUE(add(p + " versions { producer: 20 }", &graph).ok());
  EXPECT_EQ(add(constant("a") + kVersion, &graph).code(), Code::kUnimplemented);
  ASSERT_TRUE(add(constant("a") + " versions { producer: 21 min_consumer: 3 }", &graph).ok());
  EXPECT_EQ(graph.versions().producer, 21);
  EXPECT_EQ(graph.versions().min_consumer, 3);
  ASSERT_TRUE(add(constant("b"), &graph).ok());
  EXPECT_EQ(graph.versions().producer, 21);
}

TEST(ImportGraphDef, merges_function_libraries) {
  const std::string f = "library { function { signature { name: 'F' } } }";
  const std::string other = "library { function { signature { name: 'F' is_stateful: true } } }";
  Graph graph;
  ASSERT_TRUE(add(f + constant("a") + kVersion, &graph).ok());
  ASSERT_TRUE(add(f + node("y", "F") + kVersion, &graph).ok());
  auto library = graph.library();
  EXPECT_THAT(
      std::string(add(other + kVersion, &graph).message()),
      HasSubstr("Cannot add function 'F' because a different function with the same name already exists."));
  EXPECT_EQ(graph.library(), library);
  EXPECT_THAT(std::string(add("library { function { signature { name: 'Neg' } } }", &graph).message()),
              HasSubstr("Cannot add function 'Neg' because an op with the same name already exists."));
  ASSERT_TRUE(add("library { gradient { function_name: 'F' gradient_func: 'G' } }", &graph).ok());
  EXPECT_EQ(graph.library()->gradient_of("F"), "G");
  EXPECT_THAT(
      std::string(add("library { gradient { function_name: 'F' gradient_func: 'H' } }", &graph).message()),
      HasSubstr("Cannot assign gradient function 'H' to 'F'"));
}

TEST(ImportGraphDef, wants_the_functions_that_calls_name) {
  const std::string call = node("y", "PartitionedCall", {},
                                {{"Tin", "list { }"}, {"Tout", "list { }"}, {"f", "func { name: 'nope' }"}});
  expect_refused(call, Code::kInvalidArgument, "Failed to find function \"nope\" in function library:");
}

TEST(ImportGraphDef, ignores_unknown_colocation_in_sessions_only) {
  const std::string n = node("b", "NoOp", {}, {{"_class", "list { s: 'loc:@zz' }"}});
  Graph session, imported;
  EXPECT_TRUE(add(n + kVersion, &session).ok());
  absl::Status s = add(n + kVersion, &imported, {.mode = ImportOptions::Mode::kImport});
  EXPECT_THAT(std::string(s.message()), HasSubstr("expects to be colocated with unknown node 'zz'"));
}

TEST(ImportGraphDef, can_refuse_internal_ops) {
  Graph graph;
  ImportOptions options;
  options.allow_internal_ops = false;
  EXPECT_THAT(
      std::string(add(node("p", "_Arg", {}, {{"T", "type: DT_FLOAT"}, {"index", "i: 0"}}), &graph, options)
                      .message()),
      HasSubstr("Illegal op name '_Arg'"));
}

TEST(ImportGraphDef, limits_what_constants_may_take) {
  std::string text;
  for (int i = 0; i < 5; ++i) {
    absl::StrAppend(
        &text, node(absl::StrCat("c", i), "Const", {},
                    {{"dtype", "type: DT_FLOAT"},
                     {"value", "tensor { dtype: DT_FLOAT tensor_shape { dim { size: 1000000000000 } } }"}}));
  }
  Graph graph;
  EXPECT_EQ(add(text + kVersion, &graph).code(), Code::kResourceExhausted);
}

TEST(ImportGraphDef, stays_linear_with_many_control_inputs) {
  pb::GraphDef def;
  auto* all = def.add_node();
  all->set_name("all");
  all->set_op("NoOp");
  for (int i = 0; i < 200000; ++i) {
    auto* n = def.add_node();
    n->set_name(absl::StrCat("n", i));
    n->set_op("NoOp");
    def.mutable_node(0)->add_input(absl::StrCat("^n", i));
  }
  Graph graph;
  ASSERT_TRUE(import_graph_def(def, {}, &graph).ok());
  EXPECT_EQ(graph.find("all")->control_inputs.size(), 200000u);
}

TEST(ExportGraphDef, gives_back_what_was_imported) {
  const std::string text =
      "library { function { signature { name: 'F' } } } " + constant("a") + neg("b", "a") +
      node("c", "NoOp", {"^b"}) +
      node("s", "Split", {"d", "b"}, {{"T", "type: DT_FLOAT"}, {"num_split", "i: 2"}}) +
      node("d", "Const", {},
           {{"dtype", "type: DT_INT32"}, {"value", "tensor { dtype: DT_INT32 tensor_shape { } }"}}) +
      neg("e", "s:1") + kVersion;
  Graph graph;
  ASSERT_TRUE(add(text, &graph).ok());
  pb::GraphDef out;
  to_graph_def(graph, &out);
  ASSERT_EQ(out.node_size(), 6);
  EXPECT_EQ(out.node(5).input(0), "s:1");
  EXPECT_EQ(out.node(2).input(0), "^b");
  EXPECT_EQ(out.library().function(0).signature().name(), "F");
  EXPECT_EQ(out.versions().producer(), 2474);
  EXPECT_EQ(out.node(0).attr().at("value").tensor().dtype(), pb::DT_FLOAT);
}

}  // namespace
}  // namespace troupe::test
