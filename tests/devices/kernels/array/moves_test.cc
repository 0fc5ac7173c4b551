// Elements in other places. Expected values are TensorFlow 2.21's.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

Tensor counted(const Shape& shape) {
  Tensor t(DataType::kFloat, shape);
  std::iota(t.flat<float>().begin(), t.flat<float>().end(), 0.0f);
  return t;
}

Tensor ints(const std::vector<int32_t>& values) {
  return Tensor::from<int32_t>(Shape{static_cast<int64_t>(values.size())}, values);
}

void expect_result(const std::string& op, std::vector<Tensor> in, const AttrMap& attrs, const Shape& shape,
                   const std::vector<float>& values) {
  SCOPED_TRACE(op);
  const auto out = run_kernel(op, std::move(in), attrs);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>(shape, values)));
}

TEST(Reverse, turns_rows_of_any_length) {
  for (const int64_t n : {255, 256, 1024, 1500, 4097}) {
    SCOPED_TRACE(n);
    Tensor x(DataType::kFloat, Shape{3, n});
    float next = 0;
    for (float& v : x.flat<float>()) v = next++;
    const auto out = run_kernel("ReverseV2", {x, Tensor::vector<int32_t>({1})});
    ASSERT_TRUE(out.ok()) << out.status();
    for (int64_t r = 0; r < 3; ++r) {
      for (int64_t i = 0; i < n; ++i)
        ASSERT_EQ(out->at(0).flat<float>()[r * n + i], static_cast<float>(r * n + n - 1 - i));
    }
  }
}

TEST(Reverse, turns_the_axes_that_it_is_told) {
  const Tensor x = counted(Shape{2, 3, 2});
  expect_result("ReverseV2", {x, ints({0, -1})}, {}, Shape{2, 3, 2}, {7, 6, 9, 8, 11, 10, 1, 0, 3, 2, 5, 4});
  expect_result("Reverse", {x, Tensor::from<bool>(Shape{3}, {false, true, false})}, {}, Shape{2, 3, 2},
                {4, 5, 2, 3, 0, 1, 10, 11, 8, 9, 6, 7});
}

TEST(Tile, repeats_along_each_axis) {
  expect_result("Tile", {counted(Shape{1, 2, 2}), ints({2, 1, 3})}, {}, Shape{2, 2, 6},
                {0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3});
}

TEST(Slice, begins_where_it_is_told) {
  const Tensor x = counted(Shape{2, 3, 2});
  expect_result("Slice", {x, ints({1, 1, 0}), ints({1, -1, 1})}, {}, Shape{1, 2, 1}, {8, 10});
  expect_result("StridedSlice", {x, ints({1, 2, 0}), ints({2, 0, 2}), ints({1, -2, 1})},
                {{"end_mask", 2}, {"shrink_axis_mask", 1}}, Shape{2, 2}, {10, 11, 6, 7});
}

bool lies_in(const Tensor& part, const Tensor& whole) {
  return &part.buffer()->whole() == whole.buffer() && part.raw() != nullptr;
}

TEST(Slice, gives_out_a_large_run_where_it_lies) {
  const Tensor x = counted(Shape{4, 2048});
  const auto cut = [&x](const std::vector<int32_t>& begin, const std::vector<int32_t>& size) {
    return run_kernel("Slice", {x, ints(begin), ints(size)});
  };
  const auto rows = cut({1, 0}, {2, 2048});
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_TRUE(lies_in(rows->at(0), x));
  EXPECT_FALSE(rows->at(0).unique());
  EXPECT_EQ(rows->at(0).flat<float>()[0], 2048);
  EXPECT_EQ(rows->at(0).shape(), (Shape{2, 2048}));
  // In pieces, small, a small rest of much, or beginning in the midst of a line.
  EXPECT_FALSE(lies_in(cut({1, 0}, {2, 1024})->at(0), x));
  EXPECT_FALSE(lies_in(cut({1, 0}, {1, 512})->at(0), x));
  EXPECT_FALSE(lies_in(cut({1, 0}, {1, 1024})->at(0), x));
  EXPECT_FALSE(lies_in(cut({1, 4}, {1, 2044})->at(0), x));
  const auto last = run_kernel("StridedSlice", {x, ints({-1}), ints({0}), ints({1})},
                               {{"end_mask", 1}, {"shrink_axis_mask", 1}});
  ASSERT_TRUE(last.ok()) << last.status();
  EXPECT_TRUE(lies_in(last->at(0), x));
  EXPECT_EQ(last->at(0).shape(), Shape{2048});
  EXPECT_EQ(last->at(0).flat<float>()[0], 3 * 2048);
}

