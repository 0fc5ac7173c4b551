#include "graph/ir/graph.h"

#include <gmock/gmock.h>

#include "tests/graph/ir/import_texts.h"

namespace troupe::test {
namespace {

using ::testing::HasSubstr;

TEST(Graph, s353_has_each_name_once) {
  Graph graph;
  ASSERT_TRUE(graph.add_node("a", "NoOp", {}, {}).ok());
  const absl::Status again = graph.add_node("a", "NoOp", {}, {}).status();
  EXPECT_EQ(again.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(again.message()), HasSubstr("a"));
  EXPECT_EQ(graph.num_nodes(), 1);
}

TEST(Graph, s353_wants_the_attrs_that_an_op_requires) {
  Graph graph;
  const absl::Status missing = graph.add_node("a", "Placeholder", {}, {}).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kInvalidArgument) << missing;
  EXPECT_EQ(graph.num_nodes(), 0);
}

TEST(Graph, s353_knows_the_ops_of_its_registry_alone) {
  OpRegistry few;
  OpDef only;
  only.name = "Only";
  ASSERT_TRUE(few.add(std::move(only)).ok());
  Graph graph(&few);
  EXPECT_TRUE(add(node("a", "Only"), &graph).ok());
  const absl::Status unknown = add(no_op("b"), &graph);
  EXPECT_EQ(unknown.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(unknown.message()),
              HasSubstr("Op type not registered 'NoOp' in binary running on "));
}

}  // namespace
}  // namespace troupe::test
