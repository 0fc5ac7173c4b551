// Products of matrices in tiles of shared memory, for where cuBLAS is not.
#include "devices/cuda/kernels/product_args.h"
#include "devices/cuda/kernels/source/launchable.h"

namespace troupe::launchable {
namespace {

/// A block makes kTile x kTile elements, kDepth steps of the sums at a time; a thread kPatch x kPatch of them.
constexpr int kTile = 64;
constexpr int kDepth = 16;
constexpr int kPatch = 4;
/// Columns of the tiles lie one further apart than they are long: neighbours are in other banks.
constexpr int kPitch = kTile + 1;

template <class T>
TROUPE_DEVICE compute_t<T> operand(const T& value, bool conjugate) {
  if constexpr (is_complex_v<T>) return conjugate ? conj(value) : value;
  return static_cast<compute_t<T>>(value);
}

/// Columns k0 .. k0 + depth of `count` rows: tile[d * kPitch + r]. Threads walk along memory.
template <class T>
TROUPE_DEVICE_ONLY void load_tile(const T* from, int64_t row, int64_t along, int count, int depth,
                                  bool conjugate, compute_t<T>* tile) {
  TROUPE_FOR_THREADS(i, count * depth) {
    const int at = static_cast<int>(i);
    const int d = along == 1 ? at % depth : at / count;
    const int r = along == 1 ? at / depth : at % count;
    tile[d * kPitch + r] = operand(from[r * row + d * along], conjugate);
  }
}

/// Elements [row0, row0 + rows) x [col0, col0 + cols) of one product. Threads that run out of patches go on loading tiles for the
/// others, so that all of them meet as often.
template <class T>
TROUPE_DEVICE_ONLY void product_tile(const T* a, const T* b, T* c, const ProductArgs& p, int rows, int cols,
                                     compute_t<T>* left, compute_t<T>* right) {
  using C = compute_t<T>;
  const int patch_cols = (cols + kPatch - 1) / kPatch;
  const int64_t patches = static_cast<int64_t>((rows + kPatch - 1) / kPatch) * patch_cols;
  for (int64_t first = 0; first < patches; first += block_threads()) {
    const int64_t patch = first + thread_index();
    const bool mine = patch < patches;
    const int r0 = mine ? static_cast<int>(patch) / patch_cols * kPatch : 0;
    const int c0 = mine ? static_cast<int>(patch) % patch_cols * kPatch : 0;
    C sums[kPatch][kPatch];
    for (auto& row : sums) {
      for (C& sum : row) sum = C(0);
    }
    for (int64_t k0 = 0; k0 < p.k; k0 += kDepth) {
      const int depth = static_cast<int>(p.k - k0 < kDepth ? p.k - k0 : kDepth);
      block_sync();  // The last tiles may still be read.
      load_tile(a + k0 * p.a_along, p.a_row, p.a_along, rows, depth, p.conjugate_a, left);
      load_tile(b + k0 * p.b_row, p.b_along, p.b_row, cols, depth, p.conjugate_b, right);
      block_sync();
      if (!mine) continue;
      for (int d = 0; d < depth; ++d) {
        // Beyond the last row or column is what nobody wrote; its sums are not used.
        const C* x = left + d * kPitch + r0;
        const C* y = right + d * kPitch + c0;
        for (int i = 0; i < kPatch; ++i) {
          for (int j = 0; j < kPatch; ++j) sums[i][j] += x[i] * y[j];
        }
      }
    }
    if (!mine) continue;
    for (int i = 0; i < kPatch && r0 + i < rows; ++i) {
      for (int j = 0; j < kPatch && c0 + j < cols; ++j)
        c[(r0 + i) * p.n + c0 + j] = static_cast<T>(sums[i][j]);
    }
  }
}

template <class T>
TROUPE_DEVICE_ONLY void product(const T* a, const T* b, T* c, const ProductArgs& p) {
  TROUPE_SHARED(compute_t<T>, left, kDepth * kPitch);
  TROUPE_SHARED(compute_t<T>, right, kDepth * kPitch);
  const int64_t row_tiles = (p.m + kTile - 1) / kTile, col_tiles = (p.n + kTile - 1) / kTile;
  TROUPE_FOR_BLOCKS(tile, p.batch * row_tiles * col_tiles) {
    const int64_t col = tile % col_tiles * kTile, row = tile / col_tiles % row_tiles * kTile;
    const int64_t image = tile / col_tiles / row_tiles;
    const int rows = static_cast<int>(p.m - row < kTile ? p.m - row : kTile);
    const int cols = static_cast<int>(p.n - col < kTile ? p.n - col : kTile);
    product_tile(a + image * p.a_batch + row * p.a_row, b + image * p.b_batch + col * p.b_along,
                 c + (image * p.m + row) * p.n + col, p, rows, cols, left, right);
  }
}

}  // namespace
}  // namespace troupe::launchable

#define TROUPE_INSTANTIATE(suffix, T)                                                      \
  TROUPE_KERNEL(product_##suffix, (const T* a, const T* b, T* c, troupe::ProductArgs p)) { \
    product<T>(a, b, c, p);                                                                \
  }
TROUPE_INSTANTIATE(f32, float)
TROUPE_INSTANTIATE(f64, double)
TROUPE_INSTANTIATE(f16, half_t)
TROUPE_INSTANTIATE(bf16, bfloat16_t)
TROUPE_INSTANTIATE(c64, complex64_t)
TROUPE_INSTANTIATE(c128, complex128_t)
#undef TROUPE_INSTANTIATE
