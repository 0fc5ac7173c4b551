// Gradients that are computed in the body of a loop, of one iteration.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "actors/runtime.h"
#include "actors/session.h"
#include "graph/gradients/gradients.h"
#include "graph/ir/graph_builder.h"
#include "graph/status.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;
using Vars = std::vector<Out>;

/// A number and its derivative.
struct Dual {
  double value = 0, slope = 0;
};
Dual operator*(Dual a, Dual b) { return {a.value * b.value, a.slope * b.value + a.value * b.slope}; }
Dual sin(Dual a) { return {std::sin(a.value), a.slope * std::cos(a.value)}; }
Dual exp(Dual a) { return {std::exp(a.value), a.slope * std::exp(a.value)}; }

/// a <- sin(a * w), three times.
Dual three_sines(Dual a, Dual w) {
  for (int i = 0; i < 3; ++i) a = sin(a * w);
  return a;
}

/// A loop that counts from 0 to `times` beside its variables.
Vars repeat(GraphBuilder& b, int times, Vars init, const std::function<Vars(const Vars&)>& body,
            const std::string& name) {
  init.insert(init.begin(), b.constant(0));
  Vars all = b.while_loop(
      init, [&](const Vars& v) { return b.less(v[0], b.constant(times)); },
      [&](const Vars& v) {
        Vars next = body({v.begin() + 1, v.end()});
        next.insert(next.begin(), b.add(v[0], b.constant(1)));
        return next;
      },
      name);
  if (!all.empty()) all.erase(all.begin());
  return all;
}

Out three_sines(GraphBuilder& b, Out a, Out w, const std::string& name = "inner") {
  return repeat(
      b, 3, {a}, [&](const Vars& v) { return Vars{b.op("Sin", {b.mul(v[0], w)})}; }, name)[0];
}

constexpr double kX = 0.5, kW = 0.8;

/// A graph with inputs x and w and a loop of two iterations, v <- v + dy/dz from v = x, where y and z are what `body` makes of v.
class LoopBodyGradients : public testing::Test {
 protected:
  struct Wanted {
    Out y, z;
  };
  using Body = std::function<Wanted(Out v)>;

  /// v + what will be the gradient.
  Out step(Out v, const Wanted& wanted) {
    wanted_ = wanted;
    sum_ = b_.add(v, b_.op("Identity", {v}));
    return sum_;
  }
  void make(const Body& body) {
    v_ = repeat(
        b_, 2, {x_}, [&](const Vars& v) { return Vars{step(v[0], body(v[0]))}; }, "outer")[0];
  }
  /// After the loop is made.
  absl::Status add() {
    TROUPE_ASSIGN_OR_RETURN(graph_, b_.build());
    const Endpoint y = wanted_.y.endpoint(), z = wanted_.z.endpoint();
    std::vector<Endpoint> dz;
    TROUPE_RETURN_IF_ERROR(add_gradients(&graph_, {}, {&y, 1}, {&z, 1}, {}, &dz));
    graph_.node(sum_.endpoint().node).inputs[1] = dz[0];
    return absl::OkStatus();
  }
  absl::StatusOr<double> run(double x = kX, const std::string& fetch = "") {
    if (session_ == nullptr) {
      TROUPE_ASSIGN_OR_RETURN(session_, Session::open());
      v_name_ = graph_.node(v_.endpoint().node).name;
      TROUPE_RETURN_IF_ERROR(session_->create(std::move(graph_)));
    }
    TROUPE_ASSIGN_OR_RETURN(const std::vector<Tensor> out, session_->run({{"x", Tensor::scalar<double>(x)},
                                                                          {"w", Tensor::scalar<double>(kW)}},
                                                                         {fetch.empty() ? v_name_ : fetch}));
    return out[0].value<double>();
  }
  void expect(const std::function<double(double)>& slope, int times = 2) {
    const absl::Status added = add();
    ASSERT_TRUE(added.ok()) << added;
    const auto got = run();
    ASSERT_TRUE(got.ok()) << got.status();
    double want = kX;
    for (int i = 0; i < times; ++i) want += slope(want);
    EXPECT_NEAR(*got, want, 1e-12);
  }

  GraphBuilder b_;
  const Out x_ = b_.placeholder(DataType::kDouble, {}, "x");
  const Out w_ = b_.placeholder(DataType::kDouble, {}, "w");
  Out v_, sum_;
  Wanted wanted_;
  Graph graph_;
  std::unique_ptr<Session> session_;
  std::string v_name_;
};

TEST_F(LoopBodyGradients, are_of_one_iteration) {
  make([&](Out v) { return Wanted{b_.op("Sin", {b_.mul(v, v)}), v}; });
  expect([](double v) { return 2 * v * std::cos(v * v); });
}

TEST_F(LoopBodyGradients, go_through_loops_in_the_body) {
  make([&](Out v) { return Wanted{three_sines(b_, v, w_), v}; });
  expect([](double v) { return three_sines({v, 1}, {kW, 0}).slope; });
}

TEST_F(LoopBodyGradients, go_to_what_the_loop_does_not_change) {
  make([&](Out v) { return Wanted{three_sines(b_, v, w_), w_}; });
  expect([](double v) { return three_sines({v, 0}, {kW, 1}).slope; });
}

