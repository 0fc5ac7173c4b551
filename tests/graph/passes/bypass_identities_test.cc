#include "graph/passes/bypass_identities.h"

#include "tests/graph/passes/rewriting.h"

namespace troupe {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class BypassIdentities : public Rewriting {
 protected:
  int64_t run(const std::vector<Out>& roots) {
    const Pass pass = [](const DeviceCatalog&, Draft* d, const NodeFilter& f) {
      return bypass_identities(d, f);
    };
    return rewrite(pass, roots)["bypassed"];
  }
};

TEST_F(BypassIdentities, gives_consumers_what_is_behind_a_row_of_them) {
  Out x = input("x"), stopped = b.op("StopGradient", {b.identity(b.identity(x))});
  Out y = b.op("Sub", {stopped, b.op("PreventGradient", {x}, {{"message", "no"}})}, {}, "y");
  EXPECT_EQ(run({y}), 4);
  EXPECT_EQ(now(y), "Sub(x, x)");
  EXPECT_EQ(draft.graph.num_nodes(), 2);
}

TEST_F(BypassIdentities, lets_wait_for_the_maker_who_waited_for_one) {
  Out x = input("x"), i = b.identity(x, "i"), done = b.group({i}, "done"), y = b.neg(i, "y");
  EXPECT_EQ(run({done, y}), 1);
  EXPECT_THAT(waits(done), ElementsAre("x"));
}

TEST_F(BypassIdentities, keeps_what_must_survive_and_what_is_fetched) {
  Out x = input("x"), root = b.identity(x, "root"), fetched = b.identity(x, "fetched");
  Out out = b.op("_Retval", {fetched}, {{"index", int64_t{0}}}), y = b.neg(root, "y");
  EXPECT_EQ(run({root, out, y}), 0);
}

TEST_F(BypassIdentities, keeps_what_waits_for_more_than_its_value) {
  Out x = input("x"), first = b.group({}, "first"), i;
  {
    auto waits = b.control({first});
    i = b.identity(x, "i");
  }
  EXPECT_EQ(run({b.neg(i), first}), 0);
}

TEST_F(BypassIdentities, keeps_copies_on_another_device) {
  Out x = input("x"), there = b.identity(x, "there");
  elsewhere = {there};
  EXPECT_EQ(run({b.neg(there), b.op("Abs", {there})}), 0) << "x is sent once";
}

TEST_F(BypassIdentities, keeps_what_reads_a_reference) {
  auto v = b.ref_variable(Tensor::scalar(1.0f), "v");
  EXPECT_EQ(run({b.neg(b.identity(v.handle))}), 0) << "the value may change between its readers";
}

TEST_F(BypassIdentities, keeps_what_says_which_side_of_a_switch_was_taken) {
  Out x = input("x"), p = input("p", DataType::kBool), sides = b.op("Switch", {x, p}, {}, "sides");
  Out pivot = b.identity(sides[1], "pivot"), waits = b.group({pivot}, "waits");
  Out value = b.neg(b.identity(sides[0], "value"), "y");
  EXPECT_EQ(run({waits, value}), 1);
  EXPECT_EQ(now(pivot), "Identity(sides)");
  EXPECT_EQ(now(value), "Neg(sides)");
  EXPECT_EQ(node(value).inputs[0].slot, 0);
}

TEST_F(BypassIdentities, keeps_nodes_that_it_is_not_to_consider) {
  consider = [](const Node& n) { return n.name != "kept"; };
  Out x = input("x"), y = b.op("Sub", {b.identity(x, "kept"), b.identity(x, "other")}, {}, "y");
  EXPECT_EQ(run({y}), 1);
  EXPECT_EQ(now(y), "Sub(kept, x)");
}

TEST_F(BypassIdentities, follows_the_edge_that_closes_a_loop) {
  Out n = b.constant<int32_t>(0), limit = b.constant<int32_t>(3);
  auto out = b.while_loop(
      {n}, [&](const std::vector<Out>& v) { return b.less(v[0], limit); },
      [&](const std::vector<Out>& v) {
        return std::vector<Out>{b.identity(b.add(v[0], b.constant<int32_t>(1), "next"), "last")};
      });
  run({b.neg(out[0])});
  EXPECT_EQ(draft.graph.find("while/last"), nullptr);
  for (int i = 0; i < draft.graph.num_ids(); ++i) {
    const Node& node = draft.graph.node(i);
    for (Endpoint e : node.inputs) EXPECT_FALSE(draft.graph.node(e.node).removed()) << node.name;
    if (!node.is("NextIteration")) continue;
    EXPECT_EQ(draft.graph.node(node.inputs[0].node).name, "while/next");
  }
}

TEST_F(BypassIdentities, joins_waits_through_no_ops_where_that_makes_no_more_edges) {
  Out a = b.group({}, "a"), c = b.group({}, "c"), both = b.group({a, c}, "both");
  Out x = input("x"), y = [&] {
    auto waits = b.control({both});
    return b.neg(x, "y");
  }();
  EXPECT_EQ(run({a, c, y}), 1);
  EXPECT_THAT(waits(y), UnorderedElementsAre("a", "c"));
}

TEST_F(BypassIdentities, keeps_no_ops_that_gather_many_for_many) {
  std::vector<Out> before, after;
  for (int i = 0; i < 3; ++i) before.push_back(input("x" + std::to_string(i)));
  Out barrier = b.group(before, "barrier");
  for (int i = 0; i < 3; ++i) after.push_back(b.group({barrier}, "y" + std::to_string(i)));
  EXPECT_EQ(run(after), 0);
}

TEST_F(BypassIdentities, keeps_no_ops_that_gather_for_another_device) {
  Out x = input("x"), y = input("y"), both = b.group({x, y}, "both"), there = b.group({both}, "there");
  elsewhere = {there};
  EXPECT_EQ(run({there}), 0) << "one signal is sent, not two";
}

}  // namespace
}  // namespace troupe
