#pragma once

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/ir/graph_def.h"

#include "proto/graph.pb.h"

namespace troupe::test {

/// Of the release whose GraphDefs these are.
inline const char* const kVersion = " versions { producer: 2474 }";

/// A NodeDef as text; attrs are pairs of name and AttrValue.
inline std::string node(const std::string& name, const std::string& op,
                        const std::vector<std::string>& inputs = {},
                        const std::vector<std::pair<std::string, std::string>>& attrs = {}) {
  std::string text = absl::StrCat("node { name: '", name, "' op: '", op, "'");
  for (const auto& in : inputs) absl::StrAppend(&text, " input: '", in, "'");
  for (const auto& [key, value] : attrs)
    absl::StrAppend(&text, " attr { key: '", key, "' value { ", value, " } }");
  return absl::StrCat(text, " }");
}

inline std::string constant(const std::string& name) {
  return node(name, "Const", {},
              {{"dtype", "type: DT_FLOAT"}, {"value", "tensor { dtype: DT_FLOAT tensor_shape { } }"}});
}
inline std::string neg(const std::string& name, const std::string& input) {
  return node(name, "Neg", {input}, {{"T", "type: DT_FLOAT"}});
}

inline std::string no_op(const std::string& name, const std::vector<std::string>& inputs = {}) {
  return node(name, "NoOp", inputs);
}

inline pb::GraphDef parse(const std::string& text) {
  pb::GraphDef def;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &def)) << text;
  return def;
}

inline absl::Status add(const std::string& text, Graph* graph, const ImportOptions& options = {},
                        ImportResults* results = nullptr) {
  return import_graph_def(parse(text), options, graph, results);
}

}  // namespace troupe::test
