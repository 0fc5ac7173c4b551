// Sizes that come from values and attrs, not from what is there: kernels refuse what no memory could hold.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include "absl/strings/str_cat.h"
#include "tests/support/kernel_harness.h"
#include "tests/support/string_tensors.h"

namespace troupe::test {
namespace {

constexpr int64_t kHuge = int64_t{1} << 62;
constexpr int64_t kBig = int64_t{1} << 40;
constexpr int32_t kMost = INT32_MAX;

Tensor ints(std::initializer_list<int64_t> v) {
  return Tensor::from<int64_t>(Shape{static_cast<int64_t>(v.size())}, v);
}
Tensor int32s(std::initializer_list<int32_t> v) {
  return Tensor::from<int32_t>(Shape{static_cast<int64_t>(v.size())}, v);
}
Tensor int_scalar(int64_t v) { return Tensor::scalar<int64_t>(v); }
Tensor int32_scalar(int32_t v) { return Tensor::scalar<int32_t>(v); }
Tensor floats(const Shape& shape) {
  Tensor t(DataType::kFloat, shape);
  for (float& v : t.flat<float>()) v = 1;
  return t;
}

struct Case {
  std::string op;
  std::vector<Tensor> inputs;
  AttrMap attrs;
};

/// No more address space than a small machine has, as long as it lives: what is refused is not tried.
class SmallMachine {
 public:
  SmallMachine() {
#ifndef TROUPE_SANITIZED
    getrlimit(RLIMIT_AS, &before_);
    rlimit limit = before_;
    limit.rlim_cur = rlim_t{8} << 30;
    setrlimit(RLIMIT_AS, &limit);
#endif
  }
  ~SmallMachine() {
#ifndef TROUPE_SANITIZED
    setrlimit(RLIMIT_AS, &before_);
#endif
  }

