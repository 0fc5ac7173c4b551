#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

/// Graphs and functions in protobuf's text form, a node a call. Types and shapes are as they stand there: "DT_INT64", "dim { size: 2 }".
namespace troupe::test::graph_text {

inline std::string attr(const std::string& key, const std::string& value) {
  return absl::StrCat("attr { key: '", key, "' value { ", value, " } } ");
}
inline std::string func(const std::string& key, const std::string& name) {
  return attr(key, "func { name: '" + name + "' }");
}
inline const std::string kT64 = attr("T", "type: DT_INT64");
inline const std::string kNoCaptures = attr("Targuments", "list {}");

inline std::string node_of(const std::string& kind, const std::string& name, const std::string& op,
                           const std::vector<std::string>& inputs, const std::string& attrs) {
  std::string text = absl::StrCat(kind, " { name: '", name, "' op: '", op, "' ");
  for (const std::string& input : inputs) absl::StrAppend(&text, "input: '", input, "' ");
  return absl::StrCat(text, attrs, " } ");
}
/// A node of a graph.
inline std::string node(const std::string& name, const std::string& op,
                        const std::vector<std::string>& inputs, const std::string& attrs = "") {
  return node_of("node", name, op, inputs, attrs);
}
/// A node of a function.
inline std::string body(const std::string& name, const std::string& op,
                        const std::vector<std::string>& inputs, const std::string& attrs = "") {
  return node_of("node_def", name, op, inputs, attrs);
}

/// The attrs of a Const.
inline std::string constant_attrs(const std::string& type, const std::string& shape,
                                  const std::string& values) {
  return attr("dtype", "type: " + type) +
         attr("value",
              absl::StrCat("tensor { dtype: ", type, " tensor_shape { ", shape, " } ", values, " }"));
}
inline std::string int64_attrs(int64_t value) {
  return constant_attrs("DT_INT64", "", absl::StrCat("int64_val: ", value));
}
/// Constants of a graph.
inline std::string number(const std::string& name, int64_t value) {
  return node(name, "Const", {}, int64_attrs(value));
}
inline std::string flag(const std::string& name, bool value) {
  return node(name, "Const", {}, constant_attrs("DT_BOOL", "", value ? "bool_val: true" : "bool_val: false"));
}
inline std::string text_node(const std::string& name, const std::string& value) {
  return node(name, "Const", {}, constant_attrs("DT_STRING", "", "string_val: '" + value + "'"));
}

/// The attrs of a dataset of one component.
inline std::string elements(const std::string& type, const std::string& shape = "unknown_rank: true") {
  return attr("output_types", "list { type: " + type + " }") +
         attr("output_shapes", "list { shape { " + shape + " } }");
}

inline std::string arg(const std::string& name, const std::string& type) {
  return absl::StrCat("input_arg { name: '", name, "' type: ", type, " } ");
}
/// A function with one output, y.
inline std::string function(const std::string& name, const std::string& inputs,
                            const std::string& output_type, const std::string& nodes,
                            const std::string& output) {
  return absl::StrCat("function { signature { name: '", name, "' ", inputs,
                      " output_arg { name: 'y' type: ", output_type, " } } ", nodes,
                      " ret { key: 'y' value: '", output, "' } } ");
}
/// One number for one.
inline std::string int64_function(const std::string& name, const std::string& nodes,
                                  const std::string& output) {
  return function(name, arg("x", "DT_INT64"), "DT_INT64", nodes, output);
}

}  // namespace troupe::test::graph_text
