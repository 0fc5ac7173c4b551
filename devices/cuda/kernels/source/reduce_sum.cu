// Sums (means, with FoldFinish::kMean), sums of squares (EuclideanNorm, L2Loss) and products.
#include "devices/cuda/kernels/source/reduce.h"

template <class T>
using Sums = SumFold<wide_t<T>>;
template <class T>
using Products = ProductFold<wide_t<T>>;
template <class T>
using LoadTerm = LoadElement<Sums<T>, AsIs, T>;
template <class T>
using LoadSquare = LoadElement<Sums<T>, Squared, T>;
template <class T>
using LoadFactor = LoadElement<Products<T>, AsIs, T>;

#define TROUPE_SUMS(sfx, T) TROUPE_FOLD(sum, sfx, T, T, Sums<T>, LoadTerm<T>)
#define TROUPE_ALL_SUMS(sfx, T)                           \
  TROUPE_SUMS(sfx, T)                                     \
  TROUPE_FOLD(squares, sfx, T, T, Sums<T>, LoadSquare<T>) \
  TROUPE_FOLD(prod, sfx, T, T, Products<T>, LoadFactor<T>)

TROUPE_ALL_SUMS(f32, float)
TROUPE_ALL_SUMS(f64, double)
TROUPE_ALL_SUMS(f16, half_t)
TROUPE_ALL_SUMS(bf16, bfloat16_t)
TROUPE_ALL_SUMS(c64, complex64_t)
TROUPE_ALL_SUMS(c128, complex128_t)
TROUPE_SUMS(i8, int8_t)
TROUPE_SUMS(u8, uint8_t)
TROUPE_SUMS(i16, int16_t)
TROUPE_SUMS(u16, uint16_t)
TROUPE_SUMS(u32, uint32_t)
TROUPE_SUMS(i64, int64_t)
TROUPE_SUMS(u64, uint64_t)
