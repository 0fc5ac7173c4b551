// Many pieces of memory copied at once.
#include "devices/cuda/kernels/piece.h"
#include "devices/cuda/kernels/source/array.h"

namespace troupe::launchable {
namespace {

/// Of `count` pieces, none longer than `longest` elements of the size of T, which all addresses and lengths are multiples of.
template <class T>
TROUPE_DEVICE_ONLY void copy_pieces(const Piece* pieces, int64_t longest, int64_t count) {
  TROUPE_FOR_EACH(i, longest * count) {
    int64_t which = i;
    const int64_t k = take_coordinate(&which, longest);
    const Piece& piece = pieces[which];
    if (k * static_cast<int64_t>(sizeof(T)) >= piece.bytes) continue;
    static_cast<T*>(piece.to)[k] = piece.from == nullptr ? T{} : static_cast<const T*>(piece.from)[k];
  }
}

}  // namespace
}  // namespace troupe::launchable

#define TROUPE_COPY_PIECES(size, T)                                                                          \
  TROUPE_KERNEL(copy_pieces_##size, (const troupe::Piece* pieces, int64_t longest, int64_t count)) {         \
    copy_pieces<T>(pieces, longest, count);                                                                  \
  }
TROUPE_EACH_SIZE(TROUPE_COPY_PIECES)
