// Random numbers of GPUs: those of the CPU, bit by bit.
#include <gmock/gmock.h>

#include "tests/devices/cuda/kernel_fixture.h"

namespace troupe::test {
namespace {

using D = DataType;
using ::testing::HasSubstr;

const std::vector<D> kFloats = {D::kFloat, D::kDouble, D::kHalf, D::kBfloat16};

Tensor shape_tensor(const Shape& shape) {
  Tensor t(D::kInt32, Shape{shape.rank()});
  for (int i = 0; i < shape.rank(); ++i)
    t.flat<int32_t>()[static_cast<size_t>(i)] = static_cast<int32_t>(shape.dim(i));
  return t;
}

const std::vector<Shape>& shapes() {
  static const auto* shapes =
      new std::vector<Shape>{Shape(), Shape{0}, Shape{1}, Shape{3}, Shape{5, 7}, Shape{2, 501}};
  return *shapes;
}

const Tensor kSeed = Tensor::vector<int64_t>({0x123456789abcdef, -5});

TEST(CudaRandom, is_that_of_the_cpu_for_seeds) {
  for (D dtype : kFloats) {
    for (const Shape& shape : shapes()) {
      for (const char* op : {"RandomUniform", "RandomStandardNormal", "TruncatedNormal"}) {
        SCOPED_TRACE(std::string(op) + " " + dtype_name(dtype) + shape.to_string());
        EXPECT_SAME(op, {shape_tensor(shape)},
                    {{"dtype", dtype}, {"seed", int64_t{7}}, {"seed2", int64_t{8}}}, 0, 0);
      }
    }
  }
}

TEST(CudaRandom, is_that_of_the_cpu_without_state) {
  for (D dtype : kFloats) {
    for (const Shape& shape : shapes()) {
      for (const char* op : {"StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"}) {
        SCOPED_TRACE(std::string(op) + " " + dtype_name(dtype) + shape.to_string());
        EXPECT_SAME(op, {shape_tensor(shape), kSeed}, {{"dtype", dtype}}, 0, 0);
      }
    }
  }
}

TEST(CudaRandom, is_that_of_the_cpu_for_keys_and_counters) {
  const Tensor key = Tensor::vector<uint64_t>({0x123456789abcdef}), alg = Tensor::scalar<int32_t>(1);
  // The counter's lower half is full.
  const Tensor counter = Tensor::vector<uint64_t>({0xfffffffffffffffe, 3});
  for (const Shape& shape : shapes()) {
    for (D dtype : kFloats) {
      for (const char* op :
           {"StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessTruncatedNormalV2"}) {
        EXPECT_SAME(op, {shape_tensor(shape), key, counter, alg}, {{"dtype", dtype}}, 0, 0);
      }
    }
    for (D dtype : {D::kInt32, D::kInt64, D::kUint32, D::kUint64}) {
      EXPECT_SAME("StatelessRandomUniformFullIntV2", {shape_tensor(shape), key, counter, alg},
                  {{"dtype", dtype}}, 0, 0);
    }
    EXPECT_SAME(
        "StatelessRandomUniformIntV2",
        {shape_tensor(shape), key, counter, alg, Tensor::scalar<int64_t>(-5), Tensor::scalar<int64_t>(1000)},
        {}, 0, 0);
  }
  EXPECT_SAME("StatelessRandomUniformV2", {shape_tensor(Shape{2}), key, counter, Tensor::scalar<int32_t>(2)});
  EXPECT_SAME("StatelessRandomUniformV2", {shape_tensor(Shape{2}), key, key, alg});
  EXPECT_SAME("StatelessRandomUniformV2", {shape_tensor(Shape{2}), counter, counter, alg});
}

TEST(CudaRandom, gives_integers_of_a_range) {
  for (const Shape& shape : shapes()) {
    const Tensor low = Tensor::scalar<int32_t>(-2147483647), high = Tensor::scalar<int32_t>(2147483647);
    EXPECT_SAME("RandomUniformInt", {shape_tensor(shape), low, high}, {{"seed", int64_t{1}}}, 0, 0);
    EXPECT_SAME("StatelessRandomUniformInt",
                {shape_tensor(shape), kSeed, Tensor::scalar<int64_t>(0), Tensor::scalar<int64_t>(10)},
                {{"dtype", D::kInt64}}, 0, 0);
    EXPECT_SAME("StatelessRandomUniformFullInt", {shape_tensor(shape), kSeed}, {{"dtype", D::kUint64}}, 0, 0);
  }
  const Tensor three = Tensor::scalar<int32_t>(3);
  EXPECT_SAME("RandomUniformInt", {shape_tensor(Shape{2}), three, three}, {{"seed", int64_t{1}}});
  EXPECT_SAME("RandomUniformInt", {shape_tensor(Shape{2}), Tensor::vector<int32_t>({1}), three},
              {{"seed", int64_t{1}}});
}

TEST(CudaRandom, refuses_shapes_and_seeds_as_the_cpu_does) {
  EXPECT_SAME("RandomUniform", {Tensor::scalar<int32_t>(3)}, {{"dtype", D::kFloat}});
  EXPECT_SAME("RandomUniform", {Tensor::vector<int32_t>({2, -1})}, {{"dtype", D::kFloat}});
  EXPECT_SAME("StatelessRandomUniform", {shape_tensor(Shape{2}), Tensor::vector<int64_t>({1})},
              {{"dtype", D::kFloat}});
}

TEST(CudaRandom, makes_keys_on_the_host) {
  EXPECT_SAME("StatelessRandomGetKeyCounter", {kSeed}, {}, 0, 0);
  EXPECT_SAME("StatelessRandomGetKeyCounterAlg", {kSeed}, {}, 0, 0);
}

}  // namespace
}  // namespace troupe::test
