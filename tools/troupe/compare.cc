#include "tools/troupe/compare.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/troupe/print_array.h"

namespace troupe {
namespace {

constexpr double kOneGreyLevel = 1;

bool near_to(double got, double want, const Tolerance& t) {
  if (std::isnan(want)) return std::isnan(got);
  if (std::isinf(want) || !std::isfinite(got)) return got == want;
  return std::fabs(got - want) <= t.atol + t.rtol * std::fabs(want);
}

bool near_to(const std::complex<double>& got, const std::complex<double>& want, const Tolerance& t) {
  return near_to(got.real(), want.real(), t) && near_to(got.imag(), want.imag(), t);
}

/// NaN last, so that sorting is well defined.
bool sorts_before(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  return a < b;
}

std::string index_text(const Shape& shape, int64_t flat) {
  std::vector<int64_t> index(shape.rank());
  for (int d = shape.rank() - 1; d >= 0; --d) {
    index[d] = flat % shape.dim(d);
    flat /= shape.dim(d);
  }
  return absl::StrCat("[", absl::StrJoin(index, ","), "]");
}

/// Compares element by element with `equal(got, want)`, where i and j are the positions of elements to compare.
class ElementWise {
 public:
  ElementWise(const Tensor& got, const Tensor& want, bool as_sets)
      : got_(got), want_(want), as_sets_(as_sets) {}

  template <class T, class Equal, class Less>
  std::string run(Equal equal, Less less) const {
    const T* g = static_cast<const T*>(got_.raw());
    const T* w = static_cast<const T*>(want_.raw());
    const int64_t n = want_.num_elements();
    std::vector<int64_t> gi, wi;
    if (as_sets_) {
      gi = order(g, n, less);
      wi = order(w, n, less);
    }
    int64_t first_got = -1, first_want = -1, wrong = 0;
    for (int64_t k = 0; k < n; ++k) {
      const int64_t i = as_sets_ ? gi[k] : k;
      const int64_t j = as_sets_ ? wi[k] : k;
      if (equal(g[i], w[j])) continue;
      if (wrong++ == 0) {
        first_got = i;
        first_want = j;
      }
    }
    if (wrong == 0) return "";
    std::string text =
        absl::StrCat(index_text(want_.shape(), first_want), ": ", print_element(got_, first_got),
                     " instead of ", print_element(want_, first_want));
    if (wrong > 1) absl::StrAppend(&text, " (and ", wrong - 1, " more of ", n, ")");
    return text;
  }

 private:
  template <class T, class Less>
  static std::vector<int64_t> order(const T* values, int64_t n, Less less) {
    std::vector<int64_t> index(n);
    for (int64_t i = 0; i < n; ++i) index[i] = i;
    std::stable_sort(index.begin(), index.end(),
                     [&](int64_t a, int64_t b) { return less(values[a], values[b]); });
    return index;
  }

  const Tensor& got_;
  const Tensor& want_;
  const bool as_sets_;
};

template <class T>
std::string compare_floats(const ElementWise& both, const Tolerance& t) {
  return both.run<T>([&](T g, T w) { return near_to(static_cast<double>(g), static_cast<double>(w), t); },
                     [](T a, T b) { return sorts_before(static_cast<double>(a), static_cast<double>(b)); });
}

template <class T>
std::string compare_complex(const ElementWise& both, const Tolerance& t) {
  using C = std::complex<T>;
  return both.run<C>(
      [&](const C& g, const C& w) { return near_to(std::complex<double>(g), std::complex<double>(w), t); },
      [](const C& a, const C& b) { return std::pair(a.real(), a.imag()) < std::pair(b.real(), b.imag()); });
}

template <class T>
std::string compare_exact(const ElementWise& both) {
  return both.run<T>(std::equal_to<T>(), std::less<T>());
}

}  // namespace

std::string type_difference(const Tensor& got, DataType dtype, const Shape& shape) {
  if (got.dtype() != dtype)
    return absl::StrCat("dtype ", dtype_name(got.dtype()), " instead of ", dtype_name(dtype));
  if (!(got.shape() == shape)) {
    return absl::StrCat("shape ", got.shape().to_string(), " instead of ", shape.to_string());
  }
  return "";
}

std::string first_difference(const Tensor& got, const Tensor& want, const Tolerance& tolerance) {
  std::string difference = type_difference(got, want.dtype(), want.shape());
  if (!difference.empty()) return difference;
  if (want.num_elements() == 0) return "";
  const ElementWise both(got, want, tolerance.as_sets);
  switch (want.dtype()) {
    case DataType::kFloat: return compare_floats<float>(both, tolerance);
    case DataType::kDouble: return compare_floats<double>(both, tolerance);
    case DataType::kHalf: return compare_floats<Eigen::half>(both, tolerance);
    case DataType::kBfloat16: return compare_floats<Eigen::bfloat16>(both, tolerance);
    case DataType::kComplex64: return compare_complex<float>(both, tolerance);
    case DataType::kComplex128: return compare_complex<double>(both, tolerance);
    case DataType::kString: return compare_exact<TString>(both);
    case DataType::kUint8:
      if (tolerance.atol >= kOneGreyLevel) {
        return both.run<uint8_t>([&](int g, int w) { return std::abs(g - w) <= tolerance.atol; },
                                 std::less<uint8_t>());
      }
      return compare_exact<uint8_t>(both);
    case DataType::kBool:
    case DataType::kQuint8: return compare_exact<uint8_t>(both);
    case DataType::kInt8:
    case DataType::kQint8: return compare_exact<int8_t>(both);
    case DataType::kInt16:
    case DataType::kQint16: return compare_exact<int16_t>(both);
    case DataType::kUint16:
    case DataType::kQuint16: return compare_exact<uint16_t>(both);
    case DataType::kInt32:
    case DataType::kQint32: return compare_exact<int32_t>(both);
    case DataType::kUint32: return compare_exact<uint32_t>(both);
    case DataType::kInt64: return compare_exact<int64_t>(both);
    case DataType::kUint64: return compare_exact<uint64_t>(both);
    default: return absl::StrCat("values of dtype ", dtype_name(want.dtype()), " cannot be compared");
  }
}

}  // namespace troupe
