#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "graph/ir/graph_builder.h"

namespace troupe::test {

/// An input of an op whose gradient is checked.
struct Input {
  /// Of a differentiable one: the gradient is compared. Otherwise a constant.
  bool checked = false;
  Tensor value;
};

/// Deterministic numbers of [low, high), none twice near another, so that extremes are unique.
Input varied(const std::vector<int64_t>& shape, double low = -1, double high = 1,
             DataType dtype = DataType::kDouble);
Input fixed(Tensor value);
/// Integers, int32.
Input fixed_ints(const std::vector<int>& values);
Input fixed_int(int value);

/// How a graph is made of placeholders for checked inputs and constants for the others: its differentiable results.
using MakeOutputs = std::function<std::vector<Out>(GraphBuilder& b, const std::vector<Out>& inputs)>;

struct Tolerance {
  double relative = 1e-6;
  double step = 1e-5;
};

/// Compares add_gradients with central differences of the graph, run by a session: for random weights w of the outputs,
/// the gradient of sum(w * y). Complex inputs are varied in both parts.
testing::AssertionResult gradients_match(const std::vector<Input>& inputs, const MakeOutputs& make,
                                         Tolerance tolerance = {});

/// The same for one op; its outputs `outputs`, or all that are of floating point or complex.
testing::AssertionResult op_gradients_match(const std::string& op, const std::vector<Input>& inputs,
                                            AttrMap attrs = {}, const std::vector<int>& outputs = {},
                                            Tolerance tolerance = {});

}  // namespace troupe::test
