#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "graph/ir/function_library.h"
#include "graph/ir/graph_def.h"
#include "tests/graph/ir/import_texts.h"

#include "proto/graph.pb.h"

// A GraphDef that goes into a graph beside what is there, as TF_GraphImportGraphDef and import_graph_def do it.
namespace troupe::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ImportOptions importing() {
  ImportOptions options;
  options.mode = ImportOptions::Mode::kImport;
  return options;
}

/// A graph of the constants "x" and "y".
Graph two_constants() {
  Graph graph;
  EXPECT_TRUE(add(constant("x") + constant("y") + kVersion, &graph).ok());
  return graph;
}

/// The import fails with these words and leaves nothing behind.
void expect_refused(const std::string& text, const ImportOptions& options, const std::string& phrase) {
  Graph graph = two_constants();
  const absl::Status s = add(text, &graph, options);
  EXPECT_EQ(s.code(), absl::StatusCode::kInvalidArgument) << s;
  EXPECT_THAT(std::string(s.message()), HasSubstr(phrase));
  EXPECT_EQ(graph.num_nodes(), 2);
  EXPECT_EQ(graph.find("x")->num_outputs(), 1);
  EXPECT_TRUE(graph.library()->empty());
  EXPECT_EQ(graph.versions().producer, 2474);
}

TEST(ImportIntoGraph, s352_imports_under_a_prefix_with_mapped_inputs) {
  Graph graph;
  ASSERT_TRUE(add(constant("x") + constant("first") + kVersion, &graph).ok());
  ImportOptions options = importing();
  options.prefix = "p";
  options.input_map[{"a", 0}] = {"x", 0};
  options.input_map[{"nowhere", 0}] = {"x", 0};
  options.control_dependencies = {"first"};
  options.default_device = "/cpu:0";
  options.return_tensors = {{"b", 0}};
  options.return_nodes = {"b"};
  ImportResults results;
  const std::string b =
      node("b", "Neg", {"a"}, {{"T", "type: DT_FLOAT"}, {"_class", "list { s: 'loc:@a' }"}});
  ASSERT_TRUE(import_graph_def(parse(constant("a") + b + kVersion), options, &graph, &results).ok());
  const Node* n = graph.find("p/b");
  ASSERT_NE(n, nullptr);
  EXPECT_EQ(n->inputs[0].node, graph.find("x")->id);
  EXPECT_THAT(n->control_inputs, ElementsAre(graph.find("first")->id));
  EXPECT_EQ(n->requested_device, "/cpu:0");
  EXPECT_THAT(*n->attrs.get<std::vector<std::string>>("_class"), ElementsAre("loc:@p/a"));
  EXPECT_EQ(results.return_tensors[0], (Endpoint{n->id, 0}));
  EXPECT_THAT(results.return_nodes, ElementsAre(n->id));
  EXPECT_THAT(results.unused_input_map_keys, ElementsAre(NamedOutput("nowhere", 0)));
}

TEST(ImportIntoGraph, s352_makes_names_unique_when_asked) {
  Graph graph;
  ASSERT_TRUE(add(constant("a") + kVersion, &graph).ok());
  ImportOptions options = importing();
  EXPECT_THAT(std::string(add(constant("a"), &graph, options).message()),
              HasSubstr("Node name 'a' already exists in the Graph"));
  options.uniquify_names = true;
  ASSERT_TRUE(add(constant("a") + constant("a_1") + neg("b", "a"), &graph, options).ok());
  EXPECT_EQ(graph.node(graph.find("b")->inputs[0].node).name, "a_2");
}

TEST(ImportIntoGraph, s352_reports_what_cannot_be_returned_or_mapped) {
  Graph graph;
  ImportOptions options = importing();
  options.return_tensors = {{"zz", 0}};
  EXPECT_THAT(std::string(add(constant("a"), &graph, options).message()),
              HasSubstr("Requested return tensor 'zz:0' not found in graph def"));
  options.return_tensors = {{"a", 4}};
  EXPECT_THAT(std::string(add(constant("a"), &graph, options).message()),
              HasSubstr("Invalid return output 4 of node 'a', which has 1 output(s)"));
  options.return_tensors.clear();
  options.input_map[{"a", 0}] = {"zz", 0};
  EXPECT_THAT(std::string(add(constant("a") + neg("b", "a"), &graph, options).message()),
              HasSubstr("does not exist in graph"));
  EXPECT_EQ(graph.num_ids(), 0);
}

TEST(ImportIntoGraph, s352_maps_control_inputs_too) {
  Graph graph = two_constants();
  ImportOptions options = importing();
  options.input_map[{"a", -1}] = {"x", -1};
  ASSERT_TRUE(add(constant("a") + no_op("waits", {"^a"}), &graph, options).ok());
  EXPECT_THAT(graph.find("waits")->control_inputs, ElementsAre(graph.find("x")->id));
  options.input_map = {{{"a", -1}, {"x", 0}}};
  expect_refused(no_op("a") + no_op("w", {"^a"}), options,
                 "data and control outputs cannot be mapped to each other");
  options.input_map = {{{"a", 0}, {"x", 3}}};
  expect_refused(constant("a") + neg("b", "a"), options,
                 "Node 'b': Connecting to invalid output 3 of source node x which has 1 outputs.");
  options.input_map = {{{"a", 0}, {"gone", 0}}};
  expect_refused(constant("a") + neg("b", "a"), options, "node 'gone' in input_map does not exist in graph");
}

