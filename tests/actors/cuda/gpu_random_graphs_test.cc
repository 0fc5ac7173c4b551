// Small random graphs, each on a GPU and on the CPU: the results are the same but for rounding.
#include <random>

#include "tests/actors/cuda/gpu_against_cpu.h"

namespace troupe::test {
namespace {

constexpr int32_t kRows = 4, kColumns = 6;
constexpr uint32_t kSeeds = 200;

/// Twelve operations on values of 4 rows of 6 that stay small, some of which are pinned to the CPU.
class RandomGraph {
 public:
  RandomGraph(uint32_t seed, GraphBuilder* b) : random_(seed + 1), b_(*b) {
    values_.push_back(b_.placeholder(DataType::kFloat, {kRows, kColumns}, "x"));
    values_.push_back(b_.placeholder(DataType::kFloat, {kRows, kColumns}, "y"));
    variable_ = b_.variable(random_floats(Shape{kColumns}, seed), "variable");
    b_.init_all();
    for (int i = 0; i < 12; ++i) {
      auto where = b_.device(below(5) == 0 ? "/cpu:0" : "");
      values_.push_back(next());
    }
    b_.identity(values_.back(), "last");
    b_.op("Mean", {values_[values_.size() / 2], b_.constant(Tensor::vector<int32_t>({1}))}, {}, "means");
  }

 private:
  size_t below(size_t n) { return random_() % n; }
  Out any() { return values_[below(2) == 0 ? values_.size() - 1 : below(values_.size())]; }
  std::string one_of(const std::vector<std::string>& ops) { return ops[below(ops.size())]; }

  Out next() {
    switch (below(10)) {
      case 0: return b_.op(one_of({"Tanh", "Sigmoid", "Sin", "Cos", "Erf"}), {any()});
      case 1: return b_.op(one_of({"Relu", "Neg", "Abs", "Identity", "Softplus"}), {any()});
      case 2: return b_.op(one_of({"AddV2", "Sub", "Maximum", "Minimum"}), {any(), any()});
      case 3: return b_.mul(b_.op("Tanh", {any()}), any());
      case 4: return b_.add(any(), b_.read(variable_));
      case 5: return layer();
      case 6: return moved();
      case 7: return reduced();
      case 8: return joined();
      default: return controlled();
    }
  }
  Out layer() {
    const Out weights =
        b_.constant(random_floats(Shape{kColumns, kColumns}, static_cast<uint32_t>(random_()), -0.4F, 0.4F));
    const Out y = b_.bias_add(b_.matmul(any(), weights), b_.read(variable_));
    return below(2) == 0 ? b_.relu(y) : b_.softmax(y);
  }
  Out moved() {
    const Out turn = b_.constant(Tensor::vector<int32_t>({1, 0}));
    const Out turned = b_.op("Transpose", {any(), turn});
    if (below(2) == 0) return b_.reshape(turned, {kRows, kColumns});
    return b_.op("Transpose", {b_.op("Tanh", {turned}), turn});
  }
  Out reduced() {
    const Out axis = b_.constant(Tensor::vector<int32_t>({static_cast<int32_t>(below(2))}));
    return b_.sub(any(), b_.op(one_of({"Mean", "Max", "Min"}), {any(), axis}, {{"keep_dims", true}}));
  }
  Out joined() {
    const auto c = [&](std::initializer_list<int32_t> v) { return b_.constant(Tensor::vector<int32_t>(v)); };
    const auto at = static_cast<int32_t>(1 + below(kRows - 1));
    const Out top = b_.op("Slice", {any(), c({0, 0}), c({at, kColumns})});
    const Out bottom = b_.op("Slice", {any(), c({at, 0}), c({kRows - at, kColumns})});
    return b_.op("ConcatV2", {std::vector<Out>{top, bottom}, b_.constant(int32_t{0})});
  }
  Out controlled() {
    const Out x = any(), y = any();
    if (below(2) == 0) {
      return b_.cond(
          b_.constant(below(2) == 0), [&] { return std::vector<Out>{b_.neg(x)}; },
          [&] { return std::vector<Out>{b_.op("Tanh", {y})}; })[0];
    }
    const auto rounds = static_cast<int32_t>(below(4));
    return b_.while_loop(
        {b_.constant(int32_t{0}), x}, [&](const auto& v) { return b_.less(v[0], b_.constant(rounds)); },
        [&](const auto& v) {
          return std::vector<Out>{b_.add(v[0], b_.constant(int32_t{1})), b_.op("Sin", {b_.add(v[1], y)})};
        })[1];
  }

  std::minstd_rand random_;
  GraphBuilder& b_;
  GraphBuilder::Variable variable_;
  std::vector<Out> values_;
};

class GpuRandomGraphs : public GpuAgainstCpu {};

TEST_F(GpuRandomGraphs, have_the_results_that_they_have_on_the_cpu) {
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    GraphBuilder builder(&ops_of_all());
    RandomGraph random(seed, &builder);
    const auto graph = builder.build();
    ASSERT_TRUE(graph.ok()) << graph.status();
    open_both(*graph);
    ASSERT_TRUE(agree({}, {}, {"init"}));
    for (uint32_t run = 0; run < 2; ++run) {
      const std::vector<NamedTensor> feeds{{"x", random_floats(Shape{kRows, kColumns}, seed + run)},
                                           {"y", random_floats(Shape{kRows, kColumns}, seed + 1000 + run)}};
      EXPECT_TRUE(agree(feeds, {"last", "means"}, {}, 1e-4));
    }
  }
  EXPECT_GT(driver->calls("cuLaunchKernel"), kSeeds);
}

}  // namespace
}  // namespace troupe::test
