#include "devices/cpu/loops/copy.h"

#include "devices/cpu/loops/storage.h"
#include "devices/cpu/loops/whole_lines.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace troupe {
namespace {

using Axis = Box::Axis;

/// A contiguous run longer than this is cut, so that several threads can share it.
constexpr int64_t kChunkBytes = 256 << 10;
/// Elements of one transposition tile: source and destination stay in the first-level cache.
constexpr int64_t kTileElements = 1024;
constexpr int64_t kTileSide = 32;

/// About what moving so many bytes costs, in nanoseconds: 5 bytes each.
int64_t move_cost(int64_t bytes) { return bytes / 5 + 1; }

template <class T>
constexpr bool kTrivial = std::is_trivially_copyable_v<T>;

template <class T>
inline void copy_run(const T* from, T* to, int64_t count) {
  if constexpr (kTrivial<T>) {
    if (count * sizeof(T) <= 16) {
      for (int64_t i = 0; i < count; ++i) to[i] = from[i];
    } else {
      std::memcpy(to, from, static_cast<size_t>(count) * sizeof(T));
    }
  } else {
    std::copy_n(from, count, to);
  }
}

/// Walks the outer axes of a box as an odometer, keeping both offsets.
class Odometer {
 public:
  Odometer(absl::Span<const Axis> axes, int64_t start) : axes_(axes) {
    for (int i = static_cast<int>(axes.size()) - 1; i >= 0; --i) {
      index_[i] = start % axes[i].size;
      start /= axes[i].size;
      from += index_[i] * axes[i].from;
      to += index_[i] * axes[i].to;
    }
  }
  void next() {
    for (int i = static_cast<int>(axes_.size()) - 1; i >= 0; --i) {
      from += axes_[i].from;
      to += axes_[i].to;
      if (++index_[i] < axes_[i].size) return;
      from -= axes_[i].from * axes_[i].size;
      to -= axes_[i].to * axes_[i].size;
      index_[i] = 0;
    }
  }
  int64_t from = 0;
  int64_t to = 0;

