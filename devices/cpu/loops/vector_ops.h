#pragma once

#include "devices/cpu/loops/vector/vector_loops.h"

#include <type_traits>

namespace troupe {

/// From this many elements on, arithmetic goes to vector_loops(); fewer are done where they are, to the same bits. What is more than
/// arithmetic, and might have other bits there, always goes: `Op::kVectorAlways`.
inline constexpr int64_t kVectorFrom = 16;

/// Where vector_loops() has the operations on two elements of T.
template <class T>
inline const auto& vector_pairs() {
  if constexpr (std::is_same_v<T, float>) {
    return vector_loops().floats;
  } else if constexpr (std::is_same_v<T, int32_t>) {
    return vector_loops().ints;
  } else if constexpr (std::is_same_v<T, double>) {
    return vector_loops().doubles;
  } else {
    return vector_loops().longs;
  }
}
template <class T>
inline constexpr bool has_vector_pairs_v = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                                           std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>;
/// Whether vector_loops() has rows of the Op for elements T: `Op::kVector` says which.
template <class Op, class T, class R>
concept VectorPair = has_vector_pairs_v<T> && std::is_same_v<T, R> && requires {
  vector_pairs<T>().*Op::kVector;
};
/// The same of operations on one element.
template <class Op, class C>
concept VectorFunction = std::is_same_v<C, float> && requires {
  vector_loops().functions.*Op::kVector;
};

}  // namespace troupe
