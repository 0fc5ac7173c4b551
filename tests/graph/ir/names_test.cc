#include "graph/ir/names.h"

#include <climits>
#include <gtest/gtest.h>

namespace troupe {
namespace {

void expect_name(absl::string_view text, absl::string_view node, int slot) {
  TensorName name = parse_tensor_name(text);
  EXPECT_EQ(std::string(name.node), std::string(node)) << text;
  EXPECT_EQ(name.slot, slot) << text;
}

TEST(Names, reads_nodes_outputs_and_controls) {
  expect_name("a", "a", 0);
  expect_name("a/b:2", "a/b", 2);
  expect_name("^a", "a", -1);
  expect_name("a:01", "a", 1);
}

TEST(Names, leaves_odd_texts_to_the_look_up) {
  expect_name("a:", "a:", 0);
  expect_name(":0", ":0", 0);
  expect_name("a:-1", "a:-1", 0);
  expect_name("a:0:1", "a:0", 1);
  expect_name("^a:0", "^a", 0);
  expect_name("^^a", "^a", -1);
  expect_name("", "", 0);
  expect_name("12", "12", 0);
  expect_name("a:99999999999999999999999", "a", INT_MAX);
}

TEST(Names, writes_inputs_as_node_defs_do) {
  EXPECT_EQ(input_text("a", 0), "a");
  EXPECT_EQ(input_text("a", 3), "a:3");
  EXPECT_EQ(input_text("a", -1), "^a");
  EXPECT_EQ(tensor_text("a", 0), "a:0");
}

TEST(Names, knows_which_names_nodes_may_have) {
  for (const char* good : {"a", ".", "0", "a>b", "a.b/c-d_e>f", "a/", "a//b"})
    EXPECT_TRUE(is_valid_node_name(good)) << good;
  for (const char* bad :
       {"", "_a", ">a", "a>", "a>>b", "a>_b", "-a", "/a", "A B", "a\\b", "^a", "a:0", "a\xc3\xa9"}) {
    EXPECT_FALSE(is_valid_node_name(bad)) << bad;
  }
  EXPECT_TRUE(is_valid_node_name("_a", true));
  EXPECT_FALSE(is_valid_node_name("a>_b", true));
}

TEST(Names, reads_inputs_of_function_bodies) {
  EXPECT_EQ(parse_body_input("x")->node, "x");
  EXPECT_EQ(parse_body_input("x")->output, "");
  EXPECT_EQ(parse_body_input("n:y:2")->output, "y");
  EXPECT_EQ(parse_body_input("n:y:2")->index, 2);
  EXPECT_TRUE(parse_body_input("^n")->is_control);
  EXPECT_FALSE(parse_body_input("n:y:z").has_value());
  EXPECT_FALSE(parse_body_input("n:y:-1").has_value());
  EXPECT_FALSE(parse_body_input("n:y:1:2").has_value());
}

TEST(Names, finds_the_scope_of_a_name) {
  EXPECT_EQ(scope_of("a/b/c"), "a/b");
  EXPECT_EQ(scope_of("a"), "");
}

}  // namespace
}  // namespace troupe
