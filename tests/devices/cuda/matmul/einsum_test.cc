// Einsum on GPUs, beside that of the CPU.
#include "tests/devices/cuda/kernel_fixture.h"

namespace troupe::test {
namespace {

using D = DataType;

void expect_einsum(const std::string& equation, const std::vector<Shape>& shapes, D dtype = D::kFloat) {
  std::vector<Tensor> inputs;
  for (const Shape& shape : shapes) inputs.push_back(random_tensor(dtype, shape, -1, 1));
  const double tolerance = dtype == D::kFloat || dtype == D::kComplex64 ? 1e-4 : 4 * tolerance_of(dtype);
  EXPECT_SAME("Einsum", inputs, {{"equation", equation}}, tolerance, 16 * tolerance) << equation;
}

TEST(CudaEinsum, reorders_and_sums_one_operand) {
  for (const char* equation : {"ij->ij", "ij->ji", "ij->i", "ij->j", "ij->"})
    expect_einsum(equation, {Shape{3, 4}});
  expect_einsum("ii->i", {Shape{4, 4}});
  expect_einsum("ii->", {Shape{4, 4}});
  expect_einsum("i->ii", {Shape{4}});
  expect_einsum("ijij->ji", {Shape{2, 3, 2, 3}});
  expect_einsum("...i->i...", {Shape{2, 3, 4}});
  expect_einsum("->", {Shape()});
  expect_einsum("ij->j", {Shape{300, 5}});
  expect_einsum("ij->j", {Shape{0, 5}});
}

TEST(CudaEinsum, multiplies_two_operands) {
  expect_einsum("ij,jk->ik", {Shape{3, 4}, Shape{4, 5}});
  expect_einsum("ij,jk->ki", {Shape{3, 4}, Shape{4, 5}});
  expect_einsum("ji,kj->ik", {Shape{4, 3}, Shape{5, 4}});
  expect_einsum("bij,bjk->bik", {Shape{2, 3, 4}, Shape{2, 4, 5}});
  expect_einsum("bij,bkj->ikb", {Shape{2, 3, 4}, Shape{2, 5, 4}});
  expect_einsum("bqhd,bkhd->bhqk", {Shape{2, 3, 2, 4}, Shape{2, 5, 2, 4}});
  expect_einsum("i,i->", {Shape{9}, Shape{9}});
  expect_einsum("i,j->ij", {Shape{3}, Shape{4}});
  expect_einsum("ij,ij->ij", {Shape{3, 4}, Shape{3, 4}});
  expect_einsum("ijk,l->j", {Shape{3, 4, 2}, Shape{5}});
  expect_einsum("...ij,...jk->...ik", {Shape{2, 1, 3, 4}, Shape{5, 4, 2}});
  expect_einsum("iij,j->ii", {Shape{3, 3, 4}, Shape{4}});
  expect_einsum("ij,jk->ik", {Shape{3, 0}, Shape{0, 5}});
}

TEST(CudaEinsum, takes_every_dtype) {
  for (D dtype : {D::kDouble, D::kHalf, D::kBfloat16, D::kComplex64, D::kComplex128}) {
    expect_einsum("bij,bkj->bik", {Shape{2, 3, 4}, Shape{2, 5, 4}}, dtype);
    expect_einsum("ijk->kj", {Shape{2, 3, 4}}, dtype);
  }
}

TEST(CudaEinsum, refuses_what_does_not_fit) {
  expect_einsum("ij,jk->ik", {Shape{3, 4}, Shape{3, 5}});
  expect_einsum("ij,jk->ik", {Shape{3}, Shape{3, 5}});
  expect_einsum("ij->ijk", {Shape{3, 4}});
  expect_einsum("...i->i", {Shape{3, 4}});
  expect_einsum("...i,...i->...", {Shape{2, 4}, Shape{3, 4}});
}

}  // namespace
}  // namespace troupe::test
