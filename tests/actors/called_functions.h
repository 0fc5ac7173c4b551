#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/actors/session_fixture.h"
#include "tests/graph/passes/function_graphs.h"

namespace troupe::test {

inline const std::string kF = " attr { key: 'T' value { type: DT_FLOAT } }";
inline const std::string kDtype = " attr { key: 'dtype' value { type: DT_FLOAT } }";
inline const std::string kOneFloat = types_text("Tin", {"DT_FLOAT"}) + types_text("Tout", {"DT_FLOAT"});

/// A node that calls a function of x; the placeholder too where it is "call".
std::string x_and_call(const std::string& f, const std::string& name = "call");

/// A session over a graph in text form, which may call these functions of float scalars:
/// Factorial, Fib and SumTo by recursion; Even and Odd by each other; Bad fails, Hang waits, Slow sleeps; Deep and
/// DeepBad call themselves x times and then Hang or Bad; CountDown(left, sum) adds left to sum in a loop, one at a
/// time, and is the body of another.
class CalledFunctions : public SessionTest {
 protected:
  /// Nodes in text form, and the functions.
  static tensorflow::GraphDef graph_of(const std::string& nodes);
  Session& open_text(const std::string& nodes, SessionOptions options = {});
  static float number(const absl::StatusOr<std::vector<Tensor>>& out) {
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() && !out->empty() ? (*out)[0].value<float>() : -1;
  }
  static NamedTensor feed(const std::string& name, float value) {
    return {name, Tensor::scalar<float>(value)};
  }
  /// Cancels a run of "call" with x once it waits in Hang; how long it took to end after.
  std::chrono::microseconds cancel_call(Session& s, float x);
};

}  // namespace troupe::test
