#include "devices/checkpoint/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace troupe {
namespace {

/// The generator polynomial, lowest bit first.
constexpr uint32_t kPolynomial = 0x82f63b78u;
constexpr int kSlices = 8;

/// tables[k][b]: what byte b does to the checksum when k more bytes follow it.
constexpr std::array<std::array<uint32_t, 256>, kSlices> make_tables() {
  std::array<std::array<uint32_t, 256>, kSlices> tables{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][b] = crc;
  }
  for (size_t k = 1; k < kSlices; ++k) {
    for (size_t b = 0; b < 256; ++b)
      tables[k][b] = (tables[k - 1][b] >> 8) ^ tables[0][tables[k - 1][b] & 0xff];
  }
  return tables;
}
constexpr auto kTables = make_tables();

uint32_t extend_by_tables(uint32_t state, const unsigned char* p, size_t n) {
  for (; n >= 8; p += 8, n -= 8) {
    uint32_t next = 0;
    for (size_t k = 0; k < 4; ++k) next ^= kTables[7 - k][(state >> (8 * k) & 0xff) ^ p[k]];
    for (size_t k = 4; k < 8; ++k) next ^= kTables[7 - k][p[k]];
    state = next;
  }
  for (; n > 0; ++p, --n) state = (state >> 8) ^ kTables[0][(state ^ *p) & 0xff];
  return state;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t extend_by_instruction(uint32_t state, const unsigned char* p,
                                                                 size_t n) {
  uint64_t wide = state;
  for (; n >= 8; p += 8, n -= 8) {
    uint64_t word;
    std::memcpy(&word, p, sizeof(word));
    wide = _mm_crc32_u64(wide, word);
  }
  state = static_cast<uint32_t>(wide);
  for (; n > 0; ++p, --n) state = _mm_crc32_u8(state, *p);
  return state;
}
#endif

}  // namespace

uint32_t crc32c_extend(uint32_t crc, absl::string_view bytes) {
  const auto* p = reinterpret_cast<const unsigned char*>(bytes.data());
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2");
  if (has_instruction) return ~extend_by_instruction(~crc, p, bytes.size());
#endif
  return ~extend_by_tables(~crc, p, bytes.size());
}

}  // namespace troupe
