#include "graph/passes/colocate_control_flow.h"

#include <gtest/gtest.h>

#include "graph/ir/graph_builder.h"

namespace troupe {
namespace {

/// A CPU, and a machine that has no kernels for Switch.
class CpuAndOther final : public DeviceCatalog {
 public:
  const std::vector<Entry>& entries() const override { return entries_; }
  int client_device() const override { return 0; }
  absl::StatusOr<Support> kernel_support(const OpDef& op, const AttrMap&,
                                         const std::string& type) const override {
    return Support{type == "CPU" || op.name != "Switch", 0};
  }
  std::string kernels_of(const std::string&) const override { return ""; }

 private:
  std::vector<Entry> entries_{{"/job:localhost/replica:0/task:0/device:CPU:0", "CPU", 7},
                              {"/job:localhost/replica:0/task:0/device:OTHER:0", "OTHER", 8}};
};

class ColocateControlFlow : public testing::Test {
 protected:
  /// All on the first device but `there`; returns how many nodes move.
  int64_t colocate(const std::vector<Out>& there) {
    auto built = b.build();
    EXPECT_TRUE(built.ok()) << built.status();
    graph = *std::move(built);
    for (int i = 0; i < graph.num_ids(); ++i) graph.node(i).device = 0;
    for (Out out : there) graph.node(out.node()).device = 1;
    auto stats = colocate_control_flow(CpuAndOther(), &graph);
    EXPECT_TRUE(stats.ok()) << stats.status();
    return (*stats)["moved"];
  }
  int device(Out x) const { return graph.node(x.node()).device; }
  Out enter(Out x) { return b.op("Enter", {x}, {{"frame_name", "f"}}); }

  GraphBuilder b;
  Graph graph;
};

TEST_F(ColocateControlFlow, follows_the_value_through_switch_and_exit) {
  Out x = b.placeholder(DataType::kFloat, {}, "x"), p = b.placeholder(DataType::kBool, {}, "p");
  Out inside = enter(x), copy = b.identity(inside);
  Out either = b.op("Switch", {copy, p}), out = b.op("Exit", {either[1]});
  EXPECT_EQ(colocate({either, out}), 2);
  EXPECT_EQ(device(either), 0);
  EXPECT_EQ(device(out), 0);
}

TEST_F(ColocateControlFlow, sends_a_value_into_a_loop_where_it_is_used) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  Out once = enter(x), once_used = b.neg(once);
  Out chain = enter(x), inner = b.op("Enter", {chain}, {{"frame_name", "g"}}), inner_used = b.neg(inner);
  Out twice = enter(x), first = b.neg(twice), second = b.neg(twice);
  Out awaited = enter(x);
  {
    auto after = b.control({awaited});
    b.op("NoOp", {}, {}, "waits");
  }
  EXPECT_EQ(colocate({once_used, inner_used, first, second}), 3);
  EXPECT_EQ(device(once), 1);
  EXPECT_EQ(device(chain), 1) << "with the one behind it, which moves too";
  EXPECT_EQ(device(inner), 1);
  EXPECT_EQ(device(twice), 0) << "of two consumers none decides";
  EXPECT_EQ(device(awaited), 0) << "who waits is no consumer";
}

TEST_F(ColocateControlFlow, moves_nothing_where_it_has_no_kernel) {
  Out x = b.placeholder(DataType::kFloat, {}, "x"), p = b.placeholder(DataType::kBool, {}, "p");
  Out there = b.neg(x), either = b.op("Switch", {there, p});
  EXPECT_EQ(colocate({there}), 0);
  EXPECT_EQ(device(either), 0);
}

TEST_F(ColocateControlFlow, leaves_nodes_that_compute_where_they_are) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  Out there = b.neg(x), here = b.neg(there);
  EXPECT_EQ(colocate({there}), 0);
  EXPECT_EQ(device(there), 1);
  EXPECT_EQ(device(here), 0);
}

}  // namespace
}  // namespace troupe
