// Products of small matrices of floats and doubles, compiled for each instruction set: tiles of C that stay in registers while a row of B after the other passes by. B
// is read where it is, not copied into panels first, which pays for small matrices only.
#include "devices/cpu/loops/vector/sets.h"
#include "devices/cpu/loops/vector/vec.h"

namespace troupe::TROUPE_ISA {
namespace {

#if defined(__FMA__) || defined(__AVX512F__)

/// Rows of a tile that is two registers wide: with its sums, a row of B and an element of A the registers are full.
constexpr int kRows = kVectorBytes == 64 ? 12 : 6;
/// Registers of a tile of so few rows that its sums would wait for each other else.
constexpr int kWide = kVectorBytes == 64 ? 8 : 4;
constexpr int kFew = kVectorBytes == 64 ? 3 : 2;

template <class T>
struct Matrices {
  int64_t k;
  const T* a;
  int64_t a_row, a_col;
  const T* b;
  int64_t ldb;
  T* c;
  int64_t ldc;
  bool accumulate;
};

/// kR rows of C from `row`, kW registers of columns from `column`, of which the last has `part` columns (kPart) or all. kByRows: A's rows are
/// contiguous.
template <class T, int kR, int kW, bool kPart, bool kByRows>
void tile(const Matrices<T>& p, int64_t row, int64_t column, int64_t part) {
  constexpr int64_t kStep = kWidth<T>;
  const T* const a = p.a + row * p.a_row;
  const T* b = p.b + column;
  T* const c = p.c + row * p.ldc + column;
  const int64_t a_row = p.a_row, a_col = kByRows ? 1 : p.a_col, ldb = p.ldb, ldc = p.ldc, k = p.k;
  const auto read = [=](const T* from, int v) TROUPE_INLINE_LAMBDA {
    return kPart && v == kW - 1 ? load_part(from + v * kStep, part) : load(from + v * kStep);
  };
  Vec<T> sums[kR][kW];
#pragma GCC unroll 12
  for (int i = 0; i < kR; ++i) {
#pragma GCC unroll 8
    for (int v = 0; v < kW; ++v) sums[i][v] = p.accumulate ? read(c + i * ldc, v) : Vec<T>{};
  }
  for (int64_t l = 0; l < k; ++l, b += ldb) {
    Vec<T> y[kW];
#pragma GCC unroll 8
    for (int v = 0; v < kW; ++v) y[v] = read(b, v);
#pragma GCC unroll 12
    for (int i = 0; i < kR; ++i) {
      const Vec<T> x = splat(a[i * a_row + l * a_col]);
#pragma GCC unroll 8
      for (int v = 0; v < kW; ++v) sums[i][v] = fma(x, y[v], sums[i][v]);
    }
  }
#pragma GCC unroll 12
  for (int i = 0; i < kR; ++i) {
#pragma GCC unroll 8
    for (int v = 0; v < kW; ++v) {
      T* const to = c + i * ldc + v * kStep;
      if (kPart && v == kW - 1) {
        store_part(to, sums[i][v], part);
      } else {
        store(to, sums[i][v]);
      }
    }
  }
}

/// `rows` rows, of which there are kR or fewer.
template <class T, int kR, int kW, bool kPart, bool kByRows>
void tile_of(const Matrices<T>& p, int64_t rows, int64_t row, int64_t column, int64_t part) {
  if constexpr (kR > 0) {
    if (rows == kR) return tile<T, kR, kW, kPart, kByRows>(p, row, column, part);
    tile_of<T, kR - 1, kW, kPart, kByRows>(p, rows, row, column, part);
  }
}

/// All rows of some columns, in as few tiles as there may be, of about the same size: a flat one waits for its own sums.
template <class T, int kW, bool kPart, bool kByRows>
void columns(const Matrices<T>& p, int64_t m, int64_t column, int64_t part = 0) {
  int64_t row = 0;
  for (int64_t tiles = (m + kRows - 1) / kRows; tiles > 0; --tiles) {
    const int64_t rows = (m - row + tiles - 1) / tiles;
    tile_of<T, kRows, kW, kPart, kByRows>(p, rows, row, column, part);
    row += rows;
  }
}

template <class T, bool kByRows>
void all_columns(const Matrices<T>& p, int64_t m, int64_t n) {
  constexpr int64_t kStep = kWidth<T>;
  int64_t column = 0;
  if (m <= kFew) {
    for (; n - column >= kWide * kStep; column += kWide * kStep)
      tile_of<T, kFew, kWide, false, kByRows>(p, m, 0, column, 0);
  }
  for (; n - column >= 2 * kStep; column += 2 * kStep) columns<T, 2, false, kByRows>(p, m, column);
  if (n - column > kStep) return columns<T, 2, true, kByRows>(p, m, column, n - column - kStep);
  if (n - column == kStep) return columns<T, 1, false, kByRows>(p, m, column);
  if (column < n) columns<T, 1, true, kByRows>(p, m, column, n - column);
}

template <class T>
void product(int64_t m, int64_t n, int64_t k, const T* a, int64_t a_row, int64_t a_col, const T* b,
             int64_t ldb, T* c, int64_t ldc, bool accumulate) {
  const Matrices<T> p = {k, a, a_row, a_col, b, ldb, c, ldc, accumulate};
  if (a_col == 1) {
    all_columns<T, true>(p, m, n);
  } else {
    all_columns<T, false>(p, m, n);
  }
}

}  // namespace

Products products() { return {.floats = product<float>, .doubles = product<double>}; }

#else

}  // namespace

Products products() { return {}; }

#endif

}  // namespace troupe::TROUPE_ISA
