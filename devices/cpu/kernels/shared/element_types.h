#pragma once

#include <complex>
#include <cstdint>

#include <Eigen/Core>

namespace troupe {

/// Lists of element types as registrations name them.
template <class... T>
struct Types {};
using Floats = Types<float, double, Eigen::half, Eigen::bfloat16>;
using Complexes = Types<std::complex<float>, std::complex<double>>;
using SignedInts = Types<int8_t, int16_t, int32_t, int64_t>;
using UnsignedInts = Types<uint8_t, uint16_t, uint32_t, uint64_t>;

}  // namespace troupe
