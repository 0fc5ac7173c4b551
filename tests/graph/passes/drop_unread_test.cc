#include "graph/passes/drop_unread.h"

#include "tests/graph/passes/rewriting.h"

namespace troupe {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class DropUnread : public Rewriting {
 protected:
  int64_t run(const std::vector<Out>& roots) {
    const Pass pass = [](const DeviceCatalog&, Draft* d, const NodeFilter& f) { return drop_unread(d, f); };
    return rewrite(pass, roots)["unread"];
  }
  /// An Identity of `value` that waits for `others`, too: what TensorFlow's gradients end in.
  Out gated(Out value, const std::vector<Out>& others, const std::string& name) {
    Out group = b.group(others, name + "_deps");
    auto waits = b.control({group});
    return b.identity(value, name);
  }
};

TEST_F(DropUnread, makes_no_ops_of_gradients_that_nobody_wants) {
  Out x = input("x"), g = input("g");
  Out wanted = b.op("Mul", {x, g}, {}, "wanted"), beside = b.op("Sub", {g, x}, {}, "beside");
  Out y = gated(wanted, {wanted, beside}, "y");
  EXPECT_EQ(run({y}), 1);
  EXPECT_EQ(now(beside), "NoOp()");
  EXPECT_THAT(waits(beside), UnorderedElementsAre("x", "g")) << "it begins, or is dead, when it was";
  EXPECT_EQ(now(wanted), "Mul(x, g)");
}

TEST_F(DropUnread, goes_on_with_what_only_those_read) {
  Out x = input("x"), first = b.neg(x, "first"), second = b.neg(first, "second");
  Out y = gated(x, {second}, "y");
  EXPECT_EQ(run({y}), 2);
  EXPECT_EQ(now(second), "NoOp()");
  EXPECT_THAT(waits(second), ElementsAre("first"));
  EXPECT_EQ(now(first), "NoOp()");
  EXPECT_THAT(waits(first), ElementsAre("x"));
}

TEST_F(DropUnread, keeps_what_somebody_reads_or_wants) {
  Out x = input("x"), read = b.neg(x, "read"), target = b.op("Abs", {x}, {}, "target");
  Out y = gated(x, {read, target}, "y"), z = b.neg(read, "z");
  EXPECT_EQ(run({y, z, target}), 0);
}

TEST_F(DropUnread, keeps_what_has_a_state_or_checks_something) {
  Out x = input("x"), check = b.op("CheckNumerics", {x}, {{"message", "bad"}}, "check");
  Out random = b.op("RandomUniform", {b.constant(Tensor::from<int32_t>(Shape{1}, {2}))},
                    {{"dtype", DataType::kFloat}});
  Out row = b.constant(Tensor::from<int32_t>(Shape{1}, {0})),
      written = b.op("InplaceAdd", {x, row, x}, {}, "written");
  Out unfed = input("unfed"), y = gated(x, {check, random, written, unfed}, "y");
  EXPECT_EQ(run({y}), 0);
}

TEST_F(DropUnread, keeps_what_reads_from_one_side_of_a_switch) {
  Out x = input("x"), p = input("p", DataType::kBool), sides = b.op("Switch", {x, p}, {}, "sides");
  Out pivot = b.neg(sides[1], "pivot"), y = gated(x, {pivot}, "y");
  EXPECT_EQ(run({y}), 0) << "a wait for a Switch is never dead";
  EXPECT_EQ(now(pivot), "Neg(sides)");
}

TEST_F(DropUnread, keeps_what_the_caller_says) {
  Out x = input("x"), watched = b.neg(x, "watched"), y = gated(x, {watched}, "y");
  consider = [](const Node& n) { return n.name != "watched"; };
  EXPECT_EQ(run({y}), 0);
}

TEST_F(DropUnread, keeps_what_nobody_waits_for) {
  Out x = input("x"), idle = b.neg(x, "idle");
  EXPECT_EQ(run({x}), 0) << "that is for prune";
  EXPECT_THAT(waits(idle), IsEmpty());
}

}  // namespace
}  // namespace troupe
