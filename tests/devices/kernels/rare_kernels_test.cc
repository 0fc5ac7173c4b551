// Ops that few graphs have: convolutions of any rank, coordinate ascent, matrices out of checkpoints, composite values, sparse
// factors, summaries for debuggers. The numbers are TensorFlow 2.21's for the same inputs.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "graph/ops/op_registry.h"
#include "graph/tensor/resource_handle.h"
#include "graph/tensor/variant.h"
#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor ramp(const Shape& shape, float step) {
  Tensor t(DataType::kFloat, shape);
  float next = 0;
  for (float& v : t.flat<float>()) v = step * next++;
  return t;
}

/// Without the node, which errors of attrs name.
std::string message_of(const absl::StatusOr<std::vector<Tensor>>& result) {
  const std::string text(result.status().message());
  return text.substr(0, text.find("\n\t [["));
}

AttrMap conv_attrs(std::vector<int64_t> strides, int64_t batch_dims = 1, int64_t groups = 1) {
  return {
      {"strides", std::move(strides)}, {"padding", "VALID"}, {"batch_dims", batch_dims}, {"groups", groups}};
}

TEST(Conv, is_that_of_images_and_volumes) {
  const Tensor image = ramp({2, 3, 4, 2}, 1), filter = ramp({2, 2, 2, 3}, 0.5f);
  auto want = run_kernel("Conv2D", {image, filter},
                         {{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", "VALID"}});
  auto got = run_kernel("Conv", {image, filter}, conv_attrs({1, 1, 1, 1}));
  ASSERT_TRUE(want.ok() && got.ok()) << got.status();
  EXPECT_TRUE(tensors_near(got->at(0), want->at(0)));
  const Tensor volume = ramp({1, 2, 3, 4, 2}, 1), box = ramp({2, 1, 2, 2, 3}, 0.5f);
  want = run_kernel("Conv3D", {volume, box},
                    {{"strides", std::vector<int64_t>{1, 1, 2, 1, 1}}, {"padding", "VALID"}});
  got = run_kernel("Conv", {volume, box}, conv_attrs({1, 1, 2, 1, 1}));
  ASSERT_TRUE(want.ok() && got.ok()) << got.status();
  EXPECT_TRUE(tensors_near(got->at(0), want->at(0)));
}

TEST(Conv, has_any_number_of_batch_dimensions) {
  const Tensor filter = ramp({2, 2, 2, 3}, 0.5f);
  auto flat = run_kernel("Conv", {ramp({6, 3, 4, 2}, 1), filter}, conv_attrs({1, 1, 1, 1}));
  auto nested = run_kernel("Conv", {ramp({2, 3, 3, 4, 2}, 1), filter}, conv_attrs({1, 1, 1, 1}, 2));
  ASSERT_TRUE(nested.ok()) << nested.status();
  EXPECT_EQ(nested->at(0).shape(), (Shape{2, 3, 2, 3, 3}));
  EXPECT_TRUE(tensors_near(nested->at(0).reshaped({6, 2, 3, 3}), flat->at(0)));
  auto single = run_kernel("Conv", {ramp({3, 4, 2}, 1), filter}, conv_attrs({1, 1, 1, 1}, 0));
  ASSERT_TRUE(single.ok()) << single.status();
  EXPECT_EQ(single->at(0).shape(), (Shape{2, 3, 3}));
}

TEST(Conv, convolves_groups_of_channels) {
  // Two groups of one channel: each has a filter of its own.
  auto out = run_kernel(
      "Conv",
      {Tensor::from<int32_t>({1, 1, 2, 2}, {1, 2, 3, 4}), Tensor::from<int32_t>({1, 1, 1, 2}, {10, 100})},
      conv_attrs({1, 1, 1, 1}, 1, 2));
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<int32_t>(), ElementsAre(10, 200, 30, 400));
}

TEST(Conv, refuses_what_does_not_fit) {
  const Tensor image = ramp({2, 4, 5, 4}, 1);
  EXPECT_EQ(message_of(run_kernel("Conv", {image, ramp({3, 2, 2, 4}, 1)}, conv_attrs({1, 1, 1, 1}))),
            "Input depth must be equal to filter depth: 4 vs 2");
  EXPECT_EQ(message_of(run_kernel("Conv", {image, ramp({3, 2, 4}, 1)}, conv_attrs({1, 1, 1, 1}))),
            "The filter must be rank 4 or 5 but got 3");
  EXPECT_EQ(message_of(run_kernel("Conv", {image, ramp({3, 2, 4, 4}, 1)}, conv_attrs({1, 1, 1, 1}, 2))),
            "The input must have 2 or 3 spatial dimensions but got 1");
  EXPECT_EQ(message_of(run_kernel("Conv", {image, ramp({3, 2, 4, 4}, 1)}, conv_attrs({1, 1}))),
            "Sliding window strides field must specify 4 dimensions");
  EXPECT_THAT(message_of(run_kernel("Conv", {image, ramp({0, 2, 4, 4}, 1)}, conv_attrs({1, 1, 1, 1}))),
              HasSubstr("filter must not have zero elements"));
}

/// One example with two sparse and two dense features.
absl::StatusOr<std::vector<Tensor>> ascend(const std::string& loss, float label, std::vector<float> state,
                                           int64_t partitions = 1, float weight = 1,
                                           std::vector<int64_t> features = {2, 5}) {
  const int64_t count = static_cast<int64_t>(features.size());
  return run_kernel(
      "SdcaOptimizerV2",
      {Tensor::vector<int64_t>({0, 0}), Tensor::from<int64_t>({count}, std::span<const int64_t>(features)),
       Tensor::vector<float>({1.5f, -2}), Tensor::from<float>({1, 2}, {1, 2}),
       Tensor::vector<float>({weight}), Tensor::vector<float>({label}), Tensor::vector<int64_t>({2, 5}),
       Tensor::vector<float>({.3f, -.1f}), Tensor::vector<float>({.2f, .4f}),
       Tensor::from<float>({1, static_cast<int64_t>(state.size())}, std::span<const float>(state))},
      {{"loss_type", loss},
       {"num_sparse_features", int64_t{1}},
       {"num_sparse_features_with_values", int64_t{1}},
       {"num_dense_features", int64_t{1}},
       {"l1", 0.1f},
       {"l2", 1.0f},
       {"num_loss_partitions", partitions},
       {"num_inner_iterations", int64_t{1}}});
}

TEST(Sdca, moves_weights_against_each_loss) {
  const struct {
    const char* loss;
    float label;
    float dual, primal, delta;
  } kCases[] = {
      {"logistic_loss", 1, 0.103252783f, 0.313261658f, 0.154879168f},
      {"logistic_loss", 0, -0.207828164f, 1.31326175f, -0.311742246f},
      {"squared_loss", 0, -0.0816326588f, 0.500000060f, -0.122448988f},
      {"hinge_loss", 0, -0.177777782f, 2.0f, -0.266666681f},
      {"smooth_hinge_loss", 0, -0.163265318f, 1.50000012f, -0.244897902f},
      {"poisson_loss", 1, -0.0818923041f, 1.71828198f, -0.122838460f},
      {"poisson_loss", 0, -0.222481146f, 2.71828198f, -0.333721727f},
  };
  for (const auto& c : kCases) {
    auto out = ascend(c.loss, c.label, {0, 0, 0, 0});
    ASSERT_TRUE(out.ok()) << out.status();
    const auto state = out->at(0).flat<float>();
    EXPECT_NEAR(state[0], c.dual, 1e-6) << c.loss;
    EXPECT_NEAR(state[1], c.primal, 1e-6) << c.loss;
    EXPECT_EQ(state[3], 1) << c.loss;
    EXPECT_NEAR(out->at(1).flat<float>()[0], c.delta, 1e-6) << c.loss;
    EXPECT_NEAR(out->at(2).flat<float>()[1], 2 * c.dual, 1e-6) << c.loss;
  }
}

TEST(Sdca, goes_on_from_a_state_with_partitions_and_weights) {
  auto out = ascend("logistic_loss", 1, {.25f, 1, 2, 3}, 3, 2);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(
      tensors_near(out->at(0), Tensor::from<float>({1, 4}, {0.251354128f, 0.626523316f, -1.12467027f, 2})));
  EXPECT_TRUE(tensors_near(out->at(1), Tensor::vector<float>({0.00406236574f, -0.00541648734f})));
  out = ascend("poisson_loss", 1, {.25f, 1, 2, 3}, 3, 2);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(
      tensors_near(out->at(0), Tensor::from<float>({1, 4}, {0.231288299f, 3.43656397f, -1.93152308f, 2})));
}

TEST(Sdca, refuses_wrong_examples) {
  EXPECT_EQ(message_of(ascend("logistic_loss", .5f, {0, 0, 0, 0})),
            "Only labels of 0.0 or 1.0 are supported right now. Found example with label: 0.5");
  EXPECT_THAT(message_of(ascend("poisson_loss", -1, {0, 0, 0, 0})), HasSubstr("Only non-negative labels"));
  EXPECT_EQ(message_of(ascend("squared_loss", 1, {0, 0, 0})),
            "Expected shape [1,4] for example_state_data, got [1,3]");
  EXPECT_EQ(message_of(ascend("squared_loss", 1, {0, 0, 0, 0}, 1, 1, {2, 2})),
            "Duplicate index in sparse vector.");
  EXPECT_EQ(message_of(ascend("squared_loss", 1, {0, 0, 0, 0}, 1, 1, {2, 7})),
            "Found sparse feature indices out of valid range: 7");
  EXPECT_THAT(message_of(ascend("squared_loss", 1, {0, 0, 0, 0}, 1, 1, {2})),
              HasSubstr("Found mismatched example_indices and feature_indices"));
}

TEST(Sdca, prints_fingers_of_any_length) {
  auto print = [](const std::string& s) {
    Tensor in(DataType::kString, Shape{1});
    in.flat<TString>()[0].assign(s);
    return run_kernel("SdcaFprint", {in})->at(0);
  };
  auto text = [](int n) {
    std::string s;
    for (int i = 0; i < n; ++i) s += static_cast<char>((i * 7 + n) % 251);
    return s;
  };
  EXPECT_THAT(print("abc").flat<int64_t>(), ElementsAre(4143508125394299908, -6879828354153669051));
  EXPECT_THAT(print("").flat<int64_t>(), ElementsAre(4463240938071824939, 4374473821787594281));
  EXPECT_THAT(print(text(16)).flat<int64_t>(), ElementsAre(-143878671975529173, -1001422539681817232));
  EXPECT_THAT(print(text(33)).flat<int64_t>(), ElementsAre(7857404423184014609, -519618524723518248));
  EXPECT_THAT(print(text(300)).flat<int64_t>(), ElementsAre(4393927632115293758, -7610244557406730863));
  EXPECT_FALSE(run_kernel("SdcaFprint", {Tensor::string_scalar("abc")}).ok());
}

class RemapTest : public testing::Test {
 protected:
  void SetUp() override {
    prefix_ = testing::TempDir() + "/remap";
    auto names = [](const char* s) {
      Tensor t(DataType::kString, Shape{1});
      t.flat<TString>()[0].assign(s);
      return t;
    };
    auto saved =
        run_kernel("SaveV2", {Tensor::string_scalar(prefix_), names("w"), names(""), ramp({4, 3}, 1)});
    ASSERT_TRUE(saved.ok()) << saved.status();
  }
  absl::StatusOr<std::vector<Tensor>> load(std::vector<int64_t> rows, std::vector<int64_t> cols,
                                           std::vector<float> fresh, int64_t max_rows = -1,
                                           const char* name = "w") {
    auto ints = [](const std::vector<int64_t>& v) {
      return Tensor::from<int64_t>({static_cast<int64_t>(v.size())}, std::span<const int64_t>(v));
    };
    return run_kernel(
        "LoadAndRemapMatrix",
        {Tensor::string_scalar(prefix_), Tensor::string_scalar(name), ints(rows), ints(cols),
         Tensor::from<float>({static_cast<int64_t>(fresh.size())}, std::span<const float>(fresh))},
        {{"num_rows", static_cast<int64_t>(rows.size())},
         {"num_cols", int64_t{3}},
         {"max_rows_in_memory", max_rows}});
  }
  std::string prefix_;
};

TEST_F(RemapTest, moves_rows_and_columns_and_fills_gaps) {
  for (int64_t max_rows : {-1, 1, 2, 3}) {
    auto out = load({3, -1, 0}, {2, -1, 0}, {9, 8, 7, 6, 5}, max_rows);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_THAT(out->at(0).flat<float>(), ElementsAre(11, 9, 9, 8, 7, 6, 2, 5, 0)) << max_rows;
  }
  EXPECT_THAT(load({2, 1}, {}, {})->at(0).flat<float>(), ElementsAre(6, 7, 8, 3, 4, 5));
}

TEST_F(RemapTest, refuses_what_is_not_there) {
  EXPECT_EQ(message_of(load({3, -1}, {}, {1, 2})),
            "initializing_values contained 2 elements, but more missing values remain.");
  EXPECT_EQ(
      message_of(load({3}, {}, {1})),
      "initializing_values contained 1 elements, but only 0 elements were used to fill in missing values.");
  EXPECT_EQ(load({0, 0}, {}, {}).status(),
            absl::UnimplementedError("Old ID 0 is mapped to both new ID 0 and 1, which is not supported."));
  EXPECT_THAT(message_of(load({4}, {}, {})), HasSubstr("out of bounds"));
  EXPECT_THAT(message_of(load({0}, {3, 0, 1}, {})), HasSubstr("out of bounds"));
  EXPECT_THAT(message_of(load({0}, {0}, {})), HasSubstr("Provided col_remapping, but its size is 1"));
  EXPECT_EQ(load({0}, {}, {}, -1, "v").status().code(), absl::StatusCode::kNotFound);
}

TEST(Composite, keeps_parts_of_one_kind) {
  const std::string ragged("\n\x02\x08\x03", 4), sparse("\n\x02\x08\x01", 4);
  const AttrMap types{{"Tcomponents", std::vector<DataType>{DataType::kInt32, DataType::kFloat}}};
  auto with = [&](const std::string& metadata, AttrMap attrs) {
    attrs.set("metadata", metadata);
    return attrs;
  };
  auto whole = run_kernel("CompositeTensorVariantFromComponents",
                          {Tensor::vector<int32_t>({1, 2}), Tensor::scalar(3.0f)}, with(ragged, types));
  ASSERT_TRUE(whole.ok()) << whole.status();
  auto parts = run_kernel("CompositeTensorVariantToComponents", {whole->at(0)}, with(ragged, types));
  ASSERT_TRUE(parts.ok()) << parts.status();
  EXPECT_THAT(parts->at(0).flat<int32_t>(), ElementsAre(1, 2));
  EXPECT_EQ(parts->at(1).value<float>(), 3);
  auto refused = [&](const std::string& metadata, std::vector<DataType> wanted) {
    return message_of(run_kernel("CompositeTensorVariantToComponents", {whole->at(0)},
                                 with(metadata, {{"Tcomponents", std::move(wanted)}})));
  };
  EXPECT_THAT(refused(sparse, {DataType::kInt32, DataType::kFloat}),
              HasSubstr("Expected a SPARSE_TENSOR_SPEC (based on `type_spec`), but `encoded` contains a "
                        "RAGGED_TENSOR_SPEC"));
  EXPECT_EQ(refused(ragged, {DataType::kInt32}),
            "Encoded value has 2 tensor components; expected 1 components based on type_spec");
  EXPECT_EQ(refused(ragged, {DataType::kInt32, DataType::kInt32}),
            "Tensor component 1 had dtype DT_FLOAT; expected dtype DT_INT32");
  EXPECT_EQ(refused("\xff\xff", {DataType::kInt32}), "Error parsing `metadata`");
}

TEST(Handles, say_whether_they_hold_their_resource) {
  KernelHarness harness;
  auto table = harness.run("AnonymousMutableHashTable", {},
                           {{"key_dtype", DataType::kInt64}, {"value_dtype", DataType::kInt64}});
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_TRUE(harness.run("IsResourceHandleRefCounting", {table->at(0)})->at(0).value<bool>());
  auto weak = harness.run("MakeWeakResourceHandle", {table->at(0)});
  ASSERT_TRUE(weak.ok()) << weak.status();
  EXPECT_FALSE(harness.run("IsResourceHandleRefCounting", {weak->at(0)})->at(0).value<bool>());
  EXPECT_THAT(message_of(harness.run("DisableCopyOnRead", {table->at(0)})),
              HasSubstr("Could not find variable"));
}

const AttrMap kFloatType{{"type", DataType::kFloat}};

Tensor csr(const Tensor& dense) {
  const auto values = dense.flat<float>();
  std::vector<int64_t> at;
  for (int64_t i = 0; i < dense.num_elements(); ++i) {
    if (values[static_cast<size_t>(i)] == 0) continue;
    at.push_back(i / dense.dim(1));
    at.push_back(i % dense.dim(1));
  }
  return run_kernel("DenseToCSRSparseMatrix",
                    {dense, Tensor::from<int64_t>({static_cast<int64_t>(at.size() / 2), 2},
                                                  std::span<const int64_t>(at))})
      ->at(0);
}

const Tensor& band() {
  static const Tensor m = Tensor::from<float>({4, 4}, {4, 1, 0, 0, 1, 5, 2, 0, 0, 2, 6, 1, 0, 0, 1, 3});
  return m;
}

TEST(SparseCholesky, orders_for_little_fill) {
  EXPECT_THAT(run_kernel("SparseMatrixOrderingAMD", {csr(band())})->at(0).flat<int32_t>(),
              ElementsAre(0, 3, 1, 2));
  Tensor arrow = zeros(DataType::kFloat, Shape{6, 6});
  for (size_t i = 0; i < 6; ++i)
    arrow.flat<float>()[i] = arrow.flat<float>()[6 * i] = 1, arrow.flat<float>()[7 * i] = 10;
  EXPECT_THAT(run_kernel("SparseMatrixOrderingAMD", {csr(arrow)})->at(0).flat<int32_t>(),
              ElementsAre(1, 2, 3, 4, 5, 0));
}

TEST(SparseCholesky, factors_in_the_order_given) {
  auto out = run_kernel("SparseMatrixSparseCholesky", {csr(band()), Tensor::vector<int32_t>({3, 1, 0, 2})},
                        kFloatType);
  ASSERT_TRUE(out.ok()) << out.status();
  const Tensor dense = run_kernel("CSRSparseMatrixToDense", {out->at(0)}, kFloatType)->at(0);
  EXPECT_TRUE(tensors_near(
      dense, Tensor::from<float>({4, 4}, {1.7320508f, 0, 0, 0, 0, 2.236068f, 0, 0, 0, 0.4472136f, 1.9493588f,
                                          0, 0.57735026f, 0.8944272f, -0.20519567f, 2.1964884f})));
  EXPECT_EQ(run_kernel("SparseMatrixNNZ", {out->at(0)})->at(0).value<int32_t>(), 8);
}

TEST(SparseCholesky, refuses_what_has_no_factor) {
  auto message = [](const Tensor& m, std::initializer_list<int32_t> order) {
    return message_of(
        run_kernel("SparseMatrixSparseCholesky", {csr(m), Tensor::vector<int32_t>(order)}, kFloatType));
  };
  const Tensor negative = Tensor::from<float>({2, 2}, {-1, 0, 0, 1});
  EXPECT_THAT(message(negative, {0, 1}),
              HasSubstr("Sparse Cholesky factorization failed for batch index 0."));
  EXPECT_THAT(message(band(), {0, 1, 2}), HasSubstr("permutation must have shape [4]"));
  EXPECT_THAT(message(band(), {0, 1, 2, 4}), HasSubstr("permutation must name each row once"));
  EXPECT_THAT(message(band(), {0, 0, 1, 1}), HasSubstr("permutation must name each row once"));
  EXPECT_THAT(message(ramp({2, 3}, 1), {0, 1}), HasSubstr("must be square"));
}

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

const Tensor& odd_values() {
  static const Tensor t = Tensor::vector<float>({-kInf, -2, 0, -0.0f, 3, kNan, kInf, 1.5f});
  return t;
}

TEST(NumericSummary, counts_and_measures) {
  auto out = run_kernel("DebugNumericSummary", {odd_values()});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(
      tensors_near(out->at(0), Tensor::vector<double>({1, 8, 1, 1, 1, 2, 2, 1, -2, 3, .5, 2.8, 1, 1, 8})));
  out = run_kernel("DebugNumericSummary", {odd_values()}, {{"lower_bound", -1.0f}, {"upper_bound", 2.0f}});
  EXPECT_TRUE(
      tensors_near(out->at(0), Tensor::vector<double>({1, 8, 1, 2, 0, 2, 1, 2, -2, 3, .5, 2.8, 1, 1, 8})));
  const double inf = kInf, nan = kNan;
  out = run_kernel("DebugNumericSummary", {Tensor(DataType::kFloat, Shape{0, 3})});
  EXPECT_TRUE(tensors_near(
      out->at(0), Tensor::vector<double>({1, 0, 0, 0, 0, 0, 0, 0, inf, -inf, nan, nan, 1, 2, 0, 3})));
}

TEST(NumericSummary, tells_what_each_mode_asks_for) {
  auto summary = [](const Tensor& in, int64_t mode, int64_t id = 17) {
    return run_kernel("DebugNumericSummaryV2", {in}, {{"tensor_debug_mode", mode}, {"tensor_id", id}});
  };
  auto values = [&](const Tensor& in, int64_t mode) { return summary(in, mode)->at(0); };
  EXPECT_THAT(values(odd_values(), 2).flat<float>(), ElementsAre(17, 1));
  EXPECT_THAT(values(odd_values(), 3).flat<float>(), ElementsAre(17, 8, 1, 1, 1));
  EXPECT_THAT(values(odd_values(), 4).flat<float>(), ElementsAre(17, -1, 1, 1, 8, 1, 1, 1, 1, 2, 2));
  EXPECT_THAT(values(zeros(DataType::kFloat, Shape{1, 2, 3, 4, 5, 6, 7, 2}), 5).flat<float>(),
              ElementsAre(17, 1, 8, 10080, 3, 4, 5, 6, 7, 2));
  EXPECT_THAT(values(Tensor::from<int32_t>({2, 2}, {1, -2, 0, 7}), 5).flat<float>(),
              ElementsAre(17, 3, 2, 4, 2, 2, 0, 0, 0, 0));
  EXPECT_TRUE(tensors_near(values(odd_values(), 8), Tensor::vector<float>({-kInf, kInf, kNan})));
  EXPECT_THAT(values(Tensor::vector<float>({1}), 8).flat<float>(), ElementsAre(0, 0, 0));
  EXPECT_EQ(summary(odd_values(), 7).status(),
            absl::UnimplementedError("Unimplemented tensor debug mode: 7"));
  EXPECT_THAT(message_of(summary(odd_values(), 2, int64_t{1} << 25)),
              HasSubstr("less than or equal to (2^24)"));
}

TEST(CustomAggregator, counts_in_bins_of_a_power_of_two) {
  const Tensor in = Tensor::vector<float>({-3.5f, -1, 0, 2, 7.25f, 7.25f});
  AttrMap attrs{{"id", "a"}, {"calibration_method", int64_t{1}}, {"num_bins", int64_t{4}}};
  auto out = run_kernel("CustomAggregator", {in}, attrs);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), in, 0, 0));
  EXPECT_EQ(out->at(1).value<float>(), -3.5f);
  EXPECT_EQ(out->at(2).value<float>(), 7.25f);
  EXPECT_THAT(out->at(3).flat<int64_t>(), ElementsAre(2, 2, 2, 0));
  out = run_kernel("CustomAggregator", {Tensor::vector<float>({kInf, 1})}, attrs);
  EXPECT_THAT(out->at(3).flat<int64_t>(), ElementsAre(2, 0, 0, 0));
  out = run_kernel("CustomAggregator", {Tensor::vector<float>({})}, attrs);
  EXPECT_EQ(out->at(1).value<float>(), kInf);
  attrs.set("calibration_method", int64_t{0});
  out = run_kernel("CustomAggregator", {in}, attrs);
  EXPECT_EQ(out.status().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(message_of(out), "The calibration method must be specified.");
}