TEST(Split, gives_out_pieces_where_they_lie) {
  const Tensor x = counted(Shape{1, 4, 1024});
  const auto along = [&x](int32_t axis) {
    return run_kernel("Split", {Tensor::scalar<int32_t>(axis), x}, {{"num_split", 2}});
  };
  const auto rows = along(1);
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_TRUE(lies_in(rows->at(0), x));
  EXPECT_TRUE(lies_in(rows->at(1), x));
  EXPECT_EQ(rows->at(1).flat<float>()[0], 2048);
  EXPECT_FALSE(lies_in(along(2)->at(0), x));
  const auto apart = run_kernel("Unpack", {x.reshaped(Shape{4, 1024})}, {{"num", 4}, {"axis", 0}});
  ASSERT_TRUE(apart.ok()) << apart.status();
  EXPECT_TRUE(lies_in(apart->at(3), x));
  EXPECT_EQ(apart->at(3).shape(), Shape{1024});
  EXPECT_EQ(apart->at(3).flat<float>()[1], 3 * 1024 + 1);
}

TEST(Slice, refuses_what_does_not_fit) {
  auto refusal = [](const std::vector<int32_t>& begin, const std::vector<int32_t>& size) {
    return run_kernel("Slice", {counted(Shape{2, 3, 2}), ints(begin), ints(size)}).status();
  };
  EXPECT_EQ(refusal({3, 0, 0}, {1, 1, 1}),
            absl::InvalidArgumentError("Expected begin[0] in [0, 2], but got 3"));
  EXPECT_EQ(refusal({0, 2, 0}, {1, 2, 1}),
            absl::InvalidArgumentError("Expected size[1] in [0, 1], but got 2"));
  EXPECT_EQ(
      refusal({0, 2}, {1, 2}),
      absl::InvalidArgumentError("Expected begin and size arguments to be 1-D tensors of size 3, but got "
                                 "shapes [2] and [2] instead."));
}

TEST(SpaceToDepth, and_back_moves_blocks) {
  const AttrMap two = {{"block_size", 2}};
  const Tensor deep =
      Tensor::from<float>(Shape{1, 2, 2, 4}, {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15});
  expect_result("SpaceToDepth", {counted(Shape{1, 4, 4, 1})}, two, Shape{1, 2, 2, 4},
                {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15});
  const auto back = run_kernel("DepthToSpace", {deep}, two);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(tensors_near(back->at(0), counted(Shape{1, 4, 4, 1})));
}

TEST(SpaceToBatch, pads_and_its_reverse_crops) {
  const AttrMap two = {{"block_size", 2}};
  const std::vector<float> batches = {0, 0, 2, 3, 0, 0, 10, 11, 0, 1, 0, 0, 8,  9,  0, 0,
                                      0, 0, 6, 7, 0, 0, 14, 15, 4, 5, 0, 0, 12, 13, 0, 0};
  expect_result("SpaceToBatch",
                {counted(Shape{1, 4, 2, 2}), Tensor::from<int32_t>(Shape{2, 2}, {0, 0, 1, 1})}, two,
                Shape{4, 2, 2, 2}, batches);
  expect_result(
      "BatchToSpace",
      {Tensor::from<float>(Shape{4, 2, 2, 2}, batches), Tensor::from<int32_t>(Shape{2, 2}, {1, 0, 0, 2})},
      two, Shape{1, 3, 2, 2}, {0, 0, 4, 5, 0, 0, 8, 9, 0, 0, 12, 13});
  expect_result("SpaceToBatchND",
                {counted(Shape{1, 4, 2, 2}), ints({2, 1}), Tensor::from<int32_t>(Shape{2, 2}, {1, 1, 0, 0})},
                {}, Shape{2, 3, 2, 2},
                {0, 0, 0, 0, 4, 5, 6, 7, 12, 13, 14, 15, 0, 1, 2, 3, 8, 9, 10, 11, 0, 0, 0, 0});
  EXPECT_EQ(run_kernel("SpaceToBatch",
                       {counted(Shape{1, 4, 2, 2}), Tensor::from<int32_t>(Shape{2, 2}, {0, 0, 0, 0})},
                       {{"block_size", 1}})
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace troupe::test
