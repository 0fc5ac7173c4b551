#include "devices/cpu/kernels/signal/fft_plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <utility>

namespace troupe {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// Longer plans are made for each use; of the others so many are kept.
constexpr int64_t kKeptLength = int64_t{1} << 16;
constexpr size_t kKeptPlans = 32;

template <class Plan>
std::shared_ptr<const Plan> kept_plan(int64_t n) {
  if (n > kKeptLength) return std::make_shared<const Plan>(n);
  static std::mutex* const mu = new std::mutex;
  static auto* const plans = new std::map<int64_t, std::shared_ptr<const Plan>>;
  {
    std::lock_guard lock(*mu);
    if (const auto found = plans->find(n); found != plans->end()) return found->second;
  }
  const auto made = std::make_shared<const Plan>(n);
  std::lock_guard lock(*mu);
  if (plans->size() >= kKeptPlans) plans->clear();
  return plans->emplace(n, made).first->second;
}

/// One stage of radix 4: `run` neighbours share a butterfly's factors. Reads x, writes y.
template <class Twiddles>
void stage_of_four(int64_t quarter, int64_t run, const double* __restrict x_re, const double* __restrict x_im,
                   double* __restrict y_re, double* __restrict y_im, const Twiddles* w) {
  const int64_t step = quarter * run;
  for (int64_t p = 0; p < quarter; ++p, ++w) {
    const double *ar = x_re + p * run, *ai = x_im + p * run;
    double *to_re = y_re + 4 * p * run, *to_im = y_im + 4 * p * run;
    const double w1r = w->re[0], w1i = w->im[0], w2r = w->re[1], w2i = w->im[1], w3r = w->re[2],
                 w3i = w->im[2];
    for (int64_t q = 0; q < run; ++q) {
      const double a_re = ar[q], b_re = ar[q + step], c_re = ar[q + 2 * step], d_re = ar[q + 3 * step];
      const double a_im = ai[q], b_im = ai[q + step], c_im = ai[q + 2 * step], d_im = ai[q + 3 * step];
      const double even_re = a_re + c_re, even_im = a_im + c_im, odd_re = b_re + d_re, odd_im = b_im + d_im;
      const double left_re = a_re - c_re, left_im = a_im - c_im, right_re = b_re - d_re,
                   right_im = b_im - d_im;
      // left - i * right, even - odd, left + i * right.
      const double s1r = left_re + right_im, s1i = left_im - right_re;
      const double s2r = even_re - odd_re, s2i = even_im - odd_im;
      const double s3r = left_re - right_im, s3i = left_im + right_re;
      to_re[q] = even_re + odd_re;
      to_im[q] = even_im + odd_im;
      to_re[q + run] = s1r * w1r - s1i * w1i;
      to_im[q + run] = s1r * w1i + s1i * w1r;
      to_re[q + 2 * run] = s2r * w2r - s2i * w2i;
      to_im[q + 2 * run] = s2r * w2i + s2i * w2r;
      to_re[q + 3 * run] = s3r * w3r - s3i * w3i;
      to_im[q + 3 * run] = s3r * w3i + s3i * w3r;
    }
  }
}

/// The last stage of an odd power: pairs, whose factors are 1.
void stage_of_two(int64_t run, const double* __restrict x_re, const double* __restrict x_im,
                  double* __restrict y_re, double* __restrict y_im) {
  for (int64_t q = 0; q < run; ++q) {
    y_re[q] = x_re[q] + x_re[q + run];
    y_im[q] = x_im[q] + x_im[q + run];
    y_re[q + run] = x_re[q] - x_re[q + run];
    y_im[q + run] = x_im[q] - x_im[q + run];
  }
}

}  // namespace

void FftLines::resize(int64_t n, int64_t num_lines) {
  lines = num_lines;
  re.resize(static_cast<size_t>(n * num_lines));
  im.resize(re.size());
}

std::shared_ptr<const FftPlan> FftPlan::of(int64_t n) { return kept_plan<FftPlan>(n); }

