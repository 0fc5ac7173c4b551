#include "devices/cpu/primitives/gemm.h"

#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>
#include <algorithm>
#include <type_traits>
#include <vector>

#include "devices/cpu/loops/vector/vector_loops.h"
#include "devices/cpu/primitives/onednn.h"

namespace troupe {
namespace {

/// Products with fewer multiplications than this are plain loops: a library call costs more.
constexpr int64_t kTinyProduct = 512;
/// Multiplications that are worth another thread.
constexpr int64_t kParallelProduct = int64_t{6} << 20;
/// Up to so many multiplications and columns loops of our own are faster than the library; with fewer rows than kFewRows, up to so many
/// elements of B.
constexpr int64_t kSmallProduct = int64_t{1} << 18, kSmallColumns = 256, kFewRows = 4,
                  kSmallOfFewRows = int64_t{1} << 13;
/// Of doubles, what is multiplied at once: rows of A stay in the second cache, a panel of B, copied together, in the first.
constexpr int64_t kBlockRows = 120, kBlockDepth = 256, kPanel = 16;
/// With fewer rows a panel is not read often enough for its copy.
constexpr int64_t kRowsForPanels = 24;
/// So few columns that the library's copy of A costs as much as the product; B stays in the second cache.
constexpr int64_t kFewColumns = 16, kElementsOfFewColumns = int64_t{1} << 15;
/// Products with a vector are the library's, but for the smallest; with two or three columns it is no better.
constexpr int64_t kFillsRegister = 4, kSmallWithVector = int64_t{1} << 11;
/// What one core multiplies in a nanosecond: only for the estimate that parallel_for wants.
constexpr double kProductsPerNs = 30;

template <class T>
constexpr bool kNarrow = std::is_same_v<T, Eigen::half> || std::is_same_v<T, Eigen::bfloat16>;

template <class T>
T conj_if(bool conj, const T& v) {
  if constexpr (Eigen::NumTraits<T>::IsComplex) {
    return conj ? std::conj(v) : v;
  } else {
    (void)conj;
    return v;
  }
}

/// Signed overflow is undefined in C++ but wraps here.
template <class T>
void multiply_add(T& sum, const T& x, const T& y) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;
    sum = static_cast<T>(static_cast<U>(sum) + static_cast<U>(x) * static_cast<U>(y));
  } else {
    sum += x * y;
  }
}

/// Extents and leading dimensions of a product.
struct Block {
  int64_t m, n, k, lda, ldb, ldc;
};

template <class T>
void tiny(MatrixOp op_a, MatrixOp op_b, const Block& s, const T* a, const T* b, T* c) {
  const int64_t a_row = op_a == MatrixOp::kNone ? s.lda : 1, a_col = op_a == MatrixOp::kNone ? 1 : s.lda;
  const int64_t b_row = op_b == MatrixOp::kNone ? s.ldb : 1, b_col = op_b == MatrixOp::kNone ? 1 : s.ldb;
  const bool conj_a = op_a == MatrixOp::kAdjoint, conj_b = op_b == MatrixOp::kAdjoint;
  for (int64_t i = 0; i < s.m; ++i) {
    T* out = c + i * s.ldc;
    for (int64_t j = 0; j < s.n; ++j) out[j] = T(0);
    for (int64_t l = 0; l < s.k; ++l) {
      const T x = conj_if(conj_a, a[i * a_row + l * a_col]);
      for (int64_t j = 0; j < s.n; ++j) multiply_add(out[j], x, conj_if(conj_b, b[l * b_row + j * b_col]));
    }
  }
}

/// op(data) as a dense row-major [rows, cols] matrix: `data` itself, or a copy in `store`.
template <class T>
const T* plain(MatrixOp op, int64_t rows, int64_t cols, const T* data, int64_t* ld, std::vector<T>* store) {
  if (op == MatrixOp::kNone) return data;
  store->resize(static_cast<size_t>(rows * cols));
  const bool conj = op == MatrixOp::kAdjoint;
  T* to = store->data();
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) to[i * cols + j] = conj_if(conj, data[j * *ld + i]);
  }
  *ld = cols;
  return to;
}

