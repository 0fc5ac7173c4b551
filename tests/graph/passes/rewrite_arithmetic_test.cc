#include "graph/passes/rewrite_arithmetic.h"

#include <Eigen/Core>

#include "tests/graph/passes/rewriting.h"

namespace troupe {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class RewriteArithmetic : public Rewriting {
 protected:
  PassStats run(const std::vector<Out>& roots) { return rewrite(rewrite_arithmetic, roots); }
  /// What becomes of an op on x and what `other` makes, in this order or the other.
  std::string of(const std::string& op, Out x, Out other, bool swapped = false) {
    Out y = swapped ? b.op(op, {other, x}, {}, "y") : b.op(op, {x, other}, {}, "y");
    run({y});
    return now(y);
  }
  Out ints(std::initializer_list<int32_t> values, const std::string& name) {
    return b.constant(Tensor::vector<int32_t>(values), name);
  }
};

TEST_F(RewriteArithmetic, hands_on_what_nothing_is_added_to) {
  Out x = input("x"), i = input("i", DataType::kInt32), h = input("h", DataType::kHalf);
  Out zero = b.constant(0.0f), minus_zero = b.constant(-0.0f), one = b.constant(1.0f);
  Out none = b.constant<int32_t>(0), half_one = b.constant(Tensor::scalar(Eigen::half(1.0f)));
  Out sum = b.add(x, minus_zero), turned = b.add(minus_zero, x), old = b.op("Add", {x, minus_zero}),
      less = b.sub(x, zero);
  Out product = b.mul(one, x), quotient = b.div(x, one), halves = b.mul(h, half_one);
  Out more = b.add(none, i), fewer = b.sub(i, none);
  EXPECT_EQ(run({b.group({sum, turned, old, less, product, quotient, halves, more, fewer})})["rewritten"], 9);
  for (Out y : {sum, turned, old, less, product, quotient}) EXPECT_EQ(now(y), "Identity(x)");
  for (Out y : {more, fewer}) EXPECT_EQ(now(y), "Identity(i)");
  EXPECT_EQ(now(halves), "Identity(h)");
}

TEST_F(RewriteArithmetic, leaves_what_makes_zero_of_minus_zero) {
  Out x = input("x"), h = input("h", DataType::kHalf), zero = b.constant(0.0f),
      minus_zero = b.constant(-0.0f);
  Out half_zero = b.constant(Tensor::scalar(Eigen::half(0.0f)));
  Out sum = b.add(x, zero), turned = b.add(zero, x), less = b.sub(x, minus_zero),
      halves = b.add(h, half_zero);
  EXPECT_EQ(run({b.group({sum, turned, less, halves})})["rewritten"], 0);
}

TEST_F(RewriteArithmetic, leaves_what_is_zero_of_all_numbers_but_infinities) {
  Out x = input("x"), zero = b.constant(0.0f);
  Out product = b.mul(zero, x), itself = b.sub(x, x), quotient = b.div(x, x);
  EXPECT_EQ(run({b.group({product, itself, quotient})})["rewritten"], 0);
}

TEST_F(RewriteArithmetic, leaves_what_would_be_another_number) {
  Out x = input("x"), zero = b.constant(0.0f), one = b.constant(1.0f);
  Out turned = b.sub(zero, x), inverse = b.div(one, x), plus = b.add(x, one), times = b.mul(x, zero);
  EXPECT_EQ(run({b.group({turned, inverse, plus, times})})["rewritten"], 0);
}

TEST_F(RewriteArithmetic, leaves_what_may_change_the_shape) {
  Out x = input("x"), zeros = b.constant(Tensor::vector<float>({0, 0}));
  EXPECT_EQ(of("AddV2", x, zeros), "AddV2(x, Const)");
}

TEST_F(RewriteArithmetic, leaves_what_is_no_constant) {
  EXPECT_EQ(of("Mul", input("x"), input("w")), "Mul(x, w)");
}

TEST_F(RewriteArithmetic, leaves_texts) {
  Out x = input("x", DataType::kString);
  EXPECT_EQ(of("Add", x, b.constant(Tensor::string_scalar(""))), "Add(x, Const)");
}

TEST_F(RewriteArithmetic, leaves_what_reads_a_reference) {
  auto v = b.ref_variable(Tensor::scalar(1.0f), "v");
  EXPECT_EQ(of("Mul", v.handle, b.constant(1.0f)), "Mul(v, Const)");
}

TEST_F(RewriteArithmetic, leaves_nodes_that_it_is_not_to_consider) {
  consider = [](const Node& n) { return n.name != "y"; };
  EXPECT_EQ(of("Mul", input("x"), b.constant(1.0f)), "Mul(x, Const)");
}

TEST_F(RewriteArithmetic, leaves_nodes_that_ask_for_a_kernel_of_their_own) {
  Out y = b.op("Mul", {input("x"), b.constant(1.0f)}, {{"_kernel", "mine"}}, "y");
  EXPECT_EQ(run({y})["rewritten"], 0);
  EXPECT_EQ(now(y), "Mul(x, Const)");
}

TEST_F(RewriteArithmetic, leaves_graphs_in_which_somebody_writes_to_his_input) {
  Out x = b.placeholder(DataType::kFloat, {-1}, "x");
  Out copy = b.mul(x, b.constant(1.0f), "copy");
  Out written = b.op("InplaceAdd", {copy, ints({0}, "i"), b.constant(Tensor::vector<float>({1}))});
  EXPECT_EQ(run({written})["rewritten"], 0) << "x itself would be written to";
}

TEST_F(RewriteArithmetic, waits_for_all_that_was_waited_for) {
  Out x = input("x"), first = b.group({}, "first"), pivot = b.group({}, "pivot"), last = b.group({}, "last");
  Out zero, sum, inner, y;
  {
    auto waits = b.control({pivot});
    zero = b.constant(-0.0f, "zero");
  }
  {
    auto waits = b.control({first});
    sum = b.add(x, zero, "sum");
    inner = b.neg(sum, "inner");
  }
  {
    auto waits = b.control({last});
    y = b.neg(inner, "y");
  }
  run({y});
  EXPECT_EQ(now(y), "Identity(sum)");
  EXPECT_THAT(waits(y), UnorderedElementsAre("first", "last"));
  EXPECT_THAT(waits(sum), UnorderedElementsAre("first", "pivot"));
}

TEST_F(RewriteArithmetic, undoes_what_undoes_itself) {
  Out x = input("x"), c = input("c", DataType::kComplex64), p = input("p", DataType::kBool);
  Out i = input("i", DataType::kInt32);
  auto twice = [&](const std::string& op, Out of) { return b.op(op, {b.op(op, {of})}); };
  Out neg = twice("Neg", x), conj = twice("Conj", c), negation = twice("LogicalNot", p),
      bits = twice("Invert", i);
  Out reciprocal = twice("Reciprocal", x), neg_abs = b.neg(b.op("Abs", {x}, {}, "abs"));
  run({b.group({neg, conj, negation, bits, reciprocal, neg_abs})});
  EXPECT_EQ(now(neg), "Identity(x)");
  EXPECT_EQ(now(conj), "Identity(c)");
  EXPECT_EQ(now(negation), "Identity(p)");
  EXPECT_EQ(now(bits), "Identity(i)");
  EXPECT_EQ(now(reciprocal), "Reciprocal(Reciprocal)") << "not the same to the bit";
  EXPECT_EQ(now(neg_abs), "Neg(abs)");
}

TEST_F(RewriteArithmetic, sees_through_what_it_has_rewritten) {
  Out x = input("x"), three = b.neg(b.mul(b.neg(x, "first"), b.constant(1.0f)), "second");
  run({three});
  EXPECT_EQ(now(three), "Identity(x)");
}

TEST_F(RewriteArithmetic, keeps_what_is_on_another_device) {
  Out x = input("x"), there = b.neg(x, "there"), here = b.neg(there, "here");
  elsewhere = {there};
  EXPECT_EQ(run({here})["rewritten"], 0);
}

TEST_F(RewriteArithmetic, keeps_for_others_what_it_looks_behind) {
  Out x = input("x"), inner = b.neg(x, "inner"), y = b.neg(inner, "y"),
      other = b.op("Abs", {inner}, {}, "other");
  run({y, other});
  EXPECT_EQ(now(y), "Identity(x)");
  EXPECT_EQ(now(inner), "Neg(x)");
  EXPECT_EQ(now(other), "Abs(inner)");
}

TEST_F(RewriteArithmetic, cancels_transposes_that_are_inverse) {
  Out x = input("x");
  Out there = b.op("Transpose", {x, ints({2, 0, 1}, "p")}, {}, "there");
  Out back = b.op("Transpose", {there, ints({1, 2, 0}, "q")}, {}, "back");
  Out on = b.op("Transpose", {there, ints({2, 0, 1}, "r")}, {}, "on");
  Out still = b.op("Transpose", {x, ints({0, 1, 2}, "s")}, {}, "still");
  Out wrong = b.op("Transpose", {x, ints({0, 0, 1}, "t")}, {}, "wrong");
  Out unknown = b.op("Transpose", {x, input("u", DataType::kInt32)}, {}, "unknown");
  run({b.group({back, on, still, wrong, unknown})});
  EXPECT_EQ(now(back), "Identity(x)");
  EXPECT_EQ(now(on), "Transpose(there, r)");
  EXPECT_EQ(now(still), "Identity(x)");
  EXPECT_EQ(now(wrong), "Transpose(x, t)") << "its step says what is wrong";
  EXPECT_EQ(now(unknown), "Transpose(x, u)");
}

TEST_F(RewriteArithmetic, takes_the_last_shape_of_a_row_of_reshapes) {
  Out x = input("x"), s = ints({-1, 4}, "s"), t = ints({2, -1}, "t");
  Out known = b.op("Reshape", {b.op("Reshape", {x, s}), t}, {}, "known");
  Out asked = input("asked", DataType::kInt32);
  Out unknown = b.op("Reshape", {b.op("Reshape", {x, asked}, {}, "inner"), t}, {}, "unknown");
  run({known, unknown});
  EXPECT_EQ(now(known), "Reshape(x, t)");
  EXPECT_EQ(now(unknown), "Reshape(inner, t)") << "somebody waits for the shape that was asked for";
}

TEST_F(RewriteArithmetic, takes_casts_to_the_same_type_and_sums_of_one_for_nothing) {
  Out x = input("x"), same = b.cast(x, DataType::kFloat), other = b.cast(x, DataType::kDouble);
  Out one = b.op("AddN", {std::vector<Out>{x}}), two = b.op("AddN", {std::vector<Out>{x, x}});
  run({b.group({same, other, one, two})});
  EXPECT_EQ(now(same), "Identity(x)");
  EXPECT_EQ(now(other), "Cast(x)");
  EXPECT_EQ(now(one), "Identity(x)");
  EXPECT_EQ(now(two), "AddN(x, x)");
}

TEST_F(RewriteArithmetic, subtracts_instead_of_adding_what_is_negated) {
  Out x = input("x"), y = input("y"), minus = b.neg(y, "minus");
  Out sum = b.add(x, minus), difference = b.sub(x, minus), turned = b.add(minus, x);
  run({b.group({sum, difference, turned})});
  EXPECT_EQ(now(sum), "Sub(x, y)");
  EXPECT_EQ(now(difference), "AddV2(x, y)");
  EXPECT_EQ(now(turned), "AddV2(minus, x)") << "errors name shapes in this order";
}

TEST_F(RewriteArithmetic, calls_powers_by_their_names) {
  Out x = input("x"), i = input("i", DataType::kInt32);
  auto power = [&](float p) { return b.op("Pow", {x, b.constant(p)}); };
  Out one = power(1), two = power(2), root = power(0.5f), inverse = power(-1), both = power(-0.5f),
      three = power(3);
  Out square = b.op("Pow", {i, b.constant<int32_t>(2)}),
      refused = b.op("Pow", {i, b.constant<int32_t>(-1, "m")});
  Out many = b.op("Pow", {x, b.constant(Tensor::vector<float>({2, 2}), "v")});
  run({b.group({one, two, root, inverse, both, three, square, refused, many})});
  EXPECT_EQ(now(one), "Identity(x)");
  EXPECT_EQ(now(two), "Square(x)");
  EXPECT_EQ(now(root), "Sqrt(x)");
  EXPECT_EQ(now(inverse), "Reciprocal(x)");
  EXPECT_EQ(now(both), "Rsqrt(x)");
  EXPECT_TRUE(node(three).is("Pow"));
  EXPECT_EQ(now(square), "Square(i)");
  EXPECT_EQ(now(refused), "Pow(i, m)") << "its step says what is wrong";
  EXPECT_EQ(now(many), "Pow(x, v)");
}

TEST_F(RewriteArithmetic, makes_nothing_that_its_device_has_no_kernel_for) {
  devices.without = "Square";
  Out x = input("x"), y = b.op("Pow", {x, b.constant(2.0f, "two")}, {}, "y");
  EXPECT_EQ(run({y})["rewritten"], 0);
  EXPECT_EQ(now(y), "Pow(x, two)");
}

TEST_F(RewriteArithmetic, keeps_name_device_and_attrs_of_others) {
  Out x = input("x"), y = b.op("Mul", {x, b.constant(1.0f)}, {{"_mine", int64_t{7}}}, "y");
  elsewhere = {y};
  run({y});
  EXPECT_EQ(node(y).name, "y");
  EXPECT_EQ(node(y).device, 1);
  EXPECT_EQ(node(y).attrs.get_or<int64_t>("_mine", 0), 7);
  EXPECT_THAT(node(y).output_types, ElementsAre(DataType::kFloat));
  EXPECT_THAT(node(y).control_inputs, IsEmpty());
}

}  // namespace
}  // namespace troupe