FftPlan::FftPlan(int64_t n) : n_(n) {
  if (n <= 1) return;
  const bool is_power = (n & (n - 1)) == 0;
  while (power_ < (is_power ? n : 2 * n - 1)) power_ *= 2;
  for (int64_t left = power_; left >= 4; left /= 4) {
    for (int64_t p = 0; p < left / 4; ++p) {
      Twiddles& w = twiddles_.emplace_back();
      for (int k = 0; k < 3; ++k) {
        const double angle = -2 * kPi * static_cast<double>((k + 1) * p) / static_cast<double>(left);
        w.re[k] = std::cos(angle);
        w.im[k] = std::sin(angle);
      }
    }
  }
  if (is_power) return;
  chirp_re_.resize(static_cast<size_t>(n));
  chirp_im_ = chirp_re_;
  filter_re_.assign(static_cast<size_t>(power_), 0.0);
  filter_im_ = filter_re_;
  for (int64_t k = 0; k < n; ++k) {
    // k^2 modulo 2n keeps the angle exact; n is a dimension, so that k^2 is taken in 128 bits.
    const auto square = static_cast<int64_t>(static_cast<unsigned __int128>(k) * static_cast<uint64_t>(k) %
                                             static_cast<uint64_t>(2 * n));
    const double angle = -kPi * static_cast<double>(square) / static_cast<double>(n);
    chirp_re_[k] = std::cos(angle);
    chirp_im_[k] = std::sin(angle);
    const int64_t mirrored = k == 0 ? 0 : power_ - k;
    filter_re_[k] = filter_re_[mirrored] = chirp_re_[k];
    filter_im_[k] = filter_im_[mirrored] = -chirp_im_[k];
  }
  FftLines scratch;
  run_power(1, &scratch, &filter_re_, &filter_im_);
}

void FftPlan::run(bool inverse, FftLines* x) const {
  if (n_ <= 1) return;
  // The inverse is the transform of the exchanged parts.
  if (inverse) std::swap(x->re, x->im);
  if (chirp_re_.empty()) {
    run_power(x->lines, x, &x->re, &x->im);
  } else {
    run_bluestein(x);
  }
  if (inverse) std::swap(x->re, x->im);
}

void FftPlan::run_power(int64_t lines, FftLines* scratch, std::vector<double>* re,
                        std::vector<double>* im) const {
  std::vector<double>&aside_re = scratch->re_aside_, &aside_im = scratch->im_aside_;
  aside_re.resize(re->size());
  aside_im.resize(re->size());
  const Twiddles* w = twiddles_.data();
  int64_t run = lines;
  int64_t left = power_;
  for (; left >= 4; left /= 4, run *= 4) {
    stage_of_four(left / 4, run, re->data(), im->data(), aside_re.data(), aside_im.data(), w);
    w += left / 4;
    re->swap(aside_re);
    im->swap(aside_im);
  }
  if (left == 1) return;
  stage_of_two(run, re->data(), im->data(), aside_re.data(), aside_im.data());
  re->swap(aside_re);
  im->swap(aside_im);
}

void FftPlan::run_bluestein(FftLines* x) const {
  const int64_t lines = x->lines;
  std::vector<double>&re = x->re_long_, &im = x->im_long_;
  re.assign(static_cast<size_t>(power_ * lines), 0.0);
  im.assign(re.size(), 0.0);
  for (int64_t k = 0; k < n_; ++k) {
    const double cr = chirp_re_[k], ci = chirp_im_[k];
    for (int64_t i = k * lines; i < (k + 1) * lines; ++i) {
      re[i] = x->re[i] * cr - x->im[i] * ci;
      im[i] = x->re[i] * ci + x->im[i] * cr;
    }
  }
  run_power(lines, x, &re, &im);
  for (int64_t k = 0; k < power_; ++k) {
    const double fr = filter_re_[k], fi = filter_im_[k];
    for (int64_t i = k * lines; i < (k + 1) * lines; ++i) {
      const double r = re[i] * fr - im[i] * fi;
      // Exchanged: the way back.
      re[i] = re[i] * fi + im[i] * fr;
      im[i] = r;
    }
  }
  run_power(lines, x, &re, &im);
  const double scale = 1.0 / static_cast<double>(power_);
  for (int64_t k = 0; k < n_; ++k) {
    const double cr = chirp_re_[k] * scale, ci = chirp_im_[k] * scale;
    for (int64_t i = k * lines; i < (k + 1) * lines; ++i) {
      x->re[i] = im[i] * cr - re[i] * ci;
      x->im[i] = im[i] * ci + re[i] * cr;
    }
  }
}