/// C = A * B, or C += A * B, for operands that need no transposition.
template <class T>
void plain_product(const Block& s, const T* a, const T* b, T* c, bool accumulate) {
  if constexpr (std::is_integral_v<T>) {
    // Columns in pieces that stay in the first cache level while the rows of B pass by.
    constexpr int64_t kColumns = 1024;
    for (int64_t j0 = 0; j0 < s.n; j0 += kColumns) {
      const int64_t width = std::min(kColumns, s.n - j0);
      for (int64_t i = 0; i < s.m; ++i) {
        T* out = c + i * s.ldc + j0;
        if (!accumulate) std::fill_n(out, width, T(0));
        for (int64_t l = 0; l < s.k; ++l) {
          const T x = a[i * s.lda + l];
          const T* in = b + l * s.ldb + j0;
          for (int64_t j = 0; j < width; ++j) multiply_add(out[j], x, in[j]);
        }
      }
    }
  } else {
    using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    using Stride = Eigen::OuterStride<>;
    Eigen::Map<const Matrix, 0, Stride> am(a, s.m, s.k, Stride(s.lda)), bm(b, s.k, s.n, Stride(s.ldb));
    Eigen::Map<Matrix, 0, Stride> cm(c, s.m, s.n, Stride(s.ldc));
    if (!accumulate) cm.setZero();
    cm.noalias() += am * bm;
  }
}

/// op(B)'s rows from l0 to l1 and columns from j0 to j1, in rows of kPanel elements.
template <class T>
void copy_panel(MatrixOp op_b, const Block& s, const T* b, int64_t l0, int64_t l1, int64_t j0, int64_t j1,
                T* panel) {
  const int64_t width = j1 - j0;
  if (op_b == MatrixOp::kNone) {
    for (int64_t l = l0; l < l1; ++l, panel += kPanel) std::copy_n(b + l * s.ldb + j0, width, panel);
    return;
  }
  for (int64_t j = 0; j < width; ++j) {
    const T* const column = b + (j0 + j) * s.ldb;
    for (int64_t l = l0; l < l1; ++l) panel[(l - l0) * kPanel + j] = column[l];
  }
}

/// By the loops of this folder's neighbour, which read B where it is.
template <class T>
void small_product(Product<T> product, MatrixOp op_a, const Block& s, const T* a, const T* b, T* c,
                   bool accumulate) {
  const bool by_rows = op_a == MatrixOp::kNone;
  product(s.m, s.n, s.k, a, by_rows ? s.lda : 1, by_rows ? 1 : s.lda, b, s.ldb, c, s.ldc, accumulate);
}

/// Products of any size by those of small ones.
template <class T>
void blocked_product(Product<T> product, MatrixOp op_a, MatrixOp op_b, const Block& s, const T* a, const T* b,
                     T* c, bool accumulate) {
  if (op_b == MatrixOp::kNone && s.m < kRowsForPanels)
    return small_product(product, op_a, s, a, b, c, accumulate);
  alignas(64) T panel[kBlockDepth * kPanel];
  for (int64_t i0 = 0; i0 < s.m; i0 += kBlockRows) {
    const int64_t rows = std::min(kBlockRows, s.m - i0);
    for (int64_t l0 = 0; l0 < s.k; l0 += kBlockDepth) {
      const int64_t l1 = std::min(l0 + kBlockDepth, s.k);
      const T* const block = op_a == MatrixOp::kNone ? a + i0 * s.lda + l0 : a + l0 * s.lda + i0;
      for (int64_t j0 = 0; j0 < s.n; j0 += kPanel) {
        const int64_t j1 = std::min(j0 + kPanel, s.n);
        copy_panel(op_b, s, b, l0, l1, j0, j1, panel);
        small_product(product, op_a, {rows, j1 - j0, l1 - l0, s.lda, kPanel, s.ldc}, block, panel,
                      c + i0 * s.ldc + j0, accumulate || l0 > 0);
      }
    }
  }
}

