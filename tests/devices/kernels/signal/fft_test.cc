#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

using C = std::complex<double>;

Tensor signal(const Shape& shape) {
  Tensor t(DataType::kComplex128, shape);
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    t.flat<C>()[i] = C(static_cast<double>((i * 7) % 11) - 5, static_cast<double>((i * 5) % 13) - 6);
  }
  return t;
}

/// The sum that the transform is short for.
Tensor slow_transform(const Tensor& in) {
  const int64_t n = in.dim(0);
  Tensor out(DataType::kComplex128, in.shape());
  for (int64_t k = 0; k < n; ++k) {
    C sum = 0;
    for (int64_t i = 0; i < n; ++i)
      sum += in.flat<C>()[i] *
             std::polar(1.0, -2 * M_PI * static_cast<double>(i * k % n) / static_cast<double>(n));
    out.flat<C>()[k] = sum;
  }
  return out;
}

TEST(Fft, transforms_any_length) {
  for (int64_t n : {1, 2, 3, 4, 5, 8, 12, 16, 17, 30, 32, 64, 97, 128, 256}) {
    Tensor in = signal(Shape{n});
    auto out = run_kernel("FFT", {in});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_TRUE(tensors_near(out->at(0), slow_transform(in), 1e-9, 1e-9)) << n;
    EXPECT_TRUE(tensors_near(run_kernel("IFFT", {out->at(0)})->at(0), in, 1e-9, 1e-9)) << n;
  }
}

/// Row r of `t`, of rank 2.
Tensor row_of(const Tensor& t, int64_t r) {
  Tensor row(DataType::kComplex128, Shape{t.dim(1)});
  for (int64_t i = 0; i < t.dim(1); ++i) row.flat<C>()[i] = t.flat<C>()[r * t.dim(1) + i];
  return row;
}

TEST(Fft, of_a_batch_is_that_of_each_line) {
  for (const int64_t lines : {1, 3, 4, 5, 9}) {
    for (const int64_t n : {6, 16}) {
      SCOPED_TRACE(testing::Message() << lines << " lines of " << n);
      const Tensor in = signal(Shape{lines, n});
      const auto out = run_kernel("FFT", {in});
      ASSERT_TRUE(out.ok()) << out.status();
      for (int64_t r = 0; r < lines; ++r)
        EXPECT_TRUE(tensors_near(row_of(out->at(0), r), slow_transform(row_of(in, r)), 1e-9, 1e-9)) << r;
    }
  }
}

/// Of double precision, which is the real part of `in` or becomes it again.
const AttrMap kOfDoubles = {{"Treal", DataType::kDouble}, {"Tcomplex", DataType::kComplex128}};

TEST(Fft, of_reals_is_half_of_the_complex_one_and_comes_back) {
  for (const int64_t lines : {1, 4, 7}) {
    for (const int64_t n : {1, 2, 3, 4, 6, 7, 8, 10, 32, 34, 64}) {
      SCOPED_TRACE(testing::Message() << lines << " lines of " << n);
      Tensor whole = signal(Shape{lines, n}), in(DataType::kDouble, Shape{lines, n});
      for (int64_t i = 0; i < whole.num_elements(); ++i) {
        in.flat<double>()[i] = whole.flat<C>()[i].real();
        whole.flat<C>()[i] = in.flat<double>()[i];
      }
      const Tensor length = Tensor::vector<int32_t>({static_cast<int32_t>(n)});
      const auto half = run_kernel("RFFT", {in, length}, kOfDoubles);
      ASSERT_TRUE(half.ok()) << half.status();
      ASSERT_EQ(half->at(0).shape(), (Shape{lines, n / 2 + 1}));
      for (int64_t r = 0; r < lines; ++r) {
        const Tensor all = slow_transform(row_of(whole, r));
        for (int64_t k = 0; k <= n / 2; ++k)
          EXPECT_NEAR(std::abs(half->at(0).flat<C>()[r * (n / 2 + 1) + k] - all.flat<C>()[k]), 0, 1e-9) << k;
      }
      const auto back = run_kernel("IRFFT", {half->at(0), length}, kOfDoubles);
      ASSERT_TRUE(back.ok()) << back.status();
      EXPECT_TRUE(tensors_near(back->at(0), in, 1e-9, 1e-9));
    }
  }
}

TEST(Fft, does_not_read_what_is_imaginary_at_the_ends_of_a_half_spectrum) {
  for (const int64_t n : {4, 5}) {
    const Tensor half = signal(Shape{n / 2 + 1});
    Tensor real_ends = signal(Shape{n / 2 + 1});
    real_ends.flat<C>()[0] = real_ends.flat<C>()[0].real();
    if (n % 2 == 0) real_ends.flat<C>()[n / 2] = real_ends.flat<C>()[n / 2].real();
    const Tensor length = Tensor::vector<int32_t>({static_cast<int32_t>(n)});
    EXPECT_TRUE(tensors_near(run_kernel("IRFFT", {half, length}, kOfDoubles)->at(0),
                             run_kernel("IRFFT", {real_ends, length}, kOfDoubles)->at(0), 1e-9, 1e-9));
  }
}