TEST(ImportIntoGraph, s352_tells_which_mappings_nobody_used) {
  Graph graph = two_constants();
  ImportOptions options = importing();
  options.input_map = {{{"a", 0}, {"x", 0}}, {{"a", 1}, {"x", 0}}, {{"b", -1}, {"y", -1}}};
  ImportResults results;
  ASSERT_TRUE(add(constant("a") + no_op("b"), &graph, options, &results).ok());
  EXPECT_THAT(results.unused_input_map_keys, ElementsAre(NamedOutput("a", 1)))
      << "the others exist, though nobody asked";
}

TEST(ImportIntoGraph, s352_leaves_out_nodes_that_are_mapped_away) {
  Graph graph = two_constants();
  ImportOptions options = importing();
  options.skip_mapped_nodes = true;
  options.input_map = {{{"a", 0}, {"x", 0}}, {{"s", 0}, {"y", 0}}};
  options.return_tensors = {{"a", 0}};
  const std::string dim =
      node("d", "Const", {},
           {{"dtype", "type: DT_INT32"}, {"value", "tensor { dtype: DT_INT32 tensor_shape { } }"}});
  const std::string split = node("s", "Split", {"d", "a"}, {{"T", "type: DT_FLOAT"}, {"num_split", "i: 2"}});
  ImportResults results;
  ASSERT_TRUE(
      add(constant("a") + dim + split + neg("b", "a") + neg("c", "s:1"), &graph, options, &results).ok());
  EXPECT_EQ(graph.find("a"), nullptr);
  EXPECT_NE(graph.find("s"), nullptr) << "one of its outputs is not mapped";
  EXPECT_EQ(graph.find("b")->inputs[0].node, graph.find("x")->id);
  EXPECT_EQ(results.return_tensors[0], (Endpoint{graph.find("x")->id, 0}));
  options.return_tensors.clear();
  options.return_nodes = {"a"};
  options.prefix = "p";
  expect_refused(constant("a") + neg("b", "a"), options, "Requested return node 'a' not found in graph def");
}

TEST(ImportIntoGraph, s352_renames_colocation_groups_with_their_nodes) {
  Graph graph = two_constants();
  ImportOptions options = importing();
  options.uniquify_names = true;
  const std::string member =
      node("b", "Neg", {"x"}, {{"T", "type: DT_FLOAT"}, {"_class", "list { s: 'loc:@x' }"}});
  ASSERT_TRUE(add(constant("x") + member, &graph, options).ok());
  EXPECT_THAT(*graph.find("b")->attrs.get<std::vector<std::string>>("_class"), ElementsAre("loc:@x_1"));
  EXPECT_EQ(graph.node(graph.find("b")->inputs[0].node).name, "x_1");
}

TEST(ImportIntoGraph, s352_changes_a_prefix_that_is_taken) {
  Graph graph;
  ASSERT_TRUE(add(constant("p/a") + kVersion, &graph).ok());
  ImportOptions options = importing();
  options.prefix = "p";
  options.uniquify_prefix = true;
  ASSERT_TRUE(add(constant("a"), &graph, options).ok());
  EXPECT_NE(graph.find("p_1/a"), nullptr);
}

TEST(ImportIntoGraph, s352_takes_loops_and_refuses_cycles) {
  const std::vector<std::pair<std::string, std::string>> merge = {{"T", "type: DT_FLOAT"}, {"N", "i: 2"}};
  const std::string next = node("n", "NextIteration", {"m"}, {{"T", "type: DT_FLOAT"}});
  Graph graph = two_constants();
  ImportOptions options = importing();
  options.prefix = "p";
  ASSERT_TRUE(add(constant("a") + next + node("m", "Merge", {"a", "n"}, merge), &graph, options).ok());
  EXPECT_EQ(graph.find("p/m")->inputs[1].node, graph.find("p/n")->id);
  expect_refused(neg("b", "c") + neg("c", "b"), importing(), "2 nodes in a cycle");
}

TEST(ImportIntoGraph, s352_makes_what_comes_wait_at_its_beginnings) {
  Graph graph = two_constants();
  ImportOptions options = importing();
  options.control_dependencies = {"x", "y"};
  ASSERT_TRUE(add(constant("a") + neg("b", "a") + no_op("c", {"^x2"}) + no_op("x2"), &graph, options).ok());
  const int x = graph.find("x")->id, y = graph.find("y")->id;
  EXPECT_THAT(graph.find("a")->control_inputs, ElementsAre(x, y));
  EXPECT_THAT(graph.find("b")->control_inputs, IsEmpty()) << "it waits through a";
  EXPECT_THAT(graph.find("c")->control_inputs, ElementsAre(graph.find("x2")->id));
  options.control_dependencies = {"gone"};
  expect_refused(constant("a"), options, "node 'gone' in control_dependencies does not exist in graph");
}