 private:
  rlimit before_{};
};

void expect_refused(const std::vector<Case>& cases) {
#ifdef TROUPE_SANITIZED
  GTEST_SKIP() << "a sanitizer needs all of the address space: no machine is small";
#endif
  SmallMachine machine;
  for (size_t i = 0; i < cases.size(); ++i) {
    const Case& c = cases[i];
    const auto got = run_kernel(c.op, c.inputs, c.attrs);
    EXPECT_FALSE(got.ok()) << c.op << ", case " << i;
    if (got.ok()) continue;
    EXPECT_THAT(got.status().code(),
                testing::AnyOf(absl::StatusCode::kInvalidArgument, absl::StatusCode::kResourceExhausted,
                               absl::StatusCode::kOutOfRange))
        << c.op << ": " << got.status();
  }
}

TEST(Sizes, of_outputs_are_refused_when_nothing_holds_them) {
  expect_refused({
      {"Fill", {ints({kHuge}), Tensor::scalar<float>(1)}, {{"index_type", DataType::kInt64}}},
      {"Fill", {ints({kBig, kBig}), Tensor::scalar<float>(1)}, {{"index_type", DataType::kInt64}}},
      {"Fill", {ints({-1}), Tensor::scalar<float>(1)}, {{"index_type", DataType::kInt64}}},
      {"Range", {int_scalar(0), int_scalar(kHuge), int_scalar(1)}, {{"Tidx", DataType::kInt64}}},
      {"LinSpace",
       {Tensor::scalar<float>(0), Tensor::scalar<float>(1), int_scalar(kHuge)},
       {{"Tidx", DataType::kInt64}}},
      {"OneHot",
       {ints({1, 2}), int32_scalar(-1), Tensor::scalar<float>(1), Tensor::scalar<float>(0)},
       {{"TI", DataType::kInt64}, {"axis", -1}}},
      {"Tile", {floats(Shape{4}), ints({kHuge})}, {{"Tmultiples", DataType::kInt64}}},
      {"Tile", {floats(Shape{4}), ints({-1})}, {{"Tmultiples", DataType::kInt64}}},
      {"Pad", {floats(Shape{1}), Tensor::from<int64_t>(Shape{1, 2}, {kHuge, kHuge})}, {}},
      {"BroadcastTo", {floats(Shape{1}), ints({kHuge})}, {{"Tidx", DataType::kInt64}}},
      {"UnsortedSegmentSum", {floats(Shape{2}), ints({0, 1}), int_scalar(kHuge)}, {}},
      {"UnsortedSegmentSum", {floats(Shape{2}), ints({0, 1}), int_scalar(-1)}, {}},
      {"SparseToDense",
       {ints({1}), ints({kHuge}), floats(Shape{1}), Tensor::scalar<float>(0)},
       {{"Tindices", DataType::kInt64}}},
      {"ScatterNd", {Tensor::from<int64_t>(Shape{1, 1}, {0}), floats(Shape{1}), ints({kHuge})}, {}},
      {"Bincount", {int32s({1}), int32_scalar(-1), floats(Shape{0})}, {}},
      {"DenseBincount", {ints({1}), int_scalar(kHuge), floats(Shape{0})}, {}},
      {"MatrixDiagV2",
       {floats(Shape{2}), int32_scalar(0), int32_scalar(kMost), int32_scalar(kMost),
        Tensor::scalar<float>(0)},
       {}},
      {"RandomUniform", {ints({kHuge})}, {{"T", DataType::kInt64}, {"dtype", DataType::kFloat}}},
      {"Multinomial", {floats(Shape{2, 3}), int32_scalar(-1)}, {}},
      {"ResizeBilinear", {floats(Shape{1, 2, 2, 1}), int32s({kMost, kMost})}, {}},
      {"ResizeBicubic", {floats(Shape{1, 2, 2, 1}), int32s({-1, 2})}, {}},
      {"ResizeArea", {floats(Shape{1, 2, 2, 1}), int32s({kMost, kMost})}, {}},
  });
}

TEST(Sizes, of_sparse_shapes_are_refused_when_nothing_holds_them) {
  const Tensor index = Tensor::from<int64_t>(Shape{1, 2}, {0, 0}), value = floats(Shape{1});
  expect_refused({
      {"SparseFillEmptyRows", {index, value, ints({kHuge, 1}), Tensor::scalar<float>(0)}, {}},
      {"SparseFillEmptyRows", {index, value, ints({-1, 1}), Tensor::scalar<float>(0)}, {}},
      {"SerializeManySparse", {index, value, ints({kHuge, 1})}, {}},
      {"SerializeManySparse", {index, value, ints({kBig, 1})}, {}},
      {"SparseReduceSum", {index, value, ints({-1, 1}), int32s({1})}, {}},
      {"SparseTensorDenseMatMul", {index, value, ints({kHuge, 2}), floats(Shape{2, 2})}, {}},
      {"SparseSegmentMeanGrad", {floats(Shape{1, 2}), int32s({0}), int32s({0}), int32_scalar(-1)}, {}},
      {"SparseSegmentMeanGrad", {floats(Shape{1, 2}), int32s({0}), int32s({0}), int32_scalar(kMost)}, {}},
  });
}

TEST(Sizes, of_work_are_refused_when_nothing_holds_it) {
  expect_refused({
      {"RFFT", {floats(Shape{4}), int32s({kMost})}, {}},
      {"RFFT", {floats(Shape{4}), int32s({-1})}, {}},
      {"NonMaxSuppressionV4",
       {floats(Shape{1, 4}), floats(Shape{1}), int32_scalar(kMost), Tensor::scalar<float>(0.5f),
        Tensor::scalar<float>(0)},
       {{"pad_to_max_output_size", true}}},
      {"NonMaxSuppressionV4",
       {floats(Shape{1, 4}), floats(Shape{1}), int32_scalar(-1), Tensor::scalar<float>(0.5f),
        Tensor::scalar<float>(0)},
       {{"pad_to_max_output_size", true}}},
      {"TensorListReserve",
       {int32s({}), int32_scalar(-1)},
       {{"shape_type", DataType::kInt32}, {"element_dtype", DataType::kFloat}}},
      {"TensorListReserve",
       {int32s({}), int32_scalar(kMost)},
       {{"shape_type", DataType::kInt32}, {"element_dtype", DataType::kFloat}}},
      {"TensorListFromTensor",
       {floats(Shape{2, 0}), ints({kHuge})},
       {{"shape_type", DataType::kInt64}, {"element_dtype", DataType::kFloat}}},
      {"LogUniformCandidateSampler",
       {Tensor::from<int64_t>(Shape{1, 1}, {0})},
       {{"num_true", 1}, {"num_sampled", kHuge}, {"unique", false}, {"range_max", 10}}},
      {"LearnedUnigramCandidateSampler",
       {Tensor::from<int64_t>(Shape{1, 1}, {0})},
       {{"num_true", 1}, {"num_sampled", 1}, {"unique", false}, {"range_max", kHuge}}},
      {"AudioSpectrogram", {floats(Shape{4, 1})}, {{"window_size", 1}, {"stride", 1}}},
      {"Unpack", {floats(Shape{2})}, {{"num", 3}, {"axis", 0}}},
  });
}

TEST(Sizes, of_images_without_pixels_cost_nothing) {
  const Tensor empty = floats(Shape{1, 2, 2, 0}), none = floats(Shape{0, 2, 2, 1});
  const Tensor most = int32s({kMost, kMost});
  SmallMachine machine;
  for (const Tensor& image : {empty, none}) {
    for (const char* op : {"ResizeBilinear", "ResizeBicubic", "ResizeArea", "ResizeNearestNeighbor"}) {
      const auto got = run_kernel(op, {image, most});
      ASSERT_TRUE(got.ok()) << op << ": " << got.status();
      EXPECT_EQ(got->at(0).num_elements(), 0);
    }
    const auto scaled = run_kernel("ScaleAndTranslate", {image, most, floats(Shape{2}), floats(Shape{2})});
    ASSERT_TRUE(scaled.ok()) << scaled.status();
    EXPECT_EQ(scaled->at(0).num_elements(), 0);
  }
}

}  // namespace
}  // namespace troupe::test
