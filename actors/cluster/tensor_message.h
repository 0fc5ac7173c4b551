#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"
#include "graph/tensor/tensor.h"

namespace troupe {

/// A value on its way from the rendezvous of one node to that of another, for one step.
struct TensorMessage {
  /// Of the step, as its master numbers it.
  int64_t step_id = 0;
  /// Which `_Send` it is from: what both sides agree on when a graph is registered stands for the first four parts of the rendezvous
  /// key. Then the last part.
  uint64_t key_id = 0;
  uint64_t frame = 0;
  uint64_t iteration = 0;
  bool is_dead = false;
  /// Uninitialised when there is no value: dead ones have none.
  Tensor value;
};

struct TensorMessageLimits {
  /// Of the elements, and of what is inside them: strings, tensors in variants.
  int64_t value_bytes = int64_t{16} << 30;
};

/// The bytes of a message: a header (little-endian), the dimensions, zeros, and the elements, whose memory is shared, or a TensorProto
/// for strings, resources and variants. Elements are aligned as tensors are where the message comes `before` bytes behind the
/// beginning of a block. Unimplemented for what cannot leave its process: variants of a type that has no wire form, handles of
/// resources without a name. ResourceExhausted when a TensorProto would have 2 GiB.
absl::StatusOr<absl::Cord> encode(const TensorMessage& message, size_t before = 0);

/// Appends the same to `out`, behind which it comes, where the elements are few and of fixed size, or there are none; false where they are not.
bool append_small(const TensorMessage& message, size_t before, std::string* out);

/// The bytes of a block (DT_UINT8), which they keep.
absl::Cord bytes_of(Tensor block);

/// Reads what `encode` made. Many elements in one piece of memory, aligned as tensors are, stay where they are, and keep that; others are
/// copied. Every number is checked before it is believed: InvalidArgument for a malformed message, ResourceExhausted beyond `limits`.
absl::StatusOr<TensorMessage> decode_tensor_message(const absl::Cord& bytes,
                                                    const TensorMessageLimits& limits = {});
/// The same, but copies.
absl::StatusOr<TensorMessage> decode_tensor_message(absl::string_view bytes,
                                                    const TensorMessageLimits& limits = {},
                                                    Allocator* allocator = plain_allocator());

}  // namespace troupe
