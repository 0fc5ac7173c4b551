#pragma once

#include <cstdint>
#include <string>

#include "tests/support/graph_text.h"

/// Functions that several tests of datasets call, in text form.
namespace troupe::test {

/// x % n, under this name.
inline std::string modulo_text(const std::string& name, int64_t n) {
  using namespace graph_text;
  return int64_function(
      name, body("n", "Const", {}, int64_attrs(n)) + body("m", "FloorMod", {"x", "n:output:0"}, kT64),
      "m:z:0");
}

/// Same(d): the dataset d; All(d): the elements of the datasets in d, one dataset after the other.
inline std::string flatten_text() {
  using namespace graph_text;
  return function("Same", arg("d", "DT_VARIANT"), "DT_VARIANT", "", "d") +
         function(
             "All", arg("d", "DT_VARIANT"), "DT_VARIANT",
             body("f", "FlatMapDataset", {"d"}, func("f", "Same") + kNoCaptures + elements("DT_INT64", "")),
             "f:handle:0");
}

}  // namespace troupe::test
