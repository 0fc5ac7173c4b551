#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace troupe {

/// Little-endian numbers of fixed size, and varints: seven bits a byte, lowest first, the high bit set on all
/// but the last byte.
void put_fixed32(std::string* out, uint32_t value);
void put_varint64(std::string* out, uint64_t value);
uint32_t get_fixed32(const char* bytes);
/// Takes a number off the front; false when there is none.
bool take_varint64(absl::string_view* bytes, uint64_t* value);
bool take_varint32(absl::string_view* bytes, uint32_t* value);

}  // namespace troupe