TEST(UnaryOps, run_in_a_row) {
  auto compose = [](std::vector<std::string> ops) {
    return run_kernel("_UnaryOpsComposition", {Tensor::vector<double>({4, -9})},
                      {{"op_names", std::move(ops)}});
  };
  auto out = compose({"Abs", "Sqrt", "Neg"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<double>(), ElementsAre(-2, -3));
  EXPECT_EQ(message_of(compose({})), "Unary op composition must have at least one op");
  EXPECT_EQ(message_of(compose({"Abs", "Sign"})), "Do not have a compute function registered for op: Sign");
  EXPECT_EQ(message_of(run_kernel("_UnaryOpsComposition", {zeros(DataType::kHalf, Shape{1})},
                                  {{"op_names", std::vector<std::string>{"Tan"}}})),
            "Do not have a compute function registered for op: Tan");
}

TEST(ApproxTopK, is_exact) {
  const Tensor in = Tensor::from<float>({2, 8}, {3, 1, 4, 1, 5, 9, 2, 6, 2, 7, 1, 8, 2, 8, 1, 8});
  auto out = run_kernel("ApproxTopK", {in}, {{"k", int64_t{3}}, {"recall_target", 0.5f}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<float>(), ElementsAre(9, 6, 5, 8, 8, 8));
  EXPECT_THAT(out->at(1).flat<int32_t>(), ElementsAre(5, 7, 4, 3, 5, 7));
}

TEST(ApproxTopK, finds_the_smallest_of_any_axis) {
  const Tensor in = Tensor::from<float>({2, 3, 2}, {3, 1, 4, 1, 5, 9, 2, 6, 2, 7, 1, 8});
  AttrMap attrs = {{"k", int64_t{2}}, {"reduction_dimension", int64_t{1}}, {"is_max_k", false}};
  auto smallest = run_kernel("ApproxTopK", {in}, attrs);
  ASSERT_TRUE(smallest.ok()) << smallest.status();
  EXPECT_EQ(smallest->at(0).shape(), (Shape{2, 2, 2}));
  EXPECT_THAT(smallest->at(0).flat<float>(), ElementsAre(3, 1, 4, 1, 1, 6, 2, 7));
  EXPECT_THAT(smallest->at(1).flat<int32_t>(), ElementsAre(0, 0, 1, 1, 2, 0, 0, 1));
  attrs.set("reduction_dimension", int64_t{-3});
  attrs.set("is_max_k", true);
  attrs.set("k", int64_t{1});
  attrs.set("aggregate_to_topk", false);
  auto largest = run_kernel("ApproxTopK", {in}, attrs);
  ASSERT_TRUE(largest.ok()) << largest.status();
  EXPECT_THAT(largest->at(0).flat<float>(), ElementsAre(3, 6, 4, 7, 5, 9));
  attrs.set("reduction_dimension", int64_t{3});
  EXPECT_EQ(message_of(run_kernel("ApproxTopK", {in}, attrs)),
            "Invalid reduction dimension: 3. Must be within the range of [-3, 2]");
}

TEST(SparseAdd, takes_a_threshold_of_any_real_dtype) {
  const Tensor at = Tensor::from<int64_t>({2, 1}, {0, 2}), shape = Tensor::vector<int64_t>({3});
  auto out = run_kernel("SparseAdd", {at, Tensor::vector<float>({1, 3}), shape, at,
                                      Tensor::vector<float>({1, 1}), shape, Tensor::scalar(int32_t{3})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<int64_t>(), ElementsAre(2));
  EXPECT_THAT(out->at(1).flat<float>(), ElementsAre(4));
}

absl::StatusOr<std::vector<Tensor>> cast(const Tensor& in, DataType to) {
  return run_kernel("Cast", {in}, {{"DstT", to}});
}

TEST(Cast, rounds_to_floats_of_eight_bits) {
  const Tensor in =
      Tensor::vector<float>({1, -0.0f, 448, 464, 464.125f, 0x1p-9f, 0x1p-10f, 0x1.001p-10f, kInf});
  auto out = cast(in, DataType::kFloat8E4m3fn);
  ASSERT_TRUE(out.ok()) << out.status();
  std::vector<int> bits;
  for (Float8E4m3fn v : out->at(0).flat<Float8E4m3fn>()) bits.push_back(v.value);
  EXPECT_THAT(bits, ElementsAre(0x38, 0x80, 0x7e, 0x7e, 0x7f, 1, 0, 1, 0x7f));
  EXPECT_TRUE(tensors_near(cast(out->at(0), DataType::kFloat)->at(0),
                           Tensor::vector<float>({1, 0, 448, 448, kNan, 0x1p-9f, 0, 0x1p-9f, kNan}), 0, 0));
  out = cast(Tensor::vector<double>({1, 57344, 61439, -61440, 0x1p-16, 0x1p-17, 0x1.8p-15}),
             DataType::kFloat8E5m2);
  ASSERT_TRUE(out.ok()) << out.status();
  bits.clear();
  for (Float8E5m2 v : out->at(0).flat<Float8E5m2>()) bits.push_back(v.value);
  EXPECT_THAT(bits, ElementsAre(0x3c, 0x7b, 0x7b, 0xfc, 1, 0, 3));
  EXPECT_THAT(cast(out->at(0), DataType::kInt32)->at(0).flat<int32_t>(),
              ElementsAre(1, 57344, 57344, std::numeric_limits<int32_t>::min(), 0, 0, 0));
  EXPECT_EQ(cast(Tensor::vector<int32_t>({1}), DataType::kFloat8E5m2).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST(Cast, keeps_four_bits_of_integers) {
  const Tensor in = Tensor::vector<int32_t>({-1, 8, 7, 17});
  auto small = cast(in, DataType::kInt4);
  ASSERT_TRUE(small.ok()) << small.status();
  EXPECT_THAT(cast(small->at(0), DataType::kInt64)->at(0).flat<int64_t>(), ElementsAre(-1, -8, 7, 1));
  auto plain = cast(small->at(0), DataType::kUint4);
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_THAT(cast(plain->at(0), DataType::kUint8)->at(0).flat<uint8_t>(), ElementsAre(15, 8, 7, 1));
  EXPECT_EQ(cast(small->at(0), DataType::kFloat).status().code(), absl::StatusCode::kUnimplemented);
}

TEST(InplaceUpdate, writes_to_the_memory_of_its_input) {
  const Tensor x = ramp({3, 2}, 1), rows = Tensor::vector<int32_t>({-1}), v = ramp({1, 2}, 9);
  auto out = run_kernel("InplaceUpdate", {x, rows, v});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(out->at(0).shares_buffer_with(x));
  EXPECT_THAT(x.flat<float>(), ElementsAre(0, 1, 2, 3, 0, 9));
  EXPECT_EQ(run_kernel("InplaceAdd",
                       {Tensor(DataType::kBool, Shape{1, 1}), rows, Tensor(DataType::kBool, Shape{1, 1})})
                .status(),
            absl::InvalidArgumentError("Unsupported data type: bool"));
}

TEST(EditDistance, writes_within_its_result) {
  const auto distance = [](std::vector<int64_t> index, int64_t size) {
    const Tensor at = Tensor::from<int64_t>(Shape{1, 3}, index),
                 zero = Tensor::from<int64_t>(Shape{1, 3}, {0, 0, 0});
    const Tensor one = Tensor::vector<int64_t>({1}), ones = Tensor::vector<int64_t>({1, 1, 1});
    return run_kernel("EditDistance", {at, one, Tensor::vector<int64_t>({size, 1, 1}), zero, one, ones})
        .status();
  };
  EXPECT_EQ(distance({0, 0, 0}, 1), absl::OkStatus());
  EXPECT_EQ(
      distance({0, -7, 0}, 1),
      absl::InternalError("Got an inner product -7 which would require writing to outside of the buffer for "
                          "the output tensor (max elements 1)"));
  EXPECT_EQ(distance({0, 0, 0}, -2), absl::InvalidArgumentError("Dimension -2 must be >= 0"));
}

TEST(Pad, sums_of_paddings_wrap_around) {
  const auto pad = [](int64_t before, int64_t after) {
    return run_kernel("Pad", {ramp({2}, 1), Tensor::from<int64_t>(Shape{1, 2}, {before, after})});
  };
  auto empty = pad(INT64_MAX, INT64_MAX);
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_EQ(empty->at(0).shape(), Shape{0});
  EXPECT_FALSE(pad(INT64_MAX, INT64_MAX - 1).ok());
  EXPECT_FALSE(pad(INT64_MAX, 0).ok());
}

TEST(TopK, wants_indices_that_fit) {
  const AttrMap attrs = {{"index_type", DataType::kInt16}};
  EXPECT_EQ(run_kernel("TopKV2", {ramp({40000}, 1), Tensor::scalar<int32_t>(1)}, attrs).status(),
            absl::InvalidArgumentError("Second dimension of flattened input must be <= 32767, got 40000"));
}

TEST(ParameterizedTruncatedNormal, fails_where_no_sample_is_found) {
  const auto f = [](float v) { return Tensor::scalar<float>(v); };
  EXPECT_EQ(run_kernel("ParameterizedTruncatedNormal",
                       {Tensor::vector<int32_t>({3}), f(std::nanf("")), f(1), f(-1), f(1)},
                       {{"seed", int64_t{1}}, {"seed2", int64_t{2}}})
                .status(),
            absl::InternalError(
                "TruncatedNormal exponential distribution rejection sampler failed to accept a sample."));
}

TEST(Zeta, is_zero_where_its_terms_are) {
  auto out = run_kernel("Zeta", {Tensor::vector<float>({1e10f, 1e10f}), Tensor::vector<float>({1, 1.5f})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<float>(), ElementsAre(1, 0));
}

TEST(SparseSegmentSumGrad, has_no_rows_to_look_at_in_an_empty_result) {
  const Tensor one = Tensor::vector<int32_t>({1}), zero = Tensor::vector<int32_t>({0});
  auto out = run_kernel("SparseSegmentSumGrad", {ramp({2, 2}, 1), one, zero, Tensor::scalar<int32_t>(0)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0).shape(), (Shape{0, 2}));
}

}  // namespace
}  // namespace troupe::test
