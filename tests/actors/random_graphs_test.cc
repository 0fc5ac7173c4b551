// Random graphs, run as they are written and as the passes rewrite them: the results are the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "graph/ir/graph_builder.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

constexpr int64_t kRows = 6, kColumns = 24;

/// Numbers with those among them at which rewritten arithmetic goes wrong.
Tensor sample(const Shape& shape, uint32_t seed) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kSpecial[] = {0.0f,  -0.0f,  kInf, -kInf, std::numeric_limits<float>::quiet_NaN(),
                                1e30f, -1e-30f};
  std::minstd_rand random(seed + 1);
  Tensor t(DataType::kFloat, shape);
  for (float& v : t.flat<float>()) {
    const bool special = random() % 8 == 0;
    v = special ? kSpecial[random() % 7] : static_cast<float>(random() % 4000) / 1000 - 2;
  }
  return t;
}

/// The same bits, but for those of what is no number.
bool is_same(const Tensor& a, const Tensor& b) {
  if (!(a.shape() == b.shape()) || a.dtype() != b.dtype()) return false;
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    const float x = a.flat<float>()[i], y = b.flat<float>()[i];
    if (std::memcmp(&x, &y, sizeof(x)) != 0 && !(std::isnan(x) && std::isnan(y))) return false;
  }
  return true;
}

/// A graph of operations on tensors that broadcast to 6 rows of 24: those that some pass looks at, in all orders.
class RandomGraph {
 public:
  explicit RandomGraph(uint32_t seed) : random_(seed + 1) {
    keep(b_.placeholder(DataType::kFloat, {-1, kColumns}, "x"), true);
    keep(b_.placeholder(DataType::kFloat, {}, "row"), false);
    keep(b_.placeholder(DataType::kFloat, {}, "column"), false);
    for (float c : {0.0f, -0.0f, 1.0f, -1.0f, 2.0f}) keep(b_.constant(c), false);
    bias_ = b_.variable(sample(Shape{kColumns}, seed), "bias");
    b_.init_all("init");
    for (int i = 0; i < 40; ++i) {
      const bool waits = below(6) == 0;
      auto guard = b_.control(waits ? std::vector<Out>{any_node()} : std::vector<Out>{});
      add();
    }
  }

  absl::StatusOr<Graph> build() { return b_.build(); }
  /// The last value and some others.
  std::vector<std::string> fetches() {
    std::vector<std::string> names{name(values_.back().out)};
    for (int i = 0; i < 3; ++i) names.push_back(name(values_[below(values_.size())].out));
    return names;
  }
  /// What a run must be fed, and sometimes a value of the graph's own.
  std::vector<NamedTensor> feeds(const std::vector<std::string>& fetches) {
    std::vector<NamedTensor> out{{"x", sample(Shape{kRows, kColumns}, 1)},
                                 {"row", sample(Shape{kColumns}, 2)},
                                 {"column", sample(Shape{kRows, 1}, 3)}};
    const Value& v = values_[below(values_.size())];
    const bool is_fetched = std::find(fetches.begin(), fetches.end(), name(v.out)) != fetches.end();
    if (below(3) == 0 && v.full && !is_fetched && name(v.out) != "x:0")
      out.emplace_back(name(v.out), sample(Shape{kRows, kColumns}, 4));
    return out;
  }

 private:
  struct Value {
    Out out;
    /// Of 6 rows of 24, and of rank 2, for certain.
    bool full;
  };

  size_t below(size_t n) { return random_() % n; }
  std::string name(Out x) const { return b_.name_of(x) + ":" + std::to_string(x.endpoint().slot); }
  void keep(Out x, bool full) { values_.push_back({x, full}); }
  /// Rather one of the last, so that there are chains.
  Value any() {
    const size_t behind = below(2) == 0 ? below(3) : below(values_.size());
    return values_[values_.size() - 1 - behind];
  }
  Value any_full() {
    for (int tries = 0; tries < 20; ++tries) {
      if (const Value v = any(); v.full) return v;
    }
    return values_[0];
  }
  Out any_node() { return any().out; }

