#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/devices/kernels/quantized/quantized_tensors.h"

/// Tensors of uniform quantisation: steps of scales around zero points.
namespace troupe::test {

using Ints = std::vector<int64_t>;

inline Ints steps(const Tensor& t) {
  Ints v;
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    switch (t.dtype()) {
      case DataType::kQint8: v.push_back(t.flat<QInt8>()[i].value); break;
      case DataType::kQuint8: v.push_back(t.flat<QUInt8>()[i].value); break;
      default: v.push_back(t.flat<QInt32>()[i].value); break;
    }
  }
  return v;
}

/// The steps of output 0, or nothing after an error, which is a failure.
inline Ints steps(const Outputs& out) {
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? steps(out->at(0)) : Ints();
}

/// The message of an error.
inline std::string why(const Outputs& out) {
  return out.ok() ? "no error" : std::string(out.status().message());
}

inline Tensor ints(const std::vector<int32_t>& v) {
  if (v.size() == 1) return Tensor::scalar(v[0]);
  return Tensor::from<int32_t>(Shape{static_cast<int64_t>(v.size())}, std::span<const int32_t>(v));
}

inline constexpr int64_t kLow32 = std::numeric_limits<int32_t>::lowest(),
                         kHigh32 = std::numeric_limits<int32_t>::max();

/// How something is quantised: one number of each makes scalars.
struct Scheme {
  std::vector<float> scales;
  std::vector<int32_t> zeros;
  int64_t axis = -1;
};

inline void set_range(AttrMap* attrs, const std::string& prefix, const Scheme& s, int64_t low, int64_t high) {
  attrs->set(prefix + "quantization_axis", s.axis);
  attrs->set(prefix + "quantization_min_val", low);
  attrs->set(prefix + "quantization_max_val", high);
}

}  // namespace troupe::test
