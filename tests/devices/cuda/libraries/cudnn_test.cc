// Convolutions by cuDNN: the calls of a library that is made up.
#include "devices/cuda/libraries/cudnn.h"

#include <gmock/gmock.h>

#include "tests/devices/cuda/libraries/library_fixture.h"

namespace troupe::test {
namespace {

using D = DataType;
using Ints = std::vector<int64_t>;
using Cudnn = LibraryTest;

struct Case {
  Shape input, filter, out;
  AttrMap attrs;
};

AttrMap attrs_of(const Ints& strides, const std::string& padding, const std::string& format) {
  return {{"strides", strides}, {"padding", padding}, {"data_format", format}};
}

Tensor sizes_of(const Shape& shape) {
  Tensor t(D::kInt32, Shape{shape.rank()});
  for (int i = 0; i < shape.rank(); ++i)
    t.flat<int32_t>()[static_cast<size_t>(i)] = static_cast<int32_t>(shape.dim(i));
  return t;
}

/// The three passes, each of which the library computes `calls` times.
void expect_passes(const std::string& op, D dtype, const Case& c, int64_t calls) {
  MadeUpLibrary& account = made_up_libraries().convolutions;
  const Tensor input = random_tensor(dtype, c.input, -1, 1), filter = random_tensor(dtype, c.filter, -1, 1),
               grad = random_tensor(dtype, c.out, -1, 1);
  const double tolerance = dtype == D::kFloat ? 1e-4 : 4 * tolerance_of(dtype);
  const std::string version = c.input.rank() == 5 ? "V2" : "";
  const int64_t before = account.computed;
  EXPECT_SAME(op, {input, filter}, c.attrs, tolerance, 4 * tolerance);
  EXPECT_EQ(account.computed, before + calls);
  EXPECT_SAME(op + "BackpropInput" + version, {sizes_of(c.input), filter, grad}, c.attrs, tolerance,
              4 * tolerance);
  EXPECT_EQ(account.computed, before + 2 * calls);
  EXPECT_SAME(op + "BackpropFilter" + version, {input, sizes_of(c.filter), grad}, c.attrs, tolerance,
              16 * tolerance);
  EXPECT_EQ(account.computed, before + 3 * calls);
}

const Case& same_case() {
  static const auto* c = new Case{Shape{2, 7, 6, 3}, Shape{3, 3, 3, 4}, Shape{2, 7, 6, 4},
                                  attrs_of({1, 1, 1, 1}, "SAME", "NHWC")};
  return *c;
}

TEST_F(Cudnn, computes_what_the_cpu_computes) {
  for (D dtype : {D::kFloat, D::kDouble, D::kHalf, D::kBfloat16}) {
    expect_passes("Conv2D", dtype, same_case(), 1);
    EXPECT_EQ(libraries.convolutions.channels_last, dtype != D::kDouble) << "tensor cores take channels last";
  }
  expect_passes(
      "Conv2D", D::kFloat,
      {Shape{2, 3, 7, 6}, Shape{3, 2, 3, 4}, Shape{2, 4, 5, 5}, attrs_of({1, 1, 1, 1}, "VALID", "NCHW")}, 1);
  EXPECT_FALSE(libraries.convolutions.channels_last);
}

TEST_F(Cudnn, pads_sides_that_differ_itself) {
  // One pixel more behind than before.
  expect_passes(
      "Conv2D", D::kFloat,
      {Shape{2, 8, 6, 3}, Shape{3, 3, 3, 4}, Shape{2, 4, 3, 4}, attrs_of({1, 2, 2, 1}, "SAME", "NHWC")}, 1);
  expect_passes(
      "Conv2D", D::kDouble,
      {Shape{2, 8, 6, 3}, Shape{3, 3, 3, 4}, Shape{2, 4, 3, 4}, attrs_of({1, 2, 2, 1}, "SAME", "NHWC")}, 1);
  expect_passes(
      "Conv2D", D::kFloat,
      {Shape{2, 3, 8, 6}, Shape{3, 3, 3, 4}, Shape{2, 4, 4, 3}, attrs_of({1, 1, 2, 2}, "SAME", "NCHW")}, 1);
  AttrMap attrs = attrs_of({1, 2, 2, 1}, "EXPLICIT", "NHWC");
  attrs.set("explicit_paddings", Ints{0, 0, 2, 0, 0, 3, 0, 0});
  expect_passes("Conv2D", D::kFloat, {Shape{1, 6, 5, 2}, Shape{3, 3, 2, 2}, Shape{1, 3, 3, 2}, attrs}, 1);
}

TEST_F(Cudnn, takes_groups_dilations_and_volumes) {
  AttrMap dilated = attrs_of({1, 1, 1, 1}, "SAME", "NHWC");
  dilated.set("dilations", Ints{1, 2, 1, 1});
  expect_passes("Conv2D", D::kFloat, {Shape{1, 7, 7, 2}, Shape{3, 3, 2, 3}, Shape{1, 7, 7, 3}, dilated}, 1);
  expect_passes(
      "Conv2D", D::kFloat,
      {Shape{1, 5, 5, 4}, Shape{3, 3, 2, 6}, Shape{1, 5, 5, 6}, attrs_of({1, 1, 1, 1}, "SAME", "NHWC")}, 1);
  expect_passes("Conv3D", D::kFloat,
                {Shape{1, 4, 5, 6, 2}, Shape{2, 3, 3, 2, 3}, Shape{1, 2, 5, 3, 3},
                 attrs_of({1, 2, 1, 2, 1}, "SAME", "NDHWC")},
                1);
}

TEST_F(Cudnn, leaves_what_others_do_better) {
  // Channels by themselves: our own kernels. Single pixels: a product of matrices.
  expect_passes(
      "DepthwiseConv2dNative", D::kFloat,
      {Shape{1, 5, 5, 3}, Shape{3, 3, 3, 2}, Shape{1, 3, 3, 6}, attrs_of({1, 1, 1, 1}, "VALID", "NHWC")}, 0);
  const int64_t before = libraries.products.computed;
  expect_passes(
      "Conv2D", D::kFloat,
      {Shape{2, 3, 3, 4}, Shape{1, 1, 4, 5}, Shape{2, 3, 3, 5}, attrs_of({1, 1, 1, 1}, "VALID", "NHWC")}, 0);
  EXPECT_EQ(libraries.products.computed, before + 3);
}

TEST_F(Cudnn, turns_images_where_it_has_no_channels_last) {
  libraries.convolutions.has_no_channels_last = true;
  expect_passes(
      "Conv2D", D::kHalf,
      {Shape{2, 9, 6, 3}, Shape{3, 3, 3, 4}, Shape{2, 7, 4, 4}, attrs_of({1, 1, 1, 1}, "VALID", "NHWC")}, 1);
  EXPECT_FALSE(libraries.convolutions.channels_last);
}

TEST_F(Cudnn, leaves_what_it_does_not_have_to_our_kernels) {
  libraries.convolutions.has_nothing = true;
  expect_passes(
      "Conv2D", D::kFloat,
      {Shape{2, 10, 6, 3}, Shape{3, 3, 3, 4}, Shape{2, 8, 4, 4}, attrs_of({1, 1, 1, 1}, "VALID", "NHWC")}, 0);
  EXPECT_GT(libraries.convolutions.heuristics, 0);
}

/// A convolution of one float, directly.
LibraryConv small_conv() {
  LibraryConv conv;
  conv.batch = conv.in_channels = conv.out_channels = 1;
  return conv;
}

absl::Status convolve(ConvLibrary& library, const LibraryOptions& options,
                      absl::FunctionRef<absl::StatusOr<void*>(size_t)> workspace) {
  static float x = 2, w = 3, y = 0;
  LibraryCall call{made_up_libraries().stream, workspace, options};
  const absl::Status status = library.convolve(small_conv(), &x, &w, &y, call);
  if (status.ok()) {
    EXPECT_EQ(y, 6);
  }
  return status;
}

absl::StatusOr<void*> no_memory(size_t) { return absl::ResourceExhaustedError("no memory"); }
absl::StatusOr<void*> some_memory(size_t) {
  static char memory[1];
  return memory;
}

TEST_F(Cudnn, asks_for_algorithms_once) {
  const auto library = new_conv_library();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(convolve(*library, {}, no_memory).ok());
  EXPECT_EQ(*library->has(small_conv(), {}), true);
  EXPECT_EQ(libraries.convolutions.heuristics, 1);
  EXPECT_EQ(libraries.convolutions.algo, 1);
}

TEST_F(Cudnn, heeds_the_options) {
  const auto library = new_conv_library();
  ASSERT_TRUE(convolve(*library, {.deterministic = true}, no_memory).ok());
  EXPECT_EQ(libraries.convolutions.algo, 0) << "the other one is not deterministic";
  EXPECT_EQ(libraries.convolutions.compute_type, cudnn::CUDNN_DEFAULT_MATH);
  ASSERT_TRUE(convolve(*library, {.tensor_float_32 = false}, no_memory).ok());
  EXPECT_EQ(libraries.convolutions.compute_type, cudnn::CUDNN_FMA_MATH);
}

TEST_F(Cudnn, takes_an_algorithm_that_memory_allows) {
  libraries.convolutions.workspace_bytes = 1000;
  const auto library = new_conv_library();
  ASSERT_TRUE(convolve(*library, {}, some_memory).ok());
  EXPECT_EQ(libraries.convolutions.algo, 1);
  EXPECT_TRUE(libraries.convolutions.had_workspace);
  ASSERT_TRUE(convolve(*library, {}, no_memory).ok());
  EXPECT_EQ(libraries.convolutions.algo, 0);
  EXPECT_FALSE(libraries.convolutions.had_workspace);
}

TEST_F(Cudnn, says_what_failed) {
  const auto library = new_conv_library();
  libraries.convolutions.fails = true;
  EXPECT_EQ(convolve(*library, {}, no_memory), absl::InternalError("cudnnConvolution: made-up error"));
}

TEST_F(Cudnn, gives_back_all_that_it_made) {
  const int64_t before = libraries.convolutions.objects;
  {
    const auto library = new_conv_library();
    ASSERT_TRUE(convolve(*library, {}, no_memory).ok());
    EXPECT_GT(libraries.convolutions.objects, before);
  }
  EXPECT_EQ(libraries.convolutions.objects, before);
}

TEST(CudnnLoader, says_why_there_is_none) {
  const absl::Status status = load_cudnn({"libno_such_library.so.9"}).status();
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(std::string(status.message()),
              testing::AllOf(testing::StartsWith("cuDNN: "), testing::HasSubstr("libno_such_library.so.9")));
}

}  // namespace
}  // namespace troupe::test