TEST(Fft, of_reals_in_two_axes_comes_back) {
  for (const int64_t n : {5, 6}) {
    Tensor in(DataType::kDouble, Shape{2, 3, n});
    for (int64_t i = 0; i < in.num_elements(); ++i) in.flat<double>()[i] = static_cast<double>(i * 7 % 11);
    const Tensor lengths = Tensor::vector<int32_t>({3, static_cast<int32_t>(n)});
    const auto half = run_kernel("RFFT2D", {in, lengths}, kOfDoubles);
    ASSERT_TRUE(half.ok()) << half.status();
    const auto back = run_kernel("IRFFT2D", {half->at(0), lengths}, kOfDoubles);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_TRUE(tensors_near(back->at(0), in, 1e-9, 1e-9));
  }
}

TEST(Fft, inverts_two_and_three_axes) {
  Tensor in = signal(Shape{2, 3, 4, 5});
  for (const char* axes : {"2D", "3D"}) {
    auto out = run_kernel(std::string("FFT") + axes, {in});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_FALSE(tensors_near(out->at(0), in));
    EXPECT_TRUE(tensors_near(run_kernel(std::string("IFFT") + axes, {out->at(0)})->at(0), in, 1e-9, 1e-9));
  }
}

TEST(Fft, crops_real_transforms_to_their_length) {
  Tensor in = Tensor::from<float>(Shape{1, 4}, {0, 1, 2, 3}), length = Tensor::vector<int32_t>({3});
  auto out =
      run_kernel("RFFT", {in, length}, {{"Treal", DataType::kFloat}, {"Tcomplex", DataType::kComplex64}});
  ASSERT_TRUE(out.ok()) << out.status();
  using F = std::complex<float>;
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<F>(Shape{1, 2}, {F(3, 0), F(-1.5f, 0.866025f)})));
}

TEST(Fft, inverts_half_spectra_of_even_and_odd_length) {
  using F = std::complex<float>;
  Tensor in = Tensor::from<F>(Shape{3}, {F(1, 2), F(2, 3), F(3, 4)});
  AttrMap types = {{"Treal", DataType::kFloat}, {"Tcomplex", DataType::kComplex64}};
  auto even = run_kernel("IRFFT", {in, Tensor::vector<int32_t>({4})}, types);
  ASSERT_TRUE(even.ok()) << even.status();
  EXPECT_TRUE(tensors_near(even->at(0), Tensor::vector<float>({2, -2, 0, 1})));
  Tensor ramp = Tensor::from<F>(Shape{4}, {F(0, 0), F(1, 0), F(2, 0), F(3, 0)});
  auto odd = run_kernel("IRFFT", {ramp, Tensor::vector<int32_t>({5})}, types);
  EXPECT_TRUE(tensors_near(odd->at(0),
                           Tensor::vector<float>({1.2f, -0.523607f, -0.076393f, -0.076393f, -0.523607f})));
}

TEST(Fft, refuses_bad_lengths) {
  Tensor in = Tensor::from<float>(Shape{1, 4}, {0, 1, 2, 3});
  AttrMap types = {{"Treal", DataType::kFloat}, {"Tcomplex", DataType::kComplex64}};
  EXPECT_EQ(run_kernel("RFFT", {in, Tensor::vector<int32_t>({5})}, types).status(),
            absl::InvalidArgumentError("Input dimension 1 must have length of at least 5 but got: 4"));
  EXPECT_EQ(run_kernel("RFFT", {in, Tensor::vector<int32_t>({-1})}, types).status(),
            absl::InvalidArgumentError("fft_length[0] must >= 0, but got: -1"));
  EXPECT_EQ(run_kernel("RFFT", {in, Tensor::vector<int32_t>({1, 2})}, types).status(),
            absl::InvalidArgumentError("fft_length must have shape [1]"));
  EXPECT_EQ(run_kernel("FFT2D", {signal(Shape{2})}).status(),
            absl::InvalidArgumentError("Input must have rank of at least 2 but got: [2]"));
}

TEST(Fft, of_chosen_axes_agrees_with_the_fixed_ones) {
  Tensor in = signal(Shape{3, 4});
  auto nd = run_kernel("FFTND", {in, Tensor::vector<int32_t>({4, 3}), Tensor::vector<int32_t>({-1, 0})});
  ASSERT_TRUE(nd.ok()) << nd.status();
  EXPECT_TRUE(tensors_near(nd->at(0), run_kernel("FFT2D", {in})->at(0), 1e-9, 1e-9));
  Tensor padded = Tensor::from<C>(Shape{4}, {C(1), C(2), C(3), C(0)});
  auto longer = run_kernel("FFTND", {Tensor::from<C>(Shape{3}, {C(1), C(2), C(3)}),
                                     Tensor::vector<int32_t>({4}), Tensor::vector<int32_t>({0})});
  EXPECT_TRUE(tensors_near(longer->at(0), run_kernel("FFT", {padded})->at(0), 1e-9, 1e-9));
}

}  // namespace
}  // namespace troupe::test
