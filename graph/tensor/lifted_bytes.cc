#include "graph/tensor/lifted_bytes.h"

#include <cstdint>
#include <string>
#include <utility>

namespace troupe {
namespace {

enum WireType : uint64_t { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };

/// The numbers and bytes of a message, one after the other.
class WireReader {
 public:
  explicit WireReader(const absl::Cord& message) : at_(message.char_begin()), left_(message.size()) {}

  bool done() const { return left_ == 0; }
  bool varint(uint64_t* value) {
    *value = 0;
    for (int shift = 0; shift < 64 && left_ > 0; shift += 7) {
      const auto byte = static_cast<uint8_t>(*at_);
      ++at_;
      --left_;
      *value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }
  bool take(uint64_t size, absl::Cord* bytes) {
    if (size > left_) return false;
    *bytes = absl::Cord::AdvanceAndRead(&at_, size);
    left_ -= size;
    return true;
  }

 private:
  absl::Cord::CharIterator at_;
  size_t left_;
};

void append_varint(uint64_t value, absl::Cord* out) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
  out->Append(bytes);
}

void append_bytes(uint64_t tag, const absl::Cord& bytes, absl::Cord* out) {
  append_varint(tag, out);
  append_varint(bytes.size(), out);
  out->Append(bytes);
}

/// A field that is of no interest, from behind its tag, and its tag.
bool copy_field(uint64_t tag, WireReader* in, absl::Cord* out) {
  absl::Cord bytes;
  uint64_t number = 0;
  switch (tag & 7) {
    case kVarint:
      if (!in->varint(&number)) return false;
      append_varint(tag, out);
      append_varint(number, out);
      return true;
    case kFixed64:
    case kFixed32:
      if (!in->take((tag & 7) == kFixed64 ? 8 : 4, &bytes)) return false;
      append_varint(tag, out);
      out->Append(bytes);
      return true;
    case kLengthDelimited:
      if (!in->varint(&number) || !in->take(number, &bytes)) return false;
      append_bytes(tag, bytes, out);
      return true;
    default: return false;
  }
}

uint64_t tag_of(int field) { return static_cast<uint64_t>(field) << 3 | kLengthDelimited; }

bool lift(const absl::Cord& message, absl::Span<const int> path, size_t at_least, LiftedBytes* out,
          absl::Cord* rest) {
  const bool innermost = path.size() == 1;
  bool seen = false;
  if (innermost) out->bytes.emplace_back();
  for (WireReader in(message); !in.done();) {
    uint64_t tag = 0, size = 0;
    absl::Cord bytes;
    if (!in.varint(&tag)) return false;
    if (tag != tag_of(path[0])) {
      if (!copy_field(tag, &in, rest)) return false;
      continue;
    }
    if (!in.varint(&size) || !in.take(size, &bytes)) return false;
    if (!innermost) {
      absl::Cord inner;
      if (!lift(bytes, path.subspan(1), at_least, out, &inner)) return false;
      append_bytes(tag, inner, rest);
      continue;
    }
    if (std::exchange(seen, true)) return false;
    if (size < at_least)
      append_bytes(tag, bytes, rest);
    else
      out->bytes.back() = std::move(bytes);
  }
  return true;
}

/// `next`: of the bytes.
absl::Cord put_into(const absl::Cord& message, absl::Span<const int> path,
                    absl::Span<const absl::Cord>* next) {
  absl::Cord out;
  WireReader in(message);
  for (uint64_t tag = 0, size = 0; !in.done() && in.varint(&tag);) {
    absl::Cord bytes;
    if (path.size() == 1 || tag != tag_of(path[0])) {
      if (!copy_field(tag, &in, &out)) break;
    } else if (in.varint(&size) && in.take(size, &bytes)) {
      append_bytes(tag, put_into(bytes, path.subspan(1), next), &out);
    }
  }
  if (path.size() > 1 || next->empty()) return out;
  if (!next->front().empty()) append_bytes(tag_of(path[0]), next->front(), &out);
  next->remove_prefix(1);
  return out;
}

}  // namespace

std::optional<LiftedBytes> lift_bytes(const absl::Cord& message, absl::Span<const int> path,
                                      size_t at_least) {
  LiftedBytes out;
  if (!lift(message, path, at_least, &out, &out.rest)) return std::nullopt;
  return out;
}

absl::Cord put_back(const LiftedBytes& lifted, absl::Span<const int> path) {
  absl::Span<const absl::Cord> next = lifted.bytes;
  return put_into(lifted.rest, path, &next);
}

}  // namespace troupe