 private:
  absl::Span<const Axis> axes_;
  int64_t index_[Box::kMaxAxes];
};

int64_t product(absl::Span<const Axis> axes) {
  int64_t n = 1;
  for (const Axis& a : axes) n *= a.size;
  return n;
}

template <class T>
void copy_contiguous(ParallelRunner& runner, const T* from, T* to, int64_t count) {
  if (count * static_cast<int64_t>(sizeof(T)) <= kChunkBytes) return copy_run(from, to, count);
  constexpr int64_t kBlock = 4096;
  runner.parallel_for(
      (count + kBlock - 1) / kBlock, move_cost(kBlock * sizeof(T)), [&](int64_t begin, int64_t end) {
        copy_run(from + begin * kBlock, to + begin * kBlock, std::min(count, end * kBlock) - begin * kBlock);
      });
}

/// The innermost axis is contiguous on both sides.
template <class T>
void copy_rows(ParallelRunner& runner, absl::Span<const Axis> axes, const T* from, T* to) {
  absl::Span<const Axis> outer = axes.subspan(0, axes.size() - 1);
  int64_t length = axes.back().size;
  int64_t rows = product(outer);
  int64_t chunk = std::max<int64_t>(1, kChunkBytes / sizeof(T));
  if (length <= chunk) {
    runner.parallel_for(rows, move_cost(length * sizeof(T)), [&](int64_t begin, int64_t end) {
      Odometer at(outer, begin);
      for (int64_t r = begin; r < end; ++r, at.next()) copy_run(from + at.from, to + at.to, length);
    });
    return;
  }
  int64_t chunks = (length + chunk - 1) / chunk;
  runner.parallel_for(rows * chunks, move_cost(kChunkBytes), [&](int64_t begin, int64_t end) {
    Odometer at(outer, begin / chunks);
    int64_t c = begin % chunks;
    for (int64_t u = begin; u < end; ++u) {
      int64_t start = c * chunk;
      copy_run(from + at.from + start, to + at.to + start, std::min(chunk, length - start));
      if (++c == chunks) {
        c = 0;
        at.next();
      }
    }
  });
}

/// to[r * to_stride + c] = from[r + c * from_stride]: one tile of a transposition.
template <class T>
void transpose_tile(const T* from, int64_t from_stride, T* to, int64_t to_stride, int64_t rows,
                    int64_t cols) {
  int64_t r = 0;
#if defined(__SSE2__)
  if constexpr (kTrivial<T> && sizeof(T) == 4) {
    for (; r + 4 <= rows; r += 4) {
      int64_t c = 0;
      for (; c + 4 <= cols; c += 4) {
        const T* f = from + r + c * from_stride;
        __m128 a = _mm_loadu_ps(reinterpret_cast<const float*>(f));
        __m128 b = _mm_loadu_ps(reinterpret_cast<const float*>(f + from_stride));
        __m128 d = _mm_loadu_ps(reinterpret_cast<const float*>(f + 2 * from_stride));
        __m128 e = _mm_loadu_ps(reinterpret_cast<const float*>(f + 3 * from_stride));
        _MM_TRANSPOSE4_PS(a, b, d, e);
        T* t = to + r * to_stride + c;
        _mm_storeu_ps(reinterpret_cast<float*>(t), a);
        _mm_storeu_ps(reinterpret_cast<float*>(t + to_stride), b);
        _mm_storeu_ps(reinterpret_cast<float*>(t + 2 * to_stride), d);
        _mm_storeu_ps(reinterpret_cast<float*>(t + 3 * to_stride), e);
      }
      for (; c < cols; ++c) {
        for (int64_t k = 0; k < 4; ++k) to[(r + k) * to_stride + c] = from[r + k + c * from_stride];
      }
    }
  } else if constexpr (kTrivial<T> && sizeof(T) == 8) {
    for (; r + 2 <= rows; r += 2) {
      int64_t c = 0;
      for (; c + 2 <= cols; c += 2) {
        const T* f = from + r + c * from_stride;
        __m128d a = _mm_loadu_pd(reinterpret_cast<const double*>(f));
        __m128d b = _mm_loadu_pd(reinterpret_cast<const double*>(f + from_stride));
        T* t = to + r * to_stride + c;
        _mm_storeu_pd(reinterpret_cast<double*>(t), _mm_unpacklo_pd(a, b));
        _mm_storeu_pd(reinterpret_cast<double*>(t + to_stride), _mm_unpackhi_pd(a, b));
      }
      for (; c < cols; ++c) {
        for (int64_t k = 0; k < 2; ++k) to[(r + k) * to_stride + c] = from[r + k + c * from_stride];
      }
    }
  }
#endif
  for (; r < rows; ++r) {
    const T* f = from + r;
    T* t = to + r * to_stride;
    for (int64_t c = 0; c < cols; ++c) t[c] = f[c * from_stride];
  }
}

/// The innermost axis is contiguous in the destination, axis `across` in the source.
template <class T>
void copy_transposed(ParallelRunner& runner, absl::Span<const Axis> axes, int across, const T* from, T* to) {
  Axis outer_axes[Box::kMaxAxes];
  size_t n = 0;
  for (size_t i = 0; i + 1 < axes.size(); ++i) {
    if (static_cast<int>(i) != across) outer_axes[n++] = axes[i];
  }
  absl::Span<const Axis> outer(outer_axes, n);
  const Axis row = axes[across];
  const Axis col = axes.back();
  int64_t tile_rows = std::min(row.size, kTileSide);
  int64_t tile_cols = std::min(col.size, kTileElements / tile_rows);
  if (tile_cols < kTileSide) tile_rows = std::min(row.size, kTileElements / tile_cols);
  int64_t row_tiles = (row.size + tile_rows - 1) / tile_rows;
  int64_t col_tiles = (col.size + tile_cols - 1) / tile_cols;
  int64_t tiles = row_tiles * col_tiles;
  runner.parallel_for(
      product(outer) * tiles, move_cost(2 * tile_rows * tile_cols * static_cast<int64_t>(sizeof(T))),
      [&](int64_t begin, int64_t end) {
        Odometer at(outer, begin / tiles);
        int64_t tile = begin % tiles;
        for (int64_t u = begin; u < end; ++u) {
          int64_t r = tile / col_tiles * tile_rows;
          int64_t c = tile % col_tiles * tile_cols;
          transpose_tile(from + at.from + r + c * col.from, col.from, to + at.to + r * row.to + c, row.to,
                         std::min(tile_rows, row.size - r), std::min(tile_cols, col.size - c));
          if (++tile == tiles) {
            tile = 0;
            at.next();
          }
        }
      });
}

template <class T>
void copy_strided(ParallelRunner& runner, absl::Span<const Axis> axes, const T* from, T* to) {
  absl::Span<const Axis> outer = axes.subspan(0, axes.size() - 1);
  const Axis inner = axes.back();
  runner.parallel_for(product(outer), 2 * inner.size + 2, [&](int64_t begin, int64_t end) {
    Odometer at(outer, begin);
    for (int64_t u = begin; u < end; ++u, at.next()) {
      const T* f = from + at.from;
      T* t = to + at.to;
      if (inner.from == 0 && inner.to == 1) {
        fill_run(t, inner.size, *f);
      } else if (inner.to == 1 && inner.from == -1) {
        write_run(t, inner.size, [&](T* block, int64_t first, int64_t n) {
          const T* const last = f - first - n + 1;
          for (int64_t i = 0; i < n; ++i) block[i] = last[n - 1 - i];
        });
      } else if (inner.to == 1) {
        write_run(t, inner.size, [&](T* block, int64_t first, int64_t n) {
          for (int64_t i = 0; i < n; ++i) block[i] = f[(first + i) * inner.from];
        });
      } else {
        for (int64_t i = 0; i < inner.size; ++i) t[i * inner.to] = f[i * inner.from];
      }
    }
  });
}

template <class T>
void copy_box_typed(ParallelRunner& runner, const Box& box, const T* from, T* to) {
  absl::Span<const Axis> axes = box.axes();
  if (box.elements() == 0) return;
  if (axes.empty()) {
    *to = *from;
    return;
  }
  const Axis& inner = axes.back();
  if (inner.from == 1 && inner.to == 1) {
    if (axes.size() == 1) return copy_contiguous(runner, from, to, inner.size);
    return copy_rows(runner, axes, from, to);
  }
  if (inner.to == 1 && inner.from != 0) {
    for (int i = static_cast<int>(axes.size()) - 2; i >= 0; --i) {
      if (axes[i].from == 1) return copy_transposed(runner, axes, i, from, to);
    }
  }
  copy_strided(runner, axes, from, to);
}

template <class T>
void concat_rows_typed(ParallelRunner& runner, int64_t rows, absl::Span<const ConcatPiece> pieces, T* to) {
  if (rows == 1) {
    for (const ConcatPiece& p : pieces) {
      copy_contiguous(runner, static_cast<const T*>(p.from), to, p.count);
      to += p.count;
    }
    return;
  }
  int64_t row = 0;
  for (const ConcatPiece& p : pieces) row += p.count;
  if (row == 0) return;
  runner.parallel_for(rows, move_cost(row * sizeof(T)) + static_cast<int64_t>(pieces.size()) * 2,
                      [&](int64_t begin, int64_t end) {
                        T* t = to + begin * row;
                        for (int64_t r = begin; r < end; ++r) {
                          for (const ConcatPiece& p : pieces) {
                            copy_run(static_cast<const T*>(p.from) + r * p.count, t, p.count);
                            t += p.count;
                          }
                        }
                      });
}

}  // namespace