TEST_F(LoopBodyGradients, go_on_through_ops_and_loops_around) {
  const Out around = three_sines(b_, b_.op("Exp", {w_}), w_, "around");
  make([&](Out v) { return Wanted{b_.mul(three_sines(b_, v, around), w_), w_}; });
  expect([](double v) {
    const Dual w{kW, 1};
    return (three_sines({v, 0}, three_sines(exp(w), w)) * w).slope;
  });
}

TEST_F(LoopBodyGradients, go_through_all_loops_around) {
  v_ = repeat(
      b_, 2, {x_},
      [&](const Vars& outer) {
        const Out twice = b_.mul(outer[0], w_);
        return repeat(
            b_, 2, {outer[0]},
            [&](const Vars& v) {
              return Vars{step(v[0], {b_.mul(three_sines(b_, v[0], twice), w_), w_})};
            },
            "middle");
      },
      "outer")[0];
  ASSERT_TRUE(add().ok());
  double want = kX;
  for (int i = 0; i < 2; ++i) {
    const Dual w{kW, 1}, twice = Dual{want, 0} * w;
    for (int j = 0; j < 2; ++j) want += (three_sines({want, 0}, twice) * w).slope;
  }
  const auto got = run();
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_NEAR(*got, want, 1e-12);
}

TEST_F(LoopBodyGradients, go_through_conditionals_with_loops_in_the_body) {
  make([&](Out v) {
    const Out small = b_.less(v, b_.constant(1.0));
    return Wanted{
        b_.cond(
            small, [&] { return Vars{three_sines(b_, v, w_)}; }, [&] { return Vars{b_.mul(v, v)}; })[0],
        v};
  });
  expect([](double v) { return v < 1 ? three_sines({v, 1}, {kW, 0}).slope : 2 * v; });
}

TEST_F(LoopBodyGradients, are_differentiated_like_all_else) {
  make([&](Out v) { return Wanted{three_sines(b_, v, w_), v}; });
  ASSERT_TRUE(add().ok());
  const Endpoint y = v_.endpoint(), x = x_.endpoint();
  std::vector<Endpoint> dx;
  const absl::Status added = add_gradients(&graph_, {}, {&y, 1}, {&x, 1}, {}, &dx);
  ASSERT_TRUE(added.ok()) << added;
  const auto slope = run(kX, graph_.node(dx[0].node).name + ":" + std::to_string(dx[0].slot));
  ASSERT_TRUE(slope.ok()) << slope.status();
  constexpr double kStep = 1e-5;
  EXPECT_NEAR(*slope, (*run(kX + kStep) - *run(kX - kStep)) / (2 * kStep), 1e-6);
}

TEST_F(LoopBodyGradients, do_not_go_to_other_iterations) {
  make([&](Out v) { return Wanted{b_.mul(b_.op("Sin", {v}), x_), x_}; });
  const absl::Status refused = add();
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  EXPECT_THAT(
      std::string(refused.message()),
      HasSubstr(
          "Cannot compute gradient inside while loop with respect to op 'x'. We do not support taking the "
          "gradient wrt or through the initial value of a loop variable."));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("The loop is 'outer'"));
}

TEST_F(LoopBodyGradients, may_stop_before_other_iterations) {
  make([&](Out v) { return Wanted{b_.mul(b_.op("StopGradient", {b_.op("Sin", {v})}), x_), x_}; });
  expect([](double v) { return std::sin(v); });
}

TEST_F(LoopBodyGradients, are_of_outputs_in_one_loop) {
  make([&](Out v) { return Wanted{b_.op("Sin", {v}), v}; });
  ASSERT_TRUE(add().ok());
  const std::vector<Endpoint> y{v_.endpoint(), wanted_.y.endpoint()};
  const Endpoint x = x_.endpoint();
  std::vector<Endpoint> dx;
  const int before = graph_.num_ids();
  const absl::Status refused = add_gradients(&graph_, {}, y, {&x, 1}, {}, &dx);
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("in different loops: "));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("' is in no loop, '"));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("' is in loop 'outer'"));
  EXPECT_EQ(graph_.num_ids(), before);
}

TEST_F(LoopBodyGradients, take_weights_from_around) {
  make([&](Out v) { return Wanted{three_sines(b_, v, w_), v}; });
  auto built = b_.build();
  ASSERT_TRUE(built.ok()) << built.status();
  graph_ = *std::move(built);
  const Endpoint y = wanted_.y.endpoint(), z = wanted_.z.endpoint(), weight = w_.endpoint();
  std::vector<Endpoint> dz;
  const absl::Status added = add_gradients(&graph_, {}, {&y, 1}, {&z, 1}, {&weight, 1}, &dz);
  ASSERT_TRUE(added.ok()) << added;
  graph_.node(sum_.endpoint().node).inputs[1] = dz[0];
  double want = kX;
  for (int i = 0; i < 2; ++i) want += kW * three_sines({want, 1}, {kW, 0}).slope;
  const auto got = run();
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_NEAR(*got, want, 1e-12);
}

}  // namespace
}  // namespace troupe::test
