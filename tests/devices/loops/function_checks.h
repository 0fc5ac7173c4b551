#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/devices/loops/sets.h"

namespace troupe::test {

/// A function of the table `Functions`, of elements T; what it should give, in numbers that are wider.
template <class T, class Functions, class Wide>
struct CheckedFunction {
  const char* name;
  void (*Functions::*row)(const T* in, T* out, int64_t n);
  Wide (*exact)(Wide);
  /// Largest error, in distances between elements around the exact result.
  double ulp;
};

/// `functions` of all sets, which are `table_of(isa)`'s, are as exact as they say: by `error_of(got, exact)`.
template <class Checks, class T, class TableOf, class ErrorOf>
void expect_exact(const Checks& functions, const std::vector<T>& in, TableOf table_of, ErrorOf error_of) {
  std::vector<T> out(in.size());
  for (Isa isa : sets()) {
    for (const auto& f : functions) {
      (table_of(isa).*f.row)(in.data(), out.data(), static_cast<int64_t>(in.size()));
      double worst = 0;
      T at = 0;
      for (size_t i = 0; i < in.size(); ++i) {
        const double error = error_of(out[i], f.exact(in[i]));
        if (error > worst) {
          worst = error;
          at = in[i];
        }
      }
      EXPECT_LE(worst, f.ulp) << isa_name(isa) << " " << f.name << "(" << at << ")";
    }
  }
}

/// The same of each special number, and zeros have the sign that they should, where `has_signed_zeros(function)`.
template <class Checks, class T, class TableOf, class ErrorOf, class HasSignedZeros>
void expect_specials(const Checks& functions, const std::vector<T>& in, TableOf table_of, ErrorOf error_of,
                     HasSignedZeros has_signed_zeros) {
  for (Isa isa : sets()) {
    for (const auto& f : functions) {
      std::vector<T> out(in.size());
      (table_of(isa).*f.row)(in.data(), out.data(), static_cast<int64_t>(in.size()));
      for (size_t i = 0; i < in.size(); ++i) {
        const auto exact = f.exact(in[i]);
        EXPECT_LE(error_of(out[i], exact), f.ulp) << isa_name(isa) << " " << f.name << "(" << in[i] << ")";
        if (exact == 0 && has_signed_zeros(f)) {
          EXPECT_EQ(std::signbit(out[i]), std::signbit(exact))
              << isa_name(isa) << " " << f.name << "(" << in[i] << ")";
        }
      }
    }
  }
}

/// An element has the same bits wherever it stands, in rows of any length, also when they are written over; nothing is written beside them.
template <class T, class Checks, class TableOf>
void expect_same_bits_everywhere(const Checks& functions, TableOf table_of) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  constexpr int64_t kMostElements = kLongestRow, kMargin = 16;
  std::vector<T> in(kMostElements + 4);
  for (size_t i = 0; i < in.size(); ++i) in[i] = T(0.37) * static_cast<T>(i) - 11;
  for (Isa isa : sets()) {
    for (const auto& f : functions) {
      const auto row = table_of(isa).*f.row;
      std::vector<T> alone(in.size());
      for (size_t i = 0; i < in.size(); ++i) row(&in[i], &alone[i], 1);
      for (int64_t shift = 0; shift < 4; ++shift) {
        for (int64_t n = 0; n <= kMostElements; ++n) {
          std::vector<T> out(kMostElements + 4 + kMargin, T(42)), place = in;
          row(in.data() + shift, out.data() + shift, n);
          row(place.data() + shift, place.data() + shift, n);
          for (int64_t i = 0; i < static_cast<int64_t>(out.size()); ++i) {
            const bool inside = i >= shift && i < shift + n;
            const T want = inside ? alone[static_cast<size_t>(i)] : T(42);
            ASSERT_EQ(std::bit_cast<Bits>(out[static_cast<size_t>(i)]), std::bit_cast<Bits>(want))
                << isa_name(isa) << " " << f.name << ", element " << i << " of " << n << " from " << shift;
            if (i >= static_cast<int64_t>(in.size())) continue;
            const T in_place = inside ? want : in[static_cast<size_t>(i)];
            ASSERT_EQ(std::bit_cast<Bits>(place[static_cast<size_t>(i)]), std::bit_cast<Bits>(in_place))
                << isa_name(isa) << " " << f.name << " in place, element " << i << " of " << n;
          }
        }
      }
    }
  }
}

}  // namespace troupe::test
