#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/quantized/math.h"
#include "tests/support/string_tensors.h"

/// Quantised tensors, and what ops make of them.
namespace troupe::test {

using Outputs = absl::StatusOr<std::vector<Tensor>>;

template <class Q>
Tensor quantized(const Shape& shape, const std::vector<int64_t>& values) {
  std::vector<Q> q;
  for (int64_t v : values) q.push_back(Q{static_cast<QuantStorage<Q>>(v)});
  return Tensor::from<Q>(shape, std::span<const Q>(q));
}

inline Tensor quantized(DataType dtype, const Shape& shape, const std::vector<int64_t>& values) {
  switch (dtype) {
    case DataType::kQuint8: return quantized<QUInt8>(shape, values);
    case DataType::kQint8: return quantized<QInt8>(shape, values);
    default: return quantized<QInt32>(shape, values);
  }
}

/// count values, each `step` more than the last, around in a ring of `ring`, less `offset`.
inline std::vector<int64_t> ring(int64_t count, int64_t step, int64_t ring, int64_t offset) {
  std::vector<int64_t> v;
  for (int64_t i = 0; i < count; ++i) v.push_back(i * step % ring - offset);
  return v;
}

inline Tensor floats(const std::vector<float>& values) {
  if (values.size() == 1) return Tensor::scalar<float>(values[0]);
  return Tensor::from<float>(Shape{static_cast<int64_t>(values.size())}, std::span<const float>(values));
}

inline std::vector<double> numbers(const Tensor& t) {
  std::vector<double> all;
  for (size_t i = 0; i < static_cast<size_t>(t.num_elements()); ++i) {
    switch (t.dtype()) {
      case DataType::kQuint8: all.push_back(t.flat<QUInt8>()[i].value); break;
      case DataType::kQint8: all.push_back(t.flat<QInt8>()[i].value); break;
      case DataType::kQint32: all.push_back(t.flat<QInt32>()[i].value); break;
      default: all.push_back(static_cast<double>(t.flat<float>()[i])); break;
    }
  }
  return all;
}

/// Each number at most `quantum` from what is wanted.
template <class T>
void expect_near(const Tensor& got, const std::vector<T>& want, double quantum) {
  const std::vector<double> values = numbers(got);
  ASSERT_EQ(values.size(), want.size()) << got.to_string();
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(values[i], static_cast<double>(want[i]), quantum) << "element " << i;
}

/// A range: both ends within a millionth.
inline void expect_range(const std::vector<Tensor>& out, double low, double high) {
  EXPECT_NEAR(static_cast<double>(out[1].value<float>()), low, std::abs(low) * 1e-6);
  EXPECT_NEAR(static_cast<double>(out[2].value<float>()), high, std::abs(high) * 1e-6);
}

/// "no error", or its code and message.
inline std::string outcome(const Outputs& out) {
  return out.ok() ? "no error"
                  : absl::StrCat(absl::StatusCodeToString(out.status().code()), ": ", out.status().message());
}

}  // namespace troupe::test
