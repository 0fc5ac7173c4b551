#include "actors/cluster/tensor_message.h"

#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "actors/cluster/tensor_payload.h"
#include "graph/status.h"

namespace troupe {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers travel as they are in memory");

constexpr uint32_t kMagic = 0x54525031;  // "1PRT"
constexpr uint16_t kVersion = 2;
/// Fewer are copied: what they stay in may be much larger.
constexpr size_t kSharedBytes = 4096;
constexpr uint8_t kDead = 1, kHasValue = 2, kEncoded = 4;

/// The beginning of each message; the dimensions follow, then zeros up to the elements at `head_bytes`.
struct Header {
  uint32_t magic = kMagic;
  uint16_t version = kVersion;
  uint8_t dtype = 0;
  uint8_t flags = 0;
  uint32_t rank = 0;
  uint32_t head_bytes = 0;
  uint64_t payload_bytes = 0;
  int64_t step_id = 0;
  uint64_t key_id = 0;
  uint64_t frame = 0;
  uint64_t iteration = 0;
  uint64_t reserved = 0;
};
static_assert(sizeof(Header) == 64);

constexpr size_t kAlign = Allocator::kAlignmentBytes;

size_t least_head_bytes(size_t rank) { return sizeof(Header) + rank * sizeof(int64_t); }

/// With zeros, so that elements are aligned that come after so much and `before` bytes more.
size_t head_bytes(size_t rank, size_t before) {
  return (before + least_head_bytes(rank) + kAlign - 1) / kAlign * kAlign - before;
}

absl::Status malformed(const Header& h, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("tensor message of step ", h.step_id, ", key ", h.key_id, ": ", what));
}

/// A message taken apart: all numbers are checked, and the payload is as long as they say.
struct Parts {
  Header header;
  Shape shape;
  absl::string_view payload;
  DataType dtype() const { return static_cast<DataType>(header.dtype); }
  bool has_value() const { return (header.flags & kHasValue) != 0; }
};

