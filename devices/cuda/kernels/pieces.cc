#include "devices/cuda/kernels/pieces.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "devices/cuda/copy_engine.h"
#include "devices/cuda/cuda_device.h"
#include "devices/cuda/enqueue.h"

namespace troupe {
namespace {

/// So many copies cost about as much as a table of them and a kernel that reads it.
constexpr size_t kFewPieces = 4;
/// The widest element that threads move.
constexpr uint64_t kWidest = 16;

absl::Status copy(KernelContext& context, const Piece& piece) {
  if (piece.from == nullptr)
    return CudaDevice::of(context).compute().fill(piece.to, 0, static_cast<size_t>(piece.bytes));
  return enqueue_copy(context, piece.from, piece.to, static_cast<size_t>(piece.bytes));
}

/// A piece takes as many turns of threads as the longest: those that are far longer than the mean are cut.
std::vector<Piece> evened(const std::vector<Piece>& pieces, int64_t total) {
  const int64_t mean = total / static_cast<int64_t>(pieces.size());
  const int64_t most = (std::max<int64_t>(2 * mean, 1024) + 15) / 16 * 16;
  std::vector<Piece> result;
  result.reserve(2 * pieces.size());
  for (Piece piece : pieces) {
    while (piece.bytes > most) {
      result.push_back({piece.from, piece.to, most});
      if (piece.from != nullptr) piece.from = static_cast<const char*>(piece.from) + most;
      piece.to = static_cast<char*>(piece.to) + most;
      piece.bytes -= most;
    }
    result.push_back(piece);
  }
  return result;
}

}  // namespace

absl::Status enqueue_pieces(KernelContext& context, std::vector<Piece> pieces) {
  std::erase_if(pieces, [](const Piece& piece) { return piece.bytes == 0; });
  if (pieces.size() <= kFewPieces) {
    for (const Piece& piece : pieces) TROUPE_RETURN_IF_ERROR(copy(context, piece));
    return absl::OkStatus();
  }
  int64_t total = 0;
  for (const Piece& piece : pieces) total += piece.bytes;
  pieces = evened(pieces, total);
  uint64_t bits = kWidest;
  int64_t longest = 0;
  for (const Piece& piece : pieces) {
    bits |= reinterpret_cast<uintptr_t>(piece.from) | reinterpret_cast<uintptr_t>(piece.to) |
            static_cast<uint64_t>(piece.bytes);
    longest = std::max(longest, piece.bytes);
  }
  const int64_t element = int64_t{1} << std::countr_zero(bits);
  const auto count = static_cast<int64_t>(pieces.size());
  const auto table_bytes = static_cast<int64_t>(pieces.size() * sizeof(Piece));
  TROUPE_ASSIGN_OR_RETURN(Tensor table, Tensor::make(DataType::kUint8, Shape{table_bytes}));
  std::memcpy(table.raw(), pieces.data(), static_cast<size_t>(table_bytes));
  TROUPE_ASSIGN_OR_RETURN(table, CudaDevice::of(context).copies().to_device(table, context.allocator()));
  longest /= element;
  return enqueue(context, absl::StrCat("copy_pieces_", element), longest * count,
                 static_cast<const Piece*>(table.raw()), longest, count);
}

}  // namespace troupe