/// Whether the loops of this folder's neighbour beat the library, which copies both operands into panels first.
bool is_small(MatrixOp op_b, const Block& s) {
  if (op_b != MatrixOp::kNone || s.n > kSmallColumns) return false;
  if (s.n == 1) return s.m * s.k <= kSmallWithVector;
  if (s.n >= kFillsRegister && s.n <= kFewColumns && s.k * s.n <= kElementsOfFewColumns) return true;
  if (s.m * s.n * s.k > kSmallProduct) return false;
  return s.m >= kFewRows || s.k * s.n <= kSmallOfFewRows;
}

/// Whether block_gemm reads operands as they are.
template <class T>
bool transposes_itself() {
  return std::is_same_v<T, float> ||
         (std::is_same_v<T, double> && vector_loops().products.doubles != nullptr);
}

template <class T>
void block_gemm(MatrixOp op_a, MatrixOp op_b, Block s, const T* a, const T* b, T* c, bool accumulate) {
  if constexpr (std::is_same_v<T, float>) {
    if (const auto product = vector_loops().products.floats; product != nullptr && is_small(op_b, s))
      return small_product(product, op_a, s, a, b, c, accumulate);
    onednn::sgemm(op_a != MatrixOp::kNone, op_b != MatrixOp::kNone, s.m, s.n, s.k, 1.0f, a, s.lda, b, s.ldb,
                  accumulate ? 1.0f : 0.0f, c, s.ldc);
  } else {
    if constexpr (std::is_same_v<T, double>) {
      if (const auto product = vector_loops().products.doubles; product != nullptr)
        return blocked_product(product, op_a, op_b, s, a, b, c, accumulate);
    }
    std::vector<T> store_a, store_b;
    const T* pa = plain(op_a, s.m, s.k, a, &s.lda, &store_a);
    const T* pb = plain(op_b, s.k, s.n, b, &s.ldb, &store_b);
    plain_product(s, pa, pb, c, accumulate);
  }
}

template <class T>
std::vector<float> widened(const T* data, int64_t count) {
  std::vector<float> wide(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) wide[static_cast<size_t>(i)] = static_cast<float>(data[i]);
  return wide;
}

}  // namespace

template <class T>
void gemm(MatrixOp op_a, MatrixOp op_b, int64_t m, int64_t n, int64_t k, const T* a, const T* b, T* c) {
  if (m == 0 || n == 0) return;
  if constexpr (kNarrow<T>) {
    std::vector<float> wa = widened(a, m * k), wb = widened(b, k * n), wc(static_cast<size_t>(m * n));
    gemm<float>(op_a, op_b, m, n, k, wa.data(), wb.data(), wc.data());
    for (int64_t i = 0; i < m * n; ++i) c[i] = static_cast<T>(wc[static_cast<size_t>(i)]);
  } else {
    Block s{m, n, k, op_a == MatrixOp::kNone ? k : m, op_b == MatrixOp::kNone ? n : k, n};
    if (k == 0 || m * n <= kTinyProduct / k) return tiny(op_a, op_b, s, a, b, c);
    block_gemm(op_a, op_b, s, a, b, c, false);
  }
}