absl::Status check_header(const Header& h) {
  if (h.magic != kMagic)
    return malformed(h, absl::StrCat("begins with ", absl::Hex(h.magic), ", expected ", absl::Hex(kMagic)));
  if (h.version != kVersion)
    return malformed(h, absl::StrCat("has version ", h.version, ", expected ", kVersion));
  if ((h.flags & ~(kDead | kHasValue | kEncoded)) != 0 || h.reserved != 0) {
    return malformed(h, absl::StrCat("has bits set that have no meaning, flags ", static_cast<int>(h.flags)));
  }
  if (h.rank > static_cast<uint32_t>(Shape::kMaxRank)) {
    return malformed(h, absl::StrCat("has rank ", h.rank, ", expected at most ", Shape::kMaxRank));
  }
  if (h.head_bytes < least_head_bytes(h.rank) || h.head_bytes - least_head_bytes(h.rank) >= kAlign) {
    return malformed(h, absl::StrCat("has a head of ", h.head_bytes, " bytes, expected ",
                                     least_head_bytes(h.rank), " and some zeros"));
  }
  if ((h.flags & kHasValue) == 0) {
    if (h.dtype == 0 && h.rank == 0 && h.payload_bytes == 0 && (h.flags & kEncoded) == 0)
      return absl::OkStatus();
    return malformed(h, "has no value, but a dtype, dimensions or elements");
  }
  const DataType dtype = static_cast<DataType>(h.dtype);
  if (!is_valid_dtype(h.dtype) || is_ref(dtype)) {
    return malformed(h, absl::StrCat("dtype ", static_cast<int>(h.dtype), " is not that of a tensor"));
  }
  if (is_trivial(dtype) != ((h.flags & kEncoded) == 0)) {
    return malformed(h, absl::StrCat("has elements of type ", dtype_name(dtype), " in the wrong form"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Parts> take_apart(absl::string_view bytes, const TensorMessageLimits& limits) {
  Parts parts;
  Header& h = parts.header;
  if (bytes.size() < sizeof(Header)) {
    return malformed(h, absl::StrCat("has ", bytes.size(), " bytes, expected at least ", sizeof(Header)));
  }
  std::memcpy(&h, bytes.data(), sizeof(Header));
  TROUPE_RETURN_IF_ERROR(check_header(h));
  const size_t offset = h.head_bytes;
  if (bytes.size() < offset || bytes.size() - offset != h.payload_bytes) {
    return malformed(h, absl::StrCat("has ", bytes.size(), " bytes, but announces a head of ", offset,
                                     " and elements of ", h.payload_bytes));
  }
  int64_t dims[Shape::kMaxRank];
  std::memcpy(dims, bytes.data() + sizeof(Header), h.rank * sizeof(int64_t));
  absl::StatusOr<Shape> shape = Shape::make({dims, h.rank});
  if (!shape.ok()) return malformed(h, shape.status().message());
  parts.shape = *std::move(shape);
  parts.payload = bytes.substr(offset);
  if (!parts.has_value()) return parts;
  int64_t elements = 0;
  if (multiply_overflows(parts.shape.num_elements(), static_cast<int64_t>(dtype_size(parts.dtype())),
                         &elements)) {
    return malformed(h, absl::StrCat("shape ", parts.shape.to_string(), " is larger than any memory"));
  }
  if (is_trivial(parts.dtype()) && static_cast<uint64_t>(elements) != h.payload_bytes) {
    return malformed(h, absl::StrCat("has ", h.payload_bytes, " bytes of elements, but shape ",
                                     parts.shape.to_string(), " of type ", dtype_name(parts.dtype()),
                                     " needs ", elements));
  }
  if (elements > limits.value_bytes || h.payload_bytes > static_cast<uint64_t>(limits.value_bytes)) {
    return absl::ResourceExhaustedError(absl::StrCat("tensor message of step ", h.step_id, ", key ", h.key_id,
                                                     ": the value has ", elements, " bytes, the limit is ",
                                                     limits.value_bytes));
  }
  return parts;
}

TensorMessage without_value(const Header& h) {
  return {h.step_id, h.key_id, h.frame, h.iteration, (h.flags & kDead) != 0, Tensor()};
}

/// Elements where they are in the bytes, which they keep.
Tensor part_of(const absl::Cord& bytes, const Parts& parts) {
  void* data = const_cast<char*>(parts.payload.data());
  auto release = [](void*, size_t, void* owner) { delete static_cast<absl::Cord*>(owner); };
  Buffer* buffer = Buffer::adopt(data, parts.payload.size(), release, new absl::Cord(bytes));
  return Tensor(parts.dtype(), parts.shape, buffer);
}

bool may_stay(absl::string_view payload) {
  return payload.size() >= kSharedBytes && reinterpret_cast<uintptr_t>(payload.data()) % kAlign == 0;
}

/// `owner`: of the bytes, if elements may stay in them.
absl::StatusOr<TensorMessage> decode(absl::string_view bytes, const absl::Cord* owner,
                                     const TensorMessageLimits& limits, Allocator* allocator) {
  TROUPE_ASSIGN_OR_RETURN(Parts parts, take_apart(bytes, limits));
  const Header& h = parts.header;
  TensorMessage message = without_value(h);
  if (!parts.has_value()) return message;
  if (!is_trivial(parts.dtype())) {
    absl::StatusOr<Tensor> value =
        decode_elements(parts.dtype(), parts.shape, parts.payload, limits.value_bytes);
    if (!value.ok()) return annotate(value.status(), malformed(h, "").message());
    message.value = *std::move(value);
    return message;
  }
  if (absl::Status valid = check_elements(parts.dtype(), parts.payload); !valid.ok()) {
    return malformed(h, valid.message());
  }
  if (owner != nullptr && may_stay(parts.payload)) {
    message.value = part_of(*owner, parts);
    return message;
  }
  TROUPE_ASSIGN_OR_RETURN(message.value, Tensor::make(parts.dtype(), parts.shape, allocator));
  std::memcpy(message.value.raw(), parts.payload.data(), parts.payload.size());
  return message;
}

/// All but what depends on the elements.
Header header_of(const TensorMessage& message) {
  Header h;
  h.step_id = message.step_id;
  h.key_id = message.key_id;
  h.frame = message.frame;
  h.iteration = message.iteration;
  if (message.is_dead) h.flags |= kDead;
  if (!message.value.initialized()) return h;
  h.flags |= kHasValue;
  h.dtype = static_cast<uint8_t>(message.value.dtype());
  h.rank = static_cast<uint32_t>(message.value.rank());
  return h;
}

/// Header, dimensions and zeros.
void append_head(Header h, const Tensor& value, size_t before, std::string* out) {
  h.head_bytes = static_cast<uint32_t>(head_bytes(h.rank, before));
  const size_t begin = out->size();
  out->resize(begin + h.head_bytes, '\0');
  std::memcpy(out->data() + begin, &h, sizeof(h));
  std::memcpy(out->data() + begin + sizeof(h), value.shape().dims().data(), h.rank * sizeof(int64_t));
}

}  // namespace

absl::StatusOr<absl::Cord> encode(const TensorMessage& message, size_t before) {
  Header h = header_of(message);
  const Tensor& value = message.value;
  absl::Cord payload;
  if (value.initialized()) {
    if (is_trivial(value.dtype())) {
      const absl::string_view elements(static_cast<const char*>(value.raw()), value.bytes());
      // The Cord's own reference keeps the elements.
      payload = absl::MakeCordFromExternal(elements, [value](absl::string_view) {});
    } else {
      h.flags |= kEncoded;
      TROUPE_ASSIGN_OR_RETURN(payload, encode_elements(value));
    }
  }
  h.payload_bytes = payload.size();
  std::string head;
  append_head(h, value, before, &head);
  absl::Cord bytes(std::move(head));
  bytes.Append(std::move(payload));
  return bytes;
}

bool append_small(const TensorMessage& message, size_t before, std::string* out) {
  const Tensor& value = message.value;
  Header h = header_of(message);
  if (value.initialized()) {
    if (!is_trivial(value.dtype()) || value.bytes() >= kSharedBytes) return false;
    h.payload_bytes = value.bytes();
  }
  append_head(h, value, before, out);
  if (h.payload_bytes > 0) out->append(static_cast<const char*>(value.raw()), h.payload_bytes);
  return true;
}

absl::Cord bytes_of(Tensor block) {
  const absl::string_view bytes(static_cast<const char*>(block.raw()), block.bytes());
  return absl::MakeCordFromExternal(bytes, [block = std::move(block)] {});
}

absl::StatusOr<TensorMessage> decode_tensor_message(const absl::Cord& bytes,
                                                    const TensorMessageLimits& limits) {
  if (const auto flat = bytes.TryFlat()) return decode(*flat, &bytes, limits, plain_allocator());
  return decode(std::string(bytes), nullptr, limits, plain_allocator());
}

absl::StatusOr<TensorMessage> decode_tensor_message(absl::string_view bytes,
                                                    const TensorMessageLimits& limits, Allocator* allocator) {
  return decode(bytes, nullptr, limits, allocator);
}

}  // namespace troupe
