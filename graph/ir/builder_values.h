#pragma once

#include <utility>
#include <vector>

#include "graph/ir/graph.h"

namespace troupe {

/// Output of a node that a GraphBuilder made. A small value; as good as its builder.
class Out {
 public:
  Out() = default;
  explicit Out(Endpoint e) : endpoint_(e) {}
  int node() const { return endpoint_.node; }
  int slot() const { return endpoint_.slot; }
  Endpoint endpoint() const { return endpoint_; }
  /// Another output of the same node.
  Out operator[](int slot) const { return Out({endpoint_.node, slot}); }
  /// False for what an operation that failed returned.
  bool valid() const { return endpoint_.node >= 0; }

 private:
  Endpoint endpoint_;
};

/// What an op takes at one argument: an output, or several for an argument that is a list.
class In {
 public:
  In(Out one) : outs_{one} {}  // NOLINT: arguments read as plain outputs
  In(std::vector<Out> many) : outs_(std::move(many)), is_list_(true) {}  // NOLINT
  const std::vector<Out>& outs() const { return outs_; }
  bool is_list() const { return is_list_; }

 private:
  std::vector<Out> outs_;
  bool is_list_ = false;
};

}  // namespace troupe