  void add() {
    switch (below(8)) {
      case 0: return keep_unary({"Identity", "StopGradient", "Neg", "Neg"});
      case 1: return keep_unary({"Exp", "Tanh", "Sigmoid", "Relu", "Elu", "Sqrt", "Square", "Abs", "Log1p"});
      case 2: return add_layer();
      case 3: return add_moves();
      case 4: return add_branches();
      default: return add_binary();
    }
  }
  void keep_unary(const std::vector<std::string>& ops) {
    const Value v = any();
    keep(b_.op(ops[below(ops.size())], {v.out}), v.full);
  }
  void add_binary() {
    constexpr const char* kOps[] = {"AddV2",   "Add",     "Sub",     "Mul",      "Mul",
                                    "RealDiv", "Maximum", "Minimum", "DivNoNan", "SquaredDifference"};
    const Value x = any(), y = any();
    keep(b_.op(kOps[below(10)], {x.out, y.out}), x.full || y.full);
  }
  void add_layer() {
    const auto seed = static_cast<uint32_t>(random_());
    Out y = b_.matmul(any_full().out, b_.constant(sample(Shape{kColumns, kColumns}, seed)));
    switch (below(3)) {
      case 0: y = b_.bias_add(y, b_.read(bias_)); break;
      case 1: y = b_.add(y, b_.constant(sample(Shape{kColumns}, seed + 1))); break;
      case 2: y = b_.add(b_.read(bias_), y); break;
    }
    if (below(2) == 0) y = b_.add(y, any_full().out);
    if (below(2) == 0) y = b_.relu(y);
    keep(y, true);
  }
  void add_moves() {
    const Out x = any_full().out;
    if (below(2) == 0) return keep(b_.reshape(b_.reshape(x, {-1, 4}), {-1, kColumns}), true);
    const Out turn = b_.constant(Tensor::vector<int32_t>({1, 0}));
    keep(b_.op("Transpose", {b_.op("Transpose", {x, turn}), turn}), true);
  }
  void add_branches() {
    const Value v = any(), w = any();
    const Out sides = b_.constant(below(2) == 0);
    const std::vector<Out> out = b_.cond(
        sides, [&] { return std::vector<Out>{b_.neg(v.out)}; },
        [&] { return std::vector<Out>{b_.op("Exp", {b_.identity(w.out)})}; });
    keep(out[0], v.full && w.full);
  }

  std::minstd_rand random_;
  GraphBuilder b_;
  GraphBuilder::Variable bias_;
  std::vector<Value> values_;
};

class RandomGraphs : public SessionTest {
 protected:
  absl::StatusOr<std::vector<Tensor>> results(const std::string& config,
                                              const std::vector<NamedTensor>& feeds,
                                              const std::vector<std::string>& fetches) {
    Session& session = open(*SessionOptions::from_config_text(config));
    if (absl::Status ready = session.run({}, {}, {"init"}).status(); !ready.ok()) return ready;
    return session.run(feeds, fetches);
  }
};

TEST_F(RandomGraphs, have_the_results_that_they_have_as_they_are_written) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomGraph random(seed);
    const auto fetches = random.fetches();
    const auto feeds = random.feeds(fetches);
    auto graph = random.build();
    ASSERT_TRUE(graph.ok()) << graph.status();
    graph_ = *std::move(graph);
    const auto written = results("graph_options { optimizer_options { opt_level: L0 } }", feeds, fetches);
    const auto rewritten = results("", feeds, fetches);
    ASSERT_TRUE(written.ok()) << written.status();
    ASSERT_TRUE(rewritten.ok()) << rewritten.status();
    for (size_t i = 0; i < fetches.size(); ++i)
      ASSERT_TRUE(is_same(rewritten->at(i), written->at(i))) << fetches[i];
  }
}

}  // namespace
}  // namespace troupe::test