void copy_box(ParallelRunner& runner, DataType dtype, const Box& box, const void* from, void* to) {
  with_storage(dtype, [&]<class T>(T*) {
    copy_box_typed(runner, box, static_cast<const T*>(from), static_cast<T*>(to));
  });
}

void copy_flat(ParallelRunner& runner, DataType dtype, const void* from, void* to, int64_t count) {
  with_storage(dtype, [&]<class T>(T*) {
    copy_contiguous(runner, static_cast<const T*>(from), static_cast<T*>(to), count);
  });
}

void fill_flat(ParallelRunner& runner, DataType dtype, const void* value, void* to, int64_t count) {
  with_storage(dtype, [&]<class T>(T*) {
    const T v = *static_cast<const T*>(value);
    T* t = static_cast<T*>(to);
    runner.parallel_for((count + 1023) / 1024, move_cost(1024 * sizeof(T)) / 2,
                        [&](int64_t begin, int64_t end) {
                          fill_run(t + begin * 1024, std::min(count, end * 1024) - begin * 1024, v);
                        });
  });
}

void fill_zero(ParallelRunner& runner, DataType dtype, void* to, int64_t count) {
  if (is_trivial(dtype)) {
    int64_t bytes = count * static_cast<int64_t>(dtype_size(dtype));
    if (bytes <= kChunkBytes) {
      std::memset(to, 0, static_cast<size_t>(bytes));
      return;
    }
    runner.parallel_for((bytes + 4095) / 4096, move_cost(4096) / 2, [&](int64_t begin, int64_t end) {
      std::memset(static_cast<char*>(to) + begin * 4096, 0,
                  static_cast<size_t>(std::min(bytes, end * 4096) - begin * 4096));
    });
    return;
  }
  with_storage(dtype, [&]<class T>(T*) {
    if constexpr (!kTrivial<T>) std::fill_n(static_cast<T*>(to), count, T());
  });
}

void concat_rows(ParallelRunner& runner, DataType dtype, int64_t rows, absl::Span<const ConcatPiece> pieces,
                 void* to) {
  with_storage(dtype, [&]<class T>(T*) { concat_rows_typed(runner, rows, pieces, static_cast<T*>(to)); });
}

}  // namespace troupe
