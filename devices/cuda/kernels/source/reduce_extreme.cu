// The greatest and the least, and where they are; whether all, or any, are true.
#include "devices/cuda/kernels/source/reduce.h"

template <class T>
using LoadMax = LoadElement<MaxFold<T>, AsIs, T>;
template <class T>
using LoadMin = LoadElement<MinFold<T>, AsIs, T>;
template <class T>
using PlaceOfMax = PlaceFold<T, true>;
template <class T>
using PlaceOfMin = PlaceFold<T, false>;
template <class T>
using LoadPlaceOfMax = LoadPlace<PlaceOfMax<T>, T>;
template <class T>
using LoadPlaceOfMin = LoadPlace<PlaceOfMin<T>, T>;
using AllFold = LogicFold<true>;
using AnyFold = LogicFold<false>;
using LoadForAll = LoadElement<AllFold, AsIs, bool>;
using LoadForAny = LoadElement<AnyFold, AsIs, bool>;

#define TROUPE_EXTREMES(sfx, T)                       \
  TROUPE_FOLD(max, sfx, T, T, MaxFold<T>, LoadMax<T>) \
  TROUPE_FOLD(min, sfx, T, T, MinFold<T>, LoadMin<T>)
#define TROUPE_PLACES(sfx, T)                                                     \
  TROUPE_FOLD(argmax, sfx, T, int64_t, PlaceOfMax<T>, LoadPlaceOfMax<T>)          \
  TROUPE_FOLD(argmin, sfx, T, int64_t, PlaceOfMin<T>, LoadPlaceOfMin<T>)          \
  TROUPE_FOLD(argmax_to_int32, sfx, T, int32_t, PlaceOfMax<T>, LoadPlaceOfMax<T>) \
  TROUPE_FOLD(argmin_to_int32, sfx, T, int32_t, PlaceOfMin<T>, LoadPlaceOfMin<T>)

TROUPE_EXTREMES(f32, float)
TROUPE_EXTREMES(f64, double)
TROUPE_EXTREMES(f16, half_t)
TROUPE_EXTREMES(bf16, bfloat16_t)
TROUPE_EXTREMES(i64, int64_t)
TROUPE_FOLD(all, b, bool, bool, AllFold, LoadForAll)
TROUPE_FOLD(any, b, bool, bool, AnyFold, LoadForAny)
TROUPE_PLACES(f32, float)
TROUPE_PLACES(f64, double)
TROUPE_PLACES(f16, half_t)
TROUPE_PLACES(bf16, bfloat16_t)
TROUPE_PLACES(b, bool)
