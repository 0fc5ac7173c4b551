#include "devices/checkpoint/coding.h"

#include <limits>

namespace troupe {

void put_fixed32(std::string* out, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out->push_back(static_cast<char>(value >> shift & 0xff));
}

void put_varint64(std::string* out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

uint32_t get_fixed32(const char* bytes) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return value;
}

bool take_varint64(absl::string_view* bytes, uint64_t* value) {
  uint64_t result = 0;
  for (size_t i = 0; i < bytes->size() && i < 10; ++i) {
    const auto byte = static_cast<unsigned char>((*bytes)[i]);
    if (i == 9 && byte > 1) return false;
    result |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      bytes->remove_prefix(i + 1);
      *value = result;
      return true;
    }
  }
  return false;
}

bool take_varint32(absl::string_view* bytes, uint32_t* value) {
  uint64_t wide;
  if (!take_varint64(bytes, &wide) || wide > std::numeric_limits<uint32_t>::max()) return false;
  *value = static_cast<uint32_t>(wide);
  return true;
}

}  // namespace troupe