TEST(ImportIntoGraph, s352_refuses_what_a_session_leaves_to_the_run) {
  expect_refused(node("a", "Const", {}, {{"dtype", "type: DT_FLOAT"}}), importing(),
                 "NodeDef missing attr 'value' from Op<name=Const;");
  expect_refused(node("w", "AddN", {"c"}, {{"T", "type: DT_FLOAT"}, {"N", "i: 3"}}) + constant("c"),
                 importing(),
                 "NodeDef expected inputs 'float, float, float' do not match 1 inputs specified");
  expect_refused(neg("a", "x"), importing(), "Node 'a': Unknown input node 'x'");
  Graph graph = two_constants();
  EXPECT_EQ(add(node("a", "NotAnOp"), &graph, importing()).code(), absl::StatusCode::kNotFound);
  const std::string old =
      node("a", "PlaceholderV2", {}, {{"dtype", "type: DT_FLOAT"}, {"shape", "shape { }"}});
  const absl::Status gone = add(old + kVersion, &graph, importing());
  EXPECT_EQ(gone.code(), absl::StatusCode::kUnimplemented) << gone;
  EXPECT_THAT(std::string(gone.message()), HasSubstr("It has been removed in version 23."));
  EXPECT_EQ(graph.num_nodes(), 2);
  EXPECT_TRUE(add(old + " versions { producer: 20 }", &graph, importing()).ok()) << "it was there then";
}

TEST(ImportIntoGraph, s352_keeps_to_the_older_version_of_both) {
  Graph graph = two_constants();
  ASSERT_TRUE(
      add(constant("a") + " versions { producer: 100 min_consumer: 5 bad_consumers: 7 }", &graph, importing())
          .ok());
  EXPECT_EQ(graph.versions().producer, 100);
  EXPECT_EQ(graph.versions().min_consumer, 5);
  EXPECT_THAT(graph.versions().bad_consumers, ElementsAre(7));
  ASSERT_TRUE(add(constant("b") + " versions { producer: 200 bad_consumers: 6 }", &graph, importing()).ok());
  EXPECT_EQ(graph.versions().producer, 100);
  EXPECT_THAT(graph.versions().bad_consumers, ElementsAre(6, 7));
  expect_refused(constant("a") + " versions { producer: 2474 min_consumer: 3000 }", importing(),
                 "GraphDef min consumer version 3000 above current version 2474");
}

/// Outer(x) = Inner(x), Inner(x) = x.
const std::string kNested =
    "library { function { signature { name: 'Inner' input_arg { name: 'x' type: DT_FLOAT } output_arg { "
    "name: 'y' "
    "type: DT_FLOAT } } ret { key: 'y' value: 'x' } } function { signature { name: 'Outer' input_arg { name: "
    "'x' "
    "type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } } node_def { name: 'call' op: 'Inner' input: "
    "'x' } "
    "ret { key: 'y' value: 'call:y:0' } } gradient { function_name: 'Inner' gradient_func: 'Outer' } }";

TEST(ImportIntoGraph, s352_brings_functions_and_those_that_they_call) {
  Graph graph = two_constants();
  ASSERT_TRUE(add(kNested + constant("a") + node("f", "Outer", {"a"}), &graph, importing()).ok());
  EXPECT_THAT(graph.library()->names(), ElementsAre("Inner", "Outer"));
  EXPECT_EQ(graph.library()->gradient_of("Inner"), "Outer");
  EXPECT_EQ(graph.find("f")->output_types[0], DataType::kFloat);
  ASSERT_TRUE(add(kNested + constant("b"), &graph, importing()).ok()) << "the same once more";
  const std::string other = "library { function { signature { name: 'Inner' is_stateful: true } } }";
  EXPECT_THAT(
      std::string(add(other + constant("c"), &graph, importing()).message()),
      HasSubstr(
          "Cannot add function 'Inner' because a different function with the same name already exists."));
  EXPECT_EQ(graph.find("c"), nullptr);
  expect_refused(kNested + constant("x"), importing(), "Node name 'x' already exists in the Graph");
}

TEST(ImportIntoGraph, s352_gives_the_default_device_to_who_has_none) {
  Graph graph = two_constants();
  ImportOptions options = importing();
  options.default_device = "/cpu:1";
  ASSERT_TRUE(
      add("node { name: 'a' op: 'NoOp' } node { name: 'b' op: 'NoOp' device: '/cpu:0' }", &graph, options)
          .ok());
  EXPECT_EQ(graph.find("a")->requested_device, "/cpu:1");
  EXPECT_EQ(graph.find("b")->requested_device, "/cpu:0");
}

}  // namespace
}  // namespace troupe::test
