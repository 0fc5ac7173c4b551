// Broadcasts against the elements that belong together, by their indices.
#include <complex>
#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

#include "devices/cpu/loops/broadcast.h"
#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

/// Element `at` of an output of shape `out` is of this element of an operand.
int64_t source(const Shape& operand, const Shape& out, int64_t at) {
  int64_t element = 0, stride = 1;
  for (int i = out.rank() - 1, j = operand.rank() - 1; j >= 0; --i, --j) {
    element += (operand.dim(j) == 1 ? 0 : at % out.dim(i)) * stride;
    stride *= operand.dim(j);
    at /= out.dim(i);
  }
  return element;
}

template <class T>
Tensor counted(const Shape& shape, int64_t step) {
  Tensor out(dtype_of<T>(), shape);
  for (int64_t i = 0; i < out.num_elements(); ++i) out.flat<T>()[i] = static_cast<T>((i * step + 5) % 100);
  return out;
}

template <class T>
void expect_differences(const Shape& left, const Shape& right) {
  const Tensor a = counted<T>(left, 7), b = counted<T>(right, 3);
  Shape shape;
  ASSERT_TRUE(broadcast_shape(left, right, &shape));
  const auto out = run_kernel("Sub", {a, b});
  ASSERT_TRUE(out.ok()) << out.status();
  ASSERT_EQ(out->at(0).shape(), shape);
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    const auto want =
        static_cast<T>(a.flat<T>()[source(left, shape, i)] - b.flat<T>()[source(right, shape, i)]);
    ASSERT_EQ(out->at(0).flat<T>()[i], want) << left.to_string() << " and " << right.to_string() << " of "
                                             << dtype_name(a.dtype()) << ", element " << i;
  }
}

TEST(Broadcast, of_rows_of_any_length_pairs_what_belongs_together) {
  const std::pair<Shape, Shape> operands[] = {
      {Shape{300, 4}, Shape{4}},           {Shape{300, 1}, Shape{300, 4}},
      {Shape{7, 1, 3}, Shape{7, 90, 3}},   {Shape{1, 90, 3}, Shape{7, 90, 1}},
      {Shape{2000, 1}, Shape{1, 3}},       {Shape{31}, Shape{400, 31}},
      {Shape{40, 32}, Shape{40, 1}},       {Shape{40000, 3}, Shape{3}},
      {Shape{3, 1, 2}, Shape{1, 5000, 1}}, {Shape{1, 3, 1, 5}, Shape{20, 3, 6, 5}}};
  for (const auto& [left, right] : operands) {
    expect_differences<float>(left, right);
    expect_differences<uint8_t>(left, right);
    expect_differences<int16_t>(left, right);
    expect_differences<int64_t>(left, right);
    expect_differences<std::complex<double>>(left, right);
  }
}

}  // namespace
}  // namespace troupe::test