std::shared_ptr<const RealFftPlan> RealFftPlan::of(int64_t n) { return kept_plan<RealFftPlan>(n); }

RealFftPlan::RealFftPlan(int64_t n) : half_(n / 2), plan_(FftPlan::of(n / 2)) {
  for (int64_t k = 0; k <= half_ / 2; ++k) {
    const double angle = -2 * kPi * static_cast<double>(k) / static_cast<double>(n);
    turn_re_.push_back(std::cos(angle));
    turn_im_.push_back(std::sin(angle));
  }
}

void RealFftPlan::forward(FftLines* x) const {
  const int64_t lines = x->lines;
  plan_->run(false, x);
  // Where a stage has put it there is room for the pairs alone.
  x->re.resize(static_cast<size_t>((half_ + 1) * lines));
  x->im.resize(x->re.size());
  double *re = x->re.data(), *im = x->im.data();
  for (int64_t l = 0; l < lines; ++l) {
    const double even = re[l], odd = im[l];
    re[l] = even + odd;
    re[half_ * lines + l] = even - odd;
    im[l] = im[half_ * lines + l] = 0;
  }
  for (int64_t k = 1; k <= half_ / 2; ++k) {
    const double wr = turn_re_[k], wi = turn_im_[k];
    double *a_re = re + k * lines, *a_im = im + k * lines;
    double *b_re = re + (half_ - k) * lines, *b_im = im + (half_ - k) * lines;
    for (int64_t l = 0; l < lines; ++l) {
      // The spectra of the even elements, and of the odd ones, turned.
      const double even_re = (a_re[l] + b_re[l]) / 2, even_im = (a_im[l] - b_im[l]) / 2;
      const double odd_re = (a_im[l] + b_im[l]) / 2, odd_im = (b_re[l] - a_re[l]) / 2;
      const double t_re = odd_re * wr - odd_im * wi, t_im = odd_re * wi + odd_im * wr;
      b_re[l] = even_re - t_re;
      b_im[l] = t_im - even_im;
      a_re[l] = even_re + t_re;
      a_im[l] = even_im + t_im;
    }
  }
}

void RealFftPlan::inverse(FftLines* x) const {
  const int64_t lines = x->lines;
  double *re = x->re.data(), *im = x->im.data();
  for (int64_t l = 0; l < lines; ++l) {
    const double first = re[l], last = re[half_ * lines + l];
    re[l] = first + last;
    im[l] = first - last;
  }
  for (int64_t k = 1; k <= half_ / 2; ++k) {
    const double wr = turn_re_[k], wi = turn_im_[k];
    double *a_re = re + k * lines, *a_im = im + k * lines;
    double *b_re = re + (half_ - k) * lines, *b_im = im + (half_ - k) * lines;
    for (int64_t l = 0; l < lines; ++l) {
      const double even_re = a_re[l] + b_re[l], even_im = a_im[l] - b_im[l];
      const double diff_re = a_re[l] - b_re[l], diff_im = a_im[l] + b_im[l];
      // Turned back.
      const double odd_re = diff_re * wr + diff_im * wi, odd_im = diff_im * wr - diff_re * wi;
      b_re[l] = even_re + odd_im;
      b_im[l] = odd_re - even_im;
      a_re[l] = even_re - odd_im;
      a_im[l] = even_im + odd_re;
    }
  }
  x->re.resize(static_cast<size_t>(half_ * lines));
  x->im.resize(x->re.size());
  plan_->run(true, x);
}

}  // namespace troupe