template <class T>
void parallel_gemm(ParallelRunner& runner, MatrixOp op_a, MatrixOp op_b, int64_t m, int64_t n, int64_t k,
                   const T* a, const T* b, T* c) {
  const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  const int64_t threads = runner.num_threads();
  if (work < static_cast<double>(kParallelProduct) || threads == 1 || (m == 1 && n == 1)) {
    return gemm(op_a, op_b, m, n, k, a, b, c);
  }
  if constexpr (kNarrow<T>) {
    std::vector<float> wa = widened(a, m * k), wb = widened(b, k * n), wc(static_cast<size_t>(m * n));
    parallel_gemm<float>(runner, op_a, op_b, m, n, k, wa.data(), wb.data(), wc.data());
    for (int64_t i = 0; i < m * n; ++i) c[i] = static_cast<T>(wc[static_cast<size_t>(i)]);
  } else {
    int64_t lda = op_a == MatrixOp::kNone ? k : m, ldb = op_b == MatrixOp::kNone ? n : k;
    std::vector<T> store_a, store_b;
    if (!transposes_itself<T>()) {
      a = plain(op_a, m, k, a, &lda, &store_a);
      b = plain(op_b, k, n, b, &ldb, &store_b);
      op_a = op_b = MatrixOp::kNone;
    }
    // Rows, or columns when there are more of them; multiples of 16 suit oneDNN's kernels.
    const bool rows = m >= n;
    const int64_t extent = rows ? m : n;
    const int64_t blocks =
        std::min<int64_t>({threads, extent, static_cast<int64_t>(work / (kParallelProduct / 2)) + 1});
    const int64_t size = ((extent + blocks - 1) / blocks + 15) / 16 * 16;
    const int64_t parts = (extent + size - 1) / size;
    const auto cost = static_cast<int64_t>(work / static_cast<double>(parts) / kProductsPerNs) + 1;
    runner.parallel_for(parts, cost, [&](int64_t begin, int64_t end) {
      const int64_t first = begin * size, last = std::min(extent, end * size);
      if (rows) {
        Block s{last - first, n, k, lda, ldb, n};
        block_gemm(op_a, op_b, s, a + first * (op_a == MatrixOp::kNone ? lda : 1), b, c + first * n, false);
      } else {
        Block s{m, last - first, k, lda, ldb, n};
        block_gemm(op_a, op_b, s, a, b + first * (op_b == MatrixOp::kNone ? 1 : ldb), c + first, false);
      }
    });
  }
}

template <class T>
void gemm_accumulate(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, const T* a,
                     int64_t lda, const T* b, int64_t ldb, T* c, int64_t ldc) {
  if (m == 0 || n == 0 || k == 0) return;
  if constexpr (kNarrow<T>) {
    const int64_t a_row = transpose_a ? 1 : lda, a_col = transpose_a ? lda : 1;
    const int64_t b_row = transpose_b ? 1 : ldb, b_col = transpose_b ? ldb : 1;
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        T sum = c[i * ldc + j];
        // Eigen takes columns by eights; its vectors of bfloat16 round products too, the columns left over do not.
        const bool rounds_products = std::is_same_v<T, Eigen::bfloat16> && j < n - n % 8;
        for (int64_t l = 0; l < k; ++l) {
          float product =
              static_cast<float>(a[i * a_row + l * a_col]) * static_cast<float>(b[l * b_row + j * b_col]);
          if (rounds_products) product = static_cast<float>(static_cast<T>(product));
          sum = static_cast<T>(static_cast<float>(sum) + product);
        }
        c[i * ldc + j] = sum;
      }
    }
    return;
  } else {
    block_gemm(transpose_a ? MatrixOp::kTranspose : MatrixOp::kNone,
               transpose_b ? MatrixOp::kTranspose : MatrixOp::kNone, Block{m, n, k, lda, ldb, ldc}, a, b, c,
               true);
  }
}

#define TROUPE_GEMM(T)                                                                                     \
  template void gemm<T>(MatrixOp, MatrixOp, int64_t, int64_t, int64_t, const T*, const T*, T*);            \
  template void parallel_gemm<T>(ParallelRunner&, MatrixOp, MatrixOp, int64_t, int64_t, int64_t, const T*, \
                                 const T*, T*);
TROUPE_GEMM(float)
TROUPE_GEMM(double)
TROUPE_GEMM(int16_t)
TROUPE_GEMM(int32_t)
TROUPE_GEMM(int64_t)
TROUPE_GEMM(std::complex<float>)
TROUPE_GEMM(std::complex<double>)
TROUPE_GEMM(Eigen::half)
TROUPE_GEMM(Eigen::bfloat16)
#undef TROUPE_GEMM

#define TROUPE_GEMM_ACCUMULATE(T)                                                                      \
  template void gemm_accumulate<T>(bool, bool, int64_t, int64_t, int64_t, const T*, int64_t, const T*, \
                                   int64_t, T*, int64_t);
TROUPE_GEMM_ACCUMULATE(float)
TROUPE_GEMM_ACCUMULATE(double)
TROUPE_GEMM_ACCUMULATE(int32_t)
TROUPE_GEMM_ACCUMULATE(Eigen::half)
TROUPE_GEMM_ACCUMULATE(Eigen::bfloat16)
#undef TROUPE_GEMM_ACCUMULATE

}  // namespace troupe
